//! Connectors and their tokens: rows with digests of the secrets, never the secrets themselves.

use posthouse_domain::connector::ACCESS_TOKENS_MAX;
use posthouse_domain::{
    Connector, ConnectorCode, ConnectorId, ConnectorPrincipal, ConnectorReach, InboxId, PageRange, Permissions, Role,
    Time, UserId, Workspace, WorkspaceId,
};

use crate::{FromRow, Result, Row, Tx, statements, values::joined, workspaces};

statements! {
    fn insert_row(
        connector: row &Connector, code_sha256: &[u8; 32],
        code: &ConnectorCode { code_challenge: code.challenge, code_expires_at: code.expires_at },
    ) = "{insert connectors}";
    fn insert_inbox(connector: &Connector { workspace, id }, inbox: InboxId) =
        "INSERT INTO connector_inboxes (workspace_id, connector_id, inbox_id) VALUES (:workspace, :id, :inbox)";
    /// Returns a connector.
    pub fn get(workspace: WorkspaceId, id: ConnectorId) -> Option<Connector> =
        "SELECT {connectors} FROM connectors WHERE workspace_id = :workspace AND id = :id";
    /// Returns a connector and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: ConnectorId) -> Option<Connector> =
        "SELECT {connectors} FROM connectors WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    /// Returns a page of the connectors of a workspace, newest first.
    pub fn page(
        workspace: WorkspaceId, page: &PageRange { sort: page.sort(), id: page.id(), limit },
    ) -> Vec<Connector> =
        "SELECT {connectors} FROM connectors WHERE workspace_id = :workspace AND (created_at, id) < (:sort, :id)
        ORDER BY created_at DESC, id DESC LIMIT :limit";
    /// Returns the number of connectors of a workspace, up to `most`.
    pub fn count(workspace: WorkspaceId, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 FROM connectors WHERE workspace_id = :workspace LIMIT :most) s";
    /// Returns the connectors that a person approved.
    pub fn of_user(workspace: WorkspaceId, user: UserId) -> Vec<ConnectorId> =
        "SELECT id FROM connectors WHERE workspace_id = :workspace AND user_id = :user ORDER BY id";
    /// Returns the connectors that reach an inbox because it was chosen.
    pub fn of_inbox(workspace: WorkspaceId, inbox: InboxId) -> Vec<ConnectorId> =
        "SELECT connector_id FROM connector_inboxes WHERE workspace_id = :workspace AND inbox_id = :inbox ORDER BY connector_id";
    /// Returns the chosen inboxes of a connector that still exist.
    pub fn inboxes(workspace: WorkspaceId, id: ConnectorId) -> Vec<InboxId> =
        "SELECT c.inbox_id FROM connector_inboxes c JOIN inboxes i ON i.workspace_id = c.workspace_id AND i.id = c.inbox_id
        WHERE c.workspace_id = :workspace AND c.connector_id = :id AND i.deleted_at IS NULL ORDER BY c.inbox_id";
    /// Returns up to `limit` connectors whose access has ended.
    pub fn expired(now: Time, limit: u32) -> Vec<Connector> =
        "SELECT {connectors} FROM connectors WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit";
    fn by_token(digest: &[u8; 32], now: Time) -> Option<ActiveRow> =
        concat!("SELECT c.id AS connector_id, c.user_id, c.reach, c.permissions, m.role, ", workspaces::columns!(),
        " FROM connector_tokens t JOIN connectors c ON c.workspace_id = t.workspace_id AND c.id = t.connector_id
        JOIN members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id AND m.joined_at IS NOT NULL
        JOIN workspaces w ON w.id = t.workspace_id WHERE t.digest = :digest AND t.expires_at > :now AND c.expires_at > :now");
    fn access(workspace: WorkspaceId, id: ConnectorId) -> Option<ConnectorAccess> =
        "SELECT c.id AS connector_id, c.user_id, c.reach, c.permissions, m.role FROM connectors c
        JOIN members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id AND m.joined_at IS NOT NULL
        WHERE c.workspace_id = :workspace AND c.id = :id";
    /// Returns the connector of an authorization code, used or not, and locks its row until the end of the transaction.
    pub fn lock_by_code(sha256: &[u8; 32]) -> Option<CodeRow> =
        "SELECT code_challenge, code_expires_at, code_used_at, {connectors} FROM connectors WHERE code_sha256 = :sha256 {FOR_UPDATE}";
    /// Returns the connector of a family of refresh tokens, and locks its row until the end of the transaction.
    pub fn lock_by_family(sha256: &[u8; 32]) -> Option<FamilyRow> =
        "SELECT refresh_sha256, {connectors} FROM connectors WHERE family_sha256 = :sha256 {FOR_UPDATE}";
    /// Uses the authorization code of a locked connector up.
    pub fn set_code_used(connector: &Connector { workspace, id }, now: Time) =
        "UPDATE connectors SET code_used_at = :now WHERE workspace_id = :workspace AND id = :id";
    /// Writes the newest refresh token of a locked connector.
    pub fn set_refresh(
        connector: &Connector { workspace, id }, refresh: &RefreshDigests { family, token }, now: Time, expires_at: Time,
    ) =
        "UPDATE connectors SET family_sha256 = :family, refresh_sha256 = :token, last_used_at = :now, expires_at = :expires_at
        WHERE workspace_id = :workspace AND id = :id";
    fn insert_token_row(connector: &Connector { workspace, id }, digest: &[u8; 32], expires_at: Time) =
        "INSERT INTO connector_tokens (workspace_id, digest, connector_id, expires_at) VALUES (:workspace, :digest, :id, :expires_at)";
    fn delete_older_tokens(connector: &Connector { workspace, id }, max: u32) =
        "DELETE FROM connector_tokens WHERE workspace_id = :workspace AND connector_id = :id AND digest NOT IN
        (SELECT digest FROM connector_tokens WHERE workspace_id = :workspace AND connector_id = :id
          ORDER BY expires_at DESC, digest LIMIT :max)";
    /// Returns the connector of an access token, expired or not.
    pub fn of_token(digest: &[u8; 32]) -> Option<TokenOwner> =
        "SELECT workspace_id, connector_id FROM connector_tokens WHERE digest = :digest";
    fn delete_token_row(digest: &[u8; 32]) -> Option<WorkspaceId> =
        "DELETE FROM connector_tokens WHERE digest = :digest RETURNING workspace_id";
    fn delete_tokens(workspace: WorkspaceId, id: ConnectorId) =
        "DELETE FROM connector_tokens WHERE workspace_id = :workspace AND connector_id = :id";
    fn delete_inboxes(workspace: WorkspaceId, id: ConnectorId) =
        "DELETE FROM connector_inboxes WHERE workspace_id = :workspace AND connector_id = :id";
    fn delete_row(workspace: WorkspaceId, id: ConnectorId) -> bool =
        "DELETE FROM connectors WHERE workspace_id = :workspace AND id = :id";
    /// Takes an inbox that ends from the connectors that reach it.
    pub(crate) fn delete_of_inbox(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM connector_inboxes WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Deletes up to `limit` expired access tokens; returns how many.
    pub fn prune_tokens(now: Time, limit: u32) -> u64 =
        "DELETE FROM connector_tokens WHERE digest IN (SELECT digest FROM connector_tokens WHERE expires_at <= :now LIMIT :limit)";
}

/// The digests of a refresh token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefreshDigests {
    pub family: [u8; 32],
    /// Of the whole token.
    pub token: [u8; 32],
}

/// A connector with a valid access token, and its workspace.
#[derive(Clone, Debug)]
pub struct ActiveConnector {
    pub workspace: Workspace,
    pub connector: ConnectorPrincipal,
}

/// A connector with its authorization code.
#[derive(Clone, Debug)]
pub struct CodeRow {
    pub connector: Connector,
    pub code: ConnectorCode,
}

/// A connector with the digest of its newest refresh token.
#[derive(Clone, Debug)]
pub struct FamilyRow {
    pub connector: Connector,
    /// The digest.
    pub refresh_sha256: Option<[u8; 32]>,
}

/// Stores a connector with its code and the inboxes that were chosen.
pub fn insert(
    tx: &mut Tx,
    connector: &Connector,
    inboxes: &[InboxId],
    code: &ConnectorCode,
    code_sha256: &[u8; 32],
) -> Result<()> {
    insert_row(tx, connector, code_sha256, code)?;
    inboxes.iter().try_for_each(|inbox| insert_inbox(tx, connector, *inbox))
}

/// Finds the connector of a valid access token. It ends with the membership of its person and with its last inbox.
pub fn find_active(tx: &mut Tx, digest: &[u8; 32], now: Time) -> Result<Option<ActiveConnector>> {
    let Some(ActiveRow { access, workspace }) = by_token(tx, digest, now)? else { return Ok(None) };
    let connector = principal(tx, workspace.id, access)?;
    Ok(connector.map(|connector| ActiveConnector { workspace, connector }))
}

/// Returns the current access of a connector that authenticated earlier; `None` if it ended.
pub fn find_active_by_id(tx: &mut Tx, workspace: WorkspaceId, id: ConnectorId) -> Result<Option<ConnectorPrincipal>> {
    match access(tx, workspace, id)? {
        Some(access) => principal(tx, workspace, access),
        None => Ok(None),
    }
}

fn principal(tx: &mut Tx, workspace: WorkspaceId, access: ConnectorAccess) -> Result<Option<ConnectorPrincipal>> {
    let ConnectorAccess { id, user, reach, permissions, role } = access;
    let inboxes = if reach == ConnectorReach::Inboxes { inboxes(tx, workspace, id)? } else { Vec::new() };
    Ok(reach.scope(role, &inboxes).map(|scope| ConnectorPrincipal { id, user, scope, permissions }))
}

/// Stores an access token of a locked connector. The oldest ones beyond the maximum end.
pub fn insert_token(tx: &mut Tx, connector: &Connector, digest: &[u8; 32], expires_at: Time) -> Result<()> {
    insert_token_row(tx, connector, digest, expires_at)?;
    delete_older_tokens(tx, connector, ACCESS_TOKENS_MAX)
}

/// Ends an access token. Wakes the workspace, so that its streams end.
pub fn delete_token(tx: &mut Tx, digest: &[u8; 32]) -> Result<()> {
    if let Some(workspace) = delete_token_row(tx, digest)? {
        tx.wake(workspace.0);
    }
    Ok(())
}

/// Deletes a connector with its tokens; returns whether there was one. Wakes the workspace, so that its streams end.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ConnectorId) -> Result<bool> {
    tx.wake(workspace.0);
    delete_tokens(tx, workspace, id)?;
    delete_inboxes(tx, workspace, id)?;
    delete_row(tx, workspace, id)
}

