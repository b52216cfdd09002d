//! Tokens of the stream: rows with the digest of the secret, gone with their use (contract §12).

use posthouse_domain::{
    id::{KeyId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO stream_tokens (workspace_id, digest, key_id, expires_at) VALUES ($1, $2, $3, $4)";
    FORGET = "DELETE FROM stream_tokens WHERE workspace_id = $1 AND expires_at <= $2";
    TAKE = "DELETE FROM stream_tokens WHERE digest = $1 RETURNING workspace_id, key_id, expires_at";
}

/// Stores a token of that key, and forgets the workspace's tokens that are past their time.
///
/// # Errors
/// The store's own.
pub fn insert(
    tx: &mut Tx,
    (workspace, key): (WorkspaceId, KeyId),
    digest: &[u8; 32],
    times: (Time, Time),
) -> Result<()> {
    let (now, expires_at) = times;
    tx.exec(&FORGET, p![workspace, now])?;
    tx.exec(&INSERT, p![workspace, digest, key, expires_at])?;
    Ok(())
}

/// Uses a token up; the key that it stands for, unless its time is over.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, digest: &[u8; 32], now: Time) -> Result<Option<(WorkspaceId, KeyId)>> {
    let found: Option<(WorkspaceId, KeyId, Time)> = tx.one(&TAKE, p![digest])?;
    Ok(found.filter(|(.., expires_at)| now < *expires_at).map(|(workspace, key, _)| (workspace, key)))
}
