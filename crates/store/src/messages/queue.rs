//! Work queues: leases on the received messages of an inbox.
//!
//! Storing a message writes nothing here. A claim locks the queue's row, so that claims of one inbox are serialized. It
//! adds the messages stored since the last claim in order ([`pull`]) and scans the open items along an index. Leased
//! and delayed items have `available_at` in the future; once it has passed, [`promote`] sets it to 0.

use posthouse_domain::{
    id::{InboxId, LeaseId, MessageId, ThreadId, WorkspaceId},
    message::{Channel, MessageKind},
    queue::{ClaimFilter, QueueItem, QueueItemState, QueueState},
    time::Time,
};

use crate::{Result, Tx, message_list::InboxRef, p, statements};

/// Most messages that one pull adds to a queue.
pub const PULL_MAX: u32 = 256;

/// Builds a statement that reads queue items.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT q.workspace_id, q.message_id, q.inbox_id, q.thread_id, q.state, q.available_at, q.lease_id, q.deliveries, ",
            "q.settled_at FROM queue_items q ",
            $rest
        )
    };
}

statements! {
    CREATE = "INSERT INTO queues (workspace_id, inbox_id, position, changes, started_at) VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING";
    LOCK_QUEUE = "SELECT position, changes FROM queues WHERE workspace_id = $1 AND inbox_id = $2 {FOR_UPDATE}";
    SET_POSITION = "UPDATE queues SET position = $3 WHERE workspace_id = $1 AND inbox_id = $2";
    INCREMENT_CHANGES = "UPDATE queues SET changes = changes + 1 WHERE workspace_id = $1 AND inbox_id = $2";
    INCREMENT_CHANGES_OF_WORKSPACE = "UPDATE queues SET changes = changes + 1 WHERE workspace_id = $1";
    NEXT_MESSAGES = "SELECT max(b.created_at) FROM (SELECT m.created_at FROM messages m
        WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 ORDER BY m.created_at LIMIT $4) b";
    PULL = "INSERT INTO queue_items (workspace_id, message_id, inbox_id, thread_id, created_at, channel, type, state, available_at,
        lease_id, deliveries, consumer, settled_at)
        SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.created_at, m.channel, m.type, 'open', 0, NULL, 0, NULL, NULL
        FROM messages m WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 AND m.created_at <= $4
        AND m.direction = 'inbound' AND (m.held IS NULL OR m.released_at IS NOT NULL)
        ON CONFLICT DO NOTHING";
    ADD_RELEASED = "INSERT INTO queue_items (workspace_id, message_id, inbox_id, thread_id, created_at, channel, type, state, available_at,
        lease_id, deliveries, consumer, settled_at)
        SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.created_at, m.channel, m.type, 'open', 0, NULL, 0, NULL, NULL
        FROM queues q CROSS JOIN messages m WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND m.workspace_id = $1 AND m.id = $3
        AND q.position >= m.created_at ON CONFLICT DO NOTHING";
    PROMOTE = "UPDATE queue_items SET available_at = 0 WHERE workspace_id = $1 AND inbox_id = $2 AND state = 'open'
        AND available_at > 0 AND available_at <= $3 AND deliveries < 10";
    CANDIDATES = "SELECT q.message_id, q.thread_id, q.created_at FROM queue_items q
        WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND q.state = 'open' AND q.available_at = 0 AND q.created_at > $3
        AND q.channel = COALESCE($4, q.channel) AND q.type = COALESCE($5, q.type)
        AND NOT EXISTS (SELECT 1 FROM queue_items b WHERE b.workspace_id = $1 AND b.thread_id = q.thread_id
          AND b.state = 'open' AND b.available_at > $6 LIMIT 1 OFFSET 0)
        ORDER BY q.created_at LIMIT $7";
    LEASE = "UPDATE queue_items SET lease_id = $3, available_at = $4, consumer = $5, deliveries = deliveries + 1
        WHERE workspace_id = $1 AND message_id = $2 AND state = 'open' AND available_at = 0 RETURNING deliveries";
    /// Locks the queue item of a message until the end of the transaction.
    pub fn item(workspace: WorkspaceId, message: MessageId) -> Option<QueueItem> =
        select!("WHERE q.workspace_id = :workspace AND q.message_id = :message {FOR_UPDATE}");
    SETTLE = "UPDATE queue_items SET state = $3, settled_at = $4 WHERE workspace_id = $1 AND message_id = $2";
    RETURN = "UPDATE queue_items SET available_at = $3, lease_id = NULL WHERE workspace_id = $1 AND message_id = $2";
    EXTEND = "UPDATE queue_items SET available_at = $3 WHERE workspace_id = $1 AND message_id = $2";
    NEXT_DUE = "SELECT q.available_at FROM queue_items q WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND q.state = 'open'
        AND q.available_at > $3 ORDER BY q.available_at LIMIT 1";
    THREAD_HAS_OPEN = "SELECT q.created_at FROM queue_items q WHERE q.workspace_id = $1 AND q.thread_id = $2 AND q.state = 'open' LIMIT 1";
    EXHAUSTED = select!("WHERE q.state = 'open' AND q.deliveries >= 10 AND q.available_at <= $1 ORDER BY q.available_at LIMIT $2");
    EXHAUSTED_OF_INBOX = select!("WHERE q.state = 'open' AND q.deliveries >= 10 AND q.available_at <= $3
        AND q.workspace_id = $1 AND q.inbox_id = $2 ORDER BY q.available_at LIMIT $4");
    MARK_GONE = "UPDATE queue_items SET state = 'gone', consumer = NULL,
        settled_at = {GREATEST}(created_at, available_at, COALESCE(settled_at, 0))
        WHERE workspace_id = $1 AND message_id = $2 AND deliveries > 0";
    DELETE_UNDELIVERED = "DELETE FROM queue_items WHERE workspace_id = $1 AND message_id = $2 AND deliveries = 0";
    NEXT_GONE = "SELECT q.settled_at FROM queue_items q WHERE q.state = 'gone' AND q.settled_at < $1 ORDER BY q.settled_at LIMIT $2";
    DELETE_GONE = "DELETE FROM queue_items WHERE state = 'gone' AND settled_at <= $1";
    QUEUES = "SELECT i.id, i.address, q.position, q.started_at FROM queues q
        JOIN inboxes i ON i.workspace_id = q.workspace_id AND i.id = q.inbox_id
        WHERE q.workspace_id = $1 AND i.deleted_at IS NULL AND i.id = COALESCE($2, i.id) ORDER BY q.started_at, i.id";
    COUNT_OPEN = "SELECT count(*) AS open,
        CAST(COALESCE(sum(CASE WHEN q.lease_id IS NOT NULL AND q.available_at > $3 THEN 1 ELSE 0 END), 0) AS {I64}) AS in_flight,
        CAST(COALESCE(sum(CASE WHEN q.deliveries >= 10 AND q.available_at <= $3 THEN 1 ELSE 0 END), 0) AS {I64}) AS exhausted,
        min(CASE WHEN (q.lease_id IS NOT NULL AND q.available_at > $3) OR (q.deliveries >= 10 AND q.available_at <= $3)
          THEN NULL ELSE q.created_at END) AS oldest
        FROM queue_items q WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND q.state = 'open'";
    COUNT_DEAD = "SELECT count(*) FROM queue_items q WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND q.state = 'dead'";
    COUNT_NEW = "SELECT count(*) AS messages, min(m.created_at) AS oldest FROM messages m WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3
        AND m.direction = 'inbound' AND (m.held IS NULL OR m.released_at IS NOT NULL)";
}

