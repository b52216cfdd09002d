//! Requests for confirmation mails: what the limits of a workspace and of an address count.

use posthouse_domain::{id::WorkspaceId, time::Time};
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO confirmation_requests (workspace_id, id, address, created_at) VALUES ($1, $2, $3, $4)";
    OF_WORKSPACE = "SELECT created_at FROM confirmation_requests WHERE workspace_id = $1 AND created_at > $2 ORDER BY created_at DESC LIMIT $3";
    OF_ADDRESS = "SELECT created_at FROM confirmation_requests WHERE address = $1 AND created_at > $2 ORDER BY created_at DESC LIMIT $3";
    NEXT = "SELECT created_at FROM confirmation_requests WHERE created_at < $1 ORDER BY created_at LIMIT $2";
    DELETE = "DELETE FROM confirmation_requests WHERE created_at <= $1";
}

/// Records a request for a confirmation mail to the address with this SHA-256.
pub fn record(tx: &mut Tx, workspace: WorkspaceId, id: Uuid, address: &[u8; 32], now: Time) -> Result<()> {
    tx.exec(&INSERT, p![workspace, id, address, now])?;
    Ok(())
}

/// Returns the times of up to `limit` requests of a workspace since a time, newest first.
pub fn of_workspace(tx: &mut Tx, workspace: WorkspaceId, since: Time, limit: u64) -> Result<Vec<Time>> {
    let found: Vec<(Time,)> = tx.rows(&OF_WORKSPACE, p![workspace, since, limit])?;
    Ok(found.into_iter().map(|(at,)| at).collect())
}

/// Returns the times of up to `limit` requests for an address since a time, newest first.
pub fn of_address(tx: &mut Tx, address: &[u8; 32], since: Time, limit: u64) -> Result<Vec<Time>> {
    let found: Vec<(Time,)> = tx.rows(&OF_ADDRESS, p![address, since, limit])?;
    Ok(found.into_iter().map(|(at,)| at).collect())
}

/// Deletes about `limit` requests before a time; returns how many.
pub fn prune(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&NEXT, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&DELETE, p![end])
}
