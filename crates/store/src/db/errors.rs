//! What the two drivers say, sorted into the kinds of [`Error`].

use crate::Error;
use std::sync::Arc;

/// Sorts SQLite's result codes. <https://www.sqlite.org/rescode.html>
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let text: Arc<str> = error.to_string().into();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => Error::Full(text),
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::OutOfMemory,
            ) => Error::Unavailable(text),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Damaged(text),
            _ => Error::Db(text),
        }
    }
}

/// Sorts PostgreSQL's SQLSTATE codes. <https://www.postgresql.org/docs/current/errcodes-appendix.html>
impl From<postgres::Error> for Error {
    fn from(error: postgres::Error) -> Self {
        let text: Arc<str> = match error.as_db_error() {
            Some(d) => format!("{} ({})", d.message(), d.code().code()),
            None => {
                format!("{error}: {}", std::error::Error::source(&error).map_or(String::new(), ToString::to_string))
            }
        }
        .into();
        let Some(code) = error.code().map(postgres::error::SqlState::code) else {
            return if is_encoding(&error) { Error::Db(text) } else { Error::Unavailable(text) };
        };
        match code {
            // Serialisation failure, deadlock; a plan or a statement that went stale after a migration or a pooler's switch.
            "40001" | "40P01" | "26000" => Error::Retry(text),
            "0A000" if text.contains("cached plan") => Error::Retry(text),
            "53100" | "53200" | "58030" => Error::Full(text),
            "53300" | "57014" | "25006" | "55P03" => Error::Unavailable(text),
            // Damaged data or index; a file of a table that is gone.
            "XX001" | "XX002" | "58P01" => Error::Damaged(text),
            c if c.starts_with("08") || c.starts_with("57P") => Error::Unavailable(text),
            _ => Error::Db(text),
        }
    }
}

/// Whether the failure arose in turning values to or from bytes, so on our side of the wire.
fn is_encoding(error: &postgres::Error) -> bool {
    let text = error.to_string();
    text.starts_with("error serializing") || text.starts_with("error deserializing") || text.contains("expected")
}
