//! Single-use tokens for the event stream: rows with the digest of the secret, deleted on use.

use posthouse_domain::{
    auth::Credential,
    id::{KeyId, SessionId, WorkspaceId},
    time::Time,
};

use crate::{Error, Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO stream_tokens (workspace_id, digest, key_id, session_id, expires_at) VALUES ($1, $2, $3, $4, $5)";
    DELETE_EXPIRED = "DELETE FROM stream_tokens WHERE workspace_id = $1 AND expires_at <= $2";
    TAKE = "DELETE FROM stream_tokens WHERE digest = $1 RETURNING workspace_id, key_id, session_id, expires_at";
}

/// A token as stored.
#[derive(Clone, Copy, Debug)]
pub struct StreamTokenRow {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// What requested the token.
    pub credential: Credential,
    /// When the token expires.
    pub expires_at: Time,
}

/// Stores a token, and deletes the workspace's expired tokens.
pub fn insert(tx: &mut Tx, token: &StreamTokenRow, digest: &[u8; 32], now: Time) -> Result<()> {
    tx.exec(&DELETE_EXPIRED, p![token.workspace, now])?;
    let (key, session) = match token.credential {
        Credential::Key(key) => (Some(key), None),
        Credential::Session(session) => (None, Some(session)),
    };
    tx.exec(&INSERT, p![token.workspace, digest, key, session, token.expires_at])?;
    Ok(())
}

/// Deletes a token; returns it unless it expired.
pub fn consume(tx: &mut Tx, digest: &[u8; 32], now: Time) -> Result<Option<StreamTokenRow>> {
    let found: Option<StreamTokenRow> = tx.one(&TAKE, p![digest])?;
    Ok(found.filter(|token| now < token.expires_at))
}

crate::from_row!(StreamTokenRow {
    workspace = workspace_id,
    key = key_id: Option<KeyId>,
    session = session_id: Option<SessionId>,
    expires_at,
} => {
    let credential = key.map(Credential::Key).or(session.map(Credential::Session));
    let credential = credential.ok_or_else(|| Error::Inconsistent("a stream token stands for nothing".into()))?;
    Self { workspace, credential, expires_at }
});
