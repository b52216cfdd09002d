//! Read access that changes no file, for diagnostics.
//!
//! An ordinary read-only connection of SQLite changes the directory: it creates the write-ahead log (WAL) and its index
//! if they are missing, and clears an index that a crash left behind. <https://www.sqlite.org/wal.html#readonly>

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use rusqlite::OpenFlags;

use crate::db::connection::PgConnection;
use crate::tx::StoreConnection;
use crate::{DatabaseUrl, Error, Result, Tx};

/// Characters with a meaning in the path of a URI.
const RESERVED: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'?').add(b'#');

/// How a SQLite database can be read without changing its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SqliteReadMode {
    /// No process has the database open, and the file alone is complete.
    Immutable,
    /// The WAL and its index exist. The index is only read, or rebuilt in memory after a crash.
    WithLog,
}

impl SqliteReadMode {
    /// Chooses the mode by the files that exist now.
    ///
    /// # Errors
    /// Returns [`Error::Unavailable`] if the WAL has no index, because reading would create one.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let log_bytes = sibling(path, "-wal").metadata().map(|file| file.len());
        match (log_bytes, sibling(path, "-shm").exists()) {
            (Err(_), _) | (Ok(0), false) => Ok(SqliteReadMode::Immutable),
            (Ok(_), true) => Ok(SqliteReadMode::WithLog),
            (Ok(_), false) => Err(Error::unavailable(format_args!(
                "{}-wal has no index (-shm) next to it, and reading it would create one; start the service once",
                path.display()
            ))),
        }
    }
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Opens a SQLite file that exists.
pub(crate) fn open_sqlite(path: &Path) -> Result<rusqlite::Connection> {
    let options = match SqliteReadMode::of(path)? {
        SqliteReadMode::Immutable => "immutable=1",
        SqliteReadMode::WithLog => "readonly_shm=1",
    };
    let absolute = std::path::absolute(path).map_err(Error::unavailable)?;
    let uri = format!("file:{}?mode=ro&{options}", percent_encode(absolute.as_os_str().as_bytes(), RESERVED));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(rusqlite::Connection::open_with_flags(uri, flags)?)
}

/// Connects to a database that exists.
pub(crate) fn connect(url: &DatabaseUrl) -> Result<Tx> {
    Ok(Tx::new(match url {
        DatabaseUrl::Sqlite(path) => StoreConnection::Sqlite(open_sqlite(path)?),
        DatabaseUrl::Postgres(url) => {
            let mut connection = PgConnection::connect(url)?;
            connection.batch("SET default_transaction_read_only = on")?;
            StoreConnection::Postgres(Box::new(connection))
        }
    }))
}
