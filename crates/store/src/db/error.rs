//! Storage errors, grouped by how a caller handles them.
//!
//! `Display` is safe to show to clients: it names the kind and reveals nothing about the installation. The driver's
//! message, which may contain table names, paths and values, is available from [`Error::internal`] for logs only.

use std::sync::Arc;

use posthouse_domain::StorageNeed;

/// A failure of the database, its write queue, or the blob store.
///
/// Cloneable, because every unit in a commit group gets the same failure.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The write queue is full. Retry later (HTTP 503, SMTP 451).
    #[error("too many requests are waiting for the database")]
    Overloaded,
    /// A statement of a read took longer than this limit in milliseconds (HTTP 503).
    #[error("the read took too long")]
    StatementTime(u64),
    /// Too many reads of the workspace wait, of which only this many run at once. Retry later (HTTP 503).
    #[error("too many requests of the workspace are waiting for the database")]
    TooManyReads(usize),
    /// There is no connection, the store is closed, or another process holds the database. If the connection was lost
    /// during COMMIT, the outcome is unknown. Retry later (HTTP 503, SMTP 451).
    #[error("the database is not available")]
    Unavailable(Arc<str>),
    /// The disk is full or not writable (HTTP 503, SMTP 451).
    #[error("the storage is full or not writable")]
    StorageFull(Arc<str>),
    /// A workspace would store more than its plan allows (HTTP 403 `plan_limit_storage`, SMTP 452).
    #[error("the workspace stores more than its plan allows")]
    WorkspaceFull(StorageNeed),
    /// The unit conflicted with concurrent units (serialization failure, deadlock) and used up its retries (HTTP 503).
    #[error("the request conflicted with too many concurrent changes")]
    Conflict(Arc<str>),
    /// The engine reports a damaged database, or a value read back can't be one that was written. After the first such
    /// error the store rejects all writes (HTTP 503, SMTP 451).
    #[error("the database is damaged")]
    DatabaseDamaged(Arc<str>),
    /// The stored bytes of one message or attachment are missing or altered; everything else works.
    #[error("stored content is missing or altered")]
    ContentDamaged(Arc<str>),
    /// The stored data contradicts itself; an operator must repair it.
    #[error("the stored data is inconsistent")]
    Inconsistent(Arc<str>),
    /// The schema doesn't match this binary, or a setting is wrong; the text is meant for the operator.
    #[error("{0}")]
    Schema(Arc<str>),
    /// A statement or a type is wrong: a bug in Posthouse.
    #[error("the database rejected a statement")]
    Statement(Arc<str>),
    /// The unit of work panicked and was rolled back alone, or memory ran out.
    #[error("an internal error occurred")]
    Internal(Arc<str>),
    /// The blob store doesn't respond or rejects the request. Retry later (HTTP 503, SMTP 451).
    #[error("the blob store is not available")]
    BlobStore(Arc<str>),
    /// A file that isn't a blob can't be read or written.
    #[error("a file can't be read or written")]
    File(Arc<str>),
}

/// When to retry a read that took too long, in seconds.
const STATEMENT_RETRY_S: u64 = 10;
/// When to retry a read that found the queue of its workspace full, in seconds.
const READS_RETRY_S: u64 = 1;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns the driver's message. It is for logs only, never for clients.
    #[must_use]
    pub fn internal(&self) -> &str {
        match self {
            Error::Overloaded => "queue full",
            Error::WorkspaceFull(_) => "workspace full",
            Error::StatementTime(_) => "statement time",
            Error::TooManyReads(_) => "queue of the workspace full",
            Error::Unavailable(text)
            | Error::StorageFull(text)
            | Error::Conflict(text)
            | Error::DatabaseDamaged(text)
            | Error::ContentDamaged(text)
            | Error::Inconsistent(text)
            | Error::Schema(text)
            | Error::Statement(text)
            | Error::Internal(text)
            | Error::BlobStore(text)
            | Error::File(text) => text,
        }
    }

    /// Returns whether the same request may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Error::Overloaded
                | Error::StatementTime(_)
                | Error::TooManyReads(_)
                | Error::Unavailable(_)
                | Error::StorageFull(_)
                | Error::Conflict(_)
                | Error::BlobStore(_)
        )
    }

    /// Returns whether the database is unreachable or not writable. The store logs the start and the end of such an
    /// outage once; callers must not log it again.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self, Error::Overloaded | Error::Unavailable(_) | Error::StorageFull(_) | Error::DatabaseDamaged(_))
    }

    pub(crate) fn db(text: impl std::fmt::Display) -> Self {
        Error::Statement(text.to_string().into())
    }

    pub(crate) fn unavailable(text: impl std::fmt::Display) -> Self {
        Error::Unavailable(text.to_string().into())
    }

    pub(crate) fn blob(text: impl std::fmt::Display) -> Self {
        Error::BlobStore(text.to_string().into())
    }

    pub(crate) fn file(text: impl std::fmt::Display) -> Self {
        Error::File(text.to_string().into())
    }

    pub(crate) fn corrupt(text: impl std::fmt::Display) -> Self {
        Error::Inconsistent(text.to_string().into())
    }

    pub(crate) fn damaged(text: impl std::fmt::Display) -> Self {
        Error::DatabaseDamaged(text.to_string().into())
    }

    /// Creates an [`Error::ContentDamaged`] error; `text` names the blob or row for the log.
    #[must_use]
    pub fn bad_content(text: impl std::fmt::Display) -> Self {
        Error::ContentDamaged(text.to_string().into())
    }

    pub(crate) fn schema(text: impl std::fmt::Display) -> Self {
        Error::Schema(text.to_string().into())
    }
}

