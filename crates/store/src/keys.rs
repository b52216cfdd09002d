//! API keys: rows with the digest of the secret, never the secret (decision 8).

use posthouse_domain::{
    auth::{Caller, Permissions, Scope},
    id::{InboxId, KeyId, WorkspaceId},
    time::Time,
    workspace::Workspace,
};

use crate::{Error, FromRow, Result, Row, Tx, p, statements, workspaces};

statements! {
    INSERT = "INSERT INTO api_keys (workspace_id, id, name, shown, digest, scope, inbox_id, permissions, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    FIND = concat!("SELECT k.workspace_id, k.id, k.scope, k.inbox_id, k.permissions, k.last_used_at, ", workspaces::columns!(),
        " FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = $1 AND k.revoked_at IS NULL");
    USED = "UPDATE api_keys SET last_used_at = $3 WHERE workspace_id = $1 AND id = $2";
    LIST = "SELECT workspace_id, id, name, shown, scope, inbox_id, permissions, created_at, last_used_at, revoked_at
        FROM api_keys WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2";
    STANDING = "SELECT scope, inbox_id, permissions FROM api_keys WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL";
    REVOKE = "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING workspace_id";
    NAME = "SELECT name FROM api_keys WHERE workspace_id = $1 AND id = $2";
}

/// A key as lists show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: KeyId,
    /// What its owner calls it.
    pub name: String,
    /// The beginning of the secret.
    pub shown: String,
    /// How far it reaches.
    pub scope: Scope,
    /// What it may do.
    pub permissions: Permissions,
    /// When it was made.
    pub created_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Time>,
    /// When it was revoked.
    pub revoked_at: Option<Time>,
}

/// A key that was recognised, and the workspace as it stands now.
#[derive(Clone, Debug)]
pub struct Recognised {
    /// The proof for the use-cases.
    pub caller: Caller,
    /// The workspace.
    pub workspace: Workspace,
    /// When the key was last used, to the minute.
    pub last_used_at: Option<Time>,
}

/// Stores a new key with the digest of its secret.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, key: &Key, digest: &[u8; 32]) -> Result<()> {
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

/// Recognises a key by the digest of its secret; revoked keys are unknown.
///
/// # Errors
/// The store's own.
pub fn recognise(tx: &mut Tx, digest: &[u8; 32]) -> Result<Option<Recognised>> {
    tx.one(&FIND, p![digest])
}

impl FromRow for Recognised {
    const COLUMNS: usize = 6 + Workspace::COLUMNS;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (workspace, key): (WorkspaceId, KeyId) = (row.take()?, row.take()?);
        let scope = scope_of(&row.take::<String>()?, row.take()?)?;
        let permissions = permissions_of(&row.take::<String>()?)?;
        let (caller, last_used_at) = (Caller { workspace, key, scope, permissions }, row.take()?);
        Ok(Self { caller, last_used_at, workspace: Workspace::from_row(row)? })
    }
}

/// What a key that is not revoked may do, for who was recognised earlier.
///
/// # Errors
/// The store's own.
pub fn standing(tx: &mut Tx, workspace: WorkspaceId, key: KeyId) -> Result<Option<Caller>> {
    let found: Option<(String, Option<InboxId>, String)> = tx.one(&STANDING, p![workspace, key])?;
    let caller = |(scope, inbox, permissions): (String, _, String)| {
        let (scope, permissions) = (scope_of(&scope, inbox)?, permissions_of(&permissions)?);
        Ok(Caller { workspace, key, scope, permissions })
    };
    found.map(caller).transpose()
}

/// Notes that a key was used.
///
/// # Errors
/// The store's own.
pub fn used(tx: &mut Tx, workspace: WorkspaceId, key: KeyId, now: Time) -> Result<()> {
    tx.exec(&USED, p![workspace, key, now])?;
    Ok(())
}

/// The workspace's keys, newest first.
///
/// # Errors
/// The store's own.
pub fn list(tx: &mut Tx, workspace: WorkspaceId, limit: u32) -> Result<Vec<Key>> {
    tx.rows(&LIST, p![workspace, limit])
}

/// What the owner of a key calls it.
///
/// # Errors
/// The store's own.
pub fn name(tx: &mut Tx, workspace: WorkspaceId, key: KeyId) -> Result<Option<String>> {
    tx.value(&NAME, p![workspace, key])
}

/// Revokes a key for good; says whether there was one to revoke. Streams of that key hear of it.
///
/// # Errors
/// The store's own.
pub fn revoke(tx: &mut Tx, key: KeyId, now: Time) -> Result<bool> {
    let revoked: Option<(WorkspaceId,)> = tx.one(&REVOKE, p![key, now])?;
    if let Some((workspace,)) = revoked {
        tx.wake(workspace.0);
    }
    Ok(revoked.is_some())
}

impl FromRow for Key {
    const COLUMNS: usize = 10;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            workspace: row.take()?,
            id: row.take()?,
            name: row.take()?,
            shown: row.take()?,
            scope: scope_of(&row.take::<String>()?, row.take()?)?,
            permissions: permissions_of(&row.take::<String>()?)?,
            created_at: row.take()?,
            last_used_at: row.take()?,
            revoked_at: row.take()?,
        })
    }
}

fn scope_of(text: &str, inbox: Option<InboxId>) -> Result<Scope> {
    match (text, inbox) {
        ("org", None) => Ok(Scope::Org),
        ("workspace", None) => Ok(Scope::Workspace),
        ("inbox", Some(inbox)) => Ok(Scope::Inbox(inbox)),
        _ => Err(Error::Corrupt(format!("a key of scope {text}").into())),
    }
}

fn permissions_of(list: &str) -> Result<Permissions> {
    Permissions::parse(list).map_err(|name| Error::Corrupt(format!("unknown permission {name}").into()))
}
