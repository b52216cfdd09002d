//! Work queues: leases on the received mail of an inbox (contract §4.8, decision 24).
//!
//! Storing a mail writes nothing here. A claim takes the queue's row, so that claims of one inbox come one after the
//! other, takes over in order what was stored since the last one ([`pull`]), and walks what waits along an index. What
//! only time keeps back has `available_at` in the future; [`promote`] sets it to 0 once, when its time has come.

use posthouse_domain::{
    id::{InboxId, LeaseId, MessageId, ThreadId, WorkspaceId},
    message::{Channel, Kind},
    queue::{Item, State, Wanted},
    time::Time,
};

use crate::{Result, Tx, message_list::Place, p, statements};

/// Messages that one pull takes over.
pub const PULL_MAX: u32 = 256;

/// A statement that reads items of queues.
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
    BEGIN = "INSERT INTO queues (workspace_id, inbox_id, position, stirs, started_at) VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING";
    TAKE = "SELECT position, stirs FROM queues WHERE workspace_id = $1 AND inbox_id = $2 {FOR_UPDATE}";
    MOVE = "UPDATE queues SET position = $3 WHERE workspace_id = $1 AND inbox_id = $2";
    STIR = "UPDATE queues SET stirs = stirs + 1 WHERE workspace_id = $1 AND inbox_id = $2";
    STIR_ALL = "UPDATE queues SET stirs = stirs + 1 WHERE workspace_id = $1";
    NEXT_MESSAGES = "SELECT count(*), max(b.created_at) FROM (SELECT m.created_at FROM messages m
        WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 ORDER BY m.created_at LIMIT $4) b";
    PULL = "INSERT INTO queue_items (workspace_id, message_id, inbox_id, thread_id, created_at, channel, type, state, available_at,
        lease_id, deliveries, consumer, settled_at)
        SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.created_at, m.channel, m.type, 'open', 0, NULL, 0, NULL, NULL
        FROM messages m WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 AND m.created_at <= $4
        AND m.direction = 'inbound' AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = $1 AND l.inbox_id = $2
          AND l.label = 'blocked' AND l.created_at = m.created_at)
        ON CONFLICT DO NOTHING";
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
    ITEM = select!("WHERE q.workspace_id = $1 AND q.message_id = $2 {FOR_UPDATE}");
    SETTLE = "UPDATE queue_items SET state = $3, settled_at = $4 WHERE workspace_id = $1 AND message_id = $2";
    PUT_BACK = "UPDATE queue_items SET available_at = $3, lease_id = NULL WHERE workspace_id = $1 AND message_id = $2";
    PROLONG = "UPDATE queue_items SET available_at = $3 WHERE workspace_id = $1 AND message_id = $2";
    NEXT_DUE = "SELECT q.available_at FROM queue_items q WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND q.state = 'open'
        AND q.available_at > $3 ORDER BY q.available_at LIMIT 1";
    THREAD_WAITS = "SELECT q.created_at FROM queue_items q WHERE q.workspace_id = $1 AND q.thread_id = $2 AND q.state = 'open' LIMIT 1";
    SPENT = select!("WHERE q.state = 'open' AND q.deliveries >= 10 AND q.available_at <= $1 ORDER BY q.available_at LIMIT $2");
    SPENT_HERE = select!("WHERE q.state = 'open' AND q.deliveries >= 10 AND q.available_at <= $3
        AND q.workspace_id = $1 AND q.inbox_id = $2 ORDER BY q.available_at LIMIT $4");
    GONE = "UPDATE queue_items SET state = 'gone', consumer = NULL,
        settled_at = {GREATEST}(created_at, available_at, COALESCE(settled_at, 0))
        WHERE workspace_id = $1 AND message_id = $2 AND deliveries > 0";
    FORGET = "DELETE FROM queue_items WHERE workspace_id = $1 AND message_id = $2 AND deliveries = 0";
    GONE_END = "SELECT q.settled_at FROM queue_items q WHERE q.state = 'gone' AND q.settled_at < $1 ORDER BY q.settled_at LIMIT $2";
    DELETE_GONE = "DELETE FROM queue_items WHERE state = 'gone' AND settled_at <= $1";
    QUEUES = "SELECT i.id, i.address, q.position, q.started_at FROM queues q
        JOIN inboxes i ON i.workspace_id = q.workspace_id AND i.id = q.inbox_id
        WHERE q.workspace_id = $1 AND i.deleted_at IS NULL AND i.id = COALESCE($2, i.id) ORDER BY q.started_at, i.id";
    COUNT_OPEN = "SELECT count(*), CAST(COALESCE(sum(CASE WHEN q.lease_id IS NOT NULL AND q.available_at > $3 THEN 1 ELSE 0 END), 0) AS {I64}),
        CAST(COALESCE(sum(CASE WHEN q.deliveries >= 10 AND q.available_at <= $3 THEN 1 ELSE 0 END), 0) AS {I64}),
        min(CASE WHEN (q.lease_id IS NOT NULL AND q.available_at > $3) OR (q.deliveries >= 10 AND q.available_at <= $3)
          THEN NULL ELSE q.created_at END)
        FROM queue_items q WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND q.state = 'open'";
    COUNT_DEAD = "SELECT count(*) FROM queue_items q WHERE q.workspace_id = $1 AND q.inbox_id = $2 AND q.state = 'dead'";
    COUNT_NEW = "SELECT count(*), min(m.created_at) FROM messages m WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3
        AND m.direction = 'inbound' AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = $1 AND l.inbox_id = $2
          AND l.label = 'blocked' AND l.created_at = m.created_at)";
}

