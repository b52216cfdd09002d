//! The bytes that each workspace stores, for the limit of its plan: raw messages before compression, once however many
//! inboxes of the workspace have a copy, and the bodies and files of drafts.
//!
//! The functions that insert and delete these rows report each change to the transaction. The counter is written at the
//! end of the unit, because all units of a workspace that store something change it.

use posthouse_domain::{id::WorkspaceId, plan::Plan};

use crate::{Result, Tx, p, statements};

statements! {
    CHANGE = "INSERT INTO workspace_storage (workspace_id, bytes) VALUES ($1, $2)
        ON CONFLICT (workspace_id) DO UPDATE SET bytes = workspace_storage.bytes + excluded.bytes";
    USAGE = "SELECT w.plan, COALESCE(s.bytes, 0) AS bytes FROM workspaces w
        LEFT JOIN workspace_storage s ON s.workspace_id = w.id WHERE w.id = $1";
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
///
/// # Errors
/// Returns an error if the database call fails.
pub fn usage(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<StorageUsage>> {
    tx.one(&USAGE, p![workspace])
}

/// Adds up what a workspace stores, from its rows. Reads all of them: only for tests and diagnostics.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn measure(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.value(&MEASURE, p![workspace])?.unwrap_or(0))
}

/// Writes the changes of the unit, ordered by workspace, so that two units can't deadlock on the counters.
///
/// # Errors
/// Returns an error if the database call fails.
pub(crate) fn write(tx: &mut Tx) -> Result<()> {
    for (workspace, bytes) in tx.take_stored_bytes() {
        if bytes != 0 {
            tx.exec(&CHANGE, p![workspace, bytes])?;
        }
    }
    Ok(())
}

crate::from_row!(StorageUsage { plan, bytes });
