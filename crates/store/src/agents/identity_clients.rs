//! Apps that agents sign in to. The public id of an app is unique in the whole service.

use posthouse_domain::{IdentityClient, IdentityClientId, PageRange, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    /// Stores a new app.
    pub fn insert(client: row &IdentityClient) = "{insert identity_clients}";
    /// Returns an app of a workspace.
    pub fn get(workspace: WorkspaceId, id: IdentityClientId) -> Option<IdentityClient> =
        "SELECT {identity_clients} FROM identity_clients WHERE workspace_id = :workspace AND id = :id";
    /// Returns an app of a workspace and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: IdentityClientId) -> Option<IdentityClient> =
        "SELECT {identity_clients} FROM identity_clients WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    /// Returns the app with a public id, of any workspace.
    pub fn by_client_id(client_id: &str) -> Option<IdentityClient> =
        "SELECT {identity_clients} FROM identity_clients WHERE client_id = :client_id";
    /// Returns a page of the apps of a workspace, newest first.
    pub fn page(
        workspace: WorkspaceId, page: PageRange { sort: page.sort(), id: page.id(), limit },
    ) -> Vec<IdentityClient> =
        "SELECT {identity_clients} FROM identity_clients WHERE workspace_id = :workspace AND (created_at, id) < (:sort, :id) ORDER BY created_at DESC, id DESC LIMIT :limit";
    /// Returns the number of apps of a workspace.
    pub fn count(workspace: WorkspaceId) -> u64 =
        "SELECT count(*) FROM identity_clients WHERE workspace_id = :workspace";
    /// Writes what can change of an app whose row is locked.
    pub fn update(
        client: &IdentityClient {
            workspace, id, name, redirect_uris, allowed_scopes, homepage_url, secret_prefix, secret_sha256, enabled,
            updated_at,
        },
    ) =
        "UPDATE identity_clients SET (name, redirect_uris, allowed_scopes, homepage_url, secret_prefix, secret_sha256, enabled,
        updated_at) = (:name, :redirect_uris, :allowed_scopes, :homepage_url, :secret_prefix, :secret_sha256, :enabled, :updated_at)
        WHERE workspace_id = :workspace AND id = :id";
    /// Records that an agent signed in to an app, unless that is recorded since `unless_since`: a popular app's row would
    /// otherwise be written by every sign-in.
    pub fn record_use(client_id: &str, now: Time, unless_since: Time) =
        "UPDATE identity_clients SET last_used_at = :now WHERE client_id = :client_id AND (last_used_at IS NULL OR last_used_at < :unless_since)";
    fn delete_row(client: &IdentityClient { workspace, id }) =
        "DELETE FROM identity_clients WHERE workspace_id = :workspace AND id = :id";
    fn forget_preapprovals(client: &IdentityClient { client_id }) =
        "DELETE FROM identity_preapprovals WHERE client_id = :client_id";
}

/// Deletes an app, with the approvals in advance that name it.
pub fn delete(tx: &mut Tx, client: &IdentityClient) -> Result<()> {
    forget_preapprovals(tx, client)?;
    delete_row(tx, client)
}
