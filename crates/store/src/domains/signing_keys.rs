//! Signing keys of the service. Callers seal private keys before storing them.
//!
//! The newest generation of a purpose is the key that signs, or the one that will sign next.

pub use posthouse_domain::StoredSigningKey;
use posthouse_domain::{SigningPurpose, Time};

use crate::{Result, Tx, statements};

statements! {
    fn insert_row(key: row &StoredSigningKey) -> bool =
        "{insert signing_keys} ON CONFLICT (purpose, generation) DO NOTHING";
    /// Returns the keys of a purpose, newest first, with retired and revoked ones.
    pub fn all(purpose: SigningPurpose; limit = KEYS_MAX) -> Vec<StoredSigningKey> =
        "SELECT {signing_keys} FROM signing_keys WHERE purpose = :purpose ORDER BY generation DESC LIMIT :limit";
    /// Returns the key with this id.
    pub fn get(kid: &str) -> Option<StoredSigningKey> = "SELECT {signing_keys} FROM signing_keys WHERE kid = :kid";
    /// Returns the key that signs now; `None` before the first one.
    pub fn signing(purpose: SigningPurpose, now: Time) -> Option<StoredSigningKey> =
        "SELECT {signing_keys} FROM signing_keys
    WHERE purpose = :purpose AND signs_from <= :now AND revoked_at IS NULL AND private_key IS NOT NULL ORDER BY generation DESC LIMIT 1";
    fn retire_before(key: &StoredSigningKey { purpose, generation, at: key.times.signs_from }) =
        "UPDATE signing_keys SET retired_at = :at WHERE purpose = :purpose AND generation < :generation
    AND (retired_at IS NULL OR retired_at > :at)";
    /// Revokes a key. Returns whether it was not revoked before.
    pub fn revoke(kid: &str, now: Time) -> bool =
        "UPDATE signing_keys SET revoked_at = :now WHERE kid = :kid AND revoked_at IS NULL";
    /// Deletes the private parts of keys that stopped signing before a time. Returns how many there were.
    pub fn forget_private_parts(before: Time) -> u64 =
        "UPDATE signing_keys SET private_key = NULL WHERE private_key IS NOT NULL
        AND (retired_at < :before OR revoked_at < :before)";
}

/// Keys of one purpose that a list returns; a key is made once a year.
pub const KEYS_MAX: u32 = 1_000;

/// Stores a key unless its purpose already has one of that generation. Returns whether it was stored. Earlier keys of
/// the purpose retire when it begins to sign.
pub fn insert(tx: &mut Tx, key: &StoredSigningKey) -> Result<bool> {
    let is_stored = insert_row(tx, key)?;
    if is_stored {
        retire_before(tx, key)?;
    }
    Ok(is_stored)
}
