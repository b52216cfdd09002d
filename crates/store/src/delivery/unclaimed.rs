//! Daily recipients of unclaimed workspaces by UTC day, for their recipient limit.

use posthouse_domain::{Direction, ThreadId, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    fn delete_older(workspace: WorkspaceId, day: i64) =
        "DELETE FROM unclaimed_recipients WHERE workspace_id = :workspace AND day < :day";
    fn insert(workspace: WorkspaceId, day: i64, address: &str) =
        "INSERT INTO unclaimed_recipients (workspace_id, day, address) VALUES (:workspace, :day, :address) ON CONFLICT DO NOTHING";
    /// Returns the recipients of the workspace today that count toward the limit; never more than the limit.
    pub fn recipients(workspace: WorkspaceId, now: Time { day: now.day() }) -> Vec<String> =
        "SELECT address FROM unclaimed_recipients WHERE workspace_id = :workspace AND day = :day";
    fn first_direction(workspace: WorkspaceId, thread: ThreadId) -> Option<Direction> =
        "SELECT direction FROM messages WHERE workspace_id = :workspace AND thread_id = :thread ORDER BY created_at LIMIT 1";
}

/// Adds recipients of today, and deletes those of earlier days.
pub fn add(tx: &mut Tx, workspace: WorkspaceId, addresses: &[String], now: Time) -> Result<()> {
    if addresses.is_empty() {
        return Ok(());
    }
    delete_older(tx, workspace, now.day())?;
    addresses.iter().try_for_each(|address| insert(tx, workspace, now.day(), address))
}

/// Returns whether the thread's first message was received rather than sent.
pub fn starts_with_received(tx: &mut Tx, workspace: WorkspaceId, thread: ThreadId) -> Result<bool> {
    Ok(first_direction(tx, workspace, thread)? == Some(Direction::Inbound))
}
