//! Lists of threads: filtered pages of an inbox or a workspace by last activity.
//!
//! A page scans an index on last activity. With a label filter that matches few threads, it sorts those threads
//! instead; a bounded count decides what is few.

use posthouse_domain::{CursorPosition, InboxId, Thread, Time, WorkspaceId};
use uuid::Uuid;

use crate::{Result, Sql, ToValue, Tx, Value, statements, values::like_pattern};

/// If a label matches fewer threads than this, they are sorted; otherwise activity is scanned and the label checked per
/// row.
const SORTED_MAX: u32 = 1_000;

statements! {
    fn count_label(workspace: WorkspaceId, label: &str; limit = SORTED_MAX) -> i64 =
        "SELECT count(*) FROM (SELECT l.thread_id FROM thread_labels l
        WHERE l.workspace_id = :workspace AND l.label = :label LIMIT :limit) bounded";
}

/// Filters for a list of threads. Cursors contain its `Debug` text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadFilter {
    /// One inbox; `None` means every inbox that isn't deleted.
    pub inbox: Option<InboxId>,
    /// Labels that are all required.
    pub labels: Vec<String>,
    /// Last activity before this time.
    pub before: Option<Time>,
    /// Last activity after this time.
    pub after: Option<Time>,
    /// Part of a participant's address.
    pub participant: Option<String>,
    /// Part of the subject.
    pub subject: Option<String>,
    /// Whether the oldest activity comes first.
    pub ascending: bool,
}

/// The parts that a page statement consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ThreadPageShape {
    one_inbox: bool,
    ascending: bool,
    labels: usize,
    /// Whether the first label matches few threads, so that its rows drive the query.
    by_label: bool,
}

/// Returns up to `limit` threads that match the filter, after `position`.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &ThreadFilter,
    position: Option<CursorPosition>,
    limit: u32,
) -> Result<Vec<Thread>> {
    let Some((labels, by_label)) = rarest_first(tx, workspace, &filter.labels)? else { return Ok(Vec::new()) };
    let shape = ThreadPageShape {
        one_inbox: filter.inbox.is_some(),
        ascending: filter.ascending,
        labels: labels.len(),
        by_label,
    };
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

/// Returns the position after which the scan starts, and the time before which it ends.
fn bounds(filter: &ThreadFilter, position: Option<CursorPosition>) -> (CursorPosition, Time) {
    let at = |time: Option<Time>, id| time.map(|time| CursorPosition { sort: time.millis(), id });
    let key = |p: &CursorPosition| (p.sort, p.id);
    if filter.ascending {
        let first = CursorPosition { sort: i64::MIN, id: Uuid::nil() };
        let start = position.into_iter().chain(at(filter.after, Uuid::max())).max_by_key(key).unwrap_or(first);
        (start, filter.before.unwrap_or(Time::from_millis(i64::MAX)))
    } else {
        let first = CursorPosition { sort: i64::MAX, id: Uuid::max() };
        let start = position.into_iter().chain(at(filter.before, Uuid::nil())).min_by_key(key).unwrap_or(first);
        (start, filter.after.unwrap_or(Time::from_millis(i64::MIN)))
    }
}

/// Returns the labels without duplicates, rarest first, and whether the rarest is rare enough to sort; `None` if a
/// label matches no thread.
fn rarest_first(tx: &mut Tx, workspace: WorkspaceId, wanted: &[String]) -> Result<Option<(Vec<String>, bool)>> {
    let mut counted: Vec<(i64, String)> = Vec::with_capacity(wanted.len());
    for label in wanted {
        match count_label(tx, workspace, label)? {
            0 => return Ok(None),
            count => counted.push((count, label.clone())),
        }
    }
    counted.sort();
    counted.dedup();
    let by_label = counted.first().is_some_and(|(count, _)| *count < i64::from(SORTED_MAX));
    Ok(Some((counted.into_iter().map(|(_, label)| label).collect(), by_label)))
}

/// The threads of a label. SQLite runs a cross join in the written order: the label's rows first.
const OF_LABEL: &str =
    "thread_labels d CROSS JOIN {pg:LATERAL (SELECT * FROM} threads t {lite:ON}{pg:WHERE} t.workspace_id = $1
    AND t.id = d.thread_id {pg:OFFSET 0) t}";

/// Builds the page statement. `$1` workspace, `$2` and `$3` position, `$4` end time, `$5` limit, `$6` and `$7`
/// patterns; then the inbox, then the labels.
fn statement(shape: ThreadPageShape) -> Sql {
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
    Sql::from_fragments(
        "THREAD_PAGE",
        format!(
            "SELECT t.workspace_id, t.id, t.inbox_id, t.subject, t.participants, t.message_count,
               (SELECT count(*) FROM messages u WHERE u.workspace_id = t.workspace_id AND u.thread_id = t.id AND u.is_read = 0
          AND (u.held IS NULL OR u.released_at IS NOT NULL)) AS unread_count, t.labels, t.metadata,
               t.last_message_at, t.created_at
             FROM {from} WHERE t.workspace_id = $1 AND (t.last_message_at, t.id) {beyond} ($2, $3)
             AND t.last_message_at {within} $4 AND t.message_count > 0 AND t.participants LIKE $6 ESCAPE '!' AND t.subject_lower LIKE $7 ESCAPE '!'{clauses}
             ORDER BY {key} {order}, t.id {order} LIMIT $5"
        ),
    )
}

/// Returns every page statement with up to `labels_max` labels, for the tests that prepare and plan them.
#[must_use]
pub fn shapes(labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for labels in 0..=labels_max {
        for bits in 0..8 {
            let shape =
                ThreadPageShape { one_inbox: bits & 1 > 0, ascending: bits & 2 > 0, labels, by_label: bits & 4 > 0 };
            if labels > 0 || !shape.by_label {
                all.push(statement(shape));
            }
        }
    }
    all
}
