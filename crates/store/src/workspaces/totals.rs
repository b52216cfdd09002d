//! What a store holds, for the operator.

use posthouse_domain::WorkspaceId;

use crate::{Result, Tx, statements};

statements! {
    fn workspaces(; service = WorkspaceId::SERVICE) -> u64 = "SELECT count(*) FROM workspaces WHERE id <> :service";
    fn inboxes(; service = WorkspaceId::SERVICE) -> u64 =
        "SELECT count(*) FROM inboxes WHERE workspace_id <> :service AND deleted_at IS NULL";
    fn messages(; service = WorkspaceId::SERVICE) -> u64 =
        "SELECT count(*) FROM messages WHERE workspace_id <> :service";
}

/// What a store holds, without the workspace of the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreTotals {
    pub workspaces: u64,
    /// Inboxes and identities that are not deleted.
    pub inboxes: u64,
    pub messages: u64,
}

/// Counts what the store holds.
pub fn of_store(tx: &mut Tx) -> Result<StoreTotals> {
    Ok(StoreTotals { workspaces: workspaces(tx)?, inboxes: inboxes(tx)?, messages: messages(tx)? })
}
