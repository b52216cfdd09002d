//! The lists of messages: pages of an inbox under filters, newest first (contract §4.6), and the ways through a thread.
//!
//! A page is a walk along an index from a place, never an offset and never a sort. Filters by labels walk the rarest
//! label, found by a bounded count; the others are looked up beside it.

use posthouse_domain::{
    id::{InboxId, ThreadId, WorkspaceId},
    message::{Channel, Direction, Kind, Message, Status},
    time::Time,
};

use crate::{
    Result, Sql, ToValue, Tx, Value,
    messages::{self, select},
    p, statements,
};

/// Where counting a label ends: labels at least this common are alike.
const LABEL_COUNT_MAX: u32 = 1_000;

statements! {
    COUNT_LABEL = "SELECT count(*) FROM (SELECT l.created_at FROM message_labels l
        WHERE l.workspace_id = $1 AND l.inbox_id = $2 AND l.label = $3 LIMIT $4) bounded";
    OF_THREAD = select!("WHERE m.workspace_id = $1 AND m.thread_id = $2 AND m.created_at < $3
        AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = $1 AND l.inbox_id = m.inbox_id
          AND l.label = 'blocked' AND l.created_at = m.created_at LIMIT 1 OFFSET 0)
        ORDER BY m.created_at DESC LIMIT $4");
}

/// An inbox of a workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The inbox.
    pub inbox: InboxId,
}

/// What a list of messages is narrowed to. Its `Debug` text names it in cursors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Labels that all must be there.
    pub labels: Vec<String>,
    /// Labels of which one must be there; a few, empty for no such filter.
    pub any_label: Vec<&'static str>,
    /// Labels of which none may be there; a few.
    pub hidden_labels: Vec<&'static str>,
    /// Read state.
    pub is_read: Option<bool>,
    /// Which way it went.
    pub direction: Option<Direction>,
    /// What became of it.
    pub status: Option<Status>,
    /// What it travelled on.
    pub channel: Option<Channel>,
    /// The sender's advisory kind.
    pub kind: Option<Kind>,
}

/// Up to `limit` messages of an inbox that pass the filter and are older than `before`, newest first.
///
/// # Errors
/// The store's own.
pub fn page(tx: &mut Tx, place: Place, filter: &Filter, before: Option<Time>, limit: u32) -> Result<Vec<Message>> {
    let Some(labels) = rarest_first(tx, place, &filter.labels)? else { return Ok(Vec::new()) };
    let before = before.unwrap_or(Time::from_millis(i64::MAX));
    let names = [filter.direction.map(Direction::text), filter.channel.map(Channel::text), filter.kind.map(Kind::text)];
    let mut parameters: Vec<Value<'_>> =
        vec![place.workspace.to_value(), place.inbox.to_value(), before.to_value(), limit.to_value()];
    parameters.extend(names.iter().flatten().map(ToValue::to_value));
    parameters.extend(filter.hidden_labels.iter().chain(&filter.any_label).map(ToValue::to_value));
    parameters.extend(labels.iter().map(ToValue::to_value));
    let shape = Shape {
        labels: labels.len(),
        hidden: filter.hidden_labels.len(),
        any: filter.any_label.len(),
        is_read: filter.is_read,
        status: filter.status,
        named: names.map(|name| name.is_some()),
    };
    tx.rows(&statement(shape), &parameters)
}

/// Up to `limit` messages of a thread that are older than `before`, newest first; blocked mail is passed over.
///
/// # Errors
/// The store's own.
pub fn of_thread(
    tx: &mut Tx,
    workspace: WorkspaceId,
    thread: ThreadId,
    before: Option<Time>,
    limit: u32,
) -> Result<Vec<Message>> {
    tx.rows(&OF_THREAD, p![workspace, thread, before.unwrap_or(Time::from_millis(i64::MAX)), limit])
}

/// The labels, each once, the rarest of them first; nothing when no message has one of them.
fn rarest_first(tx: &mut Tx, place: Place, wanted: &[String]) -> Result<Option<Vec<String>>> {
    let mut labels: Vec<String> = wanted.to_vec();
    labels.sort_unstable();
    labels.dedup();
    if labels.len() < 2 {
        return Ok(Some(labels));
    }
    let mut counted = Vec::with_capacity(labels.len());
    for label in labels {
        let place = p![place.workspace, place.inbox, label, LABEL_COUNT_MAX];
        let count: i64 = tx.value(&COUNT_LABEL, place)?.unwrap_or(0);
        if count == 0 {
            return Ok(None);
        }
        counted.push((count, label));
    }
    counted.sort();
    Ok(Some(counted.into_iter().map(|(_, label)| label).collect()))
}

