//! Whether somebody serves a store: for the work that must be alone with it.
//!
//! Who serves holds a shared lock for as long as it lives: on a file beside an SQLite database, in the server of a
//! PostgreSQL one. The lock ends with the process, however that ends. Commands beside a running service hold none.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use postgres::error::SqlState;

use crate::db::postgres::PgConnection;
use crate::{DatabaseUrl, Error, Result};

/// The advisory lock on PostgreSQL: "servings" in ASCII.
const LOCK: i64 = 0x7365_7276_696e_6773;
/// How long it is waited for, in milliseconds.
const LOCK_WAIT_MS: u32 = 5_000;
/// What the lock's file is called, behind the name of the database.
const ENDING: &str = "-serving";

/// Being alone with a store; ends when it is dropped.
#[derive(Debug)]
pub struct Alone {
    _held: Held,
}

enum Held {
    File(#[expect(dead_code, reason = "held for the lock that ends with it")] File),
    Server(#[expect(dead_code, reason = "held for the lock that ends with it")] Box<PgConnection>),
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Held::File(_) => "File",
            Held::Server(_) => "Server",
        })
    }
}

impl Alone {
    /// Takes the place of who would serve; none where somebody does. Blocks; may be called from anywhere.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where the database cannot be reached.
    pub fn with(url: &DatabaseUrl) -> Result<Option<Self>> {
        super::apart(|| match url {
            DatabaseUrl::Sqlite(path) => {
                let file = lock_file(path)?;
                Ok(is_taken(file.try_lock())?.then_some(Alone { _held: Held::File(file) }))
            }
            DatabaseUrl::Postgres(url) => {
                let mut connection = PgConnection::connect(url)?;
                let taken = lock(&mut connection, "pg_advisory_lock")?;
                Ok(taken.then(|| Alone { _held: Held::Server(Box::new(connection)) }))
            }
        })
    }
}

/// Says that this process serves the SQLite database, until the file is dropped.
pub(crate) fn serve_file(path: &Path) -> Result<File> {
    let file = lock_file(path)?;
    if is_taken(file.try_lock_shared())? { Ok(file) } else { Err(in_use()) }
}

/// Says that this process serves the PostgreSQL database, until the connection ends.
pub(crate) fn serve_on(connection: &mut PgConnection) -> Result<()> {
    if lock(connection, "pg_advisory_lock_shared")? { Ok(()) } else { Err(in_use()) }
}

fn in_use() -> Error {
    Error::unavailable("a command that must be alone with the store is at work; start again when it is done")
}

fn lock_file(path: &Path) -> Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(ENDING);
    OpenOptions::new().create(true).append(true).open(name).map_err(Error::unavailable)
}

fn is_taken(tried: std::result::Result<(), TryLockError>) -> Result<bool> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::unavailable(error)),
    }
}

/// Whether the lock was got. It is waited for: the server sees only after a moment that a process was killed.
fn lock(connection: &mut PgConnection, function: &str) -> Result<bool> {
    let asked = format!("SET lock_timeout = {LOCK_WAIT_MS}; SELECT {function}({LOCK}); RESET lock_timeout");
    match connection.client().batch_execute(&asked) {
        Ok(()) => Ok(true),
        Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
