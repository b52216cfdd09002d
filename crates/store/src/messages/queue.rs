//! Work queues: leases on the received messages of an inbox.
//!
//! Storing a message writes nothing here. A claim locks the queue's row, so that claims of one inbox are serialized. It
//! adds the messages stored since the last claim in order ([`pull`]) and scans the open items along an index. Leased
//! and delayed items have `available_at` in the future; once it has passed, [`promote`] sets it to 0.

use posthouse_domain::{
    ClaimFilter, HoldReason, InboxId, LeaseId, MessageId, QueueItem, QueueItemState, QueueState, ThreadId, Time,
    WorkspaceId,
};

use crate::{Result, Tx, message_list::InboxRef, statements};

/// Most messages that one pull adds to a queue.
pub const PULL_MAX: u32 = 256;
/// How many of the newest withheld messages of an inbox a claim can reach, so that its cost is bounded.
pub const WITHHELD_MAX: u32 = 1_000;

statements! {
    fn create(inbox: InboxRef { workspace, inbox }, position: Time, now: Time) =
        "INSERT INTO queues (workspace_id, inbox_id, position, changes, started_at) VALUES (:workspace, :inbox, :position, 0, :now) ON CONFLICT DO NOTHING";
    fn lock_row(inbox: InboxRef { workspace, inbox }) -> Option<WorkQueue> =
        "SELECT position, changes FROM queues WHERE workspace_id = :workspace AND inbox_id = :inbox {FOR_UPDATE}";
    /// Stores the position up to which messages were added.
    pub fn move_to(inbox: InboxRef { workspace, inbox }, position: Time) =
        "UPDATE queues SET position = :position WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Counts a change that may have made messages claimable.
    pub fn count_change(inbox: InboxRef { workspace, inbox }) =
        "UPDATE queues SET changes = changes + 1 WHERE workspace_id = :workspace AND inbox_id = :inbox";
    fn count_change_of_workspace(workspace: WorkspaceId) =
        "UPDATE queues SET changes = changes + 1 WHERE workspace_id = :workspace";
    fn last_to_pull(
        inbox: InboxRef { workspace, inbox }, position: Time;
        limit = PULL_MAX,
    ) -> Option<(Option<Time>,)> = "SELECT max(b.created_at) FROM (SELECT m.created_at FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.created_at > :position ORDER BY m.created_at LIMIT :limit) b";
    fn add(inbox: InboxRef { workspace, inbox }, position: Time, last: Time) =
        "INSERT INTO queue_items (workspace_id, message_id, inbox_id, thread_id, created_at, channel, type, state, available_at,
        lease_id, deliveries, consumer, settled_at)
        SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.created_at, m.channel, m.type, 'open', 0, NULL, 0, NULL, NULL
        FROM messages m WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.created_at > :position AND m.created_at <= :last
        AND m.direction = 'inbound' AND (m.held IS NULL OR m.released_at IS NOT NULL)
        ON CONFLICT DO NOTHING";
    fn add_one(inbox: InboxRef { workspace, inbox }, message: MessageId) -> bool =
        "INSERT INTO queue_items (workspace_id, message_id, inbox_id, thread_id, created_at, channel, type, state, available_at,
        lease_id, deliveries, consumer, settled_at)
        SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.created_at, m.channel, m.type, 'open', 0, NULL, 0, NULL, NULL
        FROM queues q CROSS JOIN messages m WHERE q.workspace_id = :workspace AND q.inbox_id = :inbox AND m.workspace_id = :workspace AND m.id = :message
        AND q.position >= m.created_at ON CONFLICT DO NOTHING";
    /// Makes messages available whose lease or delay has ended.
    pub fn promote(inbox: InboxRef { workspace, inbox }, now: Time) =
        "UPDATE queue_items SET available_at = 0 WHERE workspace_id = :workspace AND inbox_id = :inbox AND state = 'open'
        AND available_at > 0 AND available_at <= :now AND deliveries < 10";
    /// Returns up to `limit` claimable messages after `after`, oldest first. Skips threads that have a leased or delayed
    /// message, and withheld messages that the claim doesn't accept; the result may contain several messages of one thread.
    pub fn candidates(
        inbox: InboxRef { workspace, inbox },
        wanted: ClaimFilter {
            channel, kind, analysed, enriched, unscreened: wanted.opt_ins.unscreened, held: wanted.opt_ins.held,
        },
        after: Time, limit: u32, now: Time;
        pending = HoldReason::Pending,
        blocked = HoldReason::Blocked,
    ) -> Vec<QueueCandidate> = "SELECT q.message_id, q.thread_id, q.created_at FROM queue_items q
        WHERE q.workspace_id = :workspace AND q.inbox_id = :inbox AND q.state = 'open' AND q.available_at = 0 AND q.created_at > :after
        AND q.channel = COALESCE(:channel, q.channel) AND q.type = COALESCE(:kind, q.type)
        AND (CAST(:analysed AS {I64}) = 0 OR EXISTS (SELECT 1 FROM messages a WHERE a.workspace_id = :workspace AND a.id = q.message_id AND a.analyzed_at IS NOT NULL))
        AND (CAST(:enriched AS {I64}) = 0 OR EXISTS (SELECT 1 FROM messages e WHERE e.workspace_id = :workspace AND e.id = q.message_id AND e.analysis_due IS NULL))
        AND NOT EXISTS (SELECT 1 FROM messages h WHERE h.workspace_id = :workspace AND h.id = q.message_id
          AND h.held IS NOT NULL AND h.released_at IS NULL AND NOT ((CAST(:unscreened AS {I64}) = 1 AND h.held = :pending)
          OR (CAST(:held AS {I64}) = 1 AND h.held <> :pending AND h.held <> :blocked)) LIMIT 1 OFFSET 0)
        AND NOT EXISTS (SELECT 1 FROM queue_items b WHERE b.workspace_id = :workspace AND b.thread_id = q.thread_id
          AND b.state = 'open' AND b.available_at > :now LIMIT 1 OFFSET 0)
        ORDER BY q.created_at LIMIT :limit";
    /// Returns up to `limit` withheld messages after `after` and until `position` that the claim accepts and that were
    /// never claimed, oldest first. Only the newest [`WITHHELD_MAX`] of the inbox count.
    pub fn withheld_candidates(
        inbox: InboxRef { workspace, inbox },
        wanted: ClaimFilter {
            channel, kind, analysed, enriched, unscreened: wanted.opt_ins.unscreened, held: wanted.opt_ins.held,
        },
        between: WithheldRange { after, position },
        limit: u32,
        now: Time;
        pending = HoldReason::Pending,
        blocked = HoldReason::Blocked,
        newest = WITHHELD_MAX,
    ) -> Vec<QueueCandidate> = "SELECT w.message_id, w.thread_id, w.created_at FROM (
        SELECT m.id AS message_id, m.thread_id, m.created_at, m.channel, m.type, m.analyzed_at, m.analysis_due FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.held IS NOT NULL AND m.released_at IS NULL AND m.direction = 'inbound'
        AND ((CAST(:unscreened AS {I64}) = 1 AND m.held = :pending)
          OR (CAST(:held AS {I64}) = 1 AND m.held <> :pending AND m.held <> :blocked))
        ORDER BY m.created_at DESC LIMIT :newest) w
        WHERE w.created_at > :after AND w.created_at <= :position
        AND w.channel = COALESCE(:channel, w.channel) AND w.type = COALESCE(:kind, w.type)
        AND (CAST(:analysed AS {I64}) = 0 OR w.analyzed_at IS NOT NULL) AND (CAST(:enriched AS {I64}) = 0 OR w.analysis_due IS NULL)
        AND NOT EXISTS (SELECT 1 FROM queue_items i WHERE i.workspace_id = :workspace AND i.message_id = w.message_id LIMIT 1 OFFSET 0)
        AND NOT EXISTS (SELECT 1 FROM queue_items b WHERE b.workspace_id = :workspace AND b.thread_id = w.thread_id
          AND b.state = 'open' AND b.available_at > :now LIMIT 1 OFFSET 0)
        ORDER BY w.created_at LIMIT :limit";
    /// Adds a withheld message to the queue of its inbox, before it is leased.
    pub fn add_withheld(workspace: WorkspaceId, message: MessageId) =
        "INSERT INTO queue_items (workspace_id, message_id, inbox_id, thread_id, created_at, channel, type, state, available_at,
        lease_id, deliveries, consumer, settled_at)
        SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.created_at, m.channel, m.type, 'open', 0, NULL, 0, NULL, NULL
        FROM messages m WHERE m.workspace_id = :workspace AND m.id = :message ON CONFLICT DO NOTHING";
    /// Leases a message; returns its number of deliveries including this one, or `None` if another claim was faster.
    pub fn lease(
        workspace: WorkspaceId, message: MessageId, lease: QueueLease<'_> { id, until, consumer },
    ) -> Option<u32> =
        "UPDATE queue_items SET lease_id = :id, available_at = :until, consumer = :consumer, deliveries = deliveries + 1
        WHERE workspace_id = :workspace AND message_id = :message AND state = 'open' AND available_at = 0 RETURNING deliveries";
    /// Locks the queue item of a message until the end of the transaction.
    pub fn item(workspace: WorkspaceId, message: MessageId) -> Option<QueueItem> =
        "SELECT {q.queue_items} FROM queue_items q WHERE q.workspace_id = :workspace AND q.message_id = :message {FOR_UPDATE}";
    fn write_state(item: &QueueItem { workspace, message }, state: QueueItemState, now: Time) =
        "UPDATE queue_items SET state = :state, settled_at = :now WHERE workspace_id = :workspace AND message_id = :message";
    fn write_return(item: &QueueItem { workspace, message }, available_at: Time) =
        "UPDATE queue_items SET available_at = :available_at, lease_id = NULL WHERE workspace_id = :workspace AND message_id = :message";
    /// Changes the expiry of a lease.
    pub fn extend(item: &QueueItem { workspace, message }, until: Time) =
        "UPDATE queue_items SET available_at = :until WHERE workspace_id = :workspace AND message_id = :message";
    /// Returns when the next delayed or leased message becomes available.
    pub fn next_due(inbox: InboxRef { workspace, inbox }, now: Time) -> Option<Time> =
        "SELECT q.available_at FROM queue_items q WHERE q.workspace_id = :workspace AND q.inbox_id = :inbox AND q.state = 'open'
        AND q.available_at > :now ORDER BY q.available_at LIMIT 1";
    fn thread_has_open(item: &QueueItem { workspace, thread }) -> bool =
        "SELECT q.created_at FROM queue_items q WHERE q.workspace_id = :workspace AND q.thread_id = :thread AND q.state = 'open' LIMIT 1";
    fn all_exhausted(now: Time, limit: u32) -> Vec<QueueItem> =
        "SELECT {q.queue_items} FROM queue_items q WHERE q.state = 'open' AND q.deliveries >= 10 AND q.available_at <= :now ORDER BY q.available_at LIMIT :limit";
    fn exhausted_of_inbox(inbox: InboxRef { workspace, inbox }, now: Time, limit: u32) -> Vec<QueueItem> =
        "SELECT {q.queue_items} FROM queue_items q WHERE q.state = 'open' AND q.deliveries >= 10 AND q.available_at <= :now
        AND q.workspace_id = :workspace AND q.inbox_id = :inbox ORDER BY q.available_at LIMIT :limit";
    fn mark_gone(workspace: WorkspaceId, message: MessageId) -> bool =
        "UPDATE queue_items SET state = 'gone', consumer = NULL,
        settled_at = {GREATEST}(created_at, available_at, COALESCE(settled_at, 0))
        WHERE workspace_id = :workspace AND message_id = :message AND deliveries > 0";
    /// Removes a message that no claim had.
    pub fn delete_undelivered(workspace: WorkspaceId, message: MessageId) =
        "DELETE FROM queue_items WHERE workspace_id = :workspace AND message_id = :message AND deliveries = 0";
    fn oldest_gone(before: Time, limit: u32) -> Vec<Time> =
        "SELECT q.settled_at FROM queue_items q WHERE q.state = 'gone' AND q.settled_at < :before ORDER BY q.settled_at LIMIT :limit";
    fn delete_gone_until(end: Time) -> u64 = "DELETE FROM queue_items WHERE state = 'gone' AND settled_at <= :end";
    fn queues(workspace: WorkspaceId, inbox: Option<InboxId>) -> Vec<QueueRow> =
        "SELECT i.id, i.address, q.position, q.started_at FROM queues q
        JOIN inboxes i ON i.workspace_id = q.workspace_id AND i.id = q.inbox_id
        WHERE q.workspace_id = :workspace AND i.deleted_at IS NULL AND i.id = COALESCE(:inbox, i.id) ORDER BY q.started_at, i.id";
    fn count_open(workspace: WorkspaceId, inbox: InboxId, now: Time) -> OpenCounts = "SELECT count(*) AS open,
        CAST(COALESCE(sum(CASE WHEN q.lease_id IS NOT NULL AND q.available_at > :now THEN 1 ELSE 0 END), 0) AS {I64}) AS in_flight,
        CAST(COALESCE(sum(CASE WHEN q.deliveries >= 10 AND q.available_at <= :now THEN 1 ELSE 0 END), 0) AS {I64}) AS exhausted,
        min(CASE WHEN (q.lease_id IS NOT NULL AND q.available_at > :now) OR (q.deliveries >= 10 AND q.available_at <= :now)
          THEN NULL ELSE q.created_at END) AS oldest
        FROM queue_items q WHERE q.workspace_id = :workspace AND q.inbox_id = :inbox AND q.state = 'open'";
    fn count_dead(workspace: WorkspaceId, inbox: InboxId) -> i64 =
        "SELECT count(*) FROM queue_items q WHERE q.workspace_id = :workspace AND q.inbox_id = :inbox AND q.state = 'dead'";
    fn count_new(workspace: WorkspaceId, inbox: InboxId, position: Time) -> NewCounts =
        "SELECT count(*) AS messages, min(m.created_at) AS oldest FROM messages m WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.created_at > :position
        AND m.direction = 'inbound' AND (m.held IS NULL OR m.released_at IS NOT NULL)";
}

