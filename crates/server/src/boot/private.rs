//! Removes the permissions of other users from files of the store. The process creates only private files
//! ([`posthouse_app::files::make_all_private`]), but older versions or an operator may have created others.

use std::{
    fs,
    path::{Path, PathBuf},
};

use posthouse_store::{DatabaseUrl, backup::BLOBS_DIR};

use super::BootError;
use crate::config::{Configuration, absolute};
use posthouse_app::files;

/// Suffixes of the files next to the database. SQLite gives its own files the permissions of the database.
const DATABASE_SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-serving"];
/// Directories in the data directory that have mail or keys.
const FOLDERS: [&str; 2] = [BLOBS_DIR, "tls"];

/// Makes the database, the blobs and the keys private. The data directory itself keeps its mode.
pub(super) fn make_private(config: &Configuration, database: &DatabaseUrl) {
    let mut paths: Vec<PathBuf> = FOLDERS.iter().map(|name| config.data_dir.join(name)).collect();
    if let DatabaseUrl::Sqlite(path) = database {
        paths.extend(DATABASE_SUFFIXES.iter().map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        }));
    }
    if let Some(directory) = config.blob_url.as_deref().and_then(|url| url.strip_prefix("file://")) {
        paths.extend(shards(Path::new(directory)));
    }
    for path in paths {
        if let Err(error) = files::make_private(&path) {
            tracing::warn!(file = %path.display(), cause = %error, "files.permissions_not_changed");
        }
    }
}

/// Returns the shard directories of a blob store. Other files in the directory belong to the operator.
fn shards(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_shard = |name: &str| name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_shard)).map(|entry| entry.path()).collect()
}

/// Creates a directory that only its owner can read, because it has keys and mail.
pub(super) fn make_directory(path: &Path) -> Result<(), BootError> {
    use std::os::unix::fs::DirBuilderExt;
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(BootError::io(format!("cannot create the directory {}", absolute(path).display())))
}
