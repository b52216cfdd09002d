//! Backup of an embedded store: one tar file with the SQLite database, the blobs and the files of the data directory.
//!
//! The archive looks like a data directory, so that it can be opened with any tar. It is a consistent copy made while the
//! service runs: blobs first, then the database as of one moment, then the blobs stored meanwhile; so every blob the copy
//! names is in it. PostgreSQL has tools of its own for this, and is refused here.

mod read;
mod seal;
mod write;

use crate::{DatabaseUrl, Error, Result};
use std::path::{Path, PathBuf};

pub use read::restore;
pub use write::save;

/// Name of the database in a data directory and in an archive.
pub const DATABASE_FILE: &str = "posthouse.db";
/// Name of the blob directory in a data directory and in an archive.
pub const BLOBS_DIR: &str = "blobs";
/// Last member of an archive: without it the archive is cut off.
const END_FILE: &str = "backup-complete.json";
/// Format of the archive, in its last member.
const FORMAT: u32 = 2;

/// What an archive holds; written in its last member.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    /// Format of the archive, 2.
    pub format: u32,
    /// Number of blobs.
    pub blobs: u64,
    /// Number of other files of the data directory, such as keys.
    pub files: u64,
    /// SHA-256 of the names and bytes of all members before the last, in hex.
    pub sha256: String,
}

/// What is copied besides the blobs.
#[derive(Debug, Clone)]
pub struct Source {
    /// The database, which must be SQLite.
    pub database: DatabaseUrl,
    /// The data directory.
    pub data_dir: PathBuf,
    /// Files and folders of the data directory that are copied as they are, for example `keys`. A missing one is passed
    /// over.
    pub folders: Vec<String>,
}

/// An error of the file system that says where it was.
fn at(path: &Path, error: &std::io::Error) -> Error {
    Error::schema(format_args!("{}: {error}", path.display()))
}

fn sqlite_path(url: &DatabaseUrl) -> Result<&PathBuf> {
    match url {
        DatabaseUrl::Sqlite(path) => Ok(path),
        DatabaseUrl::Postgres(_) => Err(Error::schema(
            "backup and restore are for the embedded database; use pg_dump or your provider's backups for PostgreSQL",
        )),
    }
}

/// Asks SQLite whether a database file is whole.
fn check_database(connection: &rusqlite::Connection) -> Result<()> {
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Error::Corrupt(format!("the database is damaged: {verdict}").into()));
    }
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    match statement.query([])?.next()? {
        None => Ok(()),
        Some(row) => {
            let table: String = row.get(0)?;
            Err(Error::Corrupt(format!("the database is damaged: a row of {table} names a row that is missing").into()))
        }
    }
}
