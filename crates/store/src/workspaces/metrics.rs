//! Counters per quarter hour. They are updated when something happens, so that reports never scan messages.

use posthouse_domain::{
    Counters, DAY_MS, Holdings, InboxId, InboxKind, MessageStatus, RecipientDelivery, Time, WorkspaceId,
    metrics::{RETENTION_DAYS, slot_of},
};

use posthouse_mail::bounce::BounceClass;

use crate::{Result, Tx, statements};

statements! {
    fn add_counters(
        workspace: WorkspaceId,
        slot: i64,
        inbox: InboxId,
        increments: &Counters { sent, received, delivered, bounced, complained, blocked, spam, unauthenticated },
    ) =
        "INSERT INTO metric_slots (workspace_id, slot, inbox_id, sent, received, delivered, bounced, complained, blocked, spam,
        unauthenticated) VALUES ({PARAMETERS})
        ON CONFLICT (workspace_id, slot, inbox_id) DO UPDATE SET sent = metric_slots.sent + excluded.sent,
        received = metric_slots.received + excluded.received, delivered = metric_slots.delivered + excluded.delivered,
        bounced = metric_slots.bounced + excluded.bounced, complained = metric_slots.complained + excluded.complained,
        blocked = metric_slots.blocked + excluded.blocked, spam = metric_slots.spam + excluded.spam,
        unauthenticated = metric_slots.unauthenticated + excluded.unauthenticated";
    fn add_reason(workspace: WorkspaceId, slot: i64, inbox: InboxId, reason: &str) =
        "INSERT INTO metric_bounces (workspace_id, slot, inbox_id, reason, bounces) VALUES (:workspace, :slot, :inbox, :reason, 1)
        ON CONFLICT (workspace_id, slot, inbox_id, reason) DO UPDATE SET bounces = metric_bounces.bounces + 1";
    fn add_class(workspace: WorkspaceId, slot: i64, inbox: InboxId, class: &str) =
        "INSERT INTO metric_bounce_classes (workspace_id, slot, inbox_id, class, bounces) VALUES (:workspace, :slot, :inbox, :class, 1)
        ON CONFLICT (workspace_id, slot, inbox_id, class) DO UPDATE SET bounces = metric_bounce_classes.bounces + 1";
    fn slots_of_all(scope: &MetricsScope { workspace, from: scope.first(), to: scope.end() }) -> Vec<Slot> =
        "SELECT slot, CAST(sum(sent) AS BIGINT) AS sent, CAST(sum(received) AS BIGINT) AS received, CAST(sum(delivered) AS BIGINT) AS delivered,
        CAST(sum(bounced) AS BIGINT) AS bounced, CAST(sum(complained) AS BIGINT) AS complained, CAST(sum(blocked) AS BIGINT) AS blocked, CAST(sum(spam) AS BIGINT) AS spam,
        CAST(sum(unauthenticated) AS BIGINT) AS unauthenticated FROM metric_slots WHERE workspace_id = :workspace AND slot >= :from AND slot < :to
        GROUP BY slot ORDER BY slot";
    fn slots_of_inbox(
        scope: &MetricsScope { workspace, from: scope.first(), to: scope.end() }, inbox: InboxId,
    ) -> Vec<Slot> =
        "SELECT slot, sent, received, delivered, bounced, complained, blocked, spam, unauthenticated FROM metric_slots
        WHERE workspace_id = :workspace AND slot >= :from AND slot < :to AND inbox_id = :inbox ORDER BY slot";
    fn reasons_of_all(
        scope: &MetricsScope { workspace, from: scope.first(), to: scope.end() };
        limit = REASONS_MAX,
    ) -> Vec<(reason: String, bounces: u64)> =
        "SELECT reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounces WHERE workspace_id = :workspace AND slot >= :from AND slot < :to
        GROUP BY reason ORDER BY 2 DESC, reason LIMIT :limit";
    fn reasons_of_inbox(
        scope: &MetricsScope { workspace, from: scope.first(), to: scope.end() }, inbox: InboxId;
        limit = REASONS_MAX,
    ) -> Vec<(reason: String, bounces: u64)> =
        "SELECT reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounces WHERE workspace_id = :workspace AND slot >= :from
        AND slot < :to AND inbox_id = :inbox GROUP BY reason ORDER BY 2 DESC, reason LIMIT :limit";
    fn classes_of_all(
        scope: &MetricsScope { workspace, from: scope.first(), to: scope.end() };
        limit = REASONS_MAX,
    ) -> Vec<(reason: String, bounces: u64)> =
        "SELECT class AS reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounce_classes WHERE workspace_id = :workspace AND slot >= :from
        AND slot < :to GROUP BY class ORDER BY 2 DESC, class LIMIT :limit";
    fn classes_of_inbox(
        scope: &MetricsScope { workspace, from: scope.first(), to: scope.end() }, inbox: InboxId;
        limit = REASONS_MAX,
    ) -> Vec<(reason: String, bounces: u64)> =
        "SELECT class AS reason, CAST(sum(bounces) AS BIGINT) AS bounces FROM metric_bounce_classes WHERE workspace_id = :workspace AND slot >= :from
        AND slot < :to AND inbox_id = :inbox GROUP BY class ORDER BY 2 DESC, class LIMIT :limit";
    fn held(workspace: WorkspaceId; kind = InboxKind::Mailbox) -> HoldingsRow =
        "SELECT CAST(coalesce(sum(CASE WHEN kind = :kind THEN 1 ELSE 0 END), 0) AS BIGINT) AS inboxes, CAST(coalesce(sum(message_count), 0) AS BIGINT) AS message_count,
        CAST(coalesce(sum(stored_bytes), 0) AS BIGINT) AS stored_bytes
        FROM inboxes WHERE workspace_id = :workspace AND deleted_at IS NULL";
    fn held_by_inbox(workspace: WorkspaceId, inbox: InboxId) -> HoldingsRow =
        "SELECT CAST(1 AS BIGINT) AS inboxes, message_count, stored_bytes FROM inboxes WHERE workspace_id = :workspace AND id = :inbox";
    fn count_threads(workspace: WorkspaceId) -> u64 =
        "SELECT count(*) FROM threads t JOIN inboxes i ON i.workspace_id = t.workspace_id AND i.id = t.inbox_id
        WHERE t.workspace_id = :workspace AND i.deleted_at IS NULL";
    fn count_threads_of_inbox(workspace: WorkspaceId, inbox: InboxId) -> u64 =
        "SELECT count(*) FROM threads WHERE workspace_id = :workspace AND inbox_id = :inbox";
    fn delete_slots(before: i64) = "DELETE FROM metric_slots WHERE slot < :before";
    fn delete_bounces(before: i64) = "DELETE FROM metric_bounces WHERE slot < :before";
    fn delete_classes(before: i64) = "DELETE FROM metric_bounce_classes WHERE slot < :before";
    /// Subtracts deleted messages from the totals of an inbox.
    pub fn subtract_totals(workspace: WorkspaceId, inbox: InboxId, deleted: DeletedTotals { messages, bytes }) =
        "UPDATE inboxes SET message_count = message_count - :messages, stored_bytes = stored_bytes - :bytes
        WHERE workspace_id = :workspace AND id = :inbox";
    /// Resets the totals of an inbox that was wiped.
    pub fn reset_totals(workspace: WorkspaceId, inbox: InboxId) =
        "UPDATE inboxes SET message_count = 0, stored_bytes = 0 WHERE workspace_id = :workspace AND id = :inbox";
}

