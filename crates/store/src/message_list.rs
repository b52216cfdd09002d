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
/// Most labels that are hidden in one list, or of which one is wanted; fewer are padded, so that there is one text.
const PADDED_LABELS: usize = 3;

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
    /// Labels of which one must be there; at most three, empty for no such filter.
    pub any_label: Vec<&'static str>,
    /// Labels of which none may be there; at most three.
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
    let names = [
        filter.direction.map(Direction::text),
        filter.status.map(Status::text),
        filter.channel.map(Channel::text),
        filter.kind.map(Kind::text),
    ];
    let mut parameters: Vec<Value<'_>> =
        vec![place.workspace.to_value(), place.inbox.to_value(), before.to_value(), limit.to_value()];
    parameters.extend(names.iter().flatten().map(ToValue::to_value));
    parameters.extend(padded(&filter.hidden_labels).chain(padded(&filter.any_label)));
    parameters.extend(labels.iter().map(ToValue::to_value));
    let shape = Shape {
        labels: labels.len(),
        hidden: !filter.hidden_labels.is_empty(),
        any: !filter.any_label.is_empty(),
        is_read: filter.is_read,
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
        let count: Option<(i64,)> = tx.one(&COUNT_LABEL, p![place.workspace, place.inbox, label, LABEL_COUNT_MAX])?;
        let count = count.map_or(0, |(count,)| count);
        if count == 0 {
            return Ok(None);
        }
        counted.push((count, label));
    }
    counted.sort();
    Ok(Some(counted.into_iter().map(|(_, label)| label).collect()))
}

/// The labels as [`PADDED_LABELS`] parameters; none at all when there are none.
fn padded<'a>(labels: &'a [&'static str]) -> impl Iterator<Item = Value<'a>> {
    let take = if labels.is_empty() { 0 } else { PADDED_LABELS };
    labels.iter().cycle().take(take).map(ToValue::to_value)
}

/// The form of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    labels: usize,
    hidden: bool,
    any: bool,
    is_read: Option<bool>,
    /// Which of [`NAMED`] are asked for.
    named: [bool; NAMED.len()],
}

/// Columns that are compared with a name.
const NAMED: [&str; 4] = ["direction", "status", "channel", "type"];

/// The text of a page. `OFFSET 0` keeps PostgreSQL from turning a look-up beside the walk into a join. What is not asked for is not in it: a comparison that is always true still makes the planner of
/// PostgreSQL expect few rows, and sort instead of walk.
///
/// `$1` to `$4`: workspace, inbox, place, limit; then the names, the padded labels, the labels.
fn statement(shape: Shape) -> Sql {
    let mut next = 5;
    let mut clauses = String::new();
    for (column, _) in NAMED.iter().zip(shape.named).filter(|(_, asked)| *asked) {
        clauses.push_str(&format!(" AND m.{column} = ${next}"));
        next += 1;
    }
    for (negated, there) in [("NOT ", shape.hidden), ("", shape.any)] {
        if there {
            let names: Vec<String> = (next..next + PADDED_LABELS).map(|n| format!("${n}")).collect();
            clauses.push_str(&format!(
                " AND {negated}EXISTS (SELECT 1 FROM message_labels h WHERE h.workspace_id = $1 AND h.inbox_id = $2
                  AND h.label IN ({}) AND h.created_at = m.created_at LIMIT 1 OFFSET 0)",
                names.join(", ")
            ));
            next += PADDED_LABELS;
        }
    }
    // Constants, not parameters, so that an index on unread messages alone can serve.
    match shape.is_read {
        Some(true) => clauses.push_str(" AND m.is_read = 1"),
        Some(false) => clauses.push_str(" AND m.is_read = 0"),
        None => {}
    }
    let (from, walk, order) = walk(shape.labels, next);
    Sql::built(
        "MESSAGE_PAGE",
        format!(
            "{} FROM {from} WHERE {walk} AND m.workspace_id = $1 AND m.inbox_id = $2{clauses}
             ORDER BY {order}.created_at DESC LIMIT $4",
            messages::SELECT
        ),
    )
}

/// What is walked: tables, the condition of the walk, the table whose time orders it. The labels are `$first` and on.
fn walk(labels: usize, first: usize) -> (&'static str, String, char) {
    if labels == 0 {
        return ("messages m", "m.created_at < $3".to_owned(), 'm');
    }
    let mut condition = format!(
        "d.workspace_id = $1 AND d.inbox_id = $2 AND d.label = ${first} AND d.created_at < $3 AND m.created_at = d.created_at"
    );
    for n in first + 1..first + labels {
        condition.push_str(&format!(
            " AND EXISTS (SELECT 1 FROM message_labels e WHERE e.workspace_id = $1 AND e.inbox_id = $2
              AND e.label = ${n} AND e.created_at = d.created_at LIMIT 1 OFFSET 0)"
        ));
    }
    // A cross join is the order of the walk on SQLite: the label's rows first.
    ("message_labels d CROSS JOIN messages m", condition, 'd')
}

/// Every statement that a page can become under up to `labels_max` labels, for the tests that prepare and plan them.
#[must_use]
pub fn shapes(labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for labels in 0..=labels_max {
        for is_read in [None, Some(false), Some(true)] {
            for (hidden, any) in [(false, false), (true, false), (false, true), (true, true)] {
                for named in [[false; 4], [true; 4], [true, false, false, false], [false, true, false, true]] {
                    all.push(statement(Shape { labels, hidden, any, is_read, named }));
                }
            }
        }
    }
    all
}
