//! The owner of a workspace.

use posthouse_domain::id::WorkspaceId;
use posthouse_store::{Result, Tx, workspaces};

/// Makes a person the owner of a workspace. Every change of the owner goes through this function.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn set(tx: &mut Tx, workspace: WorkspaceId, email: &str) -> Result<()> {
    workspaces::set_owner(tx, workspace, email)
}