/// The row of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// `created_at` of the newest message that was taken over or passed by.
    pub position: Time,
    /// Rises when something may have become claimable without a new message.
    pub stirs: i64,
}

/// A message that can be handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The message.
    pub message: MessageId,
    /// Its conversation.
    pub thread: ThreadId,
    /// Its place in the queue.
    pub created_at: Time,
}

/// A lease to be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lease<'a> {
    /// Its id.
    pub id: LeaseId,
    /// Its end.
    pub until: Time,
    /// Who gets it, for people who look.
    pub consumer: Option<&'a str>,
}

/// What is in a queue now (contract §13.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueState {
    /// The inbox.
    pub inbox: InboxId,
    /// Its address.
    pub address: String,
    /// When it was claimed from for the first time.
    pub started_at: Time,
    /// Messages that wait, delayed ones too.
    pub depth: u64,
    /// Messages under a lease that runs.
    pub in_flight: u64,
    /// Messages that were handed out too often.
    pub dead_letters: u64,
    /// When the oldest waiting message was stored.
    pub oldest_waiting_at: Option<Time>,
}

/// Takes the row of an inbox's queue until the end of the transaction; begins the queue behind `position` if nobody has
/// claimed from it yet.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, place: Place, position: Time, now: Time) -> Result<Queue> {
    if let Some(queue) = tx.one(&TAKE, p![place.workspace, place.inbox])? {
        return Ok(queue);
    }
    tx.exec(&BEGIN, p![place.workspace, place.inbox, position, now])?;
    Ok(tx.one(&TAKE, p![place.workspace, place.inbox])?.unwrap_or(Queue { position, stirs: 0 }))
}

/// Takes over up to [`PULL_MAX`] messages behind `position`; gives the place of the last of them, or nothing when there is
/// none. [`move_to`] keeps it.
///
/// # Errors
/// The store's own.
pub fn pull(tx: &mut Tx, place: Place, position: Time) -> Result<Option<Time>> {
    let found: Option<(i64, Option<Time>)> =
        tx.one(&NEXT_MESSAGES, p![place.workspace, place.inbox, position, PULL_MAX])?;
    let Some(last) = found.and_then(|(_, last)| last) else { return Ok(None) };
    tx.exec(&PULL, p![place.workspace, place.inbox, position, last])?;
    Ok(Some(last))
}

/// Keeps how far messages were taken over.
///
/// # Errors
/// The store's own.
pub fn move_to(tx: &mut Tx, place: Place, position: Time) -> Result<()> {
    tx.exec(&MOVE, p![place.workspace, place.inbox, position])?;
    Ok(())
}

/// Lets out what only time kept back.
///
/// # Errors
/// The store's own.
pub fn promote(tx: &mut Tx, place: Place, now: Time) -> Result<()> {
    tx.exec(&PROMOTE, p![place.workspace, place.inbox, now])?;
    Ok(())
}

/// Up to `limit` messages behind `after` that can be handed out, oldest first. None of them is of a conversation of which
/// a message is kept back by a lease or a delay; several may be of one conversation.
///
/// # Errors
/// The store's own.
pub fn candidates(
    tx: &mut Tx,
    place: Place,
    wanted: Wanted,
    (after, now): (Time, Time),
    limit: u32,
) -> Result<Vec<Candidate>> {
    let (channel, kind) = (wanted.channel.map(Channel::text), wanted.kind.map(Kind::text));
    tx.rows(&CANDIDATES, p![place.workspace, place.inbox, after, channel, kind, now, limit])
}

/// Hands a message out; gives how often it was handed out with this time, or nothing when somebody was faster.
///
/// # Errors
/// The store's own.
pub fn lease(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, lease: Lease<'_>) -> Result<Option<u32>> {
    let given: Option<(u32,)> = tx.one(&LEASE, p![workspace, message, lease.id, lease.until, lease.consumer])?;
    Ok(given.map(|(deliveries,)| deliveries))
}

