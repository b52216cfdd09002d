//! What can go wrong below the domain, in the few kinds a caller treats differently.
//!
//! `Display` is fit for the outside: it names the kind and nothing of the installation. The driver's own words, which may
//! hold table names, paths and values, are had by [`Error::internal`] for the log alone.

use std::sync::Arc;

/// A failure of the database, the queue before it, or the blob store.
///
/// Cloneable, because everybody in a commit group hears the same failure.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The queue before the database is full: try again later (HTTP 503, SMTP 451).
    #[error("too many requests wait for the database")]
    Overloaded,
    /// No connection, the store is closed, or another process holds the database. After a lost connection at COMMIT the
    /// outcome is unknown. Try again later (HTTP 503, SMTP 451).
    #[error("the database is not available")]
    Unavailable(Arc<str>),
    /// The disk is full or refuses to write (HTTP 503, SMTP 451).
    #[error("the storage is full or refuses to write")]
    Full(Arc<str>),
    /// The unit met others too often (serialisation failure, deadlock) and the reruns are used up (HTTP 503).
    #[error("the request met too many concurrent changes")]
    Retry(Arc<str>),
    /// The engine says that the database is damaged, or what it gave back cannot be what was written. From the first one on
    /// the store takes no writes (HTTP 503, SMTP 451).
    #[error("the database is damaged")]
    Damaged(Arc<str>),
    /// The stored bytes of one mail or file are missing or altered; everything else works.
    #[error("stored content is missing or altered")]
    BadContent(Arc<str>),
    /// The stored data contradicts itself: an operator must look.
    #[error("the stored data is damaged")]
    Corrupt(Arc<str>),
    /// The schema does not fit this binary; the text is written for the operator.
    #[error("{0}")]
    Schema(Arc<str>),
    /// A statement or a type is wrong: a bug of ours.
    #[error("the database refused a statement")]
    Db(Arc<str>),
    /// The unit of work panicked, and was rolled back alone; or there is no memory for it.
    #[error("an internal error occurred")]
    Panicked(Arc<str>),
    /// The blob store does not answer or refuses. Try again later (HTTP 503, SMTP 451).
    #[error("the blob store is not available")]
    Blob(Arc<str>),
    /// A file other than a blob could not be read or written.
    #[error("a file could not be read or written")]
    File(Arc<str>),
}

/// The usual result of the seam.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The driver's own words, for the log; never for a client.
    #[must_use]
    pub fn internal(&self) -> &str {
        match self {
            Error::Overloaded => "queue full",
            Error::Unavailable(text)
            | Error::Full(text)
            | Error::Retry(text)
            | Error::Damaged(text)
            | Error::BadContent(text)
            | Error::Corrupt(text)
            | Error::Schema(text)
            | Error::Db(text)
            | Error::Panicked(text)
            | Error::Blob(text)
            | Error::File(text) => text,
        }
    }

    /// Whether the same request may succeed later without anybody changing anything in the program.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Error::Overloaded | Error::Unavailable(_) | Error::Full(_) | Error::Retry(_) | Error::Blob(_))
    }

    /// Whether the database is away or refuses to write, which the store itself logs: once when it begins and once when it is
    /// over. Whoever meets it says nothing more.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self, Error::Overloaded | Error::Unavailable(_) | Error::Full(_) | Error::Damaged(_))
    }

    pub(crate) fn db(text: impl std::fmt::Display) -> Self {
        Error::Db(text.to_string().into())
    }

    pub(crate) fn unavailable(text: impl std::fmt::Display) -> Self {
        Error::Unavailable(text.to_string().into())
    }

    pub(crate) fn blob(text: impl std::fmt::Display) -> Self {
        Error::Blob(text.to_string().into())
    }

    pub(crate) fn file(text: impl std::fmt::Display) -> Self {
        Error::File(text.to_string().into())
    }

    pub(crate) fn corrupt(text: impl std::fmt::Display) -> Self {
        Error::Corrupt(text.to_string().into())
    }

    pub(crate) fn damaged(text: impl std::fmt::Display) -> Self {
        Error::Damaged(text.to_string().into())
    }

    /// Content that is missing or altered; `text` names the blob or row for the log.
    #[must_use]
    pub fn bad_content(text: impl std::fmt::Display) -> Self {
        Error::BadContent(text.to_string().into())
    }

    pub(crate) fn schema(text: impl std::fmt::Display) -> Self {
        Error::Schema(text.to_string().into())
    }
}

/// Sorts the failures of files.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let text: Arc<str> = error.to_string().into();
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => Error::Full(text),
            _ => Error::File(text),
        }
    }
}

impl From<Error> for posthouse_domain::error::Refusal {
    /// What a caller is told of a failure below; the driver's words go to the log, here and once.
    fn from(error: Error) -> Self {
        use posthouse_domain::error::Code;
        if let Error::Damaged(_) = error {
            // The store logged it, once.
            return Self::new(Code::StoreDamaged, sentence(&error));
        }
        if let Error::BadContent(cause) = &error {
            tracing::error!(cause = &**cause, "content.damaged");
            return Self::new(Code::ContentDamaged, "The stored bytes are missing or altered.");
        }
        if error.is_transient() {
            if error.is_outage() {
                tracing::debug!(cause = error.internal(), "store.unavailable");
            } else {
                tracing::warn!(cause = error.internal(), "store.unavailable");
            }
            // Of reads too, and after a lost connection it is not known what was stored.
            let refusal = Self::new(Code::Unavailable, sentence(&error));
            match error {
                Error::Full(_) => refusal.detail("reason", "storage_full"),
                Error::Blob(_) => refusal.detail("reason", "blobs"),
                _ => refusal,
            }
        } else {
            tracing::error!(cause = error.internal(), "store.failed");
            Self::new(Code::Internal, "Something broke inside.")
        }
    }
}

/// The error as a sentence for callers.
fn sentence(error: &Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_domain::error::Refusal;

    #[test]
    fn a_read_that_failed_said_that_nothing_was_stored() {
        for (error, reason, message) in [
            (Error::unavailable("x"), None, "The database is not available."),
            (Error::Full("x".into()), Some("storage_full"), "The storage is full or refuses to write."),
            (Error::blob("x"), Some("blobs"), "The blob store is not available."),
            (Error::file("x"), None, "Something broke inside."),
        ] {
            let refusal = Refusal::from(error);
            assert_eq!(refusal.message, message);
            assert_eq!(refusal.details.get("reason").and_then(|reason| reason.as_str()), reason);
            assert!(!refusal.code.fix().contains("stored"), "{}", refusal.code.fix());
        }
    }

    #[test]
    fn damage_has_codes_of_its_own() {
        use posthouse_domain::error::Code;
        assert_eq!(Refusal::from(Error::damaged("x")).code, Code::StoreDamaged);
        assert_eq!(Refusal::from(Error::bad_content("x")).code, Code::ContentDamaged);
        assert_eq!(Refusal::from(Error::corrupt("x")).code, Code::Internal);
    }
}
