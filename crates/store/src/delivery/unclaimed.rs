//! Daily recipients of unclaimed workspaces by UTC day, for their recipient limit.

use posthouse_domain::{
    id::{ThreadId, WorkspaceId},
    message::Direction,
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    DELETE_OLDER = "DELETE FROM unclaimed_recipients WHERE workspace_id = $1 AND day < $2";
    INSERT = "INSERT INTO unclaimed_recipients (workspace_id, day, address) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    OF_DAY = "SELECT address FROM unclaimed_recipients WHERE workspace_id = $1 AND day = $2";
    FIRST_DIRECTION = "SELECT direction FROM messages WHERE workspace_id = $1 AND thread_id = $2 ORDER BY created_at LIMIT 1";
}

/// Returns the recipients of the workspace today that count toward the limit; never more than the limit.
pub fn recipients(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<Vec<String>> {
    let found: Vec<(String,)> = tx.rows(&OF_DAY, p![workspace, now.day()])?;
    Ok(found.into_iter().map(|(address,)| address).collect())
}

/// Adds recipients of today, and deletes those of earlier days.
pub fn add(tx: &mut Tx, workspace: WorkspaceId, addresses: &[String], now: Time) -> Result<()> {
    if addresses.is_empty() {
        return Ok(());
    }
    tx.exec(&DELETE_OLDER, p![workspace, now.day()])?;
    for address in addresses {
        tx.exec(&INSERT, p![workspace, now.day(), address])?;
    }
    Ok(())
}

/// Returns whether the thread's first message was received rather than sent.
pub fn starts_with_received(tx: &mut Tx, workspace: WorkspaceId, thread: ThreadId) -> Result<bool> {
    let first: Option<(Direction,)> = tx.one(&FIRST_DIRECTION, p![workspace, thread])?;
    Ok(first == Some((Direction::Inbound,)))
}
