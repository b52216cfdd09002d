//! Approvals of sent drafts. They are stored with the message, so they outlive the draft.

use posthouse_domain::{
    actor::Actor,
    draft::Approval,
    id::{MessageId, WorkspaceId},
    record::ApprovalOfMessage,
};

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO message_approvals (workspace_id, message_id, draft_id, by_type, by_id, by_label, approved_at, content_sha256)
        VALUES ({PARAMETERS})";
    /// Returns the approvals of up to 100 messages, unordered. Most messages have none.
    pub fn of(workspace: WorkspaceId, messages: each MessageId) -> Vec<ApprovalOfMessage> =
        "SELECT a.message_id, a.draft_id, a.by_type, a.by_id, a.by_label, a.approved_at, a.content_sha256
        FROM {EACH} message_approvals a WHERE a.workspace_id = :workspace AND a.message_id {AMONG} {pg:a}";
}

/// Stores the approval of a sent message.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, of: &ApprovalOfMessage) -> Result<()> {
    let (a, by) = (&of.approval, &of.approval.by);
    tx.exec(&INSERT, p![workspace, of.message, of.draft, by.kind, by.id, by.label, a.at, a.content_sha256])?;
    Ok(())
}

crate::from_row!(ApprovalOfMessage {
    message = message_id,
    draft = draft_id,
    kind = by_type,
    id = by_id,
    label = by_label,
    at = approved_at,
    content_sha256,
} => Self { message, draft, approval: Approval { by: Actor { kind, id, label }, at, content_sha256 } });
