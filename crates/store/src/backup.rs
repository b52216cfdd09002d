//! Backup of an embedded store: one tar file with the SQLite database, the blobs and the files of the data directory.
//!
//! The archive has the layout of a data directory, so any tar tool can unpack it. It is a consistent copy made while
//! the service runs: blobs first, then the database as of one moment, then the blobs stored in the meantime. Every blob
//! that the database copy references is therefore included. For PostgreSQL, use its own backup tools; this module
//! rejects it.

mod hash;
mod read;
mod write;

use crate::{DatabaseUrl, Error, Result};
use std::path::{Path, PathBuf};

pub use read::{RestoreTarget, restore, restore_with_progress};
pub use write::{ArchiveFile, save, save_with_progress};

/// Name of the database in a data directory and in an archive.
pub const DATABASE_FILE: &str = "posthouse.db";
/// Name of the blob directory in a data directory and in an archive.
pub const BLOBS_DIR: &str = "blobs";
/// Last member of an archive. An archive without it is incomplete.
const END_FILE: &str = "backup-complete.json";
/// Format version of the archive, recorded in its last member.
const FORMAT: u32 = 2;

/// Summary of an archive, written as its last member.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupSummary {
    /// Format version of the archive, 2.
    pub format: u32,
    /// Number of blobs.
    pub blobs: u64,
    /// Number of other files of the data directory, such as keys.
    pub files: u64,
    /// SHA-256 over the names and bytes of all earlier members, in hex.
    pub sha256: String,
}

/// What to copy besides the blobs.
#[derive(Debug, Clone)]
pub struct BackupSource {
    /// The database, which must be SQLite.
    pub database: DatabaseUrl,
    /// The data directory.
    pub data_dir: PathBuf,
    /// Files and directories of the data directory to copy unchanged, for example `keys`. Missing ones are skipped.
    pub folders: Vec<String>,
}

/// How far a backup or a restore is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupProgress {
    /// What is being done.
    pub step: BackupStep,
    /// The finished part of `total`.
    pub done: u64,
    /// Backup: the number of files, estimated at the start. Restore: the bytes of the archive.
    pub total: u64,
}

/// A step of a backup or a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupStep {
    /// Copying files.
    Files,
    /// Copying the database.
    Database,
    /// Checking the restored database.
    Check,
}

/// A function that receives the progress.
pub type OnProgress<'a> = &'a mut dyn FnMut(BackupProgress);

/// Converts an I/O error to one that names the path.
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

/// Runs SQLite's integrity and foreign key checks.
fn check_database(connection: &rusqlite::Connection) -> Result<()> {
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Error::Inconsistent(format!("the database is damaged: {verdict}").into()));
    }
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    match statement.query([])?.next()? {
        None => Ok(()),
        Some(row) => {
            let table: String = row.get(0)?;
            Err(Error::Inconsistent(
                format!("the database is damaged: a row of {table} references a missing row").into(),
            ))
        }
    }
}
