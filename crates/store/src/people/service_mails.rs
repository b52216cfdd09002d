//! Which workspace each mail of the service to a person was written for. The mails themselves are messages in the
//! workspace of the service ([`WorkspaceId::SERVICE`]).

pub use posthouse_domain::WrittenFor;
use posthouse_domain::{MessageId, ServiceMailKind, Time, WorkspaceId};

use crate::statements;

statements! {
    /// Records that a mail was written for a workspace.
    pub fn insert(workspace: WorkspaceId, message: MessageId, kind: ServiceMailKind, now: Time) =
        "INSERT INTO service_mails (workspace_id, message_id, kind, created_at) VALUES (:workspace, :message, :kind, :now)";
    /// Returns the workspace that a mail was written for, and what it is about; `None` if it is no mail of the service or was
    /// written for a person without a workspace.
    pub fn of_message(message: MessageId) -> Option<WrittenFor> =
        "SELECT workspace_id, kind FROM service_mails WHERE message_id = :message";
    /// Returns whether a mail was written for a workspace.
    pub fn is_for(workspace: WorkspaceId, message: MessageId) -> bool =
        "SELECT message_id FROM service_mails WHERE workspace_id = :workspace AND message_id = :message";
}

crate::from_row!(WrittenFor { workspace = workspace_id, kind });
