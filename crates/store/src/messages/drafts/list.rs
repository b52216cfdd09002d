//! Lists of drafts: filtered pages of an inbox or a workspace, newest first.

use posthouse_domain::{Draft, DraftStatus, InboxId, PageRange, ThreadId, WorkspaceId};

use super::with_files;
use crate::{Result, Sql, ToValue, Tx, Value, p, statements};

statements! {
    fn count_with_metadata(workspace: WorkspaceId, key: &str, value: &str; limit = SORTED_MAX) -> i64 =
        "SELECT count(*) FROM (SELECT draft_id FROM draft_metadata WHERE workspace_id = :workspace AND key = :key AND value = :value LIMIT :limit) s";
}

/// If a metadata filter matches fewer drafts than this, they are sorted; otherwise the list is scanned and the filter
/// checked.
const SORTED_MAX: u32 = 1_000;
/// Filters for a list of drafts. Cursors contain its `Debug` text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DraftFilter {
    /// One inbox; `None` means every inbox that isn't deleted.
    pub inbox: Option<InboxId>,
    pub thread: Option<ThreadId>,
    /// Any of these statuses; empty matches all.
    pub statuses: Vec<DraftStatus>,
    /// Whether a person sent it back and it waits for its author.
    pub sent_back: Option<bool>,
    /// Metadata keys with their required values; at most ten.
    pub metadata: Vec<(String, String)>,
}

/// The parts that a page statement consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DraftPageShape {
    one_inbox: bool,
    one_thread: bool,
    /// Whether the drafts of a single status are scanned along their own index.
    one_status: bool,
    sent_back: Option<bool>,
    filters: usize,
    /// Whether the first filter matches few drafts, so that its rows drive the query.
    by_metadata: bool,
}

/// The first drafts of a list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DraftRows {
    /// The drafts with their files, newest first.
    pub drafts: Vec<Draft>,
    /// Whether the read stopped at its budget of bytes. The last draft is then the one after the budget was used.
    pub is_cut: bool,
}

/// Returns a page of drafts with their files, newest first. The read stops after drafts with bodies of `bytes_max`
/// together, and one more, so that the caller knows that the list continues.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &DraftFilter,
    page: PageRange,
    bytes_max: u64,
) -> Result<DraftRows> {
    let Some((filters, by_metadata)) = rarest_first(tx, workspace, &filter.metadata)? else {
        return Ok(DraftRows::default());
    };
    let shape = DraftPageShape {
        one_inbox: filter.inbox.is_some(),
        one_thread: filter.thread.is_some(),
        one_status: filter.statuses.len() == 1,
        sent_back: filter.sent_back,
        filters: filters.len(),
        by_metadata,
    };
    let (sort, id) = (page.sort(), page.id());
    let mut parameters: Vec<Value<'_>> = p![workspace, sort, id, page.limit].to_vec();
    // Six parameters, or one: a shorter list of statuses is padded with its last entry.
    let statuses = if filter.statuses.is_empty() { DraftStatus::ALL } else { &filter.statuses };
    let last = statuses.last().copied().unwrap_or(DraftStatus::Draft);
    let count = if shape.one_status { 1 } else { DraftStatus::ALL.len() };
    let padded = statuses.iter().copied().chain(std::iter::repeat(last)).take(count);
    parameters.extend(padded.map(|status| Value::Text(status.text().into())));
    parameters.extend(filter.inbox.iter().map(ToValue::to_value));
    parameters.extend(filter.thread.iter().map(ToValue::to_value));
    for (key, text) in &filters {
        parameters.extend([key.to_value(), text.to_value()]);
    }
    let (mut sum, mut is_cut) = (0, false);
    let found = tx.rows_until(&statement(shape), &parameters, |draft: &Draft| {
        is_cut = sum >= bytes_max;
        sum += draft.content.body_bytes();
        is_cut
    })?;
    Ok(DraftRows { drafts: with_files(tx, workspace, found)?, is_cut })
}

/// Metadata keys with their required values.
type Filters<'f> = Vec<&'f (String, String)>;

