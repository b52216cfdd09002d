//! Links to one file of a call: rows with the digest of the secret, for ten minutes.

use posthouse_domain::{ConnectorId, Credential, FileDirection, KeyId, SessionId, Time, WorkspaceId};

use crate::{Error, Result, Tx, statements};

statements! {
    /// Stores a link.
    pub fn insert(
        link: &FileLinkRow {
            workspace, key: link.key(), session: link.session(), connector: link.connector(), call, expires_at,
        },
        digest: &[u8; 32], direction: FileDirection { direction: direction.text() },
    ) = "INSERT INTO file_links (workspace_id, digest, key_id, session_id, connector_id, direction, call, expires_at)
        VALUES (:workspace, :digest, :key, :session, :connector, :direction, :call, :expires_at)";
    fn delete_expired(workspace: WorkspaceId, now: Time) =
        "DELETE FROM file_links WHERE workspace_id = :workspace AND expires_at <= :now";
    fn count(workspace: WorkspaceId, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 AS one FROM file_links WHERE workspace_id = :workspace LIMIT :most) bounded";
    fn find(digest: &[u8; 32], direction: FileDirection { direction: direction.text() }) -> Option<FileLinkRow> =
        "SELECT workspace_id, key_id, session_id, connector_id, call, expires_at FROM file_links
        WHERE digest = :digest AND direction = :direction";
    fn take(digest: &[u8; 32], direction: FileDirection { direction: direction.text() }) -> Option<FileLinkRow> =
        "DELETE FROM file_links WHERE digest = :digest AND direction = :direction
        RETURNING workspace_id, key_id, session_id, connector_id, call, expires_at";
    /// Deletes up to `limit` expired links; returns how many.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM file_links WHERE digest IN (SELECT digest FROM file_links WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)";
}

/// A link as stored.
#[derive(Clone, Debug)]
pub struct FileLinkRow {
    pub workspace: WorkspaceId,
    /// Whose call it is.
    pub credential: Credential,
    /// The call that the link makes, as JSON.
    pub call: String,
    /// When the link expires.
    pub expires_at: Time,
}

impl FileLinkRow {
    fn key(&self) -> Option<KeyId> {
        if let Credential::Key(key) = self.credential { Some(key) } else { None }
    }

    fn session(&self) -> Option<SessionId> {
        if let Credential::Session(session) = self.credential { Some(session) } else { None }
    }

    fn connector(&self) -> Option<ConnectorId> {
        if let Credential::Connector(connector) = self.credential { Some(connector) } else { None }
    }
}

/// Returns the number of links of a workspace, up to `most`, after deleting those that expired.
pub fn count_open(tx: &mut Tx, workspace: WorkspaceId, most: u64, now: Time) -> Result<u64> {
    delete_expired(tx, workspace, now)?;
    count(tx, workspace, most)
}

/// Returns whether a link would open.
pub fn is_open(tx: &mut Tx, digest: &[u8; 32], direction: FileDirection, now: Time) -> Result<bool> {
    Ok(find(tx, digest, direction)?.is_some_and(|link| now < link.expires_at))
}

/// Returns a link unless it expired. A download takes it away, so that it works once.
pub fn open(tx: &mut Tx, digest: &[u8; 32], direction: FileDirection, now: Time) -> Result<Option<FileLinkRow>> {
    let found = match direction {
        FileDirection::Download => take(tx, digest, direction)?,
        FileDirection::Upload => find(tx, digest, direction)?,
    };
    Ok(found.filter(|link| now < link.expires_at))
}

crate::from_row!(FileLinkRow {
    workspace = workspace_id, key = key_id: Option<KeyId>, session = session_id: Option<SessionId>,
    connector = connector_id: Option<ConnectorId>, call, expires_at,
} => {
    let credential = key.map(Credential::Key).or(session.map(Credential::Session));
    let credential = credential.or(connector.map(Credential::Connector));
    let credential = credential.ok_or_else(|| Error::Inconsistent("a file link stands for nothing".into()))?;
    Self { workspace, credential, call, expires_at }
});
