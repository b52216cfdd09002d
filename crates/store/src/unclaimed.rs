//! Whom an unclaimed workspace wrote to, by UTC day: what its limit of recipients is compared with (contract §18.3).

use posthouse_domain::{
    id::{ThreadId, WorkspaceId},
    message::Direction,
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    FORGET = "DELETE FROM unclaimed_recipients WHERE workspace_id = $1 AND day < $2";
    NOTE = "INSERT INTO unclaimed_recipients (workspace_id, day, address) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    OF_DAY = "SELECT address FROM unclaimed_recipients WHERE workspace_id = $1 AND day = $2";
    BEGUN = "SELECT direction FROM messages WHERE workspace_id = $1 AND thread_id = $2 ORDER BY created_at LIMIT 1";
}

/// Everybody whom the workspace wrote to today and who counts; there are never more than the limit.
///
/// # Errors
/// The store's own.
pub fn recipients(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<Vec<String>> {
    let found: Vec<(String,)> = tx.rows(&OF_DAY, p![workspace, now.day()])?;
    Ok(found.into_iter().map(|(address,)| address).collect())
}

/// Counts recipients of today, and forgets those of the days before.
///
/// # Errors
/// The store's own.
pub fn note(tx: &mut Tx, workspace: WorkspaceId, addresses: &[String], now: Time) -> Result<()> {
    if addresses.is_empty() {
        return Ok(());
    }
    tx.exec(&FORGET, p![workspace, now.day()])?;
    for address in addresses {
        tx.exec(&NOTE, p![workspace, now.day(), address])?;
    }
    Ok(())
}

/// Whether somebody else began the conversation: its first message was received.
///
/// # Errors
/// The store's own.
pub fn was_begun_by_others(tx: &mut Tx, workspace: WorkspaceId, thread: ThreadId) -> Result<bool> {
    let first: Option<(Direction,)> = tx.one(&BEGUN, p![workspace, thread])?;
    Ok(first == Some((Direction::Inbound,)))
}