/// Returns the filters, rarest first, and whether the rarest is rare enough to sort; `None` if a filter matches no
/// draft.
fn rarest_first<'f>(
    tx: &mut Tx,
    workspace: WorkspaceId,
    wanted: &'f [(String, String)],
) -> Result<Option<(Filters<'f>, bool)>> {
    let mut counted: Vec<(i64, &(String, String))> = Vec::with_capacity(wanted.len());
    for filter in wanted {
        match count_with_metadata(tx, workspace, &filter.0, &filter.1)? {
            0 => return Ok(None),
            count => counted.push((count, filter)),
        }
    }
    counted.sort();
    let by_metadata = counted.first().is_some_and(|(count, _)| *count < i64::from(SORTED_MAX));
    Ok(Some((counted.into_iter().map(|(_, filter)| filter).collect(), by_metadata)))
}

/// Builds the page statement. `$1` workspace, `$2` and `$3` position, `$4` limit, `$5` the status or `$5` to `$10` the
/// statuses; then the inbox, the thread, the filters. For `OFFSET 0`, see [`expand`](crate::dialect::expand).
fn statement(shape: DraftPageShape) -> Sql {
    let mut next = if shape.one_status { 6 } else { 11 };
    let mut reserve = || {
        next += 1;
        next - 1
    };
    let mut clauses = match shape.one_inbox {
        true => format!(" AND d.inbox_id = ${}", reserve()),
        false => " AND NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.workspace_id = $1 AND i.id = d.inbox_id
                   AND i.deleted_at IS NOT NULL LIMIT 1 OFFSET 0)"
            .to_owned(),
    };
    if shape.one_thread {
        clauses.push_str(&format!(" AND d.thread_id IS NOT NULL AND d.thread_id = ${}", reserve()));
    }
    clauses.push_str(match shape.sent_back {
        Some(true) => " AND d.sent_back IS NOT NULL",
        Some(false) => " AND d.sent_back IS NULL",
        None => "",
    });
    for n in 0..shape.filters {
        let (key, value) = (reserve(), reserve());
        clauses.push_str(&if shape.by_metadata && n == 0 {
            format!(" AND m.workspace_id = $1 AND m.key = ${key} AND m.value = ${value}")
        } else {
            format!(
                " AND EXISTS (SELECT 1 FROM draft_metadata f WHERE f.workspace_id = $1 AND f.key = ${key} AND f.value = ${value}
                   AND f.draft_id = d.id LIMIT 1 OFFSET 0)"
            )
        });
    }
    // SQLite runs a cross join in the written order: the filter's rows first.
    let mut text = String::from(if shape.by_metadata {
        "SELECT {d.drafts} FROM draft_metadata m CROSS JOIN {pg:LATERAL (SELECT * FROM} drafts d {lite:ON}{pg:WHERE} d.workspace_id = $1
         AND d.id = m.draft_id {pg:OFFSET 0) d} WHERE d.workspace_id = $1"
    } else {
        "SELECT {d.drafts} FROM drafts d WHERE d.workspace_id = $1"
    });
    text.push_str(" AND (d.created_at, d.id) < ($2, $3) AND d.status ");
    text.push_str(if shape.one_status { "= $5" } else { "IN ($5, $6, $7, $8, $9, $10)" });
    text.push_str(&clauses);
    // The drafts of a rare filter are sorted; otherwise an index scan returns them in order.
    text.push_str(if shape.by_metadata {
        " ORDER BY d.created_at + 0 DESC, d.id DESC"
    } else {
        " ORDER BY d.created_at DESC, d.id DESC"
    });
    text.push_str(" LIMIT $4");
    Sql::from_fragments("DRAFT_PAGE", text)
}

/// Returns every page statement with up to `filters_max` metadata filters, for the tests that prepare them.
#[must_use]
pub fn shapes(filters_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for filters in 0..=filters_max {
        for bits in 0..16 {
            let (one_inbox, one_thread) = (bits & 1 > 0, bits & 2 > 0);
            let (by_metadata, one_status) = (bits & 4 > 0, bits & 8 > 0);
            for sent_back in [None, Some(false), Some(true)] {
                let shape = DraftPageShape { one_inbox, one_thread, one_status, sent_back, filters, by_metadata };
                if filters > 0 || !shape.by_metadata {
                    all.push(statement(shape));
                }
            }
        }
    }
    all
}