/// The row of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkQueue {
    /// `created_at` of the newest message that was added or skipped.
    pub position: Time,
    /// Counter that increases when a message may have become claimable other than by arrival.
    pub changes: i64,
}

/// A message that can be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueCandidate {
    /// The message.
    pub message: MessageId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its position in the queue.
    pub created_at: Time,
}

/// The lease for a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueLease<'a> {
    /// Its ID.
    pub id: LeaseId,
    /// When it expires.
    pub until: Time,
    /// The consumer's name, for display only.
    pub consumer: Option<&'a str>,
}

/// Locks the queue of an inbox until the end of the transaction. Creates the queue at `position` if it was never
/// claimed from.
pub fn lock(tx: &mut Tx, place: InboxRef, position: Time, now: Time) -> Result<WorkQueue> {
    if let Some(queue) = tx.one(&LOCK_QUEUE, p![place.workspace, place.inbox])? {
        return Ok(queue);
    }
    tx.exec(&CREATE, p![place.workspace, place.inbox, position, now])?;
    Ok(tx.one(&LOCK_QUEUE, p![place.workspace, place.inbox])?.unwrap_or(WorkQueue { position, changes: 0 }))
}

/// Adds up to [`PULL_MAX`] messages after `position` to the queue; returns the position of the last one, or `None` if
/// there are none. [`move_to`] stores the position.
pub fn pull(tx: &mut Tx, place: InboxRef, position: Time) -> Result<Option<Time>> {
    let last: Option<Option<Time>> = tx.value(&NEXT_MESSAGES, p![place.workspace, place.inbox, position, PULL_MAX])?;
    let Some(last) = last.flatten() else { return Ok(None) };
    tx.exec(&PULL, p![place.workspace, place.inbox, position, last])?;
    Ok(Some(last))
}

