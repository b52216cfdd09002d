//! Checks the database and the blob store without changing them: that they can be read, that the service could write to
//! them, and that the schema is current.

use std::{
    io,
    path::{Path, PathBuf},
};

use posthouse_store::{DatabaseUrl, Error, Store, instance};
use rustix::fs::{Access, access};

use super::{Finding, integrity};
use crate::boot::{self, BootError, inspect::DatabaseState};
use crate::cli::outcome::CommandError;
use crate::config::{Configuration, SetKey, ValueSource};

/// The result of the checks, and the store for further ones.
pub(super) struct StorageCheck {
    pub(super) findings: Vec<Finding>,
    pub(super) store: Option<Store>,
    /// What to do if there is no store to check further.
    pub(super) missing_advice: &'static str,
}

impl StorageCheck {
    fn new(finding: Finding, store: Option<Store>) -> Self {
        Self { findings: vec![finding], store, missing_advice: "repair the database, then check again" }
    }
}

pub(super) async fn check(config: &Configuration, quick: bool) -> StorageCheck {
    let mut checked = database(config, quick).await;
    checked.findings.push(blobs(config).await);
    checked
}

async fn database(config: &Configuration, quick: bool) -> StorageCheck {
    let url = match boot::inspect::database_url(config) {
        Ok(url) => url,
        Err(error) => {
            return StorageCheck::new(Finding::failed(format!("database: {error}"), "correct database_url"), None);
        }
    };
    let advice = match url {
        DatabaseUrl::Sqlite(_) => "check the owner of data_dir and the free space of its disk",
        DatabaseUrl::Postgres(_) => "check database_url, and that the server accepts connections",
    };
    match boot::inspect::open_database(config) {
        Ok(DatabaseState::Current(store)) => {
            let mut checked = StorageCheck::new(is_writable(&url, &store, advice).await, None);
            checked.findings.extend(integrity::commits(&store).await);
            if !quick {
                checked.findings.extend(integrity::database(&url));
            }
            checked.store = Some(store);
            checked
        }
        Ok(DatabaseState::Absent(store)) => StorageCheck::new(absent(config, &url), Some(store)),
        Ok(DatabaseState::Outdated(pending)) => {
            let what = format!("database: {url} needs {} migrations: {}", pending.len(), pending.join(", "));
            let advice = "make a backup; the next start applies them, and so does posthouse migrate";
            let missing_advice = "apply the migrations, then check again";
            StorageCheck { missing_advice, ..StorageCheck::new(Finding::warning(what, advice), None) }
        }
        Err(BootError::Damaged(cause)) => StorageCheck::new(damaged(&url, &cause), None),
        Err(error @ (BootError::DatabaseLost { .. } | BootError::OtherStore { .. })) => {
            StorageCheck::new(Finding::failed(format!("database: {error}"), ""), None)
        }
        Err(error) => StorageCheck::new(Finding::failed(format!("database: {url}: {error}"), advice), None),
    }
}

/// Checks whether the service could write to the database.
async fn is_writable(url: &DatabaseUrl, store: &Store, advice: &str) -> Finding {
    let refused = |cause: String| Finding::failed(format!("database: {url} is not writable: {cause}"), advice);
    if let DatabaseUrl::Sqlite(path) = url
        && let Err(error) = access_for_writing(path).and_then(|()| access_for_writing(directory_of(path)))
    {
        return refused(error.to_string());
    }
    match store.read(instance::accepts_writes).await {
        Ok(true) => Finding::ok(format!("database: {url} is up to date and writable")),
        Ok(false) => refused("it is read-only, or its user may not write".to_owned()),
        Err(Error::Inconsistent(cause) | Error::DatabaseDamaged(cause)) => damaged(url, &cause),
        Err(error) => Finding::failed(format!("database: {url}: {}", CommandError::from(error).into_text()), advice),
    }
}

fn absent(config: &Configuration, url: &DatabaseUrl) -> Finding {
    let DatabaseUrl::Sqlite(path) = url else {
        return Finding::ok(format!("database: {url} is empty; the first start creates its tables"));
    };
    // A typo in an option would pass as a store that is still to be created.
    if is_data_dir_given(config) {
        let what = format!("database: there is no store in {}: {url} does not exist", config.data_dir.display());
        let advice = "correct --data-dir; to check before the first start, set data_dir in the configuration";
        return Finding::failed(what, advice);
    }
    let directory = if config.database_url.is_none() { config.data_dir.as_path() } else { directory_of(path) };
    match nearest_existing(directory).and_then(|found| access_for_writing(&found)) {
        Ok(()) => Finding::ok(format!("database: {url} does not exist yet; the first start creates it")),
        Err(error) => {
            let advice = "set data_dir to a directory that this user can create or write";
            Finding::failed(format!("database: {url} cannot be created: {error}"), advice)
        }
    }
}

/// Returns whether the command names the directory of the store.
fn is_data_dir_given(config: &Configuration) -> bool {
    let is_option = |set: &SetKey| set.name == "data_dir" && set.source == ValueSource::CommandLine;
    config.database_url.is_none() && config.set_keys.iter().any(is_option)
}

fn damaged(url: &DatabaseUrl, cause: &str) -> Finding {
    let advice = match url {
        DatabaseUrl::Sqlite(_) => {
            "stop the service, keep data_dir, and restore a backup into a new one: posthouse restore FILE"
        }
        DatabaseUrl::Postgres(_) => "stop the service and restore a backup of the database",
    };
    Finding::failed(format!("database: {url} is damaged ({cause})"), advice)
}

async fn blobs(config: &Configuration) -> Finding {
    let location = config.blob_url.clone().unwrap_or_else(|| format!("{}/blobs", config.data_dir.display()));
    let advice = "check blob_url, its credentials and the free space";
    let blobs = match boot::open_blobs(config) {
        Ok(blobs) => blobs,
        Err(error) => return Finding::failed(format!("blob store: {location}: {error}"), advice),
    };
    if let Some(directory) = blobs.directory() {
        let checked = nearest_existing(directory).and_then(|found| access_for_writing(&found).map(|()| found));
        return match checked {
            Ok(found) if found == directory => Finding::ok(format!("blob store: {location} is readable and writable")),
            Ok(_) => Finding::ok(format!("blob store: {location} does not exist yet; the first start creates it")),
            Err(error) => Finding::failed(format!("blob store: {location}: {error}"), advice),
        };
    }
    // If the check is interrupted, the sweep of unreferenced blobs deletes this one.
    let bytes = boot::clock().ids().next::<uuid::Uuid>().as_bytes().to_vec();
    match blobs.probe(bytes.into()).await {
        Ok(()) => Finding::ok(format!("blob store: {location} is readable and writable")),
        Err(error) => {
            Finding::failed(format!("blob store: {location}: {}", CommandError::from(error).into_text()), advice)
        }
    }
}

/// Returns the directory, or its nearest parent that exists.
fn nearest_existing(directory: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(directory)?;
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    for candidate in absolute.ancestors() {
        match candidate.metadata() {
            Ok(found) if found.is_dir() => {
                return Ok(if candidate == absolute { directory.to_owned() } else { candidate.to_owned() });
            }
            Ok(_) => return Err(io::Error::from(io::ErrorKind::NotADirectory)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(missing())
}

fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Checks that this user may write there, without writing.
fn access_for_writing(path: &Path) -> io::Result<()> {
    let permissions =
        Access::READ_OK | Access::WRITE_OK | if path.is_dir() { Access::EXEC_OK } else { Access::empty() };
    access(path, permissions).map_err(io::Error::from)
}
