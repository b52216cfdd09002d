//! The contents of work queues, for people: messages in flight and dead letters, and the return of one by hand.

use posthouse_domain::{InboxId, PageRange, QueueEntry, QueueItem, QueueItemState, Time, WorkspaceId};
use uuid::Uuid;

use crate::{Result, Tx, message_list::InboxRef, queue, statements};

/// The statement that reads the items of every queue of a workspace, or of one inbox. The queues come first, so that each
/// engine reads a range of an index for each of them.
macro_rules! items {
    ($condition:literal) => {
        concat!(
            "SELECT i.message_id, i.inbox_id, i.thread_id, i.created_at, i.state, i.available_at, i.deliveries, i.consumer, ",
            "i.settled_at FROM queues q CROSS JOIN queue_items i WHERE q.workspace_id = :workspace AND q.inbox_id = COALESCE(:inbox, q.inbox_id) ",
            "AND i.workspace_id = :workspace AND i.inbox_id = q.inbox_id AND (i.created_at, i.message_id) > (:sort, :id) ",
            "AND NOT EXISTS (SELECT 1 FROM inboxes b WHERE b.workspace_id = :workspace AND b.id = q.inbox_id AND b.deleted_at IS NOT NULL) AND ",
            $condition,
            " ORDER BY i.created_at, i.message_id LIMIT :limit"
        )
    };
}

statements! {
    fn in_flight(
        workspace: WorkspaceId,
        inbox: Option<InboxId>,
        page: PageRange {
            sort: page.after.map_or(i64::MIN, |after| after.sort), id: page.after.map_or(Uuid::nil(), |after| after.id),
            limit,
        },
        now: Time,
    ) -> Vec<QueueEntry> = items!("i.state = 'open' AND i.available_at > :now AND i.lease_id IS NOT NULL");
    fn dead(
        workspace: WorkspaceId,
        inbox: Option<InboxId>,
        page: PageRange {
            sort: page.after.map_or(i64::MIN, |after| after.sort), id: page.after.map_or(Uuid::nil(), |after| after.id),
            limit,
        },
        now: Time,
    ) -> Vec<QueueEntry> = items!("i.state = 'dead' AND i.settled_at <= :now");
    fn write_open(item: &QueueItem { workspace, message }, deliveries: u32) =
        "UPDATE queue_items SET state = 'open', available_at = 0, lease_id = NULL, consumer = NULL, settled_at = NULL,
        deliveries = :deliveries WHERE workspace_id = :workspace AND message_id = :message";
    /// Takes a message out of its queue.
    pub fn drop_item(item: &QueueItem { workspace, message }, now: Time) =
        "UPDATE queue_items SET state = 'done', lease_id = NULL, settled_at = :now WHERE workspace_id = :workspace AND message_id = :message";
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
    match which {
        QueueItems::InFlight => in_flight(tx, workspace, inbox, page, now),
        QueueItems::Dead => dead(tx, workspace, inbox, page, now),
    }
}

/// Makes a message claimable at once, with this many deliveries so far, and wakes waiting claims.
pub fn reopen(tx: &mut Tx, item: &QueueItem, deliveries: u32) -> Result<()> {
    write_open(tx, item, deliveries)?;
    queue::wake(tx, InboxRef { workspace: item.workspace, inbox: item.inbox })
}

crate::from_row!(QueueEntry {
    message = message_id, inbox = inbox_id, thread = thread_id, created_at, state: QueueItemState, available_at: Time,
    deliveries, consumer, settled_at: Option<Time>,
} => Self {
    message, inbox, thread, created_at,
    lease_until: (state == QueueItemState::Open).then_some(available_at),
    deliveries, consumer,
    dead_at: settled_at.filter(|_| state == QueueItemState::Dead),
});
