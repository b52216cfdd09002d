//! Lists of messages: filtered pages of an inbox, newest first, and pages of a thread.
//!
//! A page scans an index from a position and never uses an offset or a sort. Label filters scan the rarest label, found
//! by a bounded count; the other labels are looked up per row.

use posthouse_domain::{
    Channel, Direction, InboxId, Message, MessageKind, MessageStatus, PageRange, ThreadId, Time, WorkspaceId,
};

use crate::{Result, Sql, ToValue, Tx, Value, statements};

/// Labels are counted up to this number; more common labels are treated as equal.
const LABEL_COUNT_MAX: u32 = 1_000;

statements! {
    fn count_label(inbox: InboxRef { workspace, inbox }, label: &str; limit = LABEL_COUNT_MAX) -> i64 =
        "SELECT count(*) FROM (SELECT l.created_at FROM message_labels l
        WHERE l.workspace_id = :workspace AND l.inbox_id = :inbox AND l.label = :label LIMIT :limit) bounded";
    /// Returns up to `limit` messages of a thread that are older than `before`, newest first. Blocked messages are skipped.
    pub fn of_thread(
        workspace: WorkspaceId,
        thread: ThreadId,
        before: Option<Time> { before: before.unwrap_or(Time::from_millis(i64::MAX)) },
        limit: u32,
    ) -> Vec<Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.thread_id = :thread AND m.created_at < :before
        AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = :workspace AND l.inbox_id = m.inbox_id
          AND l.label = 'blocked' AND l.created_at = m.created_at LIMIT 1 OFFSET 0)
        ORDER BY m.created_at DESC LIMIT :limit";
    /// Returns up to `limit` messages of a thread that are newer than `after`, oldest first. Blocked messages are skipped.
    pub fn of_thread_after(workspace: WorkspaceId, thread: ThreadId, after: Time, limit: u32) -> Vec<Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.thread_id = :thread AND m.created_at > :after
        AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = :workspace AND l.inbox_id = m.inbox_id
          AND l.label = 'blocked' AND l.created_at = m.created_at LIMIT 1 OFFSET 0)
        ORDER BY m.created_at LIMIT :limit";
    /// Returns the number of messages of a thread that are older than `before`. Blocked messages aren't counted.
    pub fn count_in_thread_before(workspace: WorkspaceId, thread: ThreadId, before: Time) -> u64 =
        "SELECT count(*) FROM messages m WHERE m.workspace_id = :workspace AND m.thread_id = :thread AND m.created_at < :before
        AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = :workspace AND l.inbox_id = m.inbox_id
          AND l.label = 'blocked' AND l.created_at = m.created_at LIMIT 1 OFFSET 0)";
    fn all_held(workspace: WorkspaceId, page: PageRange { sort: page.sort(), id: page.id(), limit }) -> Vec<Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.held IS NOT NULL AND m.released_at IS NULL AND (m.created_at, m.id) < (:sort, :id)
        AND NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.workspace_id = :workspace AND i.id = m.inbox_id AND i.deleted_at IS NOT NULL LIMIT 1 OFFSET 0)
        ORDER BY m.created_at DESC, m.id DESC LIMIT :limit";
    fn held_in_inbox(
        workspace: WorkspaceId, inbox: InboxId, page: PageRange { sort: page.sort(), id: page.id(), limit },
    ) -> Vec<Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.held IS NOT NULL AND m.released_at IS NULL
        AND (m.created_at, m.id) < (:sort, :id) ORDER BY m.created_at DESC, m.id DESC LIMIT :limit";
}

/// An inbox of a workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InboxRef {
    pub workspace: WorkspaceId,
    pub inbox: InboxId,
}

/// Filters for a list of messages. Cursors contain its `Debug` text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MessageFilter {
    /// Labels that are all required.
    pub labels: Vec<String>,
    /// A few labels of which one is required; empty matches all.
    pub any_label: Vec<&'static str>,
    /// A few labels that exclude a message.
    pub hidden_labels: Vec<&'static str>,
    pub is_read: Option<bool>,
    /// Inbound or outbound.
    pub direction: Option<Direction>,
    /// Its delivery status.
    pub status: Option<MessageStatus>,
    pub channel: Option<Channel>,
    /// The advisory type set by the sender.
    pub kind: Option<MessageKind>,
    /// Whether it is held or was released.
    pub screening: Option<ScreeningFilter>,
}

