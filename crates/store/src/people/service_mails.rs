//! Which workspace each mail of the service to a person was written for. The mails themselves are messages in the
//! workspace of the service ([`WorkspaceId::SERVICE`]).

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    service_mail::ServiceMailKind,
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    /// Records that a mail was written for a workspace.
    pub fn insert(workspace: WorkspaceId, message: MessageId, kind: ServiceMailKind, now: Time) =
        "INSERT INTO service_mails (workspace_id, message_id, kind, created_at) VALUES (:workspace, :message, :kind, :now)";
    /// Returns the workspace that a mail was written for, and what it is about; `None` if it is no mail of the service or was
    /// written for a person without a workspace.
    pub fn of_message(message: MessageId) -> Option<WrittenFor> =
        "SELECT workspace_id, kind FROM service_mails WHERE message_id = :message";
    IS_FOR = "SELECT message_id FROM service_mails WHERE workspace_id = $1 AND message_id = $2";
}

/// For whom a mail of the service was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenFor {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// What the mail is about.
    pub kind: ServiceMailKind,
}

/// Returns whether a mail was written for a workspace.
pub fn is_for(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<bool> {
    Ok(tx.value::<MessageId>(&IS_FOR, p![workspace, message])?.is_some())
}

crate::from_row!(WrittenFor { workspace = workspace_id, kind });
