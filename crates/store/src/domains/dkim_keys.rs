//! DKIM keys of the served domains (RFC 6376). Callers seal private keys before storing them; they are never displayed.

use posthouse_domain::time::Time;

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO dkim_keys (domain, selector, algorithm, private_key, record, active, created_at) VALUES ($1, $2, $3, $4, $5, 1, $6)
        ON CONFLICT (domain, selector, algorithm) DO NOTHING";
    /// Returns the keys that sign for a domain, oldest first, RSA before Ed25519.
    pub fn active(domain: &str) -> Vec<StoredDkimKey> =
        "SELECT domain, selector, algorithm, private_key, record, created_at FROM dkim_keys
        WHERE domain = :domain AND active = 1 ORDER BY created_at, algorithm DESC, selector LIMIT 10";
}

/// A stored DKIM key.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredDkimKey {
    /// The signing domain, in A-label form.
    pub domain: String,
    /// The selector.
    pub selector: String,
    /// `rsa-sha256` or `ed25519-sha256`.
    pub algorithm: String,
    /// The sealed private key.
    pub private_key: Vec<u8>,
    /// The text of the DNS record to publish.
    pub record: String,
    /// When it was created.
    pub created_at: Time,
}

impl std::fmt::Debug for StoredDkimKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredDkimKey({}._domainkey.{} {})", self.selector, self.domain, self.algorithm)
    }
}

/// Stores a key unless the domain already has one with this selector and algorithm.
pub fn insert(tx: &mut Tx, key: &StoredDkimKey) -> Result<()> {
    let k = key;
    tx.exec(&INSERT, p![k.domain, k.selector, k.algorithm, k.private_key, k.record, k.created_at])?;
    Ok(())
}

crate::from_row!(StoredDkimKey { domain, selector, algorithm, private_key, record, created_at });
