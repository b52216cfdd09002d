//! Lists of inboxes, newest first, and what is counted for each.
//!
//! A filter by metadata is driven by its rows, the rarest filter first, so that its cost is that of what it finds.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    inbox::Inbox,
    page::{Page, Position},
    time::Time,
};
use uuid::Uuid;

use super::select;
use crate::{Result, Sql, ToValue, Tx, many, p, statements};

statements! {
    ALL_KINDS = select!("inboxes i WHERE i.workspace_id = $1 AND i.deleted_at IS NULL AND i.temporary >= $2 AND i.temporary <= $3
        AND (i.expires_at IS NULL OR i.expires_at > $4) AND (i.created_at, i.id) < ($5, $6)
        ORDER BY i.created_at DESC, i.id DESC LIMIT $7");
    HOW_MANY = "SELECT count(*) FROM (SELECT inbox_id FROM inbox_metadata WHERE workspace_id = $1 AND key = $2 AND value = $3 LIMIT $4) s";
    BOUNCES = "SELECT m.inbox_id, count(*) FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.status = 'bounced'
        AND m.status_at > $102 AND m.inbox_id {AMONG} {pg:m} GROUP BY m.inbox_id";
}

/// Rows of one filter that are counted to find the rarest.
const RARITY_MAX: u32 = 1_000;

/// Which inboxes are wanted by their life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lives {
    /// Those that do not expire.
    Permanent,
    /// Those that do.
    Temporary,
    /// Both.
    Both,
}

/// Which inboxes are wanted.
#[derive(Clone, Debug)]
pub struct Query {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// By their life.
    pub lives: Lives,
    /// Metadata keys and the text that each must have; at most ten.
    pub metadata: Vec<(String, String)>,
    /// Which part.
    pub page: Page,
    /// Temporary ones that expired by then are left out.
    pub now: Time,
}

/// A page of inboxes, newest first.
///
/// # Errors
/// The store's own.
pub fn page(tx: &mut Tx, query: &Query) -> Result<Vec<Inbox>> {
    let (low, high) = match query.lives {
        Lives::Permanent => (false, false),
        Lives::Temporary => (true, true),
        Lives::Both => (false, true),
    };
    let after = query.page.after.unwrap_or(Position { sort: i64::MAX, id: Uuid::max() });
    let mut filters: Vec<&(String, String)> = query.metadata.iter().collect();
    if filters.is_empty() {
        return tx.rows(&ALL_KINDS, p![query.workspace, low, high, query.now, after.sort, after.id, query.page.limit]);
    }
    if filters.len() > 1 {
        let mut counted = Vec::with_capacity(filters.len());
        for filter in filters {
            counted.push((how_many(tx, query.workspace, filter)?, filter));
        }
        counted.sort_by_key(|(count, _)| *count);
        filters = counted.into_iter().map(|(_, filter)| filter).collect();
    }
    let mut parameters = p![query.workspace, low, high, query.now, after.sort, after.id, query.page.limit].to_vec();
    for (key, text) in &filters {
        parameters.extend([key.to_value(), text.to_value()]);
    }
    tx.rows(&filtered(filters.len()), &parameters)
}

fn how_many(tx: &mut Tx, workspace: WorkspaceId, (key, text): &(String, String)) -> Result<i64> {
    Ok(tx.value(&HOW_MANY, p![workspace, key, text, RARITY_MAX])?.unwrap_or(0))
}

/// The statement for that many metadata filters. The CROSS JOIN keeps SQLite at the written order; what is found is
/// sorted.
fn filtered(filters: usize) -> Sql {
    let mut text = String::from(select!(
        "inbox_metadata f0 CROSS JOIN {pg:LATERAL (SELECT * FROM} inboxes i {lite:ON}{pg:WHERE} i.workspace_id = $1
         AND i.id = f0.inbox_id {pg:OFFSET 0) i}"
    ));
    text.push_str(
        " WHERE f0.workspace_id = $1 AND f0.key = $8 AND f0.value = $9 AND i.deleted_at IS NULL AND i.temporary >= $2 AND i.temporary <= $3
        AND (i.expires_at IS NULL OR i.expires_at > $4) AND (i.created_at, i.id) < ($5, $6)",
    );
    for more in 1..filters {
        let (key, value) = (8 + 2 * more, 9 + 2 * more);
        text.push_str(&format!(
            " AND EXISTS (SELECT 1 FROM inbox_metadata f WHERE f.workspace_id = $1 AND f.key = ${key} AND f.value = ${value} AND f.inbox_id = i.id
              LIMIT 1 OFFSET 0)"
        ));
    }
    text.push_str(" ORDER BY i.created_at + 0 DESC, i.id DESC LIMIT $7");
    Sql::built("INBOXES_BY_METADATA", text)
}

/// How many sent messages of each of up to 100 inboxes bounced since then; inboxes without any are left out.
///
/// # Errors
/// The store's own.
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
    tx.rows(&BOUNCES, &parameters)
}
