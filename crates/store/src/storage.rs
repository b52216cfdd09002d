//! The bytes that each workspace stores, for the limit of its plan: raw messages before compression, once however many
//! inboxes of the workspace have a copy, and the bodies and files of drafts.
//!
//! The functions that insert and delete these rows report each change to the transaction, which writes the sum at its
//! end.

use posthouse_domain::{
    id::WorkspaceId,
    plan::{Plan, Plans},
};

use crate::{Result, Tx, p, statements};

statements! {
    USAGE = "SELECT w.plan, COALESCE(c.stored_bytes, 0) AS bytes FROM workspaces w
        LEFT JOIN workspace_counters c ON c.workspace_id = w.id WHERE w.id = $1";
    MEASURE = "SELECT CAST(
        COALESCE((SELECT sum(c.raw_bytes) FROM contents c WHERE c.workspace_id = $1
            AND EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = $1 AND m.content_id = c.id)), 0)
        + COALESCE((SELECT sum(f.size_bytes) FROM draft_files f WHERE f.workspace_id = $1), 0)
        + COALESCE((SELECT sum(COALESCE(octet_length(d.text), 0) + COALESCE(octet_length(d.html), 0)
            + COALESCE(octet_length(d.data), 0)) FROM drafts d WHERE d.workspace_id = $1), 0) AS BIGINT)";
}

/// What a workspace stores, and its plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StorageUsage {
    /// The plan.
    pub plan: Plan,
    /// The bytes, as counted.
    pub bytes: u64,
}

/// Returns what a workspace stores, without the changes of the current unit; `None` if there is no such workspace.
pub fn usage(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<StorageUsage>> {
    tx.one(&USAGE, p![workspace])
}

/// Adds up what a workspace stores, from its rows. Reads all of them: only for tests and diagnostics.
pub fn measure(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.value(&MEASURE, p![workspace])?.unwrap_or(0))
}

/// Makes the unit fail with [`crate::Error::WorkspaceFull`] at its end if a workspace would then store more than its
/// plan allows. Without this call a unit may store any number of bytes.
pub fn limit(tx: &mut Tx, plans: &Plans) {
    tx.limit_storage(*plans);
}

crate::from_row!(StorageUsage { plan, bytes });
