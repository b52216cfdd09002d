//! Deletes an unclaimed workspace: first its keys and inboxes are closed, then the content of each inbox is deleted, and
//! at last every other row. Addresses stay, so that they aren't used again.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements, wipe, wipe_rules::of_workspace};

statements! {
    DELETE_KEYS = "DELETE FROM api_keys WHERE workspace_id = $1";
    CLOSE_INBOXES = "UPDATE inboxes SET deleted_at = $2 WHERE workspace_id = $1 AND deleted_at IS NULL";
    FORGET_LINK = "UPDATE signups SET claim_email = NULL, claim_token_sha256 = NULL, claim_expires_at = NULL WHERE workspace_id = $1";
    INBOXES = "SELECT id FROM inboxes WHERE workspace_id = $1 ORDER BY id LIMIT $2";
    DELETE_INBOX_METADATA = "DELETE FROM inbox_metadata WHERE workspace_id = $1 AND inbox_id = $2";
    DELETE_INBOX = "DELETE FROM inboxes WHERE workspace_id = $1 AND id = $2";
    BLOBS = "SELECT DISTINCT raw_blob FROM contents WHERE workspace_id = $1 AND raw_blob IS NOT NULL";
    DELETE_WORKSPACE = "DELETE FROM workspaces WHERE id = $1";
}

/// Closes a workspace: its keys and its claim link are gone, and its inboxes accept no mail.
pub fn close(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    tx.exec(&DELETE_KEYS, p![workspace])?;
    tx.exec(&CLOSE_INBOXES, p![workspace, now])?;
    tx.exec(&FORGET_LINK, p![workspace])?;
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
    let found: Vec<(InboxId,)> = tx.rows(&INBOXES, p![workspace, limit])?;
    let mut wiped = WipedInboxes { count: found.len(), blobs: Vec::new() };
    for (inbox,) in found {
        wiped.blobs.append(&mut wipe::contents(tx, workspace, inbox)?);
        tx.exec(&DELETE_INBOX_METADATA, p![workspace, inbox])?;
        tx.exec(&DELETE_INBOX, p![workspace, inbox])?;
    }
    Ok(wiped)
}

/// Deletes a workspace whose inboxes are deleted, with all its rows but the addresses. Returns the blobs that may now be
/// unused.
pub fn workspace(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<String>> {
    let blobs: Vec<(String,)> = tx.rows(&BLOBS, p![workspace])?;
    for statement in of_workspace::ALL {
        tx.exec(statement, p![workspace])?;
    }
    tx.exec(&DELETE_WORKSPACE, p![workspace])?;
    Ok(blobs.into_iter().map(|(blob,)| blob).collect())
}
