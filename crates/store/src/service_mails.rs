//! Which workspace each mail of the service to a person was written for. The mails themselves are messages in the
//! workspace of the service ([`WorkspaceId::SERVICE`]).

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO service_mails (workspace_id, message_id, created_at) VALUES ($1, $2, $3)";
    IS_FOR = "SELECT message_id FROM service_mails WHERE workspace_id = $1 AND message_id = $2";
}

/// Records that a mail was written for a workspace.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, now: Time) -> Result<()> {
    tx.exec(&INSERT, p![workspace, message, now])?;
    Ok(())
}

/// Returns whether a mail was written for a workspace.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn is_for(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<bool> {
    Ok(tx.value::<MessageId>(&IS_FOR, p![workspace, message])?.is_some())
}
