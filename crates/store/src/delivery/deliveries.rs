//! Outbound messages during delivery: status updates under a lock, and captured messages.

pub use posthouse_domain::{CapturedMessage, LockedMessage, MessageStatusUpdate};
use posthouse_domain::{DeliveryStatus, InboxId, Message, MessageId, PageRange, WorkspaceId, delivery::CAPTURED};

use crate::{Result, Tx, metrics, statements};

statements! {
    /// Returns the outbound message with that ID from any workspace. It searches every workspace, so use it rarely: for
    /// reports about sent mail that don't identify the sender.
    pub fn anywhere(id: MessageId) -> Option<Message> =
        "SELECT {m.messages} FROM workspaces w CROSS JOIN messages m WHERE m.workspace_id = w.id AND m.id = :id AND m.direction = 'outbound'";
    /// Locks a message until the end of the transaction and returns its state. Without the lock, two envelopes settled
    /// concurrently would each compute a status that ignores the other's recipients.
    pub fn lock(workspace: WorkspaceId, message: MessageId) -> Option<LockedMessage> =
        "SELECT inbox_id, thread_id, status, sent_at FROM messages WHERE workspace_id = :workspace AND id = :message {FOR_UPDATE}";
    /// Returns the status of each recipient.
    pub fn statuses(workspace: WorkspaceId, message: MessageId) -> Vec<DeliveryStatus> =
        "SELECT status FROM recipients WHERE workspace_id = :workspace AND message_id = :message ORDER BY position LIMIT 1000";
    fn write_status(workspace: WorkspaceId, message: MessageId, after: MessageStatusUpdate { status, at, sent_at }) =
        "UPDATE messages SET status = :status, status_at = :at, sent_at = :sent_at WHERE workspace_id = :workspace AND id = :message";
    fn captured_newest(
        workspace: WorkspaceId, page: &PageRange { sort: page.sort(), id: page.id(), limit };
        detail = CAPTURED,
    ) -> Vec<CapturedMessage> =
        "SELECT m.id, m.created_at FROM messages m WHERE m.workspace_id = :workspace AND m.direction = 'outbound'
    AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = :workspace AND r.message_id = m.id AND r.detail = :detail LIMIT 1 OFFSET 0)
    AND (m.created_at < :sort OR (m.created_at = :sort AND m.id < :id)) ORDER BY m.created_at DESC, m.id DESC LIMIT :limit";
    fn captured_for_people(
        workspace: WorkspaceId, page: &PageRange { sort: page.sort(), id: page.id(), limit };
        detail = CAPTURED,
        service = WorkspaceId::SERVICE,
    ) -> Vec<CapturedMessage> =
        "SELECT m.id, m.created_at FROM service_mails s JOIN messages m ON m.workspace_id = :service AND m.id = s.message_id
    WHERE s.workspace_id = :workspace
    AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = :service AND r.message_id = m.id AND r.detail = :detail LIMIT 1 OFFSET 0)
    AND (m.created_at < :sort OR (m.created_at = :sort AND m.id < :id)) ORDER BY m.created_at DESC, m.id DESC LIMIT :limit";
    fn captured_of_inbox(
        workspace: WorkspaceId, inbox: InboxId, page: &PageRange { sort: page.sort(), id: page.id(), limit };
        detail = CAPTURED,
    ) -> Vec<CapturedMessage> =
        "SELECT m.id, m.created_at FROM messages m WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.direction = 'outbound'
    AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = :workspace AND r.message_id = m.id AND r.detail = :detail LIMIT 1 OFFSET 0)
    AND (m.created_at < :sort OR (m.created_at = :sort AND m.id < :id)) ORDER BY m.created_at DESC, m.id DESC LIMIT :limit";
}

/// Writes the status of a message and counts the change.
pub fn set_status(
    tx: &mut Tx,
    workspace: WorkspaceId,
    message: MessageId,
    before: &LockedMessage,
    after: MessageStatusUpdate,
) -> Result<()> {
    write_status(tx, workspace, message, after)?;
    let change = metrics::StatusChange { before: before.status, after: after.status };
    metrics::count_status_change(tx, workspace, before.inbox, change, after.at)
}

/// Returns the messages that were captured instead of sent, newest first; optionally of one inbox. Without an inbox,
/// those that the service wrote to people of the workspace are among them.
pub fn captured(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: Option<InboxId>,
    page: &PageRange,
) -> Result<Vec<CapturedMessage>> {
    if let Some(inbox) = inbox {
        return captured_of_inbox(tx, workspace, inbox, page);
    }
    let mut all = captured_newest(tx, workspace, page)?;
    all.extend(captured_for_people(tx, workspace, page)?);
    all.sort_unstable_by_key(|one| std::cmp::Reverse((one.created_at, one.message)));
    all.truncate(page.limit as usize);
    Ok(all)
}

crate::from_row!(CapturedMessage { message = id, created_at });

crate::from_row!(LockedMessage { inbox = inbox_id, thread = thread_id, status, sent_at });
