//! The lists of drafts: pages of an inbox or a workspace, newest first, under filters (contract §5.3); and the scheduled ones
//! whose job is missing.

use posthouse_domain::{
    draft::{Draft, Status},
    id::{InboxId, ThreadId, WorkspaceId},
    page::{Page, Position},
};
use uuid::Uuid;

use super::{select, with_files};
use crate::{Result, Sql, ToValue, Tx, Value, p, statements};

statements! {
    LOST = select!("drafts d WHERE d.status = 'scheduled'
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'scheduled_draft' AND j.subject_id = d.id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.kind = 'scheduled_draft' AND e.subject_id = d.id AND e.state = 'dead')
        ORDER BY d.send_at LIMIT $1");
    HOW_MANY = "SELECT count(*) FROM (SELECT draft_id FROM draft_metadata WHERE workspace_id = $1 AND key = $2 AND value = $3 LIMIT $4) s";
}

/// Up to this many drafts of a metadata filter are sorted; from here on the list is walked and the filter looked up beside it.
const SORTED_MAX: u32 = 1_000;
/// What a list of drafts is narrowed to. Its `Debug` text names it in cursors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// One inbox; none: every inbox that is not deleted.
    pub inbox: Option<InboxId>,
    /// One conversation.
    pub thread: Option<ThreadId>,
    /// Any of these; none: every status.
    pub statuses: Vec<Status>,
    /// Metadata keys and the text that each must have; at most ten.
    pub metadata: Vec<(String, String)>,
}

/// The form of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    one_inbox: bool,
    one_thread: bool,
    /// Its drafts are walked along an index of their own.
    one_status: bool,
    filters: usize,
    /// The first filter's drafts are few, so they are the ones that are walked.
    by_metadata: bool,
}

/// A page of drafts with their files, newest first.
///
/// # Errors
/// The store's own.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, filter: &Filter, page: Page) -> Result<Vec<Draft>> {
    let Some((filters, by_metadata)) = rarest_first(tx, workspace, &filter.metadata)? else { return Ok(Vec::new()) };
    let shape = Shape {
        one_inbox: filter.inbox.is_some(),
        one_thread: filter.thread.is_some(),
        one_status: filter.statuses.len() == 1,
        filters: filters.len(),
        by_metadata,
    };
    let after = page.after.unwrap_or(Position { sort: i64::MAX, id: Uuid::max() });
    let mut parameters: Vec<Value<'_>> = p![workspace, after.sort, after.id, page.limit].to_vec();
    // Six places, or one: a longer list of statuses is padded with its last.
    let statuses = if filter.statuses.is_empty() { Status::ALL } else { &filter.statuses };
    let last = statuses.last().copied().unwrap_or(Status::Draft);
    let places = if shape.one_status { 1 } else { Status::ALL.len() };
    let padded = statuses.iter().copied().chain(std::iter::repeat(last)).take(places);
    parameters.extend(padded.map(|status| Value::Text(status.text().into())));
    parameters.extend(filter.inbox.iter().map(ToValue::to_value));
    parameters.extend(filter.thread.iter().map(ToValue::to_value));
    for (key, text) in &filters {
        parameters.extend([key.to_value(), text.to_value()]);
    }
    let found = tx.rows(&statement(shape), &parameters)?;
    with_files(tx, workspace, found)
}

/// Metadata keys with the text that each must have.
type Filters<'f> = Vec<&'f (String, String)>;

/// The filters, the rarest first, and whether that one is rare enough to sort; nothing when there is no such draft.
fn rarest_first<'f>(
    tx: &mut Tx,
    workspace: WorkspaceId,
    wanted: &'f [(String, String)],
) -> Result<Option<(Filters<'f>, bool)>> {
    let mut counted: Vec<(i64, &(String, String))> = Vec::with_capacity(wanted.len());
    for filter in wanted {
        match tx.value(&HOW_MANY, p![workspace, filter.0, filter.1, SORTED_MAX])? {
            None | Some(0) => return Ok(None),
            Some(count) => counted.push((count, filter)),
        }
    }
    counted.sort();
    let by_metadata = counted.first().is_some_and(|(count, _)| *count < i64::from(SORTED_MAX));
    Ok(Some((counted.into_iter().map(|(_, filter)| filter).collect(), by_metadata)))
}

/// `$1` workspace, `$2` and `$3` place, `$4` limit, `$5` the status or `$5` to `$10` statuses; then the inbox, the thread, the
/// filters. `OFFSET 0`: see [`expand`](crate::dialect::expand).
fn statement(shape: Shape) -> Sql {
    let mut next = if shape.one_status { 6 } else { 11 };
    let mut place = || {
        next += 1;
        next - 1
    };
    let mut clauses = match shape.one_inbox {
        true => format!(" AND d.inbox_id = ${}", place()),
        false => " AND NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.workspace_id = $1 AND i.id = d.inbox_id
                   AND i.deleted_at IS NOT NULL LIMIT 1 OFFSET 0)"
            .to_owned(),
    };
    if shape.one_thread {
        clauses.push_str(&format!(" AND d.thread_id IS NOT NULL AND d.thread_id = ${}", place()));
    }
    for n in 0..shape.filters {
        let (key, value) = (place(), place());
        clauses.push_str(&if shape.by_metadata && n == 0 {
            format!(" AND m.workspace_id = $1 AND m.key = ${key} AND m.value = ${value}")
        } else {
            format!(
                " AND EXISTS (SELECT 1 FROM draft_metadata f WHERE f.workspace_id = $1 AND f.key = ${key} AND f.value = ${value}
                   AND f.draft_id = d.id LIMIT 1 OFFSET 0)"
            )
        });
    }
    // A cross join is the order of the walk on SQLite: the filter's rows first.
    let mut text = String::from(if shape.by_metadata {
        select!(
            "draft_metadata m CROSS JOIN {pg:LATERAL (SELECT * FROM} drafts d {lite:ON}{pg:WHERE} d.workspace_id = $1
             AND d.id = m.draft_id {pg:OFFSET 0) d} WHERE d.workspace_id = $1"
        )
    } else {
        select!("drafts d WHERE d.workspace_id = $1")
    });
    text.push_str(" AND (d.created_at, d.id) < ($2, $3) AND d.status ");
    text.push_str(if shape.one_status { "= $5" } else { "IN ($5, $6, $7, $8, $9, $10)" });
    text.push_str(&clauses);
    // The drafts of a rare filter are sorted; others are walked in order.
    text.push_str(if shape.by_metadata {
        " ORDER BY d.created_at + 0 DESC, d.id DESC"
    } else {
        " ORDER BY d.created_at DESC, d.id DESC"
    });
    text.push_str(" LIMIT $4");
    Sql::built("DRAFT_PAGE", text)
}

/// Every statement that a page can become under up to `filters_max` metadata filters, for the tests that prepare them.
#[must_use]
pub fn shapes(filters_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for filters in 0..=filters_max {
        for bits in 0..16 {
            let (one_inbox, one_thread) = (bits & 1 > 0, bits & 2 > 0);
            let (by_metadata, one_status) = (bits & 4 > 0, bits & 8 > 0);
            let shape = Shape { one_inbox, one_thread, one_status, filters, by_metadata };
            if filters > 0 || !shape.by_metadata {
                all.push(statement(shape));
            }
        }
    }
    all
}

/// Scheduled drafts that nothing will send. One whose job is dead is not lost: operators see it.
///
/// # Errors
/// The store's own.
pub fn lost(tx: &mut Tx, limit: u32) -> Result<Vec<Draft>> {
    tx.rows(&LOST, p![limit])
}