crate::row_struct!(
    /// What a connector may do, and the role of its person.
    ConnectorAccess {
        id = connector_id: ConnectorId, user = user_id: UserId, reach: ConnectorReach, permissions: Permissions,
        role: Role,
    }
);

crate::row_struct!(
    /// The connector of an access token.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub TokenOwner {
        workspace = workspace_id: WorkspaceId, connector = connector_id: ConnectorId,
    }
);

/// The access of a connector with its workspace.
struct ActiveRow {
    access: ConnectorAccess,
    workspace: Workspace,
}

impl FromRow for ActiveRow {
    const COLUMNS: &'static [&'static str] = &joined::<{ ConnectorAccess::COLUMNS.len() + Workspace::COLUMNS.len() }>(
        ConnectorAccess::COLUMNS,
        Workspace::COLUMNS,
    );

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { access: ConnectorAccess::from_row(row)?, workspace: Workspace::from_row(row)? })
    }
}

impl FromRow for CodeRow {
    const COLUMNS: &'static [&'static str] = &joined::<{ 3 + Connector::COLUMNS.len() }>(
        &["code_challenge", "code_expires_at", "code_used_at"],
        Connector::COLUMNS,
    );

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let code = ConnectorCode { challenge: row.take()?, expires_at: row.take()?, used_at: row.take()? };
        Ok(Self { code, connector: Connector::from_row(row)? })
    }
}

impl FromRow for FamilyRow {
    const COLUMNS: &'static [&'static str] =
        &joined::<{ 1 + Connector::COLUMNS.len() }>(&["refresh_sha256"], Connector::COLUMNS);

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { refresh_sha256: row.take()?, connector: Connector::from_row(row)? })
    }
}
