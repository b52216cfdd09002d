//! What a store holds, for the operator.

use posthouse_domain::id::WorkspaceId;

use crate::{Result, Tx, p, statements};

statements! {
    WORKSPACES = "SELECT count(*) FROM workspaces WHERE id <> $1";
    INBOXES = "SELECT count(*) FROM inboxes WHERE workspace_id <> $1 AND deleted_at IS NULL";
    MESSAGES = "SELECT count(*) FROM messages WHERE workspace_id <> $1";
}

/// What a store holds, without the workspace of the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreTotals {
    /// Workspaces.
    pub workspaces: u64,
    /// Inboxes and identities that are not deleted.
    pub inboxes: u64,
    /// Messages.
    pub messages: u64,
}

/// Counts what the store holds.
pub fn of_store(tx: &mut Tx) -> Result<StoreTotals> {
    let service = WorkspaceId::SERVICE;
    Ok(StoreTotals {
        workspaces: tx.value(&WORKSPACES, p![service])?.unwrap_or_default(),
        inboxes: tx.value(&INBOXES, p![service])?.unwrap_or_default(),
        messages: tx.value(&MESSAGES, p![service])?.unwrap_or_default(),
    })
}
