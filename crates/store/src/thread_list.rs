//! The lists of threads: pages of an inbox or a workspace by last activity, under filters (contract §6).
//!
//! A page is a walk along an index of last activity. Under a label that few threads have, it is those threads, sorted;
//! "few" is bounded by a count.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    page::Position,
    thread::Thread,
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Sql, ToValue, Tx, Value, p, statements, values::like_pattern};

/// Up to this many threads of a label are sorted; from here on activity is walked and the label looked up beside it.
const SORTED_MAX: u32 = 1_000;

statements! {
    COUNT_LABEL = "SELECT count(*) FROM (SELECT l.thread_id FROM thread_labels l
        WHERE l.workspace_id = $1 AND l.label = $2 LIMIT $3) bounded";
}

/// What a list of threads is narrowed to. Its `Debug` text names it in cursors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// One inbox; none: every inbox that is not deleted.
    pub inbox: Option<InboxId>,
    /// Labels that all must be there.
    pub labels: Vec<String>,
    /// Last activity before that time.
    pub before: Option<Time>,
    /// Last activity after that time.
    pub after: Option<Time>,
    /// A part of a participant's address.
    pub participant: Option<String>,
    /// A part of the subject.
    pub subject: Option<String>,
    /// Oldest activity first.
    pub ascending: bool,
}

/// The form of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    one_inbox: bool,
    ascending: bool,
    labels: usize,
    /// The first label's threads are few, so they are the ones that are walked.
    by_label: bool,
}

/// Up to `limit` threads that pass the filter, behind `position`.
///
/// # Errors
/// The store's own.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &Filter,
    position: Option<Position>,
    limit: u32,
) -> Result<Vec<Thread>> {
    let Some((labels, by_label)) = rarest_first(tx, workspace, &filter.labels)? else { return Ok(Vec::new()) };
    let shape =
        Shape { one_inbox: filter.inbox.is_some(), ascending: filter.ascending, labels: labels.len(), by_label };
    let (start, end) = bounds(filter, position);
    let patterns = [like_pattern(filter.participant.as_deref()), like_pattern(filter.subject.as_deref())];
    let mut parameters: Vec<Value<'_>> = vec![
        workspace.to_value(),
        start.sort.to_value(),
        start.id.to_value(),
        end.to_value(),
        limit.to_value(),
        patterns[0].to_value(),
        patterns[1].to_value(),
    ];
    parameters.extend(filter.inbox.iter().map(ToValue::to_value));
    parameters.extend(labels.iter().map(ToValue::to_value));
    tx.rows(&statement(shape), &parameters)
}

/// Where the walk begins (behind this place) and the time that ends it (before this one).
fn bounds(filter: &Filter, position: Option<Position>) -> (Position, Time) {
    let behind = |time: Option<Time>, id| time.map(|time| Position { sort: time.millis(), id });
    let key = |p: &Position| (p.sort, p.id);
    if filter.ascending {
        let first = Position { sort: i64::MIN, id: Uuid::nil() };
        let start = position.into_iter().chain(behind(filter.after, Uuid::max())).max_by_key(key).unwrap_or(first);
        (start, filter.before.unwrap_or(Time::from_millis(i64::MAX)))
    } else {
        let first = Position { sort: i64::MAX, id: Uuid::max() };
        let start = position.into_iter().chain(behind(filter.before, Uuid::nil())).min_by_key(key).unwrap_or(first);
        (start, filter.after.unwrap_or(Time::from_millis(i64::MIN)))
    }
}

/// The labels, each once, the rarest first, and whether that one is rare enough to sort; nothing when there is no such
/// thread.
fn rarest_first(tx: &mut Tx, workspace: WorkspaceId, wanted: &[String]) -> Result<Option<(Vec<String>, bool)>> {
    let mut counted: Vec<(i64, String)> = Vec::with_capacity(wanted.len());
    for label in wanted {
        match tx.value(&COUNT_LABEL, p![workspace, label, SORTED_MAX])? {
            None | Some(0) => return Ok(None),
            Some(count) => counted.push((count, label.clone())),
        }
    }
    counted.sort();
    counted.dedup();
    let by_label = counted.first().is_some_and(|(count, _)| *count < i64::from(SORTED_MAX));
    Ok(Some((counted.into_iter().map(|(_, label)| label).collect(), by_label)))
}

/// The threads of a label. A cross join is the order of the walk on SQLite: the label's rows first.
const OF_LABEL: &str =
    "thread_labels d CROSS JOIN {pg:LATERAL (SELECT * FROM} threads t {lite:ON}{pg:WHERE} t.workspace_id = $1
    AND t.id = d.thread_id {pg:OFFSET 0) t}";

/// `$1` workspace, `$2` and `$3` place, `$4` the other end, `$5` limit, `$6` and `$7` patterns; then the inbox, then the
/// labels.
fn statement(shape: Shape) -> Sql {
    let (beyond, within, order) = if shape.ascending { (">", "<", "ASC") } else { ("<", ">", "DESC") };
    let mut clauses = match shape.one_inbox {
        true => " AND t.inbox_id = $8".to_owned(),
        false => " AND NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.workspace_id = $1 AND i.id = t.inbox_id
                   AND i.deleted_at IS NOT NULL LIMIT 1 OFFSET 0)"
            .to_owned(),
    };
    let first = if shape.one_inbox { 9 } else { 8 };
    for n in first..first + shape.labels {
        let clause = if shape.by_label && n == first {
            format!(" AND d.workspace_id = $1 AND d.label = ${n}")
        } else {
            format!(
                " AND EXISTS (SELECT 1 FROM thread_labels e WHERE e.workspace_id = $1 AND e.label = ${n} AND e.thread_id = t.id
                  LIMIT 1 OFFSET 0)"
            )
        };
        clauses.push_str(&clause);
    }
    let (from, key) =
        if shape.by_label { (OF_LABEL, "t.last_message_at + 0") } else { ("threads t", "t.last_message_at") };
    Sql::built(
        "THREAD_PAGE",
        format!(
            "SELECT t.workspace_id, t.id, t.inbox_id, t.subject, t.participants, t.message_count, t.labels, t.metadata,
               t.last_message_at, t.created_at
             FROM {from} WHERE t.workspace_id = $1 AND (t.last_message_at, t.id) {beyond} ($2, $3)
             AND t.last_message_at {within} $4 AND t.message_count > 0 AND t.participants LIKE $6 ESCAPE '!' AND t.subject_lower LIKE $7 ESCAPE '!'{clauses}
             ORDER BY {key} {order}, t.id {order} LIMIT $5"
        ),
    )
}

/// Every statement that a page can become under up to `labels_max` labels, for the tests that prepare and plan them.
#[must_use]
pub fn shapes(labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for labels in 0..=labels_max {
        for bits in 0..8 {
            let shape = Shape { one_inbox: bits & 1 > 0, ascending: bits & 2 > 0, labels, by_label: bits & 4 > 0 };
            if labels > 0 || !shape.by_label {
                all.push(statement(shape));
            }
        }
    }
    all
}
