//! Counters by quarter hours, kept as things happen (contract §13.2): reports never scan the mail.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    message::Status,
    metrics::{Counters, KEPT_DAYS, slot_of},
    time::{DAY_MS, Time},
};

use crate::{FromRow, Result, Row, Tx, p, statements};

statements! {
    COUNT = "INSERT INTO metric_slots (workspace_id, slot, inbox_id, sent, received, delivered, bounced, complained, blocked, spam,
        unauthenticated) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (workspace_id, slot, inbox_id) DO UPDATE SET sent = metric_slots.sent + excluded.sent,
        received = metric_slots.received + excluded.received, delivered = metric_slots.delivered + excluded.delivered,
        bounced = metric_slots.bounced + excluded.bounced, complained = metric_slots.complained + excluded.complained,
        blocked = metric_slots.blocked + excluded.blocked, spam = metric_slots.spam + excluded.spam,
        unauthenticated = metric_slots.unauthenticated + excluded.unauthenticated";
    BOUNCE = "INSERT INTO metric_bounces (workspace_id, slot, inbox_id, reason, bounces) VALUES ($1, $2, $3, $4, 1)
        ON CONFLICT (workspace_id, slot, inbox_id, reason) DO UPDATE SET bounces = metric_bounces.bounces + 1";
    SLOTS = "SELECT slot, CAST(sum(sent) AS BIGINT), CAST(sum(received) AS BIGINT), CAST(sum(delivered) AS BIGINT),
        CAST(sum(bounced) AS BIGINT), CAST(sum(complained) AS BIGINT), CAST(sum(blocked) AS BIGINT), CAST(sum(spam) AS BIGINT),
        CAST(sum(unauthenticated) AS BIGINT) FROM metric_slots WHERE workspace_id = $1 AND slot >= $2 AND slot < $3
        GROUP BY slot ORDER BY slot";
    SLOTS_OF_INBOX = "SELECT slot, sent, received, delivered, bounced, complained, blocked, spam, unauthenticated FROM metric_slots
        WHERE workspace_id = $1 AND slot >= $2 AND slot < $3 AND inbox_id = $4 ORDER BY slot";
    REASONS = "SELECT reason, CAST(sum(bounces) AS BIGINT) FROM metric_bounces WHERE workspace_id = $1 AND slot >= $2 AND slot < $3
        GROUP BY reason ORDER BY 2 DESC, reason LIMIT $4";
    REASONS_OF_INBOX = "SELECT reason, CAST(sum(bounces) AS BIGINT) FROM metric_bounces WHERE workspace_id = $1 AND slot >= $2
        AND slot < $3 AND inbox_id = $5 GROUP BY reason ORDER BY 2 DESC, reason LIMIT $4";
    HOLDS = "SELECT count(*), CAST(coalesce(sum(message_count), 0) AS BIGINT), CAST(coalesce(sum(stored_bytes), 0) AS BIGINT)
        FROM inboxes WHERE workspace_id = $1 AND deleted_at IS NULL";
    HOLDS_OF_INBOX = "SELECT CAST(1 AS BIGINT), message_count, stored_bytes FROM inboxes WHERE workspace_id = $1 AND id = $2";
    THREADS = "SELECT count(*) FROM threads t JOIN inboxes i ON i.workspace_id = t.workspace_id AND i.id = t.inbox_id
        WHERE t.workspace_id = $1 AND i.deleted_at IS NULL";
    THREADS_OF_INBOX = "SELECT count(*) FROM threads WHERE workspace_id = $1 AND inbox_id = $2";
    FORGET = "DELETE FROM metric_slots WHERE slot < $1";
    FORGET_BOUNCES = "DELETE FROM metric_bounces WHERE slot < $1";
    HOLDS_LESS = "UPDATE inboxes SET message_count = message_count - $3, stored_bytes = stored_bytes - $4
        WHERE workspace_id = $1 AND id = $2";
    HOLDS_NOTHING = "UPDATE inboxes SET message_count = 0, stored_bytes = 0 WHERE workspace_id = $1 AND id = $2";
}

/// Most reasons of bounces that a report names.
const REASONS_MAX: u32 = 50;

/// Whose counters, and of when; times are rounded down to quarter hours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// One inbox alone.
    pub inbox: Option<InboxId>,
    /// From then.
    pub from: Time,
    /// Until before then.
    pub to: Time,
}

/// What a workspace or an inbox holds now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holdings {
    /// Live inboxes.
    pub inboxes: u64,
    /// Conversations.
    pub threads: u64,
    /// Messages.
    pub messages: u64,
    /// Bytes of their mail, as it was sent or received.
    pub bytes: u64,
}

/// Counts what happened now at an inbox.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, (workspace, inbox): (WorkspaceId, InboxId), now: Time, happened: &Counters) -> Result<()> {
    let c = happened;
    if c.is_zero() {
        return Ok(());
    }
    tx.exec(
        &COUNT,
        p![
            workspace,
            slot_of(now),
            inbox,
            c.sent,
            c.received,
            c.delivered,
            c.bounced,
            c.complained,
            c.blocked,
            c.spam,
            c.unauthenticated
        ],
    )?;
    Ok(())
}