/// A filter by the result of screening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScreeningFilter {
    /// Not checked yet.
    Pending,
    /// Never held.
    Passed,
    /// Held.
    Held,
    /// Held once, and released.
    Released,
}

/// Returns up to `limit` messages of an inbox that match the filter and are older than `before`, newest first.
pub fn page(
    tx: &mut Tx,
    inbox: InboxRef,
    filter: &MessageFilter,
    before: Option<Time>,
    limit: u32,
) -> Result<Vec<Message>> {
    let Some(labels) = rarest_first(tx, inbox, &filter.labels)? else { return Ok(Vec::new()) };
    let before = before.unwrap_or(Time::from_millis(i64::MAX));
    let names =
        [filter.direction.map(Direction::text), filter.channel.map(Channel::text), filter.kind.map(MessageKind::text)];
    let mut parameters: Vec<Value<'_>> =
        vec![inbox.workspace.to_value(), inbox.inbox.to_value(), before.to_value(), limit.to_value()];
    parameters.extend(names.iter().flatten().map(ToValue::to_value));
    parameters.extend(filter.hidden_labels.iter().chain(&filter.any_label).map(ToValue::to_value));
    parameters.extend(labels.iter().map(ToValue::to_value));
    let shape = MessagePageShape {
        labels: labels.len(),
        hidden: filter.hidden_labels.len(),
        any: filter.any_label.len(),
        is_read: filter.is_read,
        status: filter.status,
        compared: names.map(|name| name.is_some()),
        screening: filter.screening,
    };
    tx.rows(&statement(shape), &parameters)
}

/// Returns a page of the held messages of a workspace or of one inbox, newest first.
pub fn held(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, page: PageRange) -> Result<Vec<Message>> {
    match inbox {
        Some(inbox) => held_in_inbox(tx, workspace, inbox, page),
        None => all_held(tx, workspace, page),
    }
}

/// Returns the distinct labels, rarest first; `None` if one of several labels has no messages.
fn rarest_first(tx: &mut Tx, inbox: InboxRef, wanted: &[String]) -> Result<Option<Vec<String>>> {
    let mut labels: Vec<String> = wanted.to_vec();
    labels.sort_unstable();
    labels.dedup();
    if labels.len() < 2 {
        return Ok(Some(labels));
    }
    let mut counted = Vec::with_capacity(labels.len());
    for label in labels {
        let count = count_label(tx, inbox, &label)?;
        if count == 0 {
            return Ok(None);
        }
        counted.push((count, label));
    }
    counted.sort();
    Ok(Some(counted.into_iter().map(|(_, label)| label).collect()))
}

/// The parts that a page statement consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MessagePageShape {
    labels: usize,
    hidden: usize,
    any: usize,
    is_read: Option<bool>,
    status: Option<MessageStatus>,
    /// Which of [`COMPARED`] are compared.
    compared: [bool; COMPARED.len()],
    screening: Option<ScreeningFilter>,
}

/// Columns that are compared with a text value.
const COMPARED: [&str; 3] = ["direction", "channel", "type"];

