//! Messages to postmaster and abuse (RFC 2142) that still need a notice. The message itself is in an inbox. A row here
//! is deleted when the notice is stored or the message is deleted.

pub use posthouse_domain::RoleMail;
use posthouse_domain::{MessageId, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    fn insert(workspace: WorkspaceId, mail: &RoleMail { message, address }, now: Time) =
        "INSERT INTO role_mail (workspace_id, message_id, address, created_at) VALUES (:workspace, :message, :address, :now)
        ON CONFLICT (workspace_id, message_id) DO NOTHING";
    fn count_pending(workspace: WorkspaceId) -> u64 = "SELECT count(*) FROM role_mail WHERE workspace_id = :workspace";
    /// Returns the oldest pending messages, up to `limit`.
    pub fn oldest(workspace: WorkspaceId, limit: u32) -> Vec<RoleMail> =
        "SELECT message_id, address FROM role_mail WHERE workspace_id = :workspace ORDER BY created_at, message_id LIMIT :limit";
    fn delete_one(workspace: WorkspaceId, message: MessageId) =
        "DELETE FROM role_mail WHERE workspace_id = :workspace AND message_id = :message";
    /// Removes all pending messages of a workspace, if it has no notice recipient.
    pub fn delete_all(workspace: WorkspaceId) = "DELETE FROM role_mail WHERE workspace_id = :workspace";
}

/// Most pending messages per workspace; further messages get no notice.
pub const PENDING_MAX: u64 = 200;

/// Adds a message; returns whether there was space.
pub fn add(tx: &mut Tx, workspace: WorkspaceId, mail: &RoleMail, now: Time) -> Result<bool> {
    let has_space = count_pending(tx, workspace)? < PENDING_MAX;
    if has_space {
        insert(tx, workspace, mail, now)?;
    }
    Ok(has_space)
}

/// Removes messages after their notice was stored.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, messages: &[MessageId]) -> Result<()> {
    messages.iter().try_for_each(|message| delete_one(tx, workspace, *message))
}

crate::from_row!(RoleMail { message = message_id, address });
