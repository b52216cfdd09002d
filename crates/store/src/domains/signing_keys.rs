//! Signing keys of the service. Callers seal private keys before storing them.
//!
//! The newest generation of a purpose is the key that signs, or the one that will sign next.

use posthouse_domain::{
    signing_key::{SigningKeyTimes, SigningPurpose},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO signing_keys (purpose, generation, kid, public_key, private_key, created_at, signs_from)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (purpose, generation) DO NOTHING";
    ALL_OF = "SELECT purpose, generation, kid, public_key, private_key, created_at, signs_from, retired_at, revoked_at FROM signing_keys
        WHERE purpose = $1 ORDER BY generation DESC LIMIT $2";
    BY_KID = "SELECT purpose, generation, kid, public_key, private_key, created_at, signs_from, retired_at, revoked_at FROM signing_keys
        WHERE kid = $1";
    SIGNING = "SELECT purpose, generation, kid, public_key, private_key, created_at, signs_from, retired_at, revoked_at FROM signing_keys
        WHERE purpose = $1 AND signs_from <= $2 AND revoked_at IS NULL AND private_key IS NOT NULL ORDER BY generation DESC LIMIT 1";
    RETIRE_BEFORE = "UPDATE signing_keys SET retired_at = $3 WHERE purpose = $1 AND generation < $2
        AND (retired_at IS NULL OR retired_at > $3)";
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

/// A stored signing key.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredSigningKey {
    /// What it signs.
    pub purpose: SigningPurpose,
    /// Its number among the keys of the purpose, from 1.
    pub generation: i64,
    /// Its id.
    pub kid: String,
    /// The public key as JSON.
    pub public_key: String,
    /// The sealed private key; `None` for a key that stopped signing long ago.
    pub private_key: Option<Vec<u8>>,
    /// Its times.
    pub times: SigningKeyTimes,
}

impl std::fmt::Debug for StoredSigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredSigningKey({} {} {})", self.purpose.text(), self.generation, self.kid)
    }
}

/// Stores a key unless its purpose already has one of that generation. Returns whether it was stored. Earlier keys of
/// the purpose retire when it begins to sign.
pub fn insert(tx: &mut Tx, key: &StoredSigningKey) -> Result<bool> {
    let (k, t) = (key, &key.times);
    let values = p![k.purpose, k.generation, k.kid, k.public_key, k.private_key, t.created_at, t.signs_from];
    if tx.exec(&INSERT, values)? == 0 {
        return Ok(false);
    }
    tx.exec(&RETIRE_BEFORE, p![k.purpose, k.generation, t.signs_from])?;
    Ok(true)
}

/// Returns the keys of a purpose, newest first, with retired and revoked ones.
pub fn all(tx: &mut Tx, purpose: SigningPurpose) -> Result<Vec<StoredSigningKey>> {
    Ok(tx.rows::<KeyRow>(&ALL_OF, p![purpose, KEYS_MAX])?.into_iter().map(Into::into).collect())
}

/// Returns the key with this id.
pub fn get(tx: &mut Tx, kid: &str) -> Result<Option<StoredSigningKey>> {
    Ok(tx.one::<KeyRow>(&BY_KID, p![kid])?.map(Into::into))
}

/// Returns the key that signs now; `None` before the first one.
pub fn signing(tx: &mut Tx, purpose: SigningPurpose, now: Time) -> Result<Option<StoredSigningKey>> {
    Ok(tx.one::<KeyRow>(&SIGNING, p![purpose, now])?.map(Into::into))
}

crate::row_struct!(KeyRow {
    purpose: SigningPurpose,
    generation: i64,
    kid: String,
    public_key: String,
    private_key: Option<Vec<u8>>,
    created_at: Time,
    signs_from: Time,
    retired_at: Option<Time>,
    revoked_at: Option<Time>,
});

impl From<KeyRow> for StoredSigningKey {
    fn from(row: KeyRow) -> Self {
        let KeyRow { purpose, generation, kid, public_key, private_key, .. } = row;
        let times = SigningKeyTimes {
            created_at: row.created_at,
            signs_from: row.signs_from,
            retired_at: row.retired_at,
            revoked_at: row.revoked_at,
        };
        Self { purpose, generation, kid, public_key, private_key, times }
    }
}
