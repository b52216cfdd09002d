//! Maps the errors of both drivers to [`Error`].

use crate::Error;
use std::sync::Arc;

/// Maps SQLite's result codes. <https://www.sqlite.org/rescode.html>
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let text: Arc<str> = error.to_string().into();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => Error::StorageFull(text),
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::OutOfMemory,
            ) => Error::Unavailable(text),
            // The timer of the connection knows the limit, and the transaction sets it.
            Some(ErrorCode::OperationInterrupted) => Error::StatementTime(0),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::DatabaseDamaged(text),
            _ => Error::Statement(text),
        }
    }
}

/// Maps PostgreSQL's SQLSTATE codes. <https://www.postgresql.org/docs/current/errcodes-appendix.html>
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
            return if is_encoding(&error) { Error::Statement(text) } else { Error::Unavailable(text) };
        };
        match code {
            // Serialization failure, deadlock; or a plan or statement made stale by a migration or a connection pooler.
            "40001" | "40P01" | "26000" => Error::Conflict(text),
            "0A000" if text.contains("cached plan") => Error::Conflict(text),
            "53100" | "53200" | "58030" => Error::StorageFull(text),
            "57014" if text.contains("statement timeout") => Error::StatementTime(0),
            "53300" | "57014" | "25006" | "55P03" => Error::Unavailable(text),
            // Damaged data or index, or a missing table file.
            "XX001" | "XX002" | "58P01" => Error::DatabaseDamaged(text),
            c if c.starts_with("08") || c.starts_with("57P") => Error::Unavailable(text),
            _ => Error::Statement(text),
        }
    }
}

/// Returns whether the error arose on the client side while encoding or decoding values.
fn is_encoding(error: &postgres::Error) -> bool {
    let text = error.to_string();
    text.starts_with("error serializing") || text.starts_with("error deserializing") || text.contains("expected")
}
