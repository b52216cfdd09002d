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
    GET = select!("WHERE workspace_id = $1 AND id = $2");
    GET_FOR_UPDATE = select!("WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}");
    BY_CLIENT_ID = select!("WHERE client_id = $1");
    PAGE = select!("WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    COUNT = "SELECT count(*) FROM identity_clients WHERE workspace_id = $1";
    UPDATE = "UPDATE identity_clients SET name = $3, redirect_uris = $4, allowed_scopes = $5, homepage_url = $6, secret_prefix = $7,
        secret_sha256 = $8, enabled = $9, updated_at = $10 WHERE workspace_id = $1 AND id = $2";
    RECORD_USE = "UPDATE identity_clients SET last_used_at = $2 WHERE client_id = $1 AND (last_used_at IS NULL OR last_used_at < $3)";
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

/// Returns an app of a workspace.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: IdentityClientId) -> Result<Option<IdentityClient>> {
    tx.one(&GET, p![workspace, id])
}

/// Returns an app of a workspace and locks its row until the end of the transaction.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId, id: IdentityClientId) -> Result<Option<IdentityClient>> {
    tx.one(&GET_FOR_UPDATE, p![workspace, id])
}

/// Returns the app with a public id, of any workspace.
pub fn by_client_id(tx: &mut Tx, client_id: &str) -> Result<Option<IdentityClient>> {
    tx.one(&BY_CLIENT_ID, p![client_id])
}

/// Returns a page of the apps of a workspace, newest first.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, page: PageRange) -> Result<Vec<IdentityClient>> {
    let after = page.after.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![workspace, after.sort, after.id, page.limit])
}

/// Returns the number of apps of a workspace.
pub fn count(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace])?.unwrap_or(0))
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

/// Records that an agent signed in to an app, unless that is recorded since `unless_since`: a popular app's row would
/// otherwise be written by every sign-in.
pub fn record_use(tx: &mut Tx, client_id: &str, now: Time, unless_since: Time) -> Result<()> {
    tx.exec(&RECORD_USE, p![client_id, now, unless_since])?;
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
