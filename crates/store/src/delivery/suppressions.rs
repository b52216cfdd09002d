//! Suppressions: addresses to which a workspace sends nothing, because they bounced, complained or were added manually.
//! Addresses are canonical.

use posthouse_domain::{
    id::WorkspaceId,
    page::NamedCursorPosition,
    suppression::{Suppression, SuppressionReason},
};

use crate::{Result, Tx, many, p, statements, values::like_pattern};

statements! {
    AMONG = "SELECT address, reason FROM {EACH_TEXT} suppressions s WHERE s.workspace_id = $1 AND s.address {AMONG} {pg:s} ORDER BY address";
    INSERT = "INSERT INTO suppressions (workspace_id, address, reason, detail, message_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (workspace_id, address) DO NOTHING";
    /// Returns the suppression of a canonical address.
    pub fn get(workspace: WorkspaceId, address: &str) -> Option<Suppression> =
        "SELECT workspace_id, address, reason, detail, message_id, created_at FROM suppressions WHERE workspace_id = :workspace AND address = :address";
    PAGE = "SELECT workspace_id, address, reason, detail, message_id, created_at FROM suppressions WHERE workspace_id = $1
        AND (created_at, address) < ($2, $3) AND reason = COALESCE($4, reason) AND address LIKE $5 ESCAPE '!'
        ORDER BY created_at DESC, address DESC LIMIT $6";
    COUNT = "SELECT count(*) FROM suppressions WHERE workspace_id = $1";
    /// Removes a suppression; returns whether there was one.
    pub fn remove(workspace: WorkspaceId, address: &str) -> bool =
        "DELETE FROM suppressions WHERE workspace_id = :workspace AND address = :address";
}

/// Returns those of up to [`crate::dialect::IDS_MAX`] canonical addresses that are suppressed, sorted, with reasons.
pub fn of_addresses(
    tx: &mut Tx,
    workspace: WorkspaceId,
    addresses: &[&str],
) -> Result<Vec<(String, SuppressionReason)>> {
    let rows: Vec<ReasonRow> = many::rows(tx, &AMONG, workspace, addresses)?;
    Ok(rows.into_iter().map(|row| (row.address, row.reason)).collect())
}

/// Suppresses an address; returns `false` if it already was. The first reason stays.
pub fn insert(tx: &mut Tx, suppression: &Suppression) -> Result<bool> {
    let s = suppression;
    Ok(tx.exec(&INSERT, p![s.workspace, s.address, s.reason, s.detail, s.message, s.created_at])? == 1)
}

/// Filters for a list of suppressions. Cursors contain its `Debug` text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuppressionFilter {
    /// Part of the address.
    pub q: Option<String>,
    /// The reason.
    pub reason: Option<SuppressionReason>,
}

/// Returns up to `limit` suppressions that match the filter, after the given position, newest first.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &SuppressionFilter,
    after: Option<&NamedCursorPosition>,
    limit: u32,
) -> Result<Vec<Suppression>> {
    let (at, address) = after.map_or((i64::MAX, ""), |position| (position.sort, position.name.as_str()));
    let reason = filter.reason.map(SuppressionReason::text);
    tx.rows(&PAGE, p![workspace, at, address, reason, like_pattern(filter.q.as_deref()), limit])
}

crate::from_row!(Suppression { workspace = workspace_id, address, reason, detail, message = message_id, created_at });
crate::row_struct!(ReasonRow { address: String, reason: SuppressionReason });
