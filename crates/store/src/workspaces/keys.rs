//! API keys: rows with the digest of the secret, never the secret itself.

use posthouse_domain::{
    ApiKey, InboxId, KeyClient, KeyId, KeyPrincipal, PageRange, Permissions, Scope, Time, UserId, Workspace,
    WorkspaceId,
};

use crate::{Error, FromRow, Result, Row, Tx, statements, values::joined, workspaces};

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
    /// Stores a new key with the digest of its secret.
    pub fn insert(
        key: &ApiKey {
            workspace, id, name, prefix: key.shown, scope: key.scope.text(), inbox: key.scope.key_inbox(), member,
            permissions: key.permissions.names().collect::<Vec<_>>().join(","), created_at,
        },
        digest: &[u8; 32],
    ) =
        "INSERT INTO api_keys (workspace_id, id, name, prefix, digest, scope, inbox_id, member_id, permissions, created_at)
        VALUES (:workspace, :id, :name, :prefix, :digest, :scope, :inbox, :member, :permissions, :created_at)";
    /// Finds a key by the digest of its secret; revoked keys aren't found.
    pub fn find_active(digest: &[u8; 32]) -> Option<ActiveKey> =
        concat!("SELECT k.id AS key_id, k.scope, k.inbox_id, k.permissions, k.last_used_at, ", workspaces::columns!(),
        " FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = :digest AND k.revoked_at IS NULL");
    /// Records that a key was used.
    pub fn record_use(
        workspace: WorkspaceId,
        key: KeyId,
        used: &KeyUse { at, ip: used.client.ip, user_agent: used.client.user_agent },
    ) =
        "UPDATE api_keys SET last_used_at = :at, last_used_ip = :ip, last_used_user_agent = :user_agent WHERE workspace_id = :workspace AND id = :key";
    /// Returns a page of the keys of a workspace, revoked ones included, newest first.
    pub fn page(workspace: WorkspaceId, page: &PageRange { sort: page.sort(), id: page.id(), limit }) -> Vec<ApiKey> =
        select!("WHERE k.workspace_id = :workspace AND (k.created_at, k.id) < (:sort, :id) ORDER BY k.created_at DESC, k.id DESC LIMIT :limit");
    /// Returns the keys of a person that are not revoked, newest first.
    pub fn of_member(keys: &KeysOfMember { workspace, member, scope: keys.scope() }, limit: u32) -> Vec<ApiKey> =
        select!("WHERE k.workspace_id = :workspace AND k.member_id = :member AND k.scope = COALESCE(:scope, k.scope)
        AND k.revoked_at IS NULL ORDER BY k.created_at DESC, k.id DESC LIMIT :limit");
    /// Returns the number of keys of a workspace that are not revoked, up to `most`.
    pub fn count_active(workspace: WorkspaceId, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 FROM api_keys WHERE workspace_id = :workspace AND revoked_at IS NULL LIMIT :most) s";
    fn access(workspace: WorkspaceId, id: KeyId) -> Option<KeyAccess> =
        "SELECT scope, inbox_id, permissions FROM api_keys WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL";
    fn revoke_row(key: KeyId, now: Time) -> Option<WorkspaceId> =
        "UPDATE api_keys SET revoked_at = :now WHERE id = :key AND revoked_at IS NULL RETURNING workspace_id";
    /// Revokes the keys of an inbox or identity that ends. The caller wakes the workspace.
    pub(crate) fn revoke_of_inbox(workspace: WorkspaceId, inbox: InboxId, now: Time) =
        "UPDATE api_keys SET revoked_at = :now WHERE workspace_id = :workspace AND inbox_id = :inbox AND revoked_at IS NULL";
    fn revoke_rows(keys: &KeysOfMember { workspace, member, scope: keys.scope() }, now: Time) =
        "UPDATE api_keys SET revoked_at = :now WHERE workspace_id = :workspace AND member_id = :member AND scope = COALESCE(:scope, scope)
        AND revoked_at IS NULL";
    /// Gives the keys of a person to another one.
    pub fn take_over(keys: &KeysOfMember { workspace, member, scope: keys.scope() }, to: UserId) =
        "UPDATE api_keys SET member_id = :to WHERE workspace_id = :workspace AND member_id = :member AND scope = COALESCE(:scope, scope)
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
    pub client: KeyClient,
    pub at: Time,
}

/// A key that is not revoked, with its workspace.
#[derive(Clone, Debug)]
pub struct ActiveKey {
    pub workspace: Workspace,
    pub key: KeyPrincipal,
    /// When the key was last used, to the minute.
    pub last_used_at: Option<Time>,
}

impl FromRow for ActiveKey {
    const COLUMNS: &'static [&'static str] = &joined::<{ 5 + Workspace::COLUMNS.len() }>(
        &["key_id", "scope", "inbox_id", "permissions", "last_used_at"],
        Workspace::COLUMNS,
    );

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (id, KeyAccess { scope, permissions }) = (row.take()?, KeyAccess::from_row(row)?);
        let (key, last_used_at) = (KeyPrincipal { id, scope, permissions }, row.take()?);
        Ok(Self { key, last_used_at, workspace: Workspace::from_row(row)? })
    }
}

/// Returns the current access of a key that authenticated earlier; `None` if it was revoked.
pub fn find_active_by_id(tx: &mut Tx, workspace: WorkspaceId, id: KeyId) -> Result<Option<KeyPrincipal>> {
    let access = access(tx, workspace, id)?;
    Ok(access.map(|KeyAccess { scope, permissions }| KeyPrincipal { id, scope, permissions }))
}

/// Revokes a key permanently; returns whether there was one to revoke. Wakes the workspace, so that streams of the key
/// end.
pub fn revoke(tx: &mut Tx, key: KeyId, now: Time) -> Result<bool> {
    let revoked = revoke_row(tx, key, now)?;
    if let Some(workspace) = revoked {
        tx.wake(workspace.0);
    }
    Ok(revoked.is_some())
}

/// Revokes the keys of a person. Wakes the workspace, so that their streams end.
pub fn revoke_of_member(tx: &mut Tx, keys: &KeysOfMember, now: Time) -> Result<()> {
    tx.wake(keys.workspace.0);
    revoke_rows(tx, keys, now)
}

/// What a key may do.
struct KeyAccess {
    scope: Scope,
    permissions: Permissions,
}

crate::from_row!(KeyAccess {
    scope(scope: String, inbox_id: Option<InboxId>) => scope_of(&scope, inbox_id)?,
    permissions: String => permissions_of(&permissions)?,
});

crate::from_row!(ApiKey {
    workspace = workspace_id, id, name, shown = prefix,
    scope(scope: String, inbox_id: Option<InboxId>) => scope_of(&scope, inbox_id)?,
    inbox_kind, member = member_id,
    permissions: String => permissions_of(&permissions)?,
    created_at, last_used_at,
    last_client(last_used_ip: Option<String>, last_used_user_agent: Option<String>) =>
        KeyClient { ip: last_used_ip, user_agent: last_used_user_agent },
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