/// Stores the position up to which messages were added.
pub fn move_to(tx: &mut Tx, place: InboxRef, position: Time) -> Result<()> {
    tx.exec(&SET_POSITION, p![place.workspace, place.inbox, position])?;
    Ok(())
}

/// Adds a released message to the queue of its inbox, if the queue has passed it, and wakes waiting claims.
pub fn add_released(tx: &mut Tx, place: InboxRef, message: MessageId) -> Result<()> {
    if tx.exec(&ADD_RELEASED, p![place.workspace, place.inbox, message])? > 0 {
        wake(tx, place)?;
    }
    Ok(())
}

/// Makes messages available whose lease or delay has ended.
pub fn promote(tx: &mut Tx, place: InboxRef, now: Time) -> Result<()> {
    tx.exec(&PROMOTE, p![place.workspace, place.inbox, now])?;
    Ok(())
}

/// Returns up to `limit` claimable messages after `after`, oldest first. Skips threads that have a leased or delayed
/// message; the result may contain several messages of one thread.
pub fn candidates(
    tx: &mut Tx,
    place: InboxRef,
    wanted: ClaimFilter,
    after: Time,
    limit: u32,
    now: Time,
) -> Result<Vec<QueueCandidate>> {
    let (channel, kind) = (wanted.channel.map(Channel::text), wanted.kind.map(MessageKind::text));
    tx.rows(&CANDIDATES, p![place.workspace, place.inbox, after, channel, kind, now, limit])
}

/// Leases a message; returns its number of deliveries including this one, or `None` if another claim was faster.
pub fn lease(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, lease: QueueLease<'_>) -> Result<Option<u32>> {
    let leased: Option<(u32,)> = tx.one(&LEASE, p![workspace, message, lease.id, lease.until, lease.consumer])?;
    Ok(leased.map(|(deliveries,)| deliveries))
}

/// Sets the final state of a queue item. Wakes waiters if its thread has further open messages.
pub fn settle(tx: &mut Tx, item: &QueueItem, state: QueueItemState, now: Time) -> Result<()> {
    tx.exec(&SETTLE, p![item.workspace, item.message, state, now])?;
    if tx.value::<Time>(&THREAD_HAS_OPEN, p![item.workspace, item.thread])?.is_some() {
        wake(tx, InboxRef { workspace: item.workspace, inbox: item.inbox })?;
    }
    Ok(())
}

/// Returns a message to the queue, available from that time on; 0 means immediately.
pub fn requeue(tx: &mut Tx, item: &QueueItem, available_at: Time) -> Result<()> {
    tx.exec(&RETURN, p![item.workspace, item.message, available_at])?;
    wake(tx, InboxRef { workspace: item.workspace, inbox: item.inbox })
}

