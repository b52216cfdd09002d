//! Reads for long-polls: whether an inbox has a newer message, and summaries of its messages in order.
//!
//! Summaries are small so that polling is cheap; the full record is read only for the matching message.

pub use posthouse_domain::ArrivalSummary;
use posthouse_domain::{Channel, Direction, HoldReason, InboxId, MessageKind, OptIns, Time, WorkspaceId};

use crate::{Result, Tx, message_list::InboxRef, statements};

statements! {
    /// Returns, for up to 100 inboxes, the `created_at` of the newest message and the wake counter of the work queue.
    /// Deleted inboxes are omitted.
    pub fn newest(
        workspace: WorkspaceId, inboxes: each InboxId,
    ) -> Vec<(id: InboxId, last_message_at: Time, changes: i64)> = "SELECT i.id, i.last_message_at,
        COALESCE((SELECT q.changes FROM queues q WHERE q.workspace_id = i.workspace_id AND q.inbox_id = i.id), 0) AS changes
        FROM {EACH} inboxes i WHERE i.workspace_id = :workspace AND i.deleted_at IS NULL AND i.id {AMONG} {pg:i}";
    // Messages whose position for the caller is their current one.
    fn at_position(
        inbox: InboxRef { workspace, inbox },
        filter: ArrivalFilter {
            direction, channel, kind, unscreened: filter.opt_ins.unscreened, held: filter.opt_ins.held,
        },
        since: Time,
        limit: u32;
        pending = HoldReason::Pending,
        blocked = HoldReason::Blocked,
    ) -> Vec<ArrivalSummary> =
        "SELECT m.id, m.created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.created_at > :since AND m.direction = :direction
        AND m.channel = COALESCE(:channel, m.channel) AND m.type = COALESCE(:kind, m.type)
        AND (m.held IS NULL OR m.released_at IS NOT NULL
          OR (CAST(:unscreened AS {I64}) = 1 AND m.held = :pending)
          OR (CAST(:held AS {I64}) = 1 AND m.held <> :pending AND m.held <> :blocked))
        AND NOT (CAST(:held AS {I64}) = 1 AND m.held_position IS NOT NULL)
        AND NOT (CAST(:unscreened AS {I64}) = 1 AND m.pending_position IS NOT NULL
          AND (CAST(:held AS {I64}) = 1 OR m.held_position IS NULL))
        ORDER BY m.created_at LIMIT :limit";
    // Messages that the caller could read while their check was pending, and ever since.
    fn since_pending(
        inbox: InboxRef { workspace, inbox },
        filter: ArrivalFilter { direction, channel, kind, held: filter.opt_ins.held },
        since: Time,
        limit: u32,
    ) -> Vec<ArrivalSummary> =
        "SELECT m.id, m.pending_position AS created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.pending_position > :since AND m.direction = :direction
        AND m.channel = COALESCE(:channel, m.channel) AND m.type = COALESCE(:kind, m.type)
        AND (m.held IS NULL OR m.released_at IS NOT NULL OR CAST(:held AS {I64}) = 1)
        AND (m.held_position IS NULL OR CAST(:held AS {I64}) = 1)
        ORDER BY m.pending_position LIMIT :limit";
    // Messages that the caller could read while they were held, and ever since.
    fn since_held(
        inbox: InboxRef { workspace, inbox },
        filter: ArrivalFilter { direction, channel, kind, unscreened: filter.opt_ins.unscreened },
        since: Time,
        limit: u32,
    ) -> Vec<ArrivalSummary> =
        "SELECT m.id, m.held_position AS created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.held_position > :since AND m.direction = :direction
        AND m.channel = COALESCE(:channel, m.channel) AND m.type = COALESCE(:kind, m.type)
        AND (m.pending_position IS NULL OR CAST(:unscreened AS {I64}) = 0)
        ORDER BY m.held_position LIMIT :limit";
    /// Returns up to `limit` received messages with a verification code or link, newest first. Blocked messages are
    /// skipped.
    pub fn verifications(
        inbox: InboxRef { workspace, inbox }, between: ArrivalTimeRange { since, until }, limit: u32,
    ) -> Vec<ArrivalSummary> =
        "SELECT m.id, m.created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.created_at > :since AND m.created_at < :until
        AND m.direction = 'inbound' AND m.verification IS NOT NULL
        AND (m.held IS NULL OR m.released_at IS NOT NULL)
        ORDER BY m.created_at DESC LIMIT :limit";
}

/// Returns up to `limit` messages after `since` that match the filter, oldest first. Blocked messages are skipped.
///
/// `created_at` of each is when the caller could read it first, which its opt-ins decide: a message has a position in the
/// inbox for each of its states, and the caller's is that of the first one from which on the message was never withheld. So a
/// caller who pages by it gets each message once, whatever its check found later.
pub fn after(
    tx: &mut Tx,
    inbox: InboxRef,
    filter: ArrivalFilter,
    since: Time,
    limit: u32,
) -> Result<Vec<ArrivalSummary>> {
    let mut found = at_position(tx, inbox, filter, since, limit)?;
    if filter.opt_ins.unscreened {
        found.extend(since_pending(tx, inbox, filter, since, limit)?);
    }
    if filter.opt_ins.held {
        found.extend(since_held(tx, inbox, filter, since, limit)?);
    }
    found.sort_by_key(|summary| summary.created_at);
    found.truncate(limit as usize);
    Ok(found)
}

/// Filter on direction, channel and type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrivalFilter {
    /// Inbound or outbound.
    pub direction: Direction,
    /// Only this channel.
    pub channel: Option<Channel>,
    /// Only this advisory type set by the sender.
    pub kind: Option<MessageKind>,
    /// Which withheld mail counts, too.
    pub opt_ins: OptIns,
}

/// A time range that excludes both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrivalTimeRange {
    /// After this time.
    pub since: Time,
    /// Before this one.
    pub until: Time,
}

crate::from_row!(ArrivalSummary { id, created_at, from = from_text, subject, labels, verification });
