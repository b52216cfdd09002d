//! Lists of inboxes and identities, newest first, and counts per inbox.
//!
//! A metadata filter is driven by its rows, rarest filter first, so that the cost depends on the number of matches.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    inbox::{Inbox, InboxKind},
    page::{CursorPosition, PageRange},
    time::Time,
};
use uuid::Uuid;

use super::select;
use crate::{Result, Sql, ToValue, Tx, many, p, statements};

statements! {
    PAGE = select!("inboxes i WHERE i.workspace_id = $1 AND i.kind = $8 AND i.deleted_at IS NULL AND i.temporary >= $2
        AND i.temporary <= $3 AND (i.expires_at IS NULL OR i.expires_at > $4) AND (i.created_at, i.id) < ($5, $6)
        ORDER BY i.created_at DESC, i.id DESC LIMIT $7");
    COUNT_WITH_METADATA = "SELECT count(*) FROM (SELECT inbox_id FROM inbox_metadata WHERE workspace_id = $1 AND key = $2 AND value = $3 LIMIT $4) s";
    BOUNCES = "SELECT m.inbox_id, count(*) AS messages FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.status = 'bounced'
        AND m.status_at > $102 AND m.inbox_id {AMONG} {pg:m} GROUP BY m.inbox_id";
    HELD = "SELECT m.inbox_id, count(*) AS messages FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.held IS NOT NULL
        AND m.released_at IS NULL AND m.is_read = 0 AND m.inbox_id {AMONG} {pg:m} GROUP BY m.inbox_id";
    NEEDS_HUMAN = "SELECT l.inbox_id, count(*) AS messages FROM {EACH} message_labels l WHERE l.workspace_id = $1
        AND l.label = 'ai:needs-human' AND EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = l.workspace_id
          AND m.id = l.message_id AND m.is_read = 0 AND m.direction = 'inbound') AND l.inbox_id {AMONG} {pg:l} GROUP BY l.inbox_id";
}

/// Rows counted per filter to find the rarest.
const RARITY_COUNT_MAX: u32 = 1_000;

/// Filter for inboxes by lifetime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InboxLifetime {
    /// Inboxes that don't expire.
    Permanent,
    /// Inboxes that expire.
    Temporary,
    /// Both.
    Any,
}

/// A query for a list of inboxes.
#[derive(Clone, Debug)]
pub struct InboxListQuery {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Inboxes or identities.
    pub kind: InboxKind,
    /// Permanent, temporary or both.
    pub lives: InboxLifetime,
    /// Metadata keys with their required values; at most ten.
    pub metadata: Vec<(String, String)>,
    /// The page.
    pub page: PageRange,
    /// The current time; expired temporary inboxes are omitted.
    pub now: Time,
}

/// Returns a page of inboxes, newest first.
pub fn page(tx: &mut Tx, query: &InboxListQuery) -> Result<Vec<Inbox>> {
    let (low, high) = match query.lives {
        InboxLifetime::Permanent => (false, false),
        InboxLifetime::Temporary => (true, true),
        InboxLifetime::Any => (false, true),
    };
    let after = query.page.after.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    let mut filters: Vec<&(String, String)> = query.metadata.iter().collect();
    if filters.is_empty() {
        let limit = query.page.limit;
        return tx.rows(&PAGE, p![query.workspace, low, high, query.now, after.sort, after.id, limit, query.kind]);
    }
    if filters.len() > 1 {
        let mut counted: Vec<(i64, _)> = Vec::with_capacity(filters.len());
        for filter in filters {
            let count = tx.value(&COUNT_WITH_METADATA, p![query.workspace, filter.0, filter.1, RARITY_COUNT_MAX])?;
            counted.push((count.unwrap_or(0), filter));
        }
        counted.sort_by_key(|(count, _)| *count);
        filters = counted.into_iter().map(|(_, filter)| filter).collect();
    }
    let limit = query.page.limit;
    let mut parameters = p![query.workspace, low, high, query.now, after.sort, after.id, limit, query.kind].to_vec();
    for (key, text) in &filters {
        parameters.extend([key.to_value(), text.to_value()]);
    }
    tx.rows(&filtered(filters.len()), &parameters)
}

/// Builds the statement for that many metadata filters. The CROSS JOIN fixes SQLite's join order; the result is sorted.
fn filtered(filters: usize) -> Sql {
    let mut text = String::from(select!(
        "inbox_metadata f0 CROSS JOIN {pg:LATERAL (SELECT * FROM} inboxes i {lite:ON}{pg:WHERE} i.workspace_id = $1
         AND i.id = f0.inbox_id {pg:OFFSET 0) i}"
    ));
    text.push_str(
        " WHERE f0.workspace_id = $1 AND f0.key = $9 AND f0.value = $10 AND i.kind = $8 AND i.deleted_at IS NULL
        AND i.temporary >= $2 AND i.temporary <= $3 AND (i.expires_at IS NULL OR i.expires_at > $4) AND (i.created_at, i.id) < ($5, $6)",
    );
    for more in 1..filters {
        let (key, value) = (9 + 2 * more, 10 + 2 * more);
        text.push_str(&format!(
            " AND EXISTS (SELECT 1 FROM inbox_metadata f WHERE f.workspace_id = $1 AND f.key = ${key} AND f.value = ${value} AND f.inbox_id = i.id
              LIMIT 1 OFFSET 0)"
        ));
    }
    text.push_str(" ORDER BY i.created_at + 0 DESC, i.id DESC LIMIT $7");
    Sql::from_fragments("INBOXES_BY_METADATA", text)
}

/// Returns, for up to 100 inboxes, the number of sent messages that bounced since a time; inboxes without any are
/// omitted.
pub fn bounces_since(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inboxes: &[InboxId],
    since: Time,
) -> Result<Vec<(InboxId, u64)>> {
    if inboxes.is_empty() {
        return Ok(Vec::new());
    }
    let mut parameters = many::parameters(&workspace, inboxes);
    parameters.push(since.to_value());
    let rows: Vec<CountRow> = tx.rows(&BOUNCES, &parameters)?;
    Ok(rows.into_iter().map(|row| (row.inbox_id, row.messages)).collect())
}

/// Returns, for up to 100 inboxes, the number of held messages that nobody opened; inboxes without any are omitted.
pub fn held(tx: &mut Tx, workspace: WorkspaceId, inboxes: &[InboxId]) -> Result<Vec<(InboxId, u64)>> {
    let rows: Vec<CountRow> = many::rows(tx, &HELD, workspace, inboxes)?;
    Ok(rows.into_iter().map(|row| (row.inbox_id, row.messages)).collect())
}

/// Returns, for up to 100 inboxes, the number of unread received messages with the label `ai:needs-human`; inboxes
/// without any are omitted.
pub fn needs_human(tx: &mut Tx, workspace: WorkspaceId, inboxes: &[InboxId]) -> Result<Vec<(InboxId, u64)>> {
    let rows: Vec<CountRow> = many::rows(tx, &NEEDS_HUMAN, workspace, inboxes)?;
    Ok(rows.into_iter().map(|row| (row.inbox_id, row.messages)).collect())
}

crate::row_struct!(CountRow { inbox_id: InboxId, messages: u64 });
