//! Deletes an unclaimed workspace: first its keys and inboxes are closed, then the content of each inbox is deleted, and
//! at last every other row. Addresses stay, so that they aren't used again.

use posthouse_domain::{InboxId, Time, WorkspaceId};

use crate::{Result, Tx, p, statements, tables::of_workspace, wipe};

statements! {
    fn delete_keys(workspace: WorkspaceId) = "DELETE FROM api_keys WHERE workspace_id = :workspace";
    fn close_inboxes(workspace: WorkspaceId, now: Time) =
        "UPDATE inboxes SET deleted_at = :now WHERE workspace_id = :workspace AND deleted_at IS NULL";
    fn forget_link(workspace: WorkspaceId) =
        "UPDATE signups SET claim_email = NULL, claim_token_sha256 = NULL, claim_expires_at = NULL WHERE workspace_id = :workspace";
    fn some_inboxes(workspace: WorkspaceId, limit: u32) -> Vec<InboxId> =
        "SELECT id FROM inboxes WHERE workspace_id = :workspace ORDER BY id LIMIT :limit";
    fn delete_inbox_metadata(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM inbox_metadata WHERE workspace_id = :workspace AND inbox_id = :inbox";
    fn delete_inbox(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM inboxes WHERE workspace_id = :workspace AND id = :inbox";
    fn blobs(workspace: WorkspaceId) -> Vec<String> =
        "SELECT DISTINCT raw_blob FROM contents WHERE workspace_id = :workspace AND raw_blob IS NOT NULL";
    fn delete_workspace(workspace: WorkspaceId) = "DELETE FROM workspaces WHERE id = :workspace";
}

/// Closes a workspace: its keys and its claim link are gone, and its inboxes accept no mail.
pub fn close(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    delete_keys(tx, workspace)?;
    close_inboxes(tx, workspace, now)?;
    forget_link(tx, workspace)?;
    // Ends the streams of the keys.
    tx.wake(workspace.0);
    Ok(())
}

/// The result of deleting some of the inboxes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WipedInboxes {
    /// The number of deleted inboxes.
    pub count: usize,
    /// The blobs that may now be unused.
    pub blobs: Vec<String>,
}

/// Deletes up to `limit` inboxes of a closed workspace with their contents.
pub fn inboxes(tx: &mut Tx, workspace: WorkspaceId, limit: u32) -> Result<WipedInboxes> {
    let found = some_inboxes(tx, workspace, limit)?;
    let mut wiped = WipedInboxes { count: found.len(), blobs: Vec::new() };
    for inbox in found {
        wiped.blobs.append(&mut wipe::contents(tx, workspace, inbox)?);
        delete_inbox_metadata(tx, workspace, inbox)?;
        delete_inbox(tx, workspace, inbox)?;
    }
    Ok(wiped)
}

/// Deletes a workspace whose inboxes are deleted, with all its rows but the addresses. Returns the blobs that may now be
/// unused.
pub fn workspace(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<String>> {
    let blobs = blobs(tx, workspace)?;
    for statement in of_workspace::ALL {
        tx.exec(statement, p![workspace])?;
    }
    delete_workspace(tx, workspace)?;
    Ok(blobs)
}
