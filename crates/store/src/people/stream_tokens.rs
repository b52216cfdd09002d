//! Single-use tokens for the event stream: rows with the digest of the secret, deleted on use.

use posthouse_domain::{Credential, KeyId, SessionId, Time, WorkspaceId};

use crate::{Error, Result, Tx, statements};

statements! {
    fn insert_row(
        token: &StreamTokenRow { workspace, key: token.key(), session: token.session(), expires_at }, digest: &[u8; 32],
    ) =
        "INSERT INTO stream_tokens (workspace_id, digest, key_id, session_id, expires_at) VALUES (:workspace, :digest, :key, :session, :expires_at)";
    fn delete_expired(workspace: WorkspaceId, now: Time) =
        "DELETE FROM stream_tokens WHERE workspace_id = :workspace AND expires_at <= :now";
    fn take(digest: &[u8; 32]) -> Option<StreamTokenRow> =
        "DELETE FROM stream_tokens WHERE digest = :digest RETURNING workspace_id, key_id, session_id, expires_at";
}

/// A token as stored.
#[derive(Clone, Copy, Debug)]
pub struct StreamTokenRow {
    pub workspace: WorkspaceId,
    /// What requested the token.
    pub credential: Credential,
    /// When the token expires.
    pub expires_at: Time,
}

impl StreamTokenRow {
    fn key(&self) -> Option<KeyId> {
        if let Credential::Key(key) = self.credential { Some(key) } else { None }
    }

    fn session(&self) -> Option<SessionId> {
        if let Credential::Session(session) = self.credential { Some(session) } else { None }
    }
}

/// Stores a token, and deletes the workspace's expired tokens.
pub fn insert(tx: &mut Tx, token: &StreamTokenRow, digest: &[u8; 32], now: Time) -> Result<()> {
    delete_expired(tx, token.workspace, now)?;
    insert_row(tx, token, digest)
}

/// Deletes a token; returns it unless it expired.
pub fn consume(tx: &mut Tx, digest: &[u8; 32], now: Time) -> Result<Option<StreamTokenRow>> {
    Ok(take(tx, digest)?.filter(|token| now < token.expires_at))
}

crate::from_row!(StreamTokenRow {
    workspace = workspace_id, key = key_id: Option<KeyId>, session = session_id: Option<SessionId>, expires_at,
} => {
    let credential = key.map(Credential::Key).or(session.map(Credential::Session));
    let credential = credential.ok_or_else(|| Error::Inconsistent("a stream token stands for nothing".into()))?;
    Self { workspace, credential, expires_at }
});