crate::row_struct!(
    /// The row of a queue.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub WorkQueue {
        /// `created_at` of the newest message that was added or skipped.
        position: Time,
        /// Counter that increases when a message may have become claimable other than by arrival.
        changes: i64,
    }
);

crate::row_struct!(
    /// A message that can be claimed.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub QueueCandidate { message = message_id: MessageId, thread = thread_id: ThreadId, created_at: Time }
);

/// Which withheld messages a claim looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WithheldRange {
    /// Only messages after this time.
    pub after: Time,
    /// Only messages that the queue has passed: those until this time.
    pub position: Time,
}

/// The lease for a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueLease<'a> {
    pub id: LeaseId,
    /// When it expires.
    pub until: Time,
    /// The consumer's name, for display only.
    pub consumer: Option<&'a str>,
}

/// Locks the queue of an inbox until the end of the transaction. Creates the queue at `position` if it was never
/// claimed from.
pub fn lock(tx: &mut Tx, inbox: InboxRef, position: Time, now: Time) -> Result<WorkQueue> {
    if let Some(queue) = lock_row(tx, inbox)? {
        return Ok(queue);
    }
    create(tx, inbox, position, now)?;
    Ok(lock_row(tx, inbox)?.unwrap_or(WorkQueue { position, changes: 0 }))
}

