//! Access tokens of apps: rows with the digest of the token, never the token itself.

use posthouse_domain::{IdentityAccessToken, IdentityRequestId, Time};

use crate::{message_list::InboxRef, statements};

statements! {
    /// Stores a token.
    pub fn insert(token: row &IdentityAccessToken, digest: &[u8; 32]) = "{insert identity_access_tokens}";
    /// Returns the token with a digest unless it expired.
    pub fn find(digest: &[u8; 32], now: Time) -> Option<IdentityAccessToken> =
        "SELECT {identity_access_tokens} FROM identity_access_tokens
        WHERE digest = :digest AND expires_at > :now";
    /// Deletes the tokens that were issued for a sign-in in a browser.
    pub fn delete_of_request(request: IdentityRequestId) =
        "DELETE FROM identity_access_tokens WHERE request_id = :request";
    /// Deletes the tokens of an app.
    pub fn delete_of_client(client_id: &str) = "DELETE FROM identity_access_tokens WHERE client_id = :client_id";
    /// Deletes the tokens about an agent.
    pub fn delete_of_inbox(inbox: InboxRef { workspace, inbox }) =
        "DELETE FROM identity_access_tokens WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Deletes up to `limit` expired tokens; returns how many.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM identity_access_tokens WHERE digest IN (SELECT digest FROM identity_access_tokens WHERE expires_at <= :now LIMIT :limit)";
}
