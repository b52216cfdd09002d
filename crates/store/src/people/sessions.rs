//! Sessions of people: rows with the digest of the secret, never the secret itself.

use posthouse_domain::{
    auth::UserPrincipal,
    id::{SessionId, UserId, WorkspaceId},
    time::Time,
    user::{Role, Session},
    workspace::Workspace,
};

use crate::{FromRow, Result, Row, Tx, p, statements, values::joined, workspaces};

statements! {
    INSERT = "INSERT INTO sessions (workspace_id, id, user_id, digest, user_agent, ip, created_at, last_used_at, expires_at)
        VALUES ({PARAMETERS})";
    // A session ends with the membership.
    FIND_ACTIVE = concat!("SELECT s.id AS session_id, s.user_id, m.role, s.last_used_at, ", workspaces::columns!(),
        " FROM sessions s JOIN members m ON m.workspace_id = s.workspace_id AND m.user_id = s.user_id AND m.joined_at IS NOT NULL
        JOIN workspaces w ON w.id = s.workspace_id WHERE s.digest = $1 AND s.expires_at > $2 AND s.last_used_at > $3");
    FIND_WITHOUT_WORKSPACE = "SELECT id AS session_id, user_id, last_used_at FROM sessions
        WHERE digest = $1 AND expires_at > $2 AND last_used_at > $3 AND workspace_id = $4";
    GET_ACTIVE = "SELECT s.user_id, m.role FROM sessions s
        JOIN members m ON m.workspace_id = s.workspace_id AND m.user_id = s.user_id AND m.joined_at IS NOT NULL
        WHERE s.workspace_id = $1 AND s.id = $2";
    /// Returns when a session began: when its person signed in.
    pub fn began(workspace: WorkspaceId, id: SessionId) -> Option<Time> =
        "SELECT created_at FROM sessions WHERE workspace_id = :workspace AND id = :id";
    /// Records that a session was used.
    pub fn record_use(workspace: WorkspaceId, id: SessionId, now: Time) =
        "UPDATE sessions SET last_used_at = :now WHERE workspace_id = :workspace AND id = :id";
    OF_USER = "SELECT workspace_id, id, user_id, user_agent, ip, created_at, last_used_at, expires_at FROM sessions
        WHERE workspace_id = $1 AND user_id = $2 AND expires_at > $3 AND last_used_at > $4 ORDER BY last_used_at DESC, id DESC LIMIT $5";
    DELETE_UNUSED = "DELETE FROM sessions WHERE workspace_id = $1 AND user_id = $2 AND (expires_at <= $3 OR last_used_at <= $4
        OR id NOT IN (SELECT k.id FROM sessions k WHERE k.workspace_id = $1 AND k.user_id = $2
          ORDER BY k.last_used_at DESC, k.id DESC LIMIT $5))";
    DELETE = "DELETE FROM sessions WHERE workspace_id = $1 AND user_id = $2 AND id = $3";
    DELETE_BY_DIGEST = "DELETE FROM sessions WHERE digest = $1 RETURNING workspace_id";
    /// Deletes up to `limit` expired sessions; returns how many. Those that weren't used for long expire later.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)";
    DELETE_OF_USER = "DELETE FROM sessions WHERE workspace_id = $1 AND user_id = $2";
}

/// A session that hasn't ended, with its workspace.
#[derive(Clone, Debug)]
pub struct ActiveSession {
    /// The workspace.
    pub workspace: Workspace,
    /// The person and the session.
    pub user: UserPrincipal,
    /// When it was last used, to the minute.
    pub last_used_at: Time,
}

/// A session of a person who is in no workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionWithoutWorkspace {
    /// The id.
    pub session: SessionId,
    /// The person.
    pub user: UserId,
    /// When it was last used, to the minute.
    pub last_used_at: Time,
}

/// When sessions end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionCutoff {
    /// Sessions that expire at this time or before have ended.
    pub now: Time,
    /// Sessions that were last used at this time or before have ended.
    pub unused_since: Time,
}