/// Adds up to [`PULL_MAX`] messages after `position` to the queue; returns the position of the last one, or `None` if
/// there are none. [`move_to`] stores the position.
pub fn pull(tx: &mut Tx, inbox: InboxRef, position: Time) -> Result<Option<Time>> {
    let Some((Some(last),)) = last_to_pull(tx, inbox, position)? else { return Ok(None) };
    add(tx, inbox, position, last)?;
    Ok(Some(last))
}

/// Adds a released message to the queue of its inbox, if the queue has passed it, and wakes waiting claims. It may be in
/// the queue already, where only claims of withheld mail found it.
pub fn add_released(tx: &mut Tx, inbox: InboxRef, message: MessageId) -> Result<()> {
    add_one(tx, inbox, message)?;
    wake(tx, inbox)
}

/// Sets the final state of a queue item. Wakes waiters if its thread has further open messages.
pub fn settle(tx: &mut Tx, item: &QueueItem, state: QueueItemState, now: Time) -> Result<()> {
    write_state(tx, item, state, now)?;
    if thread_has_open(tx, item)? {
        wake(tx, InboxRef { workspace: item.workspace, inbox: item.inbox })?;
    }
    Ok(())
}

/// Returns a message to the queue, available from that time on; 0 means immediately.
pub fn requeue(tx: &mut Tx, item: &QueueItem, available_at: Time) -> Result<()> {
    write_return(tx, item, available_at)?;
    wake(tx, InboxRef { workspace: item.workspace, inbox: item.inbox })
}

