//! Why an OAuth endpoint refuses: an error of the protocol, or one of the service.

use posthouse_domain::{OAuthError, Refusal};

/// A refusal of an OAuth endpoint.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum OAuthFailure {
    /// An error of the protocol.
    #[error(transparent)]
    Protocol(#[from] OAuthError),
    /// An error of the service, such as a limit or the database.
    #[error(transparent)]
    Service(#[from] Refusal),
}

impl From<posthouse_store::Error> for OAuthFailure {
    fn from(error: posthouse_store::Error) -> Self {
        Self::Service(error.into())
    }
}