/// Stores a session. Deletes those of the same person that have ended, and the least used ones beyond `max`.
pub fn insert(tx: &mut Tx, s: &Session, digest: &[u8; 32], cutoff: SessionCutoff, max: usize) -> Result<()> {
    tx.exec(
        &INSERT,
        p![s.workspace, s.id, s.user, digest, s.user_agent, s.ip, s.created_at, s.last_used_at, s.expires_at],
    )?;
    let max = u32::try_from(max).unwrap_or(u32::MAX);
    tx.exec(&DELETE_UNUSED, p![s.workspace, s.user, cutoff.now, cutoff.unused_since, max])?;
    Ok(())
}

/// Finds a session that hasn't ended by the digest of its secret.
pub fn find_active(tx: &mut Tx, digest: &[u8; 32], cutoff: SessionCutoff) -> Result<Option<ActiveSession>> {
    tx.one(&FIND_ACTIVE, p![digest, cutoff.now, cutoff.unused_since])
}

/// Finds a session of a person who is in no workspace, by the digest of its secret. It belongs to the workspace of the
/// service.
pub fn find_without_workspace(
    tx: &mut Tx,
    digest: &[u8; 32],
    cutoff: SessionCutoff,
) -> Result<Option<SessionWithoutWorkspace>> {
    tx.one(&FIND_WITHOUT_WORKSPACE, p![digest, cutoff.now, cutoff.unused_since, WorkspaceId::SERVICE])
}

/// Returns the current access of a session that authenticated earlier; `None` if it ended.
pub fn find_active_by_id(tx: &mut Tx, workspace: WorkspaceId, id: SessionId) -> Result<Option<UserPrincipal>> {
    let found: Option<SessionAccess> = tx.one(&GET_ACTIVE, p![workspace, id])?;
    Ok(found.map(|found| UserPrincipal { user: found.user, session: id, role: found.role }))
}

/// Returns the sessions of a person in a workspace that haven't ended, most recently used first.
pub fn of_user(
    tx: &mut Tx,
    workspace: WorkspaceId,
    user: UserId,
    cutoff: SessionCutoff,
    limit: u32,
) -> Result<Vec<Session>> {
    tx.rows(&OF_USER, p![workspace, user, cutoff.now, cutoff.unused_since, limit])
}

/// Ends a session of a person; returns whether there was one. Wakes the workspace, so that its streams end.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, user: UserId, id: SessionId) -> Result<bool> {
    let is_deleted = tx.exec(&DELETE, p![workspace, user, id])? > 0;
    tx.wake(workspace.0);
    Ok(is_deleted)
}

/// Ends the session with this secret. Wakes its workspace, so that its streams end.
pub fn delete_by_digest(tx: &mut Tx, digest: &[u8; 32]) -> Result<()> {
    if let Some((workspace,)) = tx.one::<(WorkspaceId,)>(&DELETE_BY_DIGEST, p![digest])? {
        tx.wake(workspace.0);
    }
    Ok(())
}

/// Ends all sessions of a person in a workspace. Wakes the workspace, so that their streams end.
pub fn delete_of_user(tx: &mut Tx, workspace: WorkspaceId, user: UserId) -> Result<()> {
    tx.exec(&DELETE_OF_USER, p![workspace, user])?;
    tx.wake(workspace.0);
    Ok(())
}

/// The columns of the session; those of its workspace follow.
struct SessionRow {
    session: SessionId,
    user: UserId,
    role: Role,
    last_used_at: Time,
}

crate::from_row!(SessionRow { session = session_id, user = user_id, role, last_used_at });

/// What a session may do.
struct SessionAccess {
    user: UserId,
    role: Role,
}

crate::from_row!(SessionAccess { user = user_id, role });

impl FromRow for ActiveSession {
    const COLUMNS: &'static [&'static str] =
        &joined::<{ SessionRow::COLUMNS.len() + Workspace::COLUMNS.len() }>(SessionRow::COLUMNS, Workspace::COLUMNS);

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let SessionRow { session, user, role, last_used_at } = SessionRow::from_row(row)?;
        Ok(Self { user: UserPrincipal { user, session, role }, last_used_at, workspace: Workspace::from_row(row)? })
    }
}

crate::from_row!(Session {
    workspace = workspace_id,
    id,
    user = user_id,
    user_agent,
    ip,
    created_at,
    last_used_at,
    expires_at,
});

crate::from_row!(SessionWithoutWorkspace { session = session_id, user = user_id, last_used_at });