/// Most bounce reasons in a report.
const REASONS_MAX: u32 = 50;

/// Selects counters by workspace, inbox and time. Times are rounded down to quarter hours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MetricsScope {
    pub workspace: WorkspaceId,
    /// Only this inbox.
    pub inbox: Option<InboxId>,
    /// Start time, included.
    pub from: Time,
    /// End time, excluded.
    pub to: Time,
}

impl MetricsScope {
    fn first(&self) -> i64 {
        slot_of(self.from)
    }

    fn end(&self) -> i64 {
        slot_of(self.to.plus_ms(-1)) + 1
    }
}

/// Adds to the counters of an inbox for the current quarter hour.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time, increments: &Counters) -> Result<()> {
    if increments.is_zero() { Ok(()) } else { add_counters(tx, workspace, slot_of(now), inbox, increments) }
}

/// A change of the status of a sent message.
#[derive(Clone, Copy, Debug)]
pub struct StatusChange {
    pub before: MessageStatus,
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
    add_reason(tx, workspace, slot_of(now), inbox, &entry.reason())?;
    add_class(tx, workspace, slot_of(now), inbox, entry.class.unwrap_or(BounceClass::Other).text())
}

/// Returns the counters of each quarter hour with activity, oldest first.
pub fn slots(tx: &mut Tx, scope: &MetricsScope) -> Result<Vec<(i64, Counters)>> {
    let slots = match scope.inbox {
        Some(inbox) => slots_of_inbox(tx, scope, inbox)?,
        None => slots_of_all(tx, scope)?,
    };
    Ok(slots.into_iter().map(|row| (row.slot, row.counters)).collect())
}

