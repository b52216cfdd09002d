//! Counters per quarter hour. They are updated when something happens, so that reports never scan messages.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    inbox::InboxKind,
    message::{MessageStatus, RecipientDelivery},
    metrics::{Counters, Holdings, RETENTION_DAYS, slot_of},
    time::{DAY_MS, Time},
};

use posthouse_mail::bounce::BounceClass;

use crate::{Result, Sql, Tx, p, statements};

statements! {
    COUNT = "INSERT INTO metric_slots (workspace_id, slot, inbox_id, sent, received, delivered, bounced, complained, blocked, spam,
        unauthenticated) VALUES ({PARAMETERS})
        ON CONFLICT (workspace_id, slot, inbox_id) DO UPDATE SET sent = metric_slots.sent + excluded.sent,
        received = metric_slots.received + excluded.received, delivered = metric_slots.delivered + excluded.delivered,
        bounced = metric_slots.bounced + excluded.bounced, complained = metric_slots.complained + excluded.complained,
        blocked = metric_slots.blocked + excluded.blocked, spam = metric_slots.spam + excluded.spam,
        unauthenticated = metric_slots.unauthenticated + excluded.unauthenticated";
    BOUNCE = "INSERT INTO metric_bounces (workspace_id, slot, inbox_id, reason, bounces) VALUES ($1, $2, $3, $4, 1)
        ON CONFLICT (workspace_id, slot, inbox_id, reason) DO UPDATE SET bounces = metric_bounces.bounces + 1";
    BOUNCE_CLASS = "INSERT INTO metric_bounce_classes (workspace_id, slot, inbox_id, class, bounces) VALUES ($1, $2, $3, $4, 1)
        ON CONFLICT (workspace_id, slot, inbox_id, class) DO UPDATE SET bounces = metric_bounce_classes.bounces + 1";
    SLOTS = "SELECT slot, CAST(sum(sent) AS BIGINT) AS sent, CAST(sum(received) AS BIGINT) AS received, CAST(sum(delivered) AS BIGINT) AS delivered,
        CAST(sum(bounced) AS BIGINT) AS bounced, CAST(sum(complained) AS BIGINT) AS complained, CAST(sum(blocked) AS BIGINT) AS blocked, CAST(sum(spam) AS BIGINT) AS spam,
        CAST(sum(unauthenticated) AS BIGINT) AS unauthenticated FROM metric_slots WHERE workspace_id = $1 AND slot >= $2 AND slot < $3
        GROUP BY slot ORDER BY slot";
    SLOTS_OF_INBOX = "SELECT slot, sent, received, delivered, bounced, complained, blocked, spam, unauthenticated FROM metric_slots
        WHERE workspace_id = $1 AND slot >= $2 AND slot < $3 AND inbox_id = $4 ORDER BY slot";
    REASONS = "SELECT reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounces WHERE workspace_id = $1 AND slot >= $2 AND slot < $3
        GROUP BY reason ORDER BY 2 DESC, reason LIMIT $4";
    REASONS_OF_INBOX = "SELECT reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounces WHERE workspace_id = $1 AND slot >= $2
        AND slot < $3 AND inbox_id = $5 GROUP BY reason ORDER BY 2 DESC, reason LIMIT $4";
    CLASSES = "SELECT class AS reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounce_classes WHERE workspace_id = $1 AND slot >= $2
        AND slot < $3 GROUP BY class ORDER BY 2 DESC, class LIMIT $4";
    CLASSES_OF_INBOX = "SELECT class AS reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounce_classes WHERE workspace_id = $1 AND slot >= $2
        AND slot < $3 AND inbox_id = $5 GROUP BY class ORDER BY 2 DESC, class LIMIT $4";
    HOLDINGS = "SELECT CAST(coalesce(sum(CASE WHEN kind = $2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS inboxes, CAST(coalesce(sum(message_count), 0) AS BIGINT) AS message_count,
        CAST(coalesce(sum(stored_bytes), 0) AS BIGINT) AS stored_bytes
        FROM inboxes WHERE workspace_id = $1 AND deleted_at IS NULL";
    HOLDINGS_OF_INBOX = "SELECT CAST(1 AS BIGINT) AS inboxes, message_count, stored_bytes FROM inboxes WHERE workspace_id = $1 AND id = $2";
    THREADS = "SELECT count(*) FROM threads t JOIN inboxes i ON i.workspace_id = t.workspace_id AND i.id = t.inbox_id
        WHERE t.workspace_id = $1 AND i.deleted_at IS NULL";
    THREADS_OF_INBOX = "SELECT count(*) FROM threads WHERE workspace_id = $1 AND inbox_id = $2";
    DELETE_SLOTS = "DELETE FROM metric_slots WHERE slot < $1";
    DELETE_BOUNCES = "DELETE FROM metric_bounces WHERE slot < $1";
    DELETE_CLASSES = "DELETE FROM metric_bounce_classes WHERE slot < $1";
    SUBTRACT_HOLDINGS = "UPDATE inboxes SET message_count = message_count - $3, stored_bytes = stored_bytes - $4
        WHERE workspace_id = $1 AND id = $2";
    /// Resets the totals of an inbox that was wiped.
    pub fn reset_totals(workspace: WorkspaceId, inbox: InboxId) =
        "UPDATE inboxes SET message_count = 0, stored_bytes = 0 WHERE workspace_id = :workspace AND id = :inbox";
}

/// Most bounce reasons in a report.
const REASONS_MAX: u32 = 50;

/// Selects counters by workspace, inbox and time. Times are rounded down to quarter hours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MetricsScope {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Only this inbox.
    pub inbox: Option<InboxId>,
    /// Start time, included.
    pub from: Time,
    /// End time, excluded.
    pub to: Time,
}