/// The form of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    labels: usize,
    hidden: usize,
    any: usize,
    is_read: Option<bool>,
    status: Option<Status>,
    /// Which of [`NAMED`] are asked for.
    named: [bool; NAMED.len()],
}

/// Columns that are compared with a name.
const NAMED: [&str; 3] = ["direction", "channel", "type"];

/// The text of a page. `OFFSET 0` keeps PostgreSQL from turning a look-up beside the walk into a join; a name is compared
/// with `column || ''`, so that no index on one name alone is walked through the whole workspace. What is not asked for is
/// not in it: a comparison that is always true still makes the planner of PostgreSQL expect few rows.
///
/// `$1` to `$4`: workspace, inbox, place, limit; then the names, the hidden labels, those of which one is wanted, the labels.
fn statement(shape: Shape) -> Sql {
    let mut next = 5;
    let mut clauses = String::new();
    for (column, _) in NAMED.iter().zip(shape.named).filter(|(_, asked)| *asked) {
        clauses.push_str(&format!(" AND m.{column} || '' = ${next}"));
        next += 1;
    }
    for (negated, count) in [("NOT ", shape.hidden), ("", shape.any)] {
        // One look-up a label: with a list of them PostgreSQL may read the labels of the whole inbox for each message.
        let has: Vec<String> = (next..next + count).map(|n| has_label("m", n)).collect();
        if count > 0 {
            clauses.push_str(&format!(" AND {negated}({})", has.join(" OR ")));
            next += count;
        }
    }
    // Constants, not parameters, so that an index on unread messages alone can serve, or one on what was sent.
    match shape.is_read {
        Some(true) => clauses.push_str(" AND m.is_read = 1"),
        Some(false) => clauses.push_str(" AND m.is_read = 0"),
        None => {}
    }
    match shape.status {
        Some(Status::Received) => clauses.push_str(" AND m.status = 'received'"),
        // The second comparison is for planners, which do not see that it follows from the first.
        Some(status) => {
            clauses.push_str(&format!(" AND m.status = '{}' AND m.status <> 'received'", status.text()));
        }
        None => {}
    }
    let (from, walk, order) = walk(shape.labels, next);
    Sql::built(
        "MESSAGE_PAGE",
        format!(
            "{} FROM {from} WHERE {walk}{clauses}
             ORDER BY {order}.created_at DESC LIMIT $4",
            messages::SELECT
        ),
    )
}

/// What is walked: tables, the condition of the walk, the table whose time orders it. The labels are `$first` and on.
fn walk(labels: usize, first: usize) -> (&'static str, String, char) {
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

/// The messages of a label. A cross join is the order of the walk on SQLite: the label's rows first.
const OF_LABEL: &str =
    "message_labels d CROSS JOIN {pg:LATERAL (SELECT * FROM} messages m {lite:ON}{pg:WHERE} m.workspace_id = $1
    AND m.id = d.message_id {pg:OFFSET 0) m}";

/// Whether the message of that time has the label `$n`.
fn has_label(table: &str, n: usize) -> String {
    format!(
        "EXISTS (SELECT 1 FROM message_labels e WHERE e.workspace_id = $1 AND e.inbox_id = $2 AND e.label = ${n}
          AND e.created_at = {table}.created_at LIMIT 1 OFFSET 0)"
    )
}

/// Every statement that a page can become under up to `labels_max` labels, for the tests that prepare and plan them.
#[must_use]
pub fn shapes(labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for labels in 0..=labels_max {
        for is_read in [None, Some(false), Some(true)] {
            for (hidden, any) in [(0, 0), (3, 0), (0, 3), (1, 2)] {
                for named in [[false; 3], [true; 3], [true, false, false], [false, true, false]] {
                    for status in [None, Some(Status::Received), Some(Status::Bounced)] {
                        all.push(statement(Shape { labels, hidden, any, is_read, status, named }));
                    }
                }
            }
        }
    }
    all
}
