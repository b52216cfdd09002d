//! API keys: rows with the digest of the secret, never the secret itself.

use posthouse_domain::{
    auth::{KeyPrincipal, Permissions, Scope},
    id::{InboxId, KeyId, WorkspaceId},
    time::Time,
    workspace::Workspace,
};

use crate::{Error, FromRow, Result, Row, Tx, p, statements, values::joined, workspaces};

statements! {
    INSERT = "INSERT INTO api_keys (workspace_id, id, name, prefix, digest, scope, inbox_id, permissions, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    FIND_ACTIVE = concat!("SELECT k.id AS key_id, k.scope, k.inbox_id, k.permissions, k.last_used_at, ", workspaces::columns!(),
        " FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = $1 AND k.revoked_at IS NULL");
    RECORD_USE = "UPDATE api_keys SET last_used_at = $3 WHERE workspace_id = $1 AND id = $2";
    LIST = "SELECT workspace_id, id, name, prefix, scope, inbox_id, permissions, created_at, last_used_at, revoked_at
        FROM api_keys WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2";
    GET_ACTIVE = "SELECT scope, inbox_id, permissions FROM api_keys WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL";
    REVOKE = "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING workspace_id";
    GET = "SELECT workspace_id, id, name, prefix, scope, inbox_id, permissions, created_at, last_used_at, revoked_at
        FROM api_keys WHERE workspace_id = $1 AND id = $2";
    NAME = "SELECT name FROM api_keys WHERE workspace_id = $1 AND id = $2";
}

/// An API key as listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiKey {
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// Its ID.
    pub id: KeyId,
    /// Its display name.
    pub name: String,
    /// The first characters of the secret.
    pub shown: String,
    /// Its scope.
    pub scope: Scope,
    /// Its permissions.
    pub permissions: Permissions,
    /// When it was created.
    pub created_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Time>,
    /// When it was revoked.
    pub revoked_at: Option<Time>,
}

/// A key that is not revoked, with its workspace.
#[derive(Clone, Debug)]
pub struct ActiveKey {
    /// The workspace.
    pub workspace: Workspace,
    /// The key.
    pub key: KeyPrincipal,
    /// When the key was last used, to the minute.
    pub last_used_at: Option<Time>,
}

/// Stores a new key with the digest of its secret.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn insert(tx: &mut Tx, key: &ApiKey, digest: &[u8; 32]) -> Result<()> {
    let permissions = key.permissions.names().collect::<Vec<_>>().join(",");
    tx.exec(
        &INSERT,
        p![
            key.workspace,
            key.id,
            key.name,
            key.shown,
            digest,
            key.scope.text(),
            key.scope.inbox(),
            permissions,
            key.created_at
        ],
    )?;
    Ok(())
}

/// Finds a key by the digest of its secret; revoked keys aren't found.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn find_active(tx: &mut Tx, digest: &[u8; 32]) -> Result<Option<ActiveKey>> {
    tx.one(&FIND_ACTIVE, p![digest])
}

/// The columns of the key; those of its workspace follow.
struct KeyRow {
    key: KeyPrincipal,
    last_used_at: Option<Time>,
}

crate::from_row!(KeyRow {
    id = key_id,
    scope: String,
    inbox = inbox_id,
    permissions: String,
    last_used_at,
} => {
    let (scope, permissions) = (scope_of(&scope, inbox)?, permissions_of(&permissions)?);
    Self { key: KeyPrincipal { id, scope, permissions }, last_used_at }
});

impl FromRow for ActiveKey {
    const COLUMNS: &'static [&'static str] =
        &joined::<{ KeyRow::COLUMNS.len() + Workspace::COLUMNS.len() }>(KeyRow::COLUMNS, Workspace::COLUMNS);

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let KeyRow { key, last_used_at } = KeyRow::from_row(row)?;
        Ok(Self { key, last_used_at, workspace: Workspace::from_row(row)? })
    }
}

/// Returns the current access of a key that authenticated earlier; `None` if it was revoked.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn find_active_by_id(tx: &mut Tx, workspace: WorkspaceId, id: KeyId) -> Result<Option<KeyPrincipal>> {
    let Some(found) = tx.one::<ActiveKeyRow>(&GET_ACTIVE, p![workspace, id])? else { return Ok(None) };
    let (scope, permissions) = (scope_of(&found.scope, found.inbox_id)?, permissions_of(&found.permissions)?);
    Ok(Some(KeyPrincipal { id, scope, permissions }))
}

/// Records that a key was used.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn record_use(tx: &mut Tx, workspace: WorkspaceId, key: KeyId, now: Time) -> Result<()> {
    tx.exec(&RECORD_USE, p![workspace, key, now])?;
    Ok(())
}

/// Returns the keys of a workspace, newest first.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn list(tx: &mut Tx, workspace: WorkspaceId, limit: u32) -> Result<Vec<ApiKey>> {
    tx.rows(&LIST, p![workspace, limit])
}

/// Returns a key, revoked or not.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, key: KeyId) -> Result<Option<ApiKey>> {
    tx.one(&GET, p![workspace, key])
}

/// Returns the display name of a key.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn name(tx: &mut Tx, workspace: WorkspaceId, key: KeyId) -> Result<Option<String>> {
    tx.value(&NAME, p![workspace, key])
}

/// Revokes a key permanently; returns whether there was one to revoke. Wakes the workspace, so that streams of the key
/// end.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn revoke(tx: &mut Tx, key: KeyId, now: Time) -> Result<bool> {
    let revoked: Option<(WorkspaceId,)> = tx.one(&REVOKE, p![key, now])?;
    if let Some((workspace,)) = revoked {
        tx.wake(workspace.0);
    }
    Ok(revoked.is_some())
}

crate::row_struct!(ActiveKeyRow { scope: String, inbox_id: Option<InboxId>, permissions: String });

crate::from_row!(ApiKey {
    workspace = workspace_id,
    id,
    name,
    shown = prefix,
    scope: String,
    inbox = inbox_id,
    permissions: String,
    created_at,
    last_used_at,
    revoked_at,
} => Self {
    workspace,
    id,
    name,
    shown,
    scope: scope_of(&scope, inbox)?,
    permissions: permissions_of(&permissions)?,
    created_at,
    last_used_at,
    revoked_at,
});

fn scope_of(text: &str, inbox: Option<InboxId>) -> Result<Scope> {
    match (text, inbox) {
        ("org", None) => Ok(Scope::Org),
        ("workspace", None) => Ok(Scope::Workspace),
        ("inbox", Some(inbox)) => Ok(Scope::Inbox(inbox)),
        _ => Err(Error::Inconsistent(format!("a key has an invalid scope: {text}").into())),
    }
}

fn permissions_of(list: &str) -> Result<Permissions> {
    Permissions::parse(list).map_err(|name| Error::Inconsistent(format!("unknown permission {name}").into()))
}
