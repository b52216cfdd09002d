//! Presence locks, which show whether a process serves a store, for commands that need exclusive access.
//!
//! A serving process holds a shared lock for its lifetime: on a file next to a SQLite database, or an advisory lock in
//! a PostgreSQL server. The lock ends with the process in every case. Commands that run next to a service hold none.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use postgres::error::SqlState;

use crate::db::connection::PgConnection;
use crate::{DatabaseUrl, Error, Result};

/// The advisory lock on PostgreSQL: "servings" in ASCII.
const LOCK: i64 = 0x7365_7276_696e_6773;
/// How long to wait for the lock, in milliseconds.
const LOCK_WAIT_MS: u32 = 5_000;
/// Suffix of the lock file, after the name of the database.
const SUFFIX: &str = "-serving";

/// Exclusive access to a store, until dropped.
#[derive(Debug)]
pub struct ExclusiveAccess {
    _lock: PresenceLock,
}

enum PresenceLock {
    File(#[expect(dead_code, reason = "held for the lock that ends with it")] File),
    Server(#[expect(dead_code, reason = "held for the lock that ends with it")] Box<PgConnection>),
}

impl std::fmt::Debug for PresenceLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PresenceLock::File(_) => "File",
            PresenceLock::Server(_) => "Server",
        })
    }
}

impl ExclusiveAccess {
    /// Acquires exclusive access, or returns `None` if a process serves the store. Blocks; may be called from any
    /// thread.
    ///
    /// # Errors
    /// Returns [`Error::Unavailable`] if the database can't be reached.
    pub fn with(url: &DatabaseUrl) -> Result<Option<Self>> {
        super::thread::on_own_thread(|| match url {
            DatabaseUrl::Sqlite(path) => {
                let file = lock_file(path)?;
                Ok(acquired(file.try_lock())?.then_some(ExclusiveAccess { _lock: PresenceLock::File(file) }))
            }
            DatabaseUrl::Postgres(url) => {
                let mut connection = PgConnection::connect(url)?;
                let is_locked = lock(&mut connection, "pg_advisory_lock")?;
                Ok(is_locked.then(|| ExclusiveAccess { _lock: PresenceLock::Server(Box::new(connection)) }))
            }
        })
    }
}

/// Returns whether a process serves the store. Creates no file. Blocks; may be called from any thread.
///
/// # Errors
/// Returns [`Error::Unavailable`] if the database can't be reached.
pub fn is_served(url: &DatabaseUrl) -> Result<bool> {
    super::thread::on_own_thread(|| match url {
        DatabaseUrl::Sqlite(path) => match OpenOptions::new().read(true).open(lock_path(path)) {
            Ok(file) => Ok(!acquired(file.try_lock())?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::unavailable(error)),
        },
        DatabaseUrl::Postgres(url) => {
            let mut connection = PgConnection::connect(url)?;
            Ok(!try_lock(&mut connection)?)
        }
    })
}

/// Marks the SQLite database as served by this process until the file is dropped.
pub(crate) fn serve_file(path: &Path) -> Result<File> {
    let file = lock_file(path)?;
    if acquired(file.try_lock_shared())? { Ok(file) } else { Err(in_use()) }
}

/// Marks the PostgreSQL database as served by this process until the connection ends.
pub(crate) fn serve_on(connection: &mut PgConnection) -> Result<()> {
    if lock(connection, "pg_advisory_lock_shared")? { Ok(()) } else { Err(in_use()) }
}

fn in_use() -> Error {
    Error::unavailable("a command has exclusive access to the store; start again when it is done")
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    PathBuf::from(name)
}

fn lock_file(path: &Path) -> Result<File> {
    OpenOptions::new().create(true).append(true).open(lock_path(path)).map_err(Error::unavailable)
}

/// Acquires the lock if no process has it; it ends with the connection.
fn try_lock(connection: &mut PgConnection) -> Result<bool> {
    let row = connection.client().query_one(&format!("SELECT pg_try_advisory_lock({LOCK})"), &[])?;
    Ok(row.get(0))
}

fn acquired(attempt: std::result::Result<(), TryLockError>) -> Result<bool> {
    match attempt {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::unavailable(error)),
    }
}

/// Acquires the lock; returns whether that succeeded. Waits for a while, because the server notices a killed process
/// late.
fn lock(connection: &mut PgConnection, function: &str) -> Result<bool> {
    let batch = format!("SET lock_timeout = {LOCK_WAIT_MS}; SELECT {function}({LOCK}); RESET lock_timeout");
    match connection.client().batch_execute(&batch) {
        Ok(()) => Ok(true),
        Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
