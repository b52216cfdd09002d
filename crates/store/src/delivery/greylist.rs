//! Greylisting state (RFC 6647). Keys are hashes, so no sender or recipient is stored.

use posthouse_domain::{
    greylist::{GreylistRecord, ROWS_MAX},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    GET = "SELECT seen_at, passed_at, expires_at FROM greylist WHERE id = $1";
    PUT = "INSERT INTO greylist (id, seen_at, passed_at, expires_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO UPDATE
        SET seen_at = excluded.seen_at, passed_at = excluded.passed_at, expires_at = excluded.expires_at";
    DELETE = "DELETE FROM greylist WHERE id = $1";
    DELETE_EXPIRED = "DELETE FROM greylist WHERE id IN (SELECT id FROM greylist WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)";
    LAST_KEPT = "SELECT expires_at FROM greylist ORDER BY expires_at DESC LIMIT 1 OFFSET $1";
}

/// Returns the state stored under a key.
pub fn get(tx: &mut Tx, key: &[u8; 32]) -> Result<Option<GreylistRecord>> {
    tx.one(&GET, p![key.as_slice()])
}

/// Stores the state under a key.
pub fn put(tx: &mut Tx, key: &[u8; 32], memory: GreylistRecord) -> Result<()> {
    tx.exec(&PUT, p![key.as_slice(), memory.seen_at, memory.passed_at, memory.expires_at])?;
    Ok(())
}

/// Deletes a key.
pub fn delete(tx: &mut Tx, key: &[u8; 32]) -> Result<()> {
    tx.exec(&DELETE, p![key.as_slice()])?;
    Ok(())
}

/// Deletes up to `limit` expired entries and entries beyond [`ROWS_MAX`]; returns how many.
pub fn prune(tx: &mut Tx, now: Time, limit: u32) -> Result<u64> {
    let beyond: Option<(Time,)> = tx.one(&LAST_KEPT, p![ROWS_MAX])?;
    let end = beyond.map_or(now, |(at,)| now.max(at));
    tx.exec(&DELETE_EXPIRED, p![end, limit])
}

crate::from_row!(GreylistRecord { seen_at, passed_at, expires_at });
