//! The bytes that each workspace stores, for the limit of its plan: raw messages before compression, once however many
//! inboxes of the workspace have a copy, and the bodies and files of drafts.
//!
//! The functions that insert and delete these rows report each change to the transaction, which writes the sum at its
//! end.

use posthouse_domain::{Plan, Plans, WorkspaceId};

use crate::{Tx, statements};

statements! {
    /// Returns what a workspace stores, without the changes of the current unit; `None` if there is no such workspace.
    pub fn usage(workspace: WorkspaceId) -> Option<StorageUsage> =
        "SELECT w.plan, COALESCE(c.stored_bytes, 0) AS bytes FROM workspaces w
        LEFT JOIN workspace_counters c ON c.workspace_id = w.id WHERE w.id = :workspace";
    /// Adds up what a workspace stores, from its rows. Reads all of them: only for tests and diagnostics.
    pub fn measure(workspace: WorkspaceId) -> u64 = "SELECT CAST(
        COALESCE((SELECT sum(c.raw_bytes) FROM contents c WHERE c.workspace_id = :workspace
            AND EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = :workspace AND m.content_id = c.id)), 0)
        + COALESCE((SELECT sum(f.size_bytes) FROM draft_files f WHERE f.workspace_id = :workspace), 0)
        + COALESCE((SELECT sum(COALESCE(octet_length(d.text), 0) + COALESCE(octet_length(d.html), 0)
            + COALESCE(octet_length(d.data), 0)) FROM drafts d WHERE d.workspace_id = :workspace), 0) AS BIGINT)";
}

crate::row_struct!(
    /// What a workspace stores, and its plan.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub StorageUsage { plan: Plan, bytes: u64 }
);

/// Makes the unit fail with [`crate::Error::WorkspaceFull`] at its end if a workspace would then store more than its
/// plan allows. Without this call a unit may store any number of bytes.
pub fn limit(tx: &mut Tx, plans: &Plans) {
    tx.limit_storage(*plans);
}
