//! The contents of work queues, for people: messages in flight and dead letters, and the return of one by hand.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    page::{CursorPosition, PageRange},
    queue::{QueueEntry, QueueItem, QueueItemState},
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, message_list::InboxRef, p, queue, statements};

/// Builds a statement that reads the items of every queue of a workspace, or of one inbox. The queues come first, so
/// that each engine reads a range of an index for each of them.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT i.message_id, i.inbox_id, i.thread_id, i.created_at, i.state, i.available_at, i.deliveries, i.consumer, ",
            "i.settled_at FROM queues q CROSS JOIN queue_items i WHERE q.workspace_id = $1 AND q.inbox_id = COALESCE($2, q.inbox_id) ",
            "AND i.workspace_id = $1 AND i.inbox_id = q.inbox_id AND (i.created_at, i.message_id) > ($4, $5) ",
            "AND NOT EXISTS (SELECT 1 FROM inboxes b WHERE b.workspace_id = $1 AND b.id = q.inbox_id AND b.deleted_at IS NOT NULL) AND ",
            $condition,
            " ORDER BY i.created_at, i.message_id LIMIT $6"
        )
    };
}

statements! {
    IN_FLIGHT = select!("i.state = 'open' AND i.available_at > $3 AND i.lease_id IS NOT NULL");
    DEAD = select!("i.state = 'dead' AND i.settled_at <= $3");
    REOPEN = "UPDATE queue_items SET state = 'open', available_at = 0, lease_id = NULL, consumer = NULL, settled_at = NULL,
        deliveries = $3 WHERE workspace_id = $1 AND message_id = $2";
    DROP = "UPDATE queue_items SET state = 'done', lease_id = NULL, settled_at = $3 WHERE workspace_id = $1 AND message_id = $2";
}

/// Which items of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueItems {
    /// Those under a lease that hasn't ended.
    InFlight,
    /// Dead letters.
    Dead,
}

/// Returns a page of the items of all queues of a workspace or of one inbox, in order of the messages.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: Option<InboxId>,
    which: QueueItems,
    page: PageRange,
    now: Time,
) -> Result<Vec<QueueEntry>> {
    let after = page.after.unwrap_or(CursorPosition { sort: i64::MIN, id: Uuid::nil() });
    let sql = match which {
        QueueItems::InFlight => &IN_FLIGHT,
        QueueItems::Dead => &DEAD,
    };
    tx.rows(sql, p![workspace, inbox, now, after.sort, after.id, page.limit])
}

/// Makes a message claimable at once, with this many deliveries so far, and wakes waiting claims.
pub fn reopen(tx: &mut Tx, item: &QueueItem, deliveries: u32) -> Result<()> {
    tx.exec(&REOPEN, p![item.workspace, item.message, deliveries])?;
    queue::wake(tx, InboxRef { workspace: item.workspace, inbox: item.inbox })
}

/// Takes a message out of its queue.
pub fn drop_item(tx: &mut Tx, item: &QueueItem, now: Time) -> Result<()> {
    tx.exec(&DROP, p![item.workspace, item.message, now])?;
    Ok(())
}

crate::from_row!(QueueEntry {
    message = message_id,
    inbox = inbox_id,
    thread = thread_id,
    created_at,
    state: QueueItemState,
    available_at: Time,
    deliveries,
    consumer,
    settled_at: Option<Time>,
} => Self {
    message,
    inbox,
    thread,
    created_at,
    lease_until: (state == QueueItemState::Open).then_some(available_at),
    deliveries,
    consumer,
    dead_at: settled_at.filter(|_| state == QueueItemState::Dead),
});
