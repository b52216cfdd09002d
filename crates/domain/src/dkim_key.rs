//! DKIM keys of the served domains (RFC 6376).

use crate::Time;

/// A stored DKIM key.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredDkimKey {
    /// The signing domain, in A-label form.
    pub domain: String,
    pub selector: String,
    /// `rsa-sha256` or `ed25519-sha256`.
    pub algorithm: String,
    /// The sealed private key.
    pub private_key: Vec<u8>,
    /// The text of the DNS record to publish.
    pub record: String,
    pub created_at: Time,
}

impl std::fmt::Debug for StoredDkimKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredDkimKey({}._domainkey.{} {})", self.selector, self.domain, self.algorithm)
    }
}
