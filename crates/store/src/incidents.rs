//! Recipients that complained or bounced hard lately, each counted once however often it happened.

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

/// Records that it happened to a recipient, given as the SHA-256 of the canonical address. In a transaction that records
/// several, sort them: two transactions must not wait for each other.
///
/// # Errors
/// The store's own.
pub fn record(tx: &mut Tx, workspace: WorkspaceId, (kind, recipient): (Incident, &[u8; 32]), now: Time) -> Result<()> {
    tx.exec(&RECORD, p![workspace, kind.text(), recipient.as_slice(), now])?;
    Ok(())
}

/// How many recipients it happened to after that time; counting stops at `max`.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, kind: Incident, after: Time, max: u64) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace, kind.text(), after, max])?.unwrap_or_default())
}

/// Deletes up to `max` records from before that time; returns how many.
///
/// # Errors
/// The store's own.
pub fn delete_older(tx: &mut Tx, before: Time, max: u32) -> Result<u64> {
    tx.exec(&DELETE_OLDER, p![before, max])
}