/// Adds to the counters of an inbox for the current quarter hour.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time, increments: &Counters) -> Result<()> {
    let c = increments;
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

/// A change of the status of a sent message.
#[derive(Clone, Copy, Debug)]
pub struct StatusChange {
    /// The status before.
    pub before: MessageStatus,
    /// The status after.
    pub after: MessageStatus,
}

/// Counts a status change of a sent message.
pub fn count_status_change(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: InboxId,
    change: StatusChange,
    now: Time,
) -> Result<()> {
    if change.before == change.after {
        return Ok(());
    }
    let one = |status| u64::from(change.after == status);
    let increments = Counters {
        delivered: one(MessageStatus::Delivered),
        bounced: one(MessageStatus::Bounced),
        complained: one(MessageStatus::Complained),
        ..Counters::default()
    };
    count(tx, workspace, inbox, now, &increments)
}

/// Counts the reason and class of a bounced recipient.
pub fn bounce(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, entry: &RecipientDelivery, now: Time) -> Result<()> {
    tx.exec(&BOUNCE, p![workspace, slot_of(now), inbox, entry.reason()])?;
    let class = entry.class.unwrap_or(BounceClass::Other).text();
    tx.exec(&BOUNCE_CLASS, p![workspace, slot_of(now), inbox, class])?;
    Ok(())
}

/// Returns the counters of each quarter hour with activity, oldest first.
pub fn slots(tx: &mut Tx, scope: &MetricsScope) -> Result<Vec<(i64, Counters)>> {
    let (from, to) = (slot_of(scope.from), slot_of(scope.to.plus_ms(-1)) + 1);
    let rows: Vec<SlotRow> = match scope.inbox {
        Some(inbox) => tx.rows(&SLOTS_OF_INBOX, p![scope.workspace, from, to, inbox])?,
        None => tx.rows(&SLOTS, p![scope.workspace, from, to])?,
    };
    Ok(rows.into_iter().map(|row| (row.slot, row.counters)).collect())
}

/// Returns the sum of the counters.
pub fn totals(tx: &mut Tx, scope: &MetricsScope) -> Result<Counters> {
    let mut sum = Counters::default();
    slots(tx, scope)?.iter().for_each(|(_, counters)| sum.add(counters));
    Ok(sum)
}

/// Returns the bounce reasons with their counts, most frequent first.
pub fn reasons(tx: &mut Tx, scope: &MetricsScope) -> Result<Vec<(String, u64)>> {
    add(tx, scope, &REASONS, &REASONS_OF_INBOX)
}

/// Returns the bounce classes with their counts, most frequent first.
pub fn classes(tx: &mut Tx, scope: &MetricsScope) -> Result<Vec<(String, u64)>> {
    add(tx, scope, &CLASSES, &CLASSES_OF_INBOX)
}

fn add(tx: &mut Tx, scope: &MetricsScope, of_all: &Sql, of_inbox: &Sql) -> Result<Vec<(String, u64)>> {
    let (from, to) = (slot_of(scope.from), slot_of(scope.to.plus_ms(-1)) + 1);
    let found: Vec<ReasonRow> = match scope.inbox {
        Some(inbox) => tx.rows(of_inbox, p![scope.workspace, from, to, REASONS_MAX, inbox])?,
        None => tx.rows(of_all, p![scope.workspace, from, to, REASONS_MAX])?,
    };
    Ok(found.into_iter().map(|row| (row.reason, row.bounces)).collect())
}

/// Returns the current totals of a workspace or of one inbox.
pub fn holdings(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>) -> Result<Holdings> {
    let (held, threads): (Option<HoldingsRow>, Option<u64>) = match inbox {
        Some(inbox) => {
            let place = p![workspace, inbox];
            (tx.one(&HOLDINGS_OF_INBOX, place)?, tx.value(&THREADS_OF_INBOX, place)?)
        }
        None => (tx.one(&HOLDINGS, p![workspace, InboxKind::Mailbox])?, tx.value(&THREADS, p![workspace])?),
    };
    let held = held.unwrap_or_default();
    Ok(Holdings {
        inboxes: held.inboxes,
        threads: threads.unwrap_or_default(),
        messages: held.message_count,
        bytes: held.stored_bytes,
    })
}

/// What was deleted from an inbox.
#[derive(Clone, Copy, Debug)]
pub struct DeletedTotals {
    /// The number of messages.
    pub messages: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Subtracts deleted messages from the totals of an inbox.
pub fn subtract_totals(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, deleted: DeletedTotals) -> Result<()> {
    tx.exec(&SUBTRACT_HOLDINGS, p![workspace, inbox, deleted.messages, deleted.bytes])?;
    Ok(())
}

/// Deletes counters that are older than [`RETENTION_DAYS`].
pub fn prune(tx: &mut Tx, now: Time) -> Result<()> {
    let end = slot_of(now.plus_ms(-RETENTION_DAYS * DAY_MS));
    tx.exec(&DELETE_SLOTS, p![end])?;
    tx.exec(&DELETE_BOUNCES, p![end])?;
    tx.exec(&DELETE_CLASSES, p![end])?;
    Ok(())
}

/// A row of counters.
struct SlotRow {
    slot: i64,
    counters: Counters,
}

crate::from_row!(SlotRow {
    slot,
    sent,
    received,
    delivered,
    bounced,
    complained,
    blocked,
    spam,
    unauthenticated,
} => Self {
    slot,
    counters: Counters { sent, received, delivered, bounced, complained, blocked, spam, unauthenticated },
});

crate::row_struct!(ReasonRow { reason: String, bounces: u64 });
crate::row_struct!(
    #[derive(Default)]
    HoldingsRow { inboxes: u64, message_count: u64, stored_bytes: u64 }
);
