//! Messages to postmaster and abuse (RFC 2142) that still need a notice. The message itself is in an inbox. A row here
//! is deleted when the notice is stored or the message is deleted.

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    ADD = "INSERT INTO role_mail (workspace_id, message_id, address, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, message_id) DO NOTHING";
    COUNT_PENDING = "SELECT count(*) FROM role_mail WHERE workspace_id = $1";
    /// Returns the oldest pending messages, up to `limit`.
    pub fn oldest(workspace: WorkspaceId, limit: u32) -> Vec<RoleMail> =
        "SELECT message_id, address FROM role_mail WHERE workspace_id = :workspace ORDER BY created_at, message_id LIMIT :limit";
    DELETE = "DELETE FROM role_mail WHERE workspace_id = $1 AND message_id = $2";
    /// Removes all pending messages of a workspace, if it has no notice recipient.
    pub fn delete_all(workspace: WorkspaceId) = "DELETE FROM role_mail WHERE workspace_id = :workspace";
}

/// Most pending messages per workspace; further messages get no notice.
pub const PENDING_MAX: u64 = 200;

/// A message that needs a notice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoleMail {
    /// The message.
    pub message: MessageId,
    /// The role address it was sent to.
    pub address: String,
}

/// Adds a message; returns whether there was space.
pub fn add(tx: &mut Tx, workspace: WorkspaceId, mail: &RoleMail, now: Time) -> Result<bool> {
    let waiting: Option<(i64,)> = tx.one(&COUNT_PENDING, p![workspace])?;
    if waiting.is_some_and(|(count,)| u64::try_from(count).unwrap_or(0) >= PENDING_MAX) {
        return Ok(false);
    }
    tx.exec(&ADD, p![workspace, mail.message, mail.address, now])?;
    Ok(true)
}

/// Removes messages after their notice was stored.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, messages: &[MessageId]) -> Result<()> {
    messages.iter().try_for_each(|message| tx.exec(&DELETE, p![workspace, *message]).map(drop))
}

crate::from_row!(RoleMail { message = message_id, address });
