//! Apps that agents sign in to. The public id of an app is unique in the whole service.

use posthouse_domain::{
    id::{IdentityClientId, WorkspaceId},
    identity::client::IdentityClient,
    page::{CursorPosition, PageRange},
    time::Time,
};
use uuid::Uuid;

use crate::{Json, Result, Tx, p, statements};

/// Builds a statement that reads apps.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT workspace_id, id, client_id, name, type, redirect_uris, allowed_scopes, subject_type, subject_salt, homepage_url, ",
            "secret_prefix, secret_sha256, enabled, last_used_at, created_at, updated_at FROM identity_clients ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO identity_clients (workspace_id, id, client_id, name, type, redirect_uris, allowed_scopes, subject_type,
        subject_salt, homepage_url, secret_prefix, secret_sha256, enabled, last_used_at, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    /// Returns an app of a workspace.
    pub fn get(workspace: WorkspaceId, id: IdentityClientId) -> Option<IdentityClient> =
        select!("WHERE workspace_id = :workspace AND id = :id");
    /// Returns an app of a workspace and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: IdentityClientId) -> Option<IdentityClient> =
        select!("WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}");
    /// Returns the app with a public id, of any workspace.
    pub fn by_client_id(client_id: &str) -> Option<IdentityClient> = select!("WHERE client_id = :client_id");
    PAGE = select!("WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    /// Returns the number of apps of a workspace.
    pub fn count(workspace: WorkspaceId) -> u64 =
        "SELECT count(*) FROM identity_clients WHERE workspace_id = :workspace";
    UPDATE = "UPDATE identity_clients SET name = $3, redirect_uris = $4, allowed_scopes = $5, homepage_url = $6, secret_prefix = $7,
        secret_sha256 = $8, enabled = $9, updated_at = $10 WHERE workspace_id = $1 AND id = $2";
    /// Records that an agent signed in to an app, unless that is recorded since `unless_since`: a popular app's row would
    /// otherwise be written by every sign-in.
    pub fn record_use(client_id: &str, now: Time, unless_since: Time) =
        "UPDATE identity_clients SET last_used_at = :now WHERE client_id = :client_id AND (last_used_at IS NULL OR last_used_at < :unless_since)";
    DELETE = "DELETE FROM identity_clients WHERE workspace_id = $1 AND id = $2";
    FORGET_PREAPPROVALS = "DELETE FROM identity_preapprovals WHERE client_id = $1";
}

/// Stores a new app.
pub fn insert(tx: &mut Tx, c: &IdentityClient) -> Result<()> {
    tx.exec(
        &INSERT,
        p![
            c.workspace,
            c.id,
            c.client_id,
            c.name,
            c.kind,
            Json(&c.redirect_uris),
            c.allowed_scopes,
            c.subject_type,
            c.subject_salt,
            c.homepage_url,
            c.secret_prefix,
            c.secret_sha256,
            c.enabled,
            c.last_used_at,
            c.created_at,
            c.updated_at
        ],
    )?;
    Ok(())
}

/// Returns a page of the apps of a workspace, newest first.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, page: PageRange) -> Result<Vec<IdentityClient>> {
    let after = page.after.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![workspace, after.sort, after.id, page.limit])
}

/// Writes what can change of an app whose row is locked.
pub fn update(tx: &mut Tx, c: &IdentityClient) -> Result<()> {
    tx.exec(
        &UPDATE,
        p![
            c.workspace,
            c.id,
            c.name,
            Json(&c.redirect_uris),
            c.allowed_scopes,
            c.homepage_url,
            c.secret_prefix,
            c.secret_sha256,
            c.enabled,
            c.updated_at
        ],
    )?;
    Ok(())
}

/// Deletes an app, with the approvals in advance that name it.
pub fn delete(tx: &mut Tx, client: &IdentityClient) -> Result<()> {
    tx.exec(&FORGET_PREAPPROVALS, p![client.client_id])?;
    tx.exec(&DELETE, p![client.workspace, client.id])?;
    Ok(())
}

crate::from_row!(IdentityClient {
    workspace = workspace_id,
    id,
    client_id,
    name,
    kind = type,
    redirect_uris: Json<Vec<String>>,
    allowed_scopes,
    subject_type,
    subject_salt,
    homepage_url,
    secret_prefix,
    secret_sha256,
    enabled,
    last_used_at,
    created_at,
    updated_at,
} => Self {
    workspace,
    id,
    client_id,
    name,
    kind,
    redirect_uris: redirect_uris.0,
    allowed_scopes,
    subject_type,
    subject_salt,
    homepage_url,
    secret_prefix,
    secret_sha256,
    enabled,
    last_used_at,
    created_at,
    updated_at,
});
