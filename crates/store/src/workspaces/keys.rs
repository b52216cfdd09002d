//! API keys: rows with the digest of the secret, never the secret itself.

use posthouse_domain::auth::{ApiKey, KeyClient};
use posthouse_domain::{
    auth::{KeyPrincipal, Permissions, Scope},
    id::{InboxId, KeyId, UserId, WorkspaceId},
    page::{CursorPosition, PageRange},
    time::Time,
    workspace::Workspace,
};

use uuid::Uuid;

use crate::{Error, FromRow, Result, Row, Tx, p, statements, values::joined, workspaces};

/// The columns of a key in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT k.workspace_id, k.id, k.name, k.prefix, k.scope, k.inbox_id, i.kind AS inbox_kind, k.member_id, k.permissions,
            k.created_at, k.last_used_at, k.last_used_ip, k.last_used_user_agent, k.revoked_at
            FROM api_keys k LEFT JOIN inboxes i ON i.workspace_id = k.workspace_id AND i.id = k.inbox_id ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO api_keys (workspace_id, id, name, prefix, digest, scope, inbox_id, member_id, permissions, created_at)
        VALUES ({PARAMETERS})";
    /// Finds a key by the digest of its secret; revoked keys aren't found.
    pub fn find_active(digest: &[u8; 32]) -> Option<ActiveKey> =
        concat!("SELECT k.id AS key_id, k.scope, k.inbox_id, k.permissions, k.last_used_at, ", workspaces::columns!(),
        " FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = :digest AND k.revoked_at IS NULL");
    RECORD_USE = "UPDATE api_keys SET last_used_at = $3, last_used_ip = $4, last_used_user_agent = $5 WHERE workspace_id = $1 AND id = $2";
    PAGE = select!("WHERE k.workspace_id = $1 AND (k.created_at, k.id) < ($2, $3) ORDER BY k.created_at DESC, k.id DESC LIMIT $4");
    OF_MEMBER = select!("WHERE k.workspace_id = $1 AND k.member_id = $2 AND k.scope = COALESCE($3, k.scope)
        AND k.revoked_at IS NULL ORDER BY k.created_at DESC, k.id DESC LIMIT $4");
    /// Returns the number of keys of a workspace that are not revoked, up to `most`.
    pub fn count_active(workspace: WorkspaceId, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 FROM api_keys WHERE workspace_id = :workspace AND revoked_at IS NULL LIMIT :most) s";
    GET_ACTIVE = "SELECT scope, inbox_id, permissions FROM api_keys WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL";
    REVOKE = "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING workspace_id";
    /// Revokes the keys of an inbox or identity that ends. The caller wakes the workspace.
    pub(crate) fn revoke_of_inbox(workspace: WorkspaceId, inbox: InboxId, now: Time) =
        "UPDATE api_keys SET revoked_at = :now WHERE workspace_id = :workspace AND inbox_id = :inbox AND revoked_at IS NULL";
    REVOKE_OF_MEMBER = "UPDATE api_keys SET revoked_at = $4 WHERE workspace_id = $1 AND member_id = $2 AND scope = COALESCE($3, scope)
        AND revoked_at IS NULL";
    TAKE_OVER = "UPDATE api_keys SET member_id = $4 WHERE workspace_id = $1 AND member_id = $2 AND scope = COALESCE($3, scope)
        AND revoked_at IS NULL";
    /// Returns a key, revoked or not.
    pub fn get(workspace: WorkspaceId, key: KeyId) -> Option<ApiKey> =
        select!("WHERE k.workspace_id = :workspace AND k.id = :key");
    /// Returns the display name of a key.
    pub fn name(workspace: WorkspaceId, key: KeyId) -> Option<String> =
        "SELECT name FROM api_keys WHERE workspace_id = :workspace AND id = :key";
}

/// The active keys of a person.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeysOfMember {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The person.
    pub member: UserId,
    /// Only org-wide keys, which owners alone manage.
    pub only_org: bool,
}

impl KeysOfMember {
    fn scope(&self) -> Option<&'static str> {
        self.only_org.then_some(Scope::Org.text())
    }
}

/// A use of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyUse {
    /// The client.
    pub client: KeyClient,
    /// When.
    pub at: Time,
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
            key.member,
            permissions,
            key.created_at
        ],
    )?;
    Ok(())
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
pub fn find_active_by_id(tx: &mut Tx, workspace: WorkspaceId, id: KeyId) -> Result<Option<KeyPrincipal>> {
    let Some(found) = tx.one::<ActiveKeyRow>(&GET_ACTIVE, p![workspace, id])? else { return Ok(None) };
    let (scope, permissions) = (scope_of(&found.scope, found.inbox_id)?, permissions_of(&found.permissions)?);
    Ok(Some(KeyPrincipal { id, scope, permissions }))
}

/// Records that a key was used.
pub fn record_use(tx: &mut Tx, workspace: WorkspaceId, key: KeyId, used: &KeyUse) -> Result<()> {
    tx.exec(&RECORD_USE, p![workspace, key, used.at, used.client.ip, used.client.user_agent])?;
    Ok(())
}

/// Returns a page of the keys of a workspace, revoked ones included, newest first.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, page: &PageRange) -> Result<Vec<ApiKey>> {
    let CursorPosition { sort, id } = page.after.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![workspace, sort, id, page.limit])
}

/// Returns the keys of a person that are not revoked, newest first.
pub fn of_member(tx: &mut Tx, keys: &KeysOfMember, limit: u32) -> Result<Vec<ApiKey>> {
    tx.rows(&OF_MEMBER, p![keys.workspace, keys.member, keys.scope(), limit])
}

/// Revokes a key permanently; returns whether there was one to revoke. Wakes the workspace, so that streams of the key
/// end.
pub fn revoke(tx: &mut Tx, key: KeyId, now: Time) -> Result<bool> {
    let revoked: Option<(WorkspaceId,)> = tx.one(&REVOKE, p![key, now])?;
    if let Some((workspace,)) = revoked {
        tx.wake(workspace.0);
    }
    Ok(revoked.is_some())
}

/// Revokes the keys of a person. Wakes the workspace, so that their streams end.
pub fn revoke_of_member(tx: &mut Tx, keys: &KeysOfMember, now: Time) -> Result<()> {
    tx.exec(&REVOKE_OF_MEMBER, p![keys.workspace, keys.member, keys.scope(), now])?;
    tx.wake(keys.workspace.0);
    Ok(())
}

/// Gives the keys of a person to another one.
pub fn take_over(tx: &mut Tx, keys: &KeysOfMember, to: UserId) -> Result<()> {
    tx.exec(&TAKE_OVER, p![keys.workspace, keys.member, keys.scope(), to])?;
    Ok(())
}

crate::row_struct!(ActiveKeyRow { scope: String, inbox_id: Option<InboxId>, permissions: String });

crate::from_row!(ApiKey {
    workspace = workspace_id,
    id,
    name,
    shown = prefix,
    scope: String,
    inbox = inbox_id,
    inbox_kind,
    member = member_id,
    permissions: String,
    created_at,
    last_used_at,
    ip = last_used_ip: Option<String>,
    user_agent = last_used_user_agent: Option<String>,
    revoked_at,
} => Self {
    workspace,
    id,
    name,
    shown,
    scope: scope_of(&scope, inbox)?,
    inbox_kind,
    member,
    permissions: permissions_of(&permissions)?,
    created_at,
    last_used_at,
    last_client: KeyClient { ip, user_agent },
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
