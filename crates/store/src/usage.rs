//! Messages counted by UTC day as they are stored: the limits and the usage report read it.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    RECEIVED = "INSERT INTO usage_days (workspace_id, inbox_id, day, month, sent, received) VALUES ($1, $2, $3, $4, 0, 1)
        ON CONFLICT (workspace_id, day, inbox_id) DO UPDATE SET received = usage_days.received + 1";
}

/// Counts a received message.
///
/// # Errors
/// The store's own.
pub fn received(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<()> {
    tx.exec(&RECEIVED, p![workspace, inbox, now.day(), now.month()])?;
    Ok(())
}
