//! The limit of what a workspace stores (`plans.*.storage_bytes`).

use posthouse_domain::{Plans, StorageNeed, WorkspaceId};
use posthouse_store::{Result, Tx, storage};

/// Returns what a workspace stores, its limit, and the bytes to add.
pub fn need(tx: &mut Tx, plans: &Plans, workspace: WorkspaceId, added: u64) -> Result<StorageNeed> {
    let usage = storage::usage(tx, workspace)?;
    let limit = usage.and_then(|usage| plans.of(usage.plan).storage_bytes);
    Ok(StorageNeed { used: usage.map_or(0, |usage| usage.bytes), added, limit })
}
