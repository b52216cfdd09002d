//! What others may read of the store: nothing. The process makes only private files ([`crate::files::make_all_private`]);
//! here are narrowed those that an older version or a restore of it made, or somebody copied here.

use std::path::{Path, PathBuf};

use posthouse_store::{DatabaseUrl, backup::BLOBS_DIR};

use crate::{config::Config, files};

/// What SQLite and the lock of the service have beside the database; SQLite gives its own files the rights of the database.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-serving"];
/// Folders of the data directory that hold mail or keys.
const FOLDERS: [&str; 2] = [BLOBS_DIR, "tls"];

/// Narrows the database, the blobs and the keys. The data directory itself stays as the operator made it.
pub(super) fn narrow(config: &Config, database: &DatabaseUrl) {
    let mut paths: Vec<PathBuf> = FOLDERS.iter().map(|name| config.data_dir.join(name)).collect();
    if let DatabaseUrl::Sqlite(path) = database {
        paths.extend(BESIDE.iter().map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        }));
    }
    if let Some(directory) = config.blob_url.as_deref().and_then(|url| url.strip_prefix("file://")) {
        paths.extend(shards(Path::new(directory)));
    }
    for path in paths {
        if let Err(error) = files::narrow(&path) {
            tracing::warn!(file = %path.display(), cause = %error, "files.open_to_others");
        }
    }
}

/// The folders of a blob store: what else is in a directory of the operator's is not ours.
fn shards(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_shard = |name: &str| name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_shard)).map(|entry| entry.path()).collect()
}
