//! Sent mail as its delivery sees it: what holds a message while its recipients are settled, and what was captured.

use posthouse_domain::{
    delivery::CAPTURED,
    id::{InboxId, MessageId, ThreadId, WorkspaceId},
    message::{DeliveryStatus, Message, Status},
    page::Page,
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, metrics, p, statements};

statements! {
    ANYWHERE = concat!(
        crate::messages::columns!(),
        " FROM workspaces w CROSS JOIN messages m WHERE m.workspace_id = w.id AND m.id = $1 AND m.direction = 'outbound'"
    );
    HOLD_STILL = "UPDATE messages SET status_at = status_at WHERE workspace_id = $1 AND id = $2
        RETURNING inbox_id, thread_id, status, sent_at";
    STATUSES = "SELECT status FROM recipients WHERE workspace_id = $1 AND message_id = $2 ORDER BY position LIMIT 1000";
    SET_STATUS = "UPDATE messages SET status = $3, status_at = $4, sent_at = $5 WHERE workspace_id = $1 AND id = $2";
    RELEASE_HELD = "UPDATE jobs SET run_at = $2 WHERE kind IN ('outbound', 'scheduled_draft') AND workspace_id = $1
        AND state = 'ready' AND run_at > $2
        AND why IN ('workspace_stopped', 'inbox_paused', 'workspace_suspended')";
    CAPTURED_NEWEST = "SELECT m.id, m.created_at FROM messages m WHERE m.workspace_id = $1 AND m.direction = 'outbound'
        AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = $1 AND r.message_id = m.id AND r.detail = $2 LIMIT 1 OFFSET 0)
        AND (m.created_at < $3 OR (m.created_at = $3 AND m.id < $4)) ORDER BY m.created_at DESC, m.id DESC LIMIT $5";
    CAPTURED_OF_INBOX = "SELECT m.id, m.created_at FROM messages m WHERE m.workspace_id = $1 AND m.inbox_id = $6 AND m.direction = 'outbound'
        AND EXISTS (SELECT 1 FROM recipients r WHERE r.workspace_id = $1 AND r.message_id = m.id AND r.detail = $2 LIMIT 1 OFFSET 0)
        AND (m.created_at < $3 OR (m.created_at = $3 AND m.id < $4)) ORDER BY m.created_at DESC, m.id DESC LIMIT $5";
}

/// A message whose recipients are being settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The inbox it was sent from.
    pub inbox: InboxId,
    /// Its conversation.
    pub thread: ThreadId,
    /// Its status so far.
    pub status: Status,
    /// When it first left.
    pub sent_at: Option<Time>,
}

/// Keeps everybody else from settling the message until this transaction ends, and says how it stands: without it, two
/// envelopes settled at once would each roll up a status that does not know the other's recipients.
///
/// # Errors
/// The store's own.
pub fn hold_still(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<Option<Held>> {
    tx.one(&HOLD_STILL, p![workspace, message])
}

/// The sent message of that id, whatever workspace it is of: one look-up in each, so for rare needs alone. What comes back about
/// sent mail does not say whose it was.
///
/// # Errors
/// The store's own.
pub fn anywhere(tx: &mut Tx, id: MessageId) -> Result<Option<Message>> {
    tx.one(&ANYWHERE, p![id])
}

/// The status of each recipient.
///
/// # Errors
/// The store's own.
pub fn statuses(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<Vec<DeliveryStatus>> {
    let found: Vec<(DeliveryStatus,)> = tx.rows(&STATUSES, p![workspace, message])?;
    Ok(found.into_iter().map(|(status,)| status).collect())
}

/// How a message stands now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Its status.
    pub status: Status,
    /// When it first left.
    pub sent_at: Option<Time>,
    /// When that became so.
    pub at: Time,
}

/// Writes how a message stands and counts the change.
///
/// # Errors
/// The store's own.
pub fn set_standing(
    tx: &mut Tx,
    workspace: WorkspaceId,
    message: MessageId,
    (before, after): (&Held, Standing),
) -> Result<()> {
    let s = after;
    tx.exec(&SET_STATUS, p![workspace, message, s.status, s.at, s.sent_at])?;
    metrics::moved(tx, (workspace, before.inbox), (before.status, s.status), s.at)
}

/// Makes the held mail and the held drafts of a workspace due now: for everything that ends a stop, a pause or a suspension. What may still
/// not leave is held again.
///
/// # Errors
/// The store's own.
pub fn release_held(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<u64> {
    let released = tx.exec(&RELEASE_HELD, p![workspace, now])?;
    if released > 0 {
        tx.wake(workspace.0);
    }
    Ok(released)
}

/// A captured message in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Captured {
    /// The message.
    pub message: MessageId,
    /// When it was stored.
    pub created_at: Time,
}

/// Messages that were captured instead of sent, newest first; of one inbox, if given.
///
/// # Errors
/// The store's own.
pub fn captured(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, page: &Page) -> Result<Vec<Captured>> {
    let (sort, id) = page.after.map_or((i64::MAX, Uuid::max()), |after| (after.sort, after.id));
    match inbox {
        Some(inbox) => tx.rows(&CAPTURED_OF_INBOX, p![workspace, CAPTURED, sort, id, page.limit, inbox]),
        None => tx.rows(&CAPTURED_NEWEST, p![workspace, CAPTURED, sort, id, page.limit]),
    }
}

crate::from_row!(Captured { message, created_at });

crate::from_row!(Held { inbox, thread, status, sent_at });
