//! Who vouched for messages that were drafts; kept beside the message, so it outlives the draft (contract §4.1, §5.1).

use posthouse_domain::{
    actor::Actor,
    draft::Approval,
    id::{DraftId, MessageId, WorkspaceId},
};

use crate::{FromRow, Result, Row, Tx, many, p, statements};

statements! {
    INSERT = "INSERT INTO message_approvals (workspace_id, message_id, draft_id, by_type, by_id, by_label, approved_at, content_sha256)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    OF = "SELECT message_id, draft_id, by_type, by_id, by_label, approved_at, content_sha256 FROM message_approvals
        WHERE workspace_id = $1 AND message_id IN ({IDS})";
    DELETE = "DELETE FROM message_approvals WHERE workspace_id = $1 AND message_id = $2";
}

/// The approval of a sent message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfMessage {
    /// The message.
    pub message: MessageId,
    /// The draft that it was.
    pub draft: DraftId,
    /// Who vouched, when, and for what.
    pub approval: Approval,
}

/// Stores the approval of a sent message.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, of: &OfMessage) -> Result<()> {
    let (a, by) = (&of.approval, &of.approval.by);
    tx.exec(&INSERT, p![workspace, of.message, of.draft, by.kind, by.id, by.label, a.at, a.content_sha256])?;
    Ok(())
}

/// The approvals of up to 100 messages, in no order; most have none.
///
/// # Errors
/// The store's own.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, messages: &[MessageId]) -> Result<Vec<OfMessage>> {
    many::rows(tx, &OF, workspace, messages)
}

/// Forgets the approval of a message.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<()> {
    tx.exec(&DELETE, p![workspace, message])?;
    Ok(())
}

impl FromRow for OfMessage {
    const COLUMNS: usize = 7;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (message, draft) = (row.take()?, row.take()?);
        let by = Actor { kind: row.take()?, id: row.take()?, label: row.take()? };
        Ok(Self { message, draft, approval: Approval { by, at: row.take()?, content_sha256: row.take()? } })
    }
}