/// Takes the row of a message in its queue until the end of the transaction.
///
/// # Errors
/// The store's own.
pub fn item(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<Option<Item>> {
    tx.one(&ITEM, p![workspace, message])
}

/// Ends the way of a message through its queue. Wakes who waits for the rest of its conversation.
///
/// # Errors
/// The store's own.
pub fn settle(tx: &mut Tx, item: &Item, state: State, now: Time) -> Result<()> {
    tx.exec(&SETTLE, p![item.workspace, item.message, state, now])?;
    if tx.value::<Time>(&THREAD_WAITS, p![item.workspace, item.thread])?.is_some() {
        stir(tx, Place { workspace: item.workspace, inbox: item.inbox })?;
    }
    Ok(())
}

/// Gives a message back, to be handed out from that time on; 0 for at once.
///
/// # Errors
/// The store's own.
pub fn put_back(tx: &mut Tx, item: &Item, available_at: Time) -> Result<()> {
    tx.exec(&PUT_BACK, p![item.workspace, item.message, available_at])?;
    stir(tx, Place { workspace: item.workspace, inbox: item.inbox })
}

/// Moves the end of a lease.
///
/// # Errors
/// The store's own.
pub fn prolong(tx: &mut Tx, item: &Item, until: Time) -> Result<()> {
    tx.exec(&PROLONG, p![item.workspace, item.message, until])?;
    Ok(())
}

/// Wakes who waits for a message of this queue: there may be one, or none will be let out for now.
///
/// # Errors
/// The store's own.
pub fn stir(tx: &mut Tx, place: Place) -> Result<()> {
    tx.exec(&STIR, p![place.workspace, place.inbox])?;
    tx.wake(place.workspace.0);
    Ok(())
}

/// Wakes who waits for a message of any queue of the workspace.
///
/// # Errors
/// The store's own.
pub fn stir_all(tx: &mut Tx, workspace: WorkspaceId) -> Result<()> {
    tx.exec(&STIR_ALL, p![workspace])?;
    tx.wake(workspace.0);
    Ok(())
}

/// When the next message will be let out by time alone.
///
/// # Errors
/// The store's own.
pub fn next_due(tx: &mut Tx, place: Place, now: Time) -> Result<Option<Time>> {
    tx.value(&NEXT_DUE, p![place.workspace, place.inbox, now])
}

/// Up to `limit` messages whose last delivery has run out; of one queue, if given.
///
/// # Errors
/// The store's own.
pub fn spent(tx: &mut Tx, place: Option<Place>, now: Time, limit: u32) -> Result<Vec<Item>> {
    match place {
        Some(place) => tx.rows(&SPENT_HERE, p![place.workspace, place.inbox, now, limit]),
        None => tx.rows(&SPENT, p![now, limit]),
    }
}

/// What is in the queues of a workspace, or of one inbox, that were claimed from at least once; deleted inboxes are left
/// out.
///
/// # Errors
/// The store's own.
pub fn states(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, now: Time) -> Result<Vec<QueueState>> {
    let found: Vec<(InboxId, String, Time, Time)> = tx.rows(&QUEUES, p![workspace, inbox])?;
    let mut states = Vec::with_capacity(found.len());
    for (inbox, address, position, started_at) in found {
        let open: Option<(i64, i64, i64, Option<Time>)> = tx.one(&COUNT_OPEN, p![workspace, inbox, now])?;
        let (open, in_flight, spent, oldest) = open.unwrap_or_default();
        let dead: i64 = tx.value(&COUNT_DEAD, p![workspace, inbox])?.unwrap_or_default();
        let fresh: Option<(i64, Option<Time>)> = tx.one(&COUNT_NEW, p![workspace, inbox, position])?;
        let (fresh, oldest_fresh) = fresh.unwrap_or_default();
        let count = |n: i64| u64::try_from(n).unwrap_or(0);
        states.push(QueueState {
            inbox,
            address,
            started_at,
            depth: count(open - in_flight - spent + fresh),
            in_flight: count(in_flight),
            dead_letters: count(dead + spent),
            oldest_waiting_at: oldest.or(oldest_fresh),
        });
    }
    Ok(states)
}

/// The message is deleted: of one that was handed out it is remembered for a while that it is gone.
///
/// # Errors
/// The store's own.
pub fn forget_message(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<()> {
    if tx.exec(&GONE, p![workspace, message])? == 0 {
        tx.exec(&FORGET, p![workspace, message])?;
    }
    Ok(())
}

/// Forgets about `limit` of the messages that were gone before that time; says how many.
///
/// # Errors
/// The store's own.
pub fn delete_gone(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&GONE_END, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&DELETE_GONE, p![end])
}

crate::from_row!(Queue { position, stirs });
crate::from_row!(Candidate { message, thread, created_at });

crate::from_row!(Item { workspace, message, inbox, thread, state, available_at, lease, deliveries, settled_at });
