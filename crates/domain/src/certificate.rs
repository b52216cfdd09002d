//! Certificates of the listeners (RFC 8555).

use crate::Time;

/// A certificate and the state of the attempts to obtain it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct StoredCertificate {
    /// The chain in PEM; `None` until the first certificate is issued.
    pub chain: Option<String>,
    /// The sealed private key in PEM.
    pub private_key: Option<Vec<u8>>,
    /// End of the certificate's validity.
    pub not_after: Option<Time>,
    /// Attempts since the last success.
    pub failures: u32,
    /// Error text of the last failed attempt.
    pub last_error: Option<String>,
    /// Time of the last attempt.
    pub tried_at: Option<Time>,
}

impl std::fmt::Debug for StoredCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredCertificate(until {:?}, {} failures)", self.not_after, self.failures)
    }
}