/// Counts a change of a sent message's status.
///
/// # Errors
/// The store's own.
pub fn moved(tx: &mut Tx, place: (WorkspaceId, InboxId), (before, after): (Status, Status), now: Time) -> Result<()> {
    if before == after {
        return Ok(());
    }
    let one = |status| u64::from(after == status);
    let happened = Counters {
        delivered: one(Status::Delivered),
        bounced: one(Status::Bounced),
        complained: one(Status::Complained),
        ..Counters::default()
    };
    count(tx, place, now, &happened)
}

/// Counts why a recipient bounced.
///
/// # Errors
/// The store's own.
pub fn bounce(tx: &mut Tx, (workspace, inbox): (WorkspaceId, InboxId), reason: &str, now: Time) -> Result<()> {
    tx.exec(&BOUNCE, p![workspace, slot_of(now), inbox, reason])?;
    Ok(())
}

/// The counters of each quarter hour in which something happened, oldest first.
///
/// # Errors
/// The store's own.
pub fn slots(tx: &mut Tx, scope: &Scope) -> Result<Vec<(i64, Counters)>> {
    let (from, to) = (slot_of(scope.from), slot_of(scope.to.plus_ms(-1)) + 1);
    let rows: Vec<Slot> = match scope.inbox {
        Some(inbox) => tx.rows(&SLOTS_OF_INBOX, p![scope.workspace, from, to, inbox])?,
        None => tx.rows(&SLOTS, p![scope.workspace, from, to])?,
    };
    Ok(rows.into_iter().map(|row| (row.slot, row.counters)).collect())
}

/// The sum of the counters.
///
/// # Errors
/// The store's own.
pub fn totals(tx: &mut Tx, scope: &Scope) -> Result<Counters> {
    let mut sum = Counters::default();
    slots(tx, scope)?.iter().for_each(|(_, counters)| sum.add(counters));
    Ok(sum)
}

/// Why recipients bounced and how often, most frequent first.
///
/// # Errors
/// The store's own.
pub fn reasons(tx: &mut Tx, scope: &Scope) -> Result<Vec<(String, u64)>> {
    let (from, to) = (slot_of(scope.from), slot_of(scope.to.plus_ms(-1)) + 1);
    match scope.inbox {
        Some(inbox) => tx.rows(&REASONS_OF_INBOX, p![scope.workspace, from, to, REASONS_MAX, inbox]),
        None => tx.rows(&REASONS, p![scope.workspace, from, to, REASONS_MAX]),
    }
}

/// What a workspace, or one inbox of it, holds now.
///
/// # Errors
/// The store's own.
pub fn holdings(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>) -> Result<Holdings> {
    let (held, threads) = match inbox {
        Some(inbox) => {
            let place = p![workspace, inbox];
            (tx.one(&HOLDS_OF_INBOX, place)?, tx.value(&THREADS_OF_INBOX, place)?)
        }
        None => (tx.one(&HOLDS, p![workspace])?, tx.value(&THREADS, p![workspace])?),
    };
    let (inboxes, messages, bytes) = held.unwrap_or_default();
    Ok(Holdings { inboxes, threads: threads.unwrap_or_default(), messages, bytes })
}

/// Takes deleted messages off what an inbox holds.
///
/// # Errors
/// The store's own.
pub fn holds_less(
    tx: &mut Tx,
    (workspace, inbox): (WorkspaceId, InboxId),
    (messages, bytes): (u64, u64),
) -> Result<()> {
    tx.exec(&HOLDS_LESS, p![workspace, inbox, messages, bytes])?;
    Ok(())
}

/// Notes that an inbox was wiped.
///
/// # Errors
/// The store's own.
pub fn holds_nothing(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    tx.exec(&HOLDS_NOTHING, p![workspace, inbox])?;
    Ok(())
}

/// Forgets counters that are older than [`KEPT_DAYS`].
///
/// # Errors
/// The store's own.
pub fn forget(tx: &mut Tx, now: Time) -> Result<()> {
    let end = slot_of(now.plus_ms(-KEPT_DAYS * DAY_MS));
    tx.exec(&FORGET, p![end])?;
    tx.exec(&FORGET_BOUNCES, p![end])?;
    Ok(())
}

/// A row of counters.
struct Slot {
    slot: i64,
    counters: Counters,
}

impl FromRow for Slot {
    const COLUMNS: usize = 9;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let slot = row.take()?;
        let mut next = || row.take();
        let counters = Counters {
            sent: next()?,
            received: next()?,
            delivered: next()?,
            bounced: next()?,
            complained: next()?,
            blocked: next()?,
            spam: next()?,
            unauthenticated: next()?,
        };
        Ok(Self { slot, counters })
    }
}