/// Builds the page statement. `OFFSET 0` keeps PostgreSQL from turning a lookup per row into a join. Text values are
/// compared with `column || ''`, so that no index on that column is scanned across the whole workspace. Inactive
/// filters are omitted, because even an always-true comparison makes the PostgreSQL planner expect few rows.
///
/// `$1` to `$4`: workspace, inbox, position, limit; then the text values, the hidden labels, the alternative labels,
/// the labels.
fn statement(shape: MessagePageShape) -> Sql {
    let mut next = 5;
    let mut clauses = String::new();
    for (column, _) in COMPARED.iter().zip(shape.compared).filter(|(_, is_active)| *is_active) {
        clauses.push_str(&format!(" AND m.{column} || '' = ${next}"));
        next += 1;
    }
    for (negated, count) in [("NOT ", shape.hidden), ("", shape.any)] {
        // One lookup per label: with an IN list, PostgreSQL may read the labels of the whole inbox for each message.
        let has: Vec<String> = (next..next + count).map(|n| has_label("m", n)).collect();
        if count > 0 {
            clauses.push_str(&format!(" AND {negated}({})", has.join(" OR ")));
            next += count;
        }
    }
    // Constants instead of parameters, so that the partial indexes on unread messages and on statuses can be used.
    match shape.is_read {
        Some(true) => clauses.push_str(" AND m.is_read = 1"),
        Some(false) => clauses.push_str(" AND m.is_read = 0"),
        None => {}
    }
    match shape.status {
        Some(MessageStatus::Received) => clauses.push_str(" AND m.status = 'received'"),
        // The second comparison follows from the first, but planners need it to match the partial index.
        Some(status) => {
            clauses.push_str(&format!(" AND m.status = '{}' AND m.status <> 'received'", status.text()));
        }
        None => {}
    }
    clauses.push_str(match shape.screening {
        Some(ScreeningFilter::Passed) => " AND m.held IS NULL",
        Some(ScreeningFilter::Pending) => " AND m.held = 'pending' AND m.released_at IS NULL",
        Some(ScreeningFilter::Held) => " AND m.held IS NOT NULL AND m.held <> 'pending' AND m.released_at IS NULL",
        Some(ScreeningFilter::Released) => " AND m.held IS NOT NULL AND m.released_at IS NOT NULL",
        None => "",
    });
    let (from, scan, order) = scan(shape.labels, next);
    Sql::from_fragments(
        "MESSAGE_PAGE",
        format!(
            "SELECT {{m.messages}} FROM {from} WHERE {scan}{clauses}
             ORDER BY {order}.created_at DESC LIMIT $4"
        ),
    )
}

/// Returns the index to scan: tables, condition, and the table whose time orders it. The labels start at `$first`.
fn scan(labels: usize, first: usize) -> (&'static str, String, char) {
    if labels == 0 {
        return ("messages m", "m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at < $3".to_owned(), 'm');
    }
    let mut condition = format!("d.workspace_id = $1 AND d.inbox_id = $2 AND d.label = ${first} AND d.created_at < $3");
    for n in first + 1..first + labels {
        condition.push_str(" AND ");
        condition.push_str(&has_label("d", n));
    }
    (OF_LABEL, condition, 'd')
}

/// The messages of a label. SQLite runs a cross join in the written order: the label's rows first.
const OF_LABEL: &str =
    "message_labels d CROSS JOIN {pg:LATERAL (SELECT * FROM} messages m {lite:ON}{pg:WHERE} m.workspace_id = $1
    AND m.id = d.message_id {pg:OFFSET 0) m}";

/// Returns a condition that the message at that time has the label `$n`.
fn has_label(table: &str, n: usize) -> String {
    format!(
        "EXISTS (SELECT 1 FROM message_labels e WHERE e.workspace_id = $1 AND e.inbox_id = $2 AND e.label = ${n}
          AND e.created_at = {table}.created_at LIMIT 1 OFFSET 0)"
    )
}

/// Returns every page statement with up to `labels_max` labels, for the tests that prepare and plan them.
#[must_use]
pub fn shapes(labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for labels in 0..=labels_max {
        for is_read in [None, Some(false), Some(true)] {
            for (hidden, any) in [(0, 0), (3, 0), (0, 3), (1, 2)] {
                for compared in [[false; 3], [true; 3], [true, false, false], [false, true, false]] {
                    for status in [None, Some(MessageStatus::Received), Some(MessageStatus::Bounced)] {
                        for screening in [None, Some(ScreeningFilter::Held)] {
                            let shape = MessagePageShape { labels, hidden, any, is_read, status, compared, screening };
                            all.push(statement(shape));
                        }
                    }
                }
            }
        }
    }
    all
}
