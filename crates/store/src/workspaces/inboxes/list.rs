//! Lists of inboxes and identities, newest first, and counts per inbox.
//!
//! A metadata filter is driven by its rows, rarest filter first, so that the cost depends on the number of matches.

use posthouse_domain::{Inbox, InboxId, InboxKind, PageRange, Time, WorkspaceId};

use crate::{Result, Sql, ToValue, Tx, p, statements};

statements! {
    fn all(
        query: &InboxListQuery {
            workspace, kind, low: query.lives == InboxLifetime::Temporary,
            high: query.lives != InboxLifetime::Permanent, now, sort: query.page.sort(), id: query.page.id(),
            limit: query.page.limit,
        },
    ) -> Vec<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i WHERE i.workspace_id = :workspace AND i.kind = :kind AND i.deleted_at IS NULL AND i.temporary >= :low
        AND i.temporary <= :high AND (i.expires_at IS NULL OR i.expires_at > :now) AND (i.created_at, i.id) < (:sort, :id)
        ORDER BY i.created_at DESC, i.id DESC LIMIT :limit";
    fn count_with_metadata(workspace: WorkspaceId, key: &str, value: &str; limit = RARITY_COUNT_MAX) -> u64 =
        "SELECT count(*) FROM (SELECT inbox_id FROM inbox_metadata WHERE workspace_id = :workspace AND key = :key AND value = :value LIMIT :limit) s";
    /// Returns, for up to 100 inboxes, the number of sent messages that bounced since a time; inboxes without any are omitted.
    pub fn bounces_since(
        workspace: WorkspaceId, inboxes: each InboxId, since: Time,
    ) -> Vec<(inbox_id: InboxId, messages: u64)> =
        "SELECT m.inbox_id, count(*) AS messages FROM {EACH} messages m WHERE m.workspace_id = :workspace AND m.status = 'bounced'
        AND m.status_at > :since AND m.inbox_id {AMONG} {pg:m} GROUP BY m.inbox_id";
    /// Returns, for up to 100 inboxes, the number of held messages that nobody opened; inboxes without any are omitted.
    pub fn held(workspace: WorkspaceId, inboxes: each InboxId) -> Vec<(inbox_id: InboxId, messages: u64)> =
        "SELECT m.inbox_id, count(*) AS messages FROM {EACH} messages m WHERE m.workspace_id = :workspace AND m.held IS NOT NULL
        AND m.released_at IS NULL AND m.is_read = 0 AND m.opened_at IS NULL AND m.inbox_id {AMONG} {pg:m} GROUP BY m.inbox_id";
    /// Returns, for up to 100 inboxes, the number of unread received messages with the label `ai:needs-human`; inboxes
    /// without any are omitted.
    pub fn needs_human(workspace: WorkspaceId, inboxes: each InboxId) -> Vec<(inbox_id: InboxId, messages: u64)> =
        "SELECT l.inbox_id, count(*) AS messages FROM {EACH} message_labels l WHERE l.workspace_id = :workspace
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
    pub workspace: WorkspaceId,
    /// Inboxes or identities.
    pub kind: InboxKind,
    /// Permanent, temporary or both.
    pub lives: InboxLifetime,
    /// Metadata keys with their required values; at most ten.
    pub metadata: Vec<(String, String)>,
    pub page: PageRange,
    /// The current time; expired temporary inboxes are omitted.
    pub now: Time,
}

/// Returns a page of inboxes, newest first.
pub fn page(tx: &mut Tx, query: &InboxListQuery) -> Result<Vec<Inbox>> {
    let mut filters: Vec<&(String, String)> = query.metadata.iter().collect();
    if filters.is_empty() {
        return all(tx, query);
    }
    if filters.len() > 1 {
        let mut counted: Vec<(u64, _)> = Vec::with_capacity(filters.len());
        for filter in filters {
            counted.push((count_with_metadata(tx, query.workspace, &filter.0, &filter.1)?, filter));
        }
        counted.sort_by_key(|(count, _)| *count);
        filters = counted.into_iter().map(|(_, filter)| filter).collect();
    }
    let (low, high) = (query.lives == InboxLifetime::Temporary, query.lives != InboxLifetime::Permanent);
    let (sort, id, limit) = (query.page.sort(), query.page.id(), query.page.limit);
    let mut parameters = p![query.workspace, low, high, query.now, sort, id, limit, query.kind].to_vec();
    for (key, text) in &filters {
        parameters.extend([key.to_value(), text.to_value()]);
    }
    tx.rows(&filtered(filters.len()), &parameters)
}

/// Builds the statement for that many metadata filters. The CROSS JOIN fixes SQLite's join order; the result is sorted.
fn filtered(filters: usize) -> Sql {
    let mut text = String::from(
        "SELECT {i.inboxes} FROM inbox_metadata f0 CROSS JOIN {pg:LATERAL (SELECT * FROM} inboxes i {lite:ON}{pg:WHERE} i.workspace_id = $1
         AND i.id = f0.inbox_id {pg:OFFSET 0) i}",
    );
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
