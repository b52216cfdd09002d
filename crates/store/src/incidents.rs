//! Recipients that recently complained or hard-bounced, each counted once per kind.

use posthouse_domain::{id::WorkspaceId, suspension::Incident, time::Time};

use crate::{Result, Tx, p, statements};

statements! {
    RECORD = "INSERT INTO sending_incidents (workspace_id, kind, recipient, happened_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, kind, recipient) DO UPDATE SET happened_at = excluded.happened_at";
    COUNT = "SELECT count(*) FROM (SELECT recipient FROM sending_incidents
        WHERE workspace_id = $1 AND kind = $2 AND happened_at > $3 LIMIT $4) bounded";
    DELETE_OLDER = "DELETE FROM sending_incidents WHERE (workspace_id, kind, recipient) IN (
        SELECT workspace_id, kind, recipient FROM sending_incidents WHERE happened_at < $1 ORDER BY happened_at LIMIT $2)";
}

/// Records an incident for a recipient, given as the SHA-256 of the canonical address. A transaction that records
/// several must sort them by recipient to avoid deadlocks.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn record(tx: &mut Tx, workspace: WorkspaceId, kind: Incident, recipient: &[u8; 32], now: Time) -> Result<()> {
    tx.exec(&RECORD, p![workspace, kind.text(), recipient.as_slice(), now])?;
    Ok(())
}

/// Returns the number of recipients with such an incident after a time; counting stops at `max`.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, kind: Incident, after: Time, max: u64) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace, kind.text(), after, max])?.unwrap_or_default())
}

/// Deletes up to `max` records older than a time; returns how many.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn delete_older(tx: &mut Tx, before: Time, max: u32) -> Result<u64> {
    tx.exec(&DELETE_OLDER, p![before, max])
}