/// Wakes the waiters of a queue after its claimable messages changed.
pub fn wake(tx: &mut Tx, inbox: InboxRef) -> Result<()> {
    count_change(tx, inbox)?;
    tx.wake(inbox.workspace.0);
    Ok(())
}

/// Wakes the waiters of all queues of a workspace.
pub fn wake_all(tx: &mut Tx, workspace: WorkspaceId) -> Result<()> {
    count_change_of_workspace(tx, workspace)?;
    tx.wake(workspace.0);
    Ok(())
}

/// Returns up to `limit` messages that used up their deliveries and whose last lease expired; optionally of one queue.
pub fn exhausted(tx: &mut Tx, inbox: Option<InboxRef>, now: Time, limit: u32) -> Result<Vec<QueueItem>> {
    match inbox {
        Some(inbox) => exhausted_of_inbox(tx, inbox, now, limit),
        None => all_exhausted(tx, now, limit),
    }
}

/// Returns the state of the queues of a workspace or of one inbox. Queues that were never claimed from and queues of
/// deleted inboxes are omitted.
pub fn states(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, now: Time) -> Result<Vec<QueueState>> {
    let found = queues(tx, workspace, inbox)?;
    let mut states = Vec::with_capacity(found.len());
    for QueueRow { id: inbox, address, position, started_at } in found {
        let OpenCounts { open, in_flight, exhausted, oldest } = count_open(tx, workspace, inbox, now)?;
        let dead = count_dead(tx, workspace, inbox)?;
        let NewCounts { messages: unpulled, oldest: oldest_unpulled } = count_new(tx, workspace, inbox, position)?;
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
    if mark_gone(tx, workspace, message)? { Ok(()) } else { delete_undelivered(tx, workspace, message) }
}

/// Deletes about `limit` items that were gone before that time; returns how many.
pub fn delete_gone(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    oldest_gone(tx, before, limit)?.last().map_or(Ok(0), |end| delete_gone_until(tx, *end))
}

crate::row_struct!(QueueRow { id: InboxId, address: String, position: Time, started_at: Time });
crate::row_struct!(
    #[derive(Default)]
    OpenCounts { open: i64, in_flight: i64, exhausted: i64, oldest: Option<Time> }
);
crate::row_struct!(
    #[derive(Default)]
    NewCounts { messages: i64, oldest: Option<Time> }
);

crate::statements::first_or_default!(OpenCounts, NewCounts);
