//! Single-use tokens for the event stream: rows with the digest of the secret, deleted on use.

use posthouse_domain::{
    id::{KeyId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO stream_tokens (workspace_id, digest, key_id, expires_at) VALUES ($1, $2, $3, $4)";
    DELETE_EXPIRED = "DELETE FROM stream_tokens WHERE workspace_id = $1 AND expires_at <= $2";
    TAKE = "DELETE FROM stream_tokens WHERE digest = $1 RETURNING workspace_id, key_id, expires_at";
}

/// A token as stored.
#[derive(Clone, Copy, Debug)]
pub struct StreamTokenRow {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The key that requested the token.
    pub key: KeyId,
    /// When the token expires.
    pub expires_at: Time,
}

/// Stores a token, and deletes the workspace's expired tokens.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn insert(tx: &mut Tx, token: &StreamTokenRow, digest: &[u8; 32], now: Time) -> Result<()> {
    tx.exec(&DELETE_EXPIRED, p![token.workspace, now])?;
    tx.exec(&INSERT, p![token.workspace, digest, token.key, token.expires_at])?;
    Ok(())
}

/// Deletes a token; returns it unless it expired.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn consume(tx: &mut Tx, digest: &[u8; 32], now: Time) -> Result<Option<StreamTokenRow>> {
    let found: Option<StreamTokenRow> = tx.one(&TAKE, p![digest])?;
    Ok(found.filter(|token| now < token.expires_at))
}

crate::from_row!(StreamTokenRow { workspace = workspace_id, key = key_id, expires_at });