/// Returns the sum of the counters.
pub fn totals(tx: &mut Tx, scope: &MetricsScope) -> Result<Counters> {
    let mut sum = Counters::default();
    slots(tx, scope)?.iter().for_each(|(_, counters)| sum.add(counters));
    Ok(sum)
}

/// Returns the bounce reasons with their counts, most frequent first.
pub fn reasons(tx: &mut Tx, scope: &MetricsScope) -> Result<Vec<(String, u64)>> {
    match scope.inbox {
        Some(inbox) => reasons_of_inbox(tx, scope, inbox),
        None => reasons_of_all(tx, scope),
    }
}

/// Returns the bounce classes with their counts, most frequent first.
pub fn classes(tx: &mut Tx, scope: &MetricsScope) -> Result<Vec<(String, u64)>> {
    match scope.inbox {
        Some(inbox) => classes_of_inbox(tx, scope, inbox),
        None => classes_of_all(tx, scope),
    }
}

/// Returns the current totals of a workspace or of one inbox.
pub fn holdings(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>) -> Result<Holdings> {
    let (held, threads) = match inbox {
        Some(inbox) => (held_by_inbox(tx, workspace, inbox)?, count_threads_of_inbox(tx, workspace, inbox)?),
        None => (held(tx, workspace)?, count_threads(tx, workspace)?),
    };
    Ok(Holdings { inboxes: held.inboxes, threads, messages: held.message_count, bytes: held.stored_bytes })
}

/// What was deleted from an inbox.
#[derive(Clone, Copy, Debug)]
pub struct DeletedTotals {
    /// The number of messages.
    pub messages: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Deletes counters that are older than [`RETENTION_DAYS`].
pub fn prune(tx: &mut Tx, now: Time) -> Result<()> {
    let end = slot_of(now.plus_ms(-RETENTION_DAYS * DAY_MS));
    delete_slots(tx, end)?;
    delete_bounces(tx, end)?;
    delete_classes(tx, end)
}

/// The counters of a quarter hour.
struct Slot {
    slot: i64,
    counters: Counters,
}

crate::from_row!(Counters { sent, received, delivered, bounced, complained, blocked, spam, unauthenticated });
crate::from_row!(Slot { slot; counters: Counters });
crate::row_struct!(
    #[derive(Default)]
    HoldingsRow { inboxes: u64, message_count: u64, stored_bytes: u64 }
);
crate::statements::first_or_default!(HoldingsRow);
