//! Waits that were cancelled before they ended.

use posthouse_domain::{Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    /// Notes that a wait was cancelled, until it would have ended.
    pub fn insert(workspace: WorkspaceId, digest: &[u8; 32], ends_at: Time) =
        "INSERT INTO cancelled_waits (workspace_id, digest, ends_at) VALUES (:workspace, :digest, :ends_at)
        ON CONFLICT (workspace_id, digest) DO NOTHING";
    /// Returns when a cancelled wait would have ended; `None` for one that wasn't cancelled.
    pub fn get(workspace: WorkspaceId, digest: &[u8; 32]) -> Option<Time> =
        "SELECT ends_at FROM cancelled_waits WHERE workspace_id = :workspace AND digest = :digest";
    fn delete_ended(workspace: WorkspaceId, now: Time) =
        "DELETE FROM cancelled_waits WHERE workspace_id = :workspace AND ends_at <= :now";
    fn count(workspace: WorkspaceId, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 AS one FROM cancelled_waits WHERE workspace_id = :workspace LIMIT :most) bounded";
    /// Deletes up to `limit` waits that would have ended by now; returns how many.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM cancelled_waits WHERE (workspace_id, digest) IN
        (SELECT workspace_id, digest FROM cancelled_waits WHERE ends_at <= :now ORDER BY ends_at LIMIT :limit)";
}

/// Returns the number of cancelled waits of a workspace that haven't ended, up to `most`. Deletes the others.
pub fn count_open(tx: &mut Tx, workspace: WorkspaceId, most: u64, now: Time) -> Result<u64> {
    delete_ended(tx, workspace, now)?;
    count(tx, workspace, most)
}
