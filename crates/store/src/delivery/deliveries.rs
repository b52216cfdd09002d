//! Outbound messages during delivery: status updates under a lock, and captured messages.

use posthouse_domain::{
    delivery::CAPTURED,
    id::{InboxId, MessageId, ThreadId, WorkspaceId},
    message::{DeliveryStatus, Message, MessageStatus},
    page::PageRange,
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, metrics, p, statements};

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
    SET_STATUS = "UPDATE messages SET status = $3, status_at = $4, sent_at = $5 WHERE workspace_id = $1 AND id = $2";
    CAPTURED_NEWEST = "SELECT m.id, m.created_at FROM messages m WHERE m.workspace_id = $1 AND m.direction = 'outbound'
        AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = $1 AND r.message_id = m.id AND r.detail = $2 LIMIT 1 OFFSET 0)
        AND (m.created_at < $3 OR (m.created_at = $3 AND m.id < $4)) ORDER BY m.created_at DESC, m.id DESC LIMIT $5";
    CAPTURED_FOR_PEOPLE = "SELECT m.id, m.created_at FROM service_mails s JOIN messages m ON m.workspace_id = $6 AND m.id = s.message_id
        WHERE s.workspace_id = $1
        AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = $6 AND r.message_id = m.id AND r.detail = $2 LIMIT 1 OFFSET 0)
        AND (m.created_at < $3 OR (m.created_at = $3 AND m.id < $4)) ORDER BY m.created_at DESC, m.id DESC LIMIT $5";
    CAPTURED_OF_INBOX = "SELECT m.id, m.created_at FROM messages m WHERE m.workspace_id = $1 AND m.inbox_id = $6 AND m.direction = 'outbound'
        AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = $1 AND r.message_id = m.id AND r.detail = $2 LIMIT 1 OFFSET 0)
        AND (m.created_at < $3 OR (m.created_at = $3 AND m.id < $4)) ORDER BY m.created_at DESC, m.id DESC LIMIT $5";
}

/// The locked state of a message whose recipients are being settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockedMessage {
    /// The inbox it was sent from.
    pub inbox: InboxId,
    /// The thread.
    pub thread: ThreadId,
    /// Its current status.
    pub status: MessageStatus,
    /// When it was first sent.
    pub sent_at: Option<Time>,
}

/// The new status of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageStatusUpdate {
    /// Its status.
    pub status: MessageStatus,
    /// When it was first sent.
    pub sent_at: Option<Time>,
    /// When the status changed.
    pub at: Time,
}

/// Writes the status of a message and counts the change.
pub fn set_status(
    tx: &mut Tx,
    workspace: WorkspaceId,
    message: MessageId,
    before: &LockedMessage,
    after: MessageStatusUpdate,
) -> Result<()> {
    let s = after;
    tx.exec(&SET_STATUS, p![workspace, message, s.status, s.at, s.sent_at])?;
    let change = metrics::StatusChange { before: before.status, after: s.status };
    metrics::count_status_change(tx, workspace, before.inbox, change, s.at)
}

/// An entry in the list of captured messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapturedMessage {
    /// The message.
    pub message: MessageId,
    /// When it was stored.
    pub created_at: Time,
}

/// Returns the messages that were captured instead of sent, newest first; optionally of one inbox. Without an inbox,
/// those that the service wrote to people of the workspace are among them.
pub fn captured(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: Option<InboxId>,
    page: &PageRange,
) -> Result<Vec<CapturedMessage>> {
    let (sort, id) = page.after.map_or((i64::MAX, Uuid::max()), |after| (after.sort, after.id));
    match inbox {
        Some(inbox) => tx.rows(&CAPTURED_OF_INBOX, p![workspace, CAPTURED, sort, id, page.limit, inbox]),
        None => {
            let own: Vec<CapturedMessage> = tx.rows(&CAPTURED_NEWEST, p![workspace, CAPTURED, sort, id, page.limit])?;
            let service = WorkspaceId::SERVICE;
            let to_people: Vec<CapturedMessage> =
                tx.rows(&CAPTURED_FOR_PEOPLE, p![workspace, CAPTURED, sort, id, page.limit, service])?;
            let mut all: Vec<CapturedMessage> = own.into_iter().chain(to_people).collect();
            all.sort_unstable_by_key(|one| std::cmp::Reverse((one.created_at, one.message)));
            all.truncate(usize::try_from(page.limit).unwrap_or(usize::MAX));
            Ok(all)
        }
    }
}

crate::from_row!(CapturedMessage { message = id, created_at });

crate::from_row!(LockedMessage { inbox = inbox_id, thread = thread_id, status, sent_at });
