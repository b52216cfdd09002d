//! Suppressions: addresses to which a workspace sends nothing, because they bounced, complained or were added manually.
//! Addresses are canonical.

use posthouse_domain::{NamedCursorPosition, Suppression, SuppressionReason, WorkspaceId};

use crate::{statements, values::like_pattern};

statements! {
    /// Returns those of up to [`crate::dialect::IDS_MAX`] canonical addresses that are suppressed, sorted, with reasons.
    pub fn of_addresses(
        workspace: WorkspaceId, addresses: each &str,
    ) -> Vec<(address: String, reason: SuppressionReason)> =
        "SELECT address, reason FROM {EACH_TEXT} suppressions s WHERE s.workspace_id = :workspace AND s.address {AMONG} {pg:s} ORDER BY address";
    /// Suppresses an address; returns `false` if it already was. The first reason stays.
    pub fn insert(suppression: row &Suppression) -> bool =
        "{insert suppressions} ON CONFLICT (workspace_id, address) DO NOTHING";
    /// Returns the suppression of a canonical address.
    pub fn get(workspace: WorkspaceId, address: &str) -> Option<Suppression> =
        "SELECT {suppressions} FROM suppressions WHERE workspace_id = :workspace AND address = :address";
    /// Returns up to `limit` suppressions that match the filter, after the given position, newest first.
    pub fn page(
        workspace: WorkspaceId,
        filter: &SuppressionFilter { reason, address: like_pattern(filter.q.as_deref()) },
        after: Option<&NamedCursorPosition> {
            sort: after.map_or(i64::MAX, |after| after.sort), name: after.map_or("", |after| &after.name),
        },
        limit: u32,
    ) -> Vec<Suppression> = "SELECT {suppressions} FROM suppressions WHERE workspace_id = :workspace
        AND (created_at, address) < (:sort, :name) AND reason = COALESCE(:reason, reason) AND address LIKE :address ESCAPE '!'
        ORDER BY created_at DESC, address DESC LIMIT :limit";
    /// Removes a suppression; returns whether there was one.
    pub fn remove(workspace: WorkspaceId, address: &str) -> bool =
        "DELETE FROM suppressions WHERE workspace_id = :workspace AND address = :address";
}

/// Filters for a list of suppressions. Cursors contain its `Debug` text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuppressionFilter {
    /// Part of the address.
    pub q: Option<String>,
    pub reason: Option<SuppressionReason>,
}