/// Changes the expiry of a lease.
pub fn extend(tx: &mut Tx, item: &QueueItem, until: Time) -> Result<()> {
    tx.exec(&EXTEND, p![item.workspace, item.message, until])?;
    Ok(())
}

/// Wakes the waiters of a queue after its claimable messages changed.
pub fn wake(tx: &mut Tx, place: InboxRef) -> Result<()> {
    tx.exec(&INCREMENT_CHANGES, p![place.workspace, place.inbox])?;
    tx.wake(place.workspace.0);
    Ok(())
}

/// Wakes the waiters of all queues of a workspace.
pub fn wake_all(tx: &mut Tx, workspace: WorkspaceId) -> Result<()> {
    tx.exec(&INCREMENT_CHANGES_OF_WORKSPACE, p![workspace])?;
    tx.wake(workspace.0);
    Ok(())
}

/// Returns when the next delayed or leased message becomes available.
pub fn next_due(tx: &mut Tx, place: InboxRef, now: Time) -> Result<Option<Time>> {
    tx.value(&NEXT_DUE, p![place.workspace, place.inbox, now])
}

/// Returns up to `limit` messages that used up their deliveries and whose last lease expired; optionally of one queue.
pub fn exhausted(tx: &mut Tx, place: Option<InboxRef>, now: Time, limit: u32) -> Result<Vec<QueueItem>> {
    match place {
        Some(place) => tx.rows(&EXHAUSTED_OF_INBOX, p![place.workspace, place.inbox, now, limit]),
        None => tx.rows(&EXHAUSTED, p![now, limit]),
    }
}

/// Returns the state of the queues of a workspace or of one inbox. Queues that were never claimed from and queues of
/// deleted inboxes are omitted.
pub fn states(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, now: Time) -> Result<Vec<QueueState>> {
    let found: Vec<QueueRow> = tx.rows(&QUEUES, p![workspace, inbox])?;
    let mut states = Vec::with_capacity(found.len());
    for QueueRow { id: inbox, address, position, started_at } in found {
        let open: Option<OpenCounts> = tx.one(&COUNT_OPEN, p![workspace, inbox, now])?;
        let OpenCounts { open, in_flight, exhausted, oldest } = open.unwrap_or_default();
        let dead: i64 = tx.value(&COUNT_DEAD, p![workspace, inbox])?.unwrap_or_default();
        let unpulled: Option<NewCounts> = tx.one(&COUNT_NEW, p![workspace, inbox, position])?;
        let NewCounts { messages: unpulled, oldest: oldest_unpulled } = unpulled.unwrap_or_default();
        let count = |n: i64| u64::try_from(n).unwrap_or(0);
        states.push(QueueState {
            inbox,
            address,
            started_at,
            depth: count(open - in_flight - exhausted + unpulled),
            in_flight: count(in_flight),
            dead_letters: count(dead + exhausted),
            oldest_waiting_at: oldest.or(oldest_unpulled),
        });
    }
    Ok(states)
}

/// Removes a deleted message from its queue. A message that was delivered before stays marked as gone for a while.
pub fn delete_message(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<()> {
    if tx.exec(&MARK_GONE, p![workspace, message])? == 0 {
        tx.exec(&DELETE_UNDELIVERED, p![workspace, message])?;
    }
    Ok(())
}

/// Deletes about `limit` items that were gone before that time; returns how many.
pub fn delete_gone(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&NEXT_GONE, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&DELETE_GONE, p![end])
}

crate::from_row!(WorkQueue { position, changes = changes });
crate::row_struct!(QueueRow { id: InboxId, address: String, position: Time, started_at: Time });
crate::row_struct!(
    #[derive(Default)]
    OpenCounts { open: i64, in_flight: i64, exhausted: i64, oldest: Option<Time> }
);
crate::row_struct!(
    #[derive(Default)]
    NewCounts { messages: i64, oldest: Option<Time> }
);
crate::from_row!(QueueCandidate { message = message_id, thread = thread_id, created_at });

crate::from_row!(QueueItem {
    workspace = workspace_id,
    message = message_id,
    inbox = inbox_id,
    thread = thread_id,
    state,
    available_at,
    lease = lease_id,
    deliveries,
    settled_at
});
