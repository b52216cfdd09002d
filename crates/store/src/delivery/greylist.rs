//! Greylisting state (RFC 6647). Keys are hashes, so no sender or recipient is stored.

use posthouse_domain::{GreylistRecord, Time, greylist::ROWS_MAX};

use crate::{Result, Tx, statements};

statements! {
    /// Returns the state stored under a key.
    pub fn get(key: &[u8; 32]) -> Option<GreylistRecord> = "SELECT {greylist} FROM greylist WHERE id = :key";
    /// Stores the state under a key.
    pub fn put(key: &[u8; 32], record: GreylistRecord { seen_at, passed_at, expires_at }) =
        "INSERT INTO greylist (id, seen_at, passed_at, expires_at) VALUES ({PARAMETERS}) ON CONFLICT (id) DO UPDATE
        SET seen_at = excluded.seen_at, passed_at = excluded.passed_at, expires_at = excluded.expires_at";
    /// Deletes a key.
    pub fn delete(key: &[u8; 32]) = "DELETE FROM greylist WHERE id = :key";
    fn delete_expired(end: Time, limit: u32) -> u64 =
        "DELETE FROM greylist WHERE id IN (SELECT id FROM greylist WHERE expires_at <= :end ORDER BY expires_at LIMIT :limit)";
    fn last_kept(; rows = ROWS_MAX) -> Option<Time> =
        "SELECT expires_at FROM greylist ORDER BY expires_at DESC LIMIT 1 OFFSET :rows";
}

/// Deletes up to `limit` expired entries and entries beyond [`ROWS_MAX`]; returns how many.
pub fn prune(tx: &mut Tx, now: Time, limit: u32) -> Result<u64> {
    let end = last_kept(tx)?.map_or(now, |at| now.max(at));
    delete_expired(tx, end, limit)
}
