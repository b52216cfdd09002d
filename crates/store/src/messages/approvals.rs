//! Approvals of sent drafts. They are stored with the message, so they outlive the draft.

use posthouse_domain::{ApprovalOfMessage, MessageId, WorkspaceId};

use crate::statements;

statements! {
    /// Stores the approval of a sent message.
    pub fn insert(workspace: WorkspaceId, approval: row &ApprovalOfMessage) = "{insert message_approvals}";
    /// Returns the approvals of up to 100 messages, unordered. Most messages have none.
    pub fn of(workspace: WorkspaceId, messages: each MessageId) -> Vec<ApprovalOfMessage> =
        "SELECT {a.message_approvals}
        FROM {EACH} message_approvals a WHERE a.workspace_id = :workspace AND a.message_id {AMONG} {pg:a}";
}
