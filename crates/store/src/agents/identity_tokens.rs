//! Access tokens of apps: rows with the digest of the token, never the token itself.

use posthouse_domain::identity::IdentityAccessToken;
use posthouse_domain::{id::IdentityRequestId, time::Time};

use crate::{Result, Tx, message_list::InboxRef, p, statements};

statements! {
    INSERT = "INSERT INTO identity_access_tokens (workspace_id, digest, client_id, inbox_id, scope, request_id, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    /// Returns the token with a digest unless it expired.
    pub fn find(digest: &[u8; 32], now: Time) -> Option<IdentityAccessToken> =
        "SELECT workspace_id, client_id, inbox_id, scope, request_id, expires_at FROM identity_access_tokens
        WHERE digest = :digest AND expires_at > :now";
    /// Deletes the tokens that were issued for a sign-in in a browser.
    pub fn delete_of_request(request: IdentityRequestId) =
        "DELETE FROM identity_access_tokens WHERE request_id = :request";
    /// Deletes the tokens of an app.
    pub fn delete_of_client(client_id: &str) = "DELETE FROM identity_access_tokens WHERE client_id = :client_id";
    DELETE_OF_INBOX = "DELETE FROM identity_access_tokens WHERE workspace_id = $1 AND inbox_id = $2";
    /// Deletes up to `limit` expired tokens; returns how many.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM identity_access_tokens WHERE digest IN (SELECT digest FROM identity_access_tokens WHERE expires_at <= :now LIMIT :limit)";
}

/// Stores a token.
pub fn insert(tx: &mut Tx, t: &IdentityAccessToken, digest: &[u8; 32]) -> Result<()> {
    tx.exec(&INSERT, p![t.workspace, digest, t.client_id, t.inbox, t.scope, t.request, t.expires_at])?;
    Ok(())
}

/// Deletes the tokens about an agent.
pub fn delete_of_inbox(tx: &mut Tx, inbox: InboxRef) -> Result<()> {
    tx.exec(&DELETE_OF_INBOX, p![inbox.workspace, inbox.inbox])?;
    Ok(())
}

crate::from_row!(IdentityAccessToken {
    workspace = workspace_id,
    client_id,
    inbox = inbox_id,
    scope,
    request = request_id,
    expires_at,
});
