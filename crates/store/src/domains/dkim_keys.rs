//! DKIM keys of the served domains (RFC 6376). Callers seal private keys before storing them; they are never displayed.

pub use posthouse_domain::StoredDkimKey;

use crate::statements;

statements! {
    /// Stores a key unless the domain already has one with this selector and algorithm.
    pub fn insert(key: row &StoredDkimKey; active = true) =
        "{insert dkim_keys} ON CONFLICT (domain, selector, algorithm) DO NOTHING";
    /// Returns the keys that sign for a domain, oldest first, RSA before Ed25519.
    pub fn active(domain: &str) -> Vec<StoredDkimKey> = "SELECT {dkim_keys} FROM dkim_keys
        WHERE domain = :domain AND active = 1 ORDER BY created_at, algorithm DESC, selector LIMIT 10";
}
