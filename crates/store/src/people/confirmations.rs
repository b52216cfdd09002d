//! Requests for confirmation mails: what the limits of a workspace and of an address count.

use posthouse_domain::{Time, WorkspaceId};
use uuid::Uuid;

use crate::{Result, Tx, statements};

statements! {
    /// Records a request for a confirmation mail to the address with this SHA-256.
    pub fn record(workspace: WorkspaceId, id: Uuid, address: &[u8; 32], now: Time) =
        "INSERT INTO confirmation_requests (workspace_id, id, address, created_at) VALUES (:workspace, :id, :address, :now)";
    /// Returns the times of up to `limit` requests of a workspace since a time, newest first.
    pub fn of_workspace(workspace: WorkspaceId, since: Time, limit: u64) -> Vec<Time> =
        "SELECT created_at FROM confirmation_requests WHERE workspace_id = :workspace AND created_at > :since ORDER BY created_at DESC LIMIT :limit";
    /// Returns the times of up to `limit` requests for an address since a time, newest first.
    pub fn of_address(address: &[u8; 32], since: Time, limit: u64) -> Vec<Time> =
        "SELECT created_at FROM confirmation_requests WHERE address = :address AND created_at > :since ORDER BY created_at DESC LIMIT :limit";
    fn oldest(before: Time, limit: u32) -> Vec<Time> =
        "SELECT created_at FROM confirmation_requests WHERE created_at < :before ORDER BY created_at LIMIT :limit";
    fn delete_until(end: Time) -> u64 = "DELETE FROM confirmation_requests WHERE created_at <= :end";
}

/// Deletes about `limit` requests before a time; returns how many.
pub fn prune(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    oldest(tx, before, limit)?.last().map_or(Ok(0), |end| delete_until(tx, *end))
}
