//! Reads for long-polls: whether an inbox has a newer message, and summaries of its messages in order.
//!
//! Summaries are small so that polling is cheap; the full record is read only for the matching message.

use posthouse_domain::{
    id::{InboxId, MessageId, WorkspaceId},
    message::{Channel, Direction, MessageKind, MessageVerification},
    time::Time,
};

use crate::{Result, Tx, many, message_list::InboxRef, p, statements};

statements! {
    NEWEST = "SELECT i.id, i.last_message_at,
        COALESCE((SELECT q.changes FROM queues q WHERE q.workspace_id = i.workspace_id AND q.inbox_id = i.id), 0) AS changes
        FROM {EACH} inboxes i WHERE i.workspace_id = $1 AND i.deleted_at IS NULL AND i.id {AMONG} {pg:i}";
    AFTER = "SELECT m.id, m.created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 AND m.direction = $4
        AND m.channel = COALESCE($5, m.channel) AND m.type = COALESCE($6, m.type)
        AND (m.held IS NULL OR m.released_at IS NOT NULL)
        ORDER BY m.created_at LIMIT $7";
    VERIFICATIONS = "SELECT m.id, m.created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 AND m.created_at < $4
        AND m.direction = 'inbound' AND m.verification IS NOT NULL
        AND (m.held IS NULL OR m.released_at IS NOT NULL)
        ORDER BY m.created_at DESC LIMIT $5";
}

/// The fields of a message that long-poll filters need.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrivalSummary {
    /// The message.
    pub id: MessageId,
    /// When it was stored.
    pub created_at: Time,
    /// `From` in header form.
    pub from: String,
    /// `Subject`.
    pub subject: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// The verification code or link found in it.
    pub verification: Option<MessageVerification>,
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
}

/// Returns, for up to 100 inboxes, the `created_at` of the newest message and the wake counter of the work queue.
/// Deleted inboxes are omitted.
pub fn newest(tx: &mut Tx, workspace: WorkspaceId, inboxes: &[InboxId]) -> Result<Vec<(InboxId, Time, i64)>> {
    let rows: Vec<NewestRow> = many::rows(tx, &NEWEST, workspace, inboxes)?;
    Ok(rows.into_iter().map(|row| (row.id, row.last_message_at, row.changes)).collect())
}

/// Returns up to `limit` messages after `since` that match the filter, oldest first. Blocked messages are skipped.
pub fn after(
    tx: &mut Tx,
    place: InboxRef,
    sort: ArrivalFilter,
    since: Time,
    limit: u32,
) -> Result<Vec<ArrivalSummary>> {
    let (channel, kind) = (sort.channel.map(Channel::text), sort.kind.map(MessageKind::text));
    tx.rows(&AFTER, p![place.workspace, place.inbox, since, sort.direction.text(), channel, kind, limit])
}

/// A time range that excludes both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrivalTimeRange {
    /// After this time.
    pub since: Time,
    /// Before this one.
    pub until: Time,
}

/// Returns up to `limit` received messages with a verification code or link, newest first. Blocked messages are
/// skipped.
pub fn verifications(
    tx: &mut Tx,
    place: InboxRef,
    between: ArrivalTimeRange,
    limit: u32,
) -> Result<Vec<ArrivalSummary>> {
    tx.rows(&VERIFICATIONS, p![place.workspace, place.inbox, between.since, between.until, limit])
}

crate::row_struct!(NewestRow { id: InboxId, last_message_at: Time, changes: i64 });

crate::from_row!(ArrivalSummary { id, created_at, from = from_text, subject, labels, verification });