/// Maps I/O errors of files to [`Error::StorageFull`] or [`Error::File`].
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let text: Arc<str> = error.to_string().into();
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => {
                Error::StorageFull(text)
            }
            _ => Error::File(text),
        }
    }
}

impl From<Error> for posthouse_domain::error::Refusal {
    /// Converts a storage error to an API error. Logs the driver's message here, once; the client never sees it.
    fn from(error: Error) -> Self {
        use posthouse_domain::error::{Detail, ErrorCode, LimitName, RefusalReason};
        let limited = |limit, max, wait_s| {
            let refusal = Self::new(ErrorCode::Unavailable, sentence(&error));
            refusal.detail(Detail::Limit(limit)).detail(Detail::Max(max)).retry_after(wait_s)
        };
        match error {
            Error::StatementTime(limit_ms) => {
                tracing::warn!(limit_ms, "store.slow_statement");
                return limited(LimitName::StatementTime, limit_ms, STATEMENT_RETRY_S)
                    .with_fix("Ask for less: a smaller `limit`, or fewer and narrower filters.");
            }
            Error::WorkspaceFull(need) => {
                if let Err(refusal) = need.check() {
                    return refusal;
                }
            }
            Error::TooManyReads(max) => return limited(LimitName::ReadsPerWorkspace, max as u64, READS_RETRY_S),
            _ => {}
        }
        if let Error::DatabaseDamaged(_) = error {
            // The store already logged the damage once.
            return Self::new(ErrorCode::StoreDamaged, sentence(&error));
        }
        if let Error::ContentDamaged(cause) = &error {
            tracing::error!(cause = &**cause, "content.damaged");
            return Self::new(ErrorCode::ContentDamaged, "The stored bytes are missing or altered.");
        }
        if error.is_transient() {
            if error.is_outage() {
                tracing::debug!(cause = error.internal(), "store.unavailable");
            } else {
                tracing::warn!(cause = error.internal(), "store.unavailable");
            }
            // Applies to reads too. After a lost connection it is unknown whether the data was stored.
            let refusal = Self::new(ErrorCode::Unavailable, sentence(&error));
            match error {
                Error::StorageFull(_) => refusal.detail(Detail::Reason(RefusalReason::StorageFull)),
                Error::BlobStore(_) => refusal.detail(Detail::Reason(RefusalReason::BlobStore)),
                _ => refusal,
            }
        } else {
            tracing::error!(cause = error.internal(), "store.failed");
            Self::new(ErrorCode::Internal, "An internal error occurred.")
        }
    }
}

/// Returns the error text as a sentence for clients.
fn sentence(error: &Error) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_domain::error::{Refusal, RefusalReason};

    #[test]
    fn messages_and_fixes_do_not_claim_what_was_stored() {
        for (error, reason, message) in [
            (Error::unavailable("x"), None, "The database is not available."),
            (Error::StorageFull("x".into()), Some("storage_full"), "The storage is full or not writable."),
            (Error::blob("x"), Some("blobs"), "The blob store is not available."),
            (Error::file("x"), None, "An internal error occurred."),
        ] {
            let refusal = Refusal::from(error);
            assert_eq!(refusal.message, message);
            assert_eq!(refusal.reason().map(RefusalReason::text), reason);
            assert!(!refusal.code.fix().contains("stored"), "{}", refusal.code.fix());
        }
    }

    #[test]
    fn limits_of_reads_are_named_with_their_value_and_wait() {
        for (error, limit, max) in [
            (Error::StatementTime(10_000), "statement_time", 10_000),
            (Error::TooManyReads(2), "reads_per_workspace", 2),
        ] {
            let refusal = Refusal::from(error);
            let details = refusal.wire_details();
            assert_eq!(
                (refusal.code.text(), &details["limit"], &details["max"]),
                ("unavailable", &limit.into(), &max.into())
            );
            assert_eq!(refusal.retry_after_s, details["retry_after_seconds"].as_u64());
        }
    }

    #[test]
    fn damage_maps_to_its_own_codes() {
        use posthouse_domain::error::ErrorCode;
        assert_eq!(Refusal::from(Error::damaged("x")).code, ErrorCode::StoreDamaged);
        assert_eq!(Refusal::from(Error::bad_content("x")).code, ErrorCode::ContentDamaged);
        assert_eq!(Refusal::from(Error::corrupt("x")).code, ErrorCode::Internal);
    }
}
