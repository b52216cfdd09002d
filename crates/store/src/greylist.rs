//! Who was told to come back, and who did (RFC 6647). Keys are hashes: nothing here names anybody.

use posthouse_domain::{
    greylist::{Memory, ROWS_MAX},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    GET = "SELECT seen_at, passed_at, expires_at FROM greylist WHERE id = $1";
    PUT = "INSERT INTO greylist (id, seen_at, passed_at, expires_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO UPDATE
        SET seen_at = excluded.seen_at, passed_at = excluded.passed_at, expires_at = excluded.expires_at";
    FORGET_ONE = "DELETE FROM greylist WHERE id = $1";
    FORGET = "DELETE FROM greylist WHERE id IN (SELECT id FROM greylist WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)";
    LAST_KEPT = "SELECT expires_at FROM greylist ORDER BY expires_at DESC LIMIT 1 OFFSET $1";
}

/// What is remembered under a key.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, key: &[u8; 32]) -> Result<Option<Memory>> {
    let found: Option<(Time, Option<Time>, Time)> = tx.one(&GET, p![key.as_slice()])?;
    Ok(found.map(|(seen_at, passed_at, expires_at)| Memory { seen_at, passed_at, expires_at }))
}

/// Remembers that under a key.
///
/// # Errors
/// The store's own.
pub fn put(tx: &mut Tx, key: &[u8; 32], memory: Memory) -> Result<()> {
    tx.exec(&PUT, p![key.as_slice(), memory.seen_at, memory.passed_at, memory.expires_at])?;
    Ok(())
}

/// Forgets a key.
///
/// # Errors
/// The store's own.
pub fn forget(tx: &mut Tx, key: &[u8; 32]) -> Result<()> {
    tx.exec(&FORGET_ONE, p![key.as_slice()])?;
    Ok(())
}

/// Forgets up to `limit` of what has ended, and of what is more than [`ROWS_MAX`]; says how many.
///
/// # Errors
/// The store's own.
pub fn tidy(tx: &mut Tx, now: Time, limit: u32) -> Result<u64> {
    let beyond: Option<(Time,)> = tx.one(&LAST_KEPT, p![ROWS_MAX])?;
    let end = beyond.map_or(now, |(at,)| now.max(at));
    tx.exec(&FORGET, p![end, limit])
}
