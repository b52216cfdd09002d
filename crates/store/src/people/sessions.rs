//! Sessions of people: rows with the digest of the secret, never the secret itself.

use posthouse_domain::{Role, Session, SessionId, Time, UserId, UserPrincipal, Workspace, WorkspaceId};

use crate::{FromRow, Result, Row, Tx, statements, values::joined, workspaces};

statements! {
    fn insert_row(session: row &Session, digest: &[u8; 32]) = "{insert sessions}";
    // A session ends with the membership.
    /// Finds a session that hasn't ended by the digest of its secret.
    pub fn find_active(digest: &[u8; 32], cutoff: SessionCutoff { now, unused_since }) -> Option<ActiveSession> =
        concat!("SELECT s.id AS session_id, s.user_id, m.role, s.last_used_at, ", workspaces::columns!(),
        " FROM sessions s JOIN members m ON m.workspace_id = s.workspace_id AND m.user_id = s.user_id AND m.joined_at IS NOT NULL
        JOIN workspaces w ON w.id = s.workspace_id WHERE s.digest = :digest AND s.expires_at > :now AND s.last_used_at > :unused_since");
    /// Finds a session of a person who is in no workspace, by the digest of its secret. It belongs to the workspace of the
    /// service.
    pub fn find_without_workspace(
        digest: &[u8; 32], cutoff: SessionCutoff { now, unused_since };
        service = WorkspaceId::SERVICE,
    ) -> Option<SessionWithoutWorkspace> = "SELECT id AS session_id, user_id, last_used_at FROM sessions
        WHERE digest = :digest AND expires_at > :now AND last_used_at > :unused_since AND workspace_id = :service";
    fn access(workspace: WorkspaceId, id: SessionId) -> Option<SessionAccess> =
        "SELECT s.user_id, m.role FROM sessions s
        JOIN members m ON m.workspace_id = s.workspace_id AND m.user_id = s.user_id AND m.joined_at IS NOT NULL
        WHERE s.workspace_id = :workspace AND s.id = :id";
    /// Returns when a session began: when its person signed in.
    pub fn began(workspace: WorkspaceId, id: SessionId) -> Option<Time> =
        "SELECT created_at FROM sessions WHERE workspace_id = :workspace AND id = :id";
    /// Records that a session was used.
    pub fn record_use(workspace: WorkspaceId, id: SessionId, now: Time) =
        "UPDATE sessions SET last_used_at = :now WHERE workspace_id = :workspace AND id = :id";
    /// Returns the sessions of a person in a workspace that haven't ended, most recently used first.
    pub fn of_user(
        workspace: WorkspaceId, user: UserId, cutoff: SessionCutoff { now, unused_since }, limit: u32,
    ) -> Vec<Session> = "SELECT {sessions} FROM sessions
        WHERE workspace_id = :workspace AND user_id = :user AND expires_at > :now AND last_used_at > :unused_since ORDER BY last_used_at DESC, id DESC LIMIT :limit";
    fn delete_unused(session: &Session { workspace, user }, cutoff: SessionCutoff { now, unused_since }, max: u64) =
        "DELETE FROM sessions WHERE workspace_id = :workspace AND user_id = :user AND (expires_at <= :now OR last_used_at <= :unused_since
        OR id NOT IN (SELECT k.id FROM sessions k WHERE k.workspace_id = :workspace AND k.user_id = :user
          ORDER BY k.last_used_at DESC, k.id DESC LIMIT :max))";
    fn delete_row(workspace: WorkspaceId, user: UserId, id: SessionId) -> bool =
        "DELETE FROM sessions WHERE workspace_id = :workspace AND user_id = :user AND id = :id";
    fn delete_row_by_digest(digest: &[u8; 32]) -> Option<WorkspaceId> =
        "DELETE FROM sessions WHERE digest = :digest RETURNING workspace_id";
    /// Deletes up to `limit` expired sessions; returns how many. Those that weren't used for long expire later.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)";
    fn delete_rows_of_user(workspace: WorkspaceId, user: UserId) =
        "DELETE FROM sessions WHERE workspace_id = :workspace AND user_id = :user";
}

/// A session that hasn't ended, with its workspace.
#[derive(Clone, Debug)]
pub struct ActiveSession {
    pub workspace: Workspace,
    /// The person and the session.
    pub user: UserPrincipal,
    /// When it was last used, to the minute.
    pub last_used_at: Time,
}

crate::row_struct!(
    /// A session of a person who is in no workspace.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub SessionWithoutWorkspace {
        session = session_id: SessionId, user = user_id: UserId,
        /// When it was last used, to the minute.
        last_used_at: Time,
    }
);

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
    insert_row(tx, s, digest)?;
    delete_unused(tx, s, cutoff, max as u64)
}

/// Returns the current access of a session that authenticated earlier; `None` if it ended.
pub fn find_active_by_id(tx: &mut Tx, workspace: WorkspaceId, id: SessionId) -> Result<Option<UserPrincipal>> {
    Ok(access(tx, workspace, id)?.map(|found| UserPrincipal { user: found.user, session: id, role: found.role }))
}

/// Ends a session of a person; returns whether there was one. Wakes the workspace, so that its streams end.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, user: UserId, id: SessionId) -> Result<bool> {
    tx.wake(workspace.0);
    delete_row(tx, workspace, user, id)
}

/// Ends the session with this secret. Wakes its workspace, so that its streams end.
pub fn delete_by_digest(tx: &mut Tx, digest: &[u8; 32]) -> Result<()> {
    if let Some(workspace) = delete_row_by_digest(tx, digest)? {
        tx.wake(workspace.0);
    }
    Ok(())
}

/// Ends all sessions of a person in a workspace. Wakes the workspace, so that their streams end.
pub fn delete_of_user(tx: &mut Tx, workspace: WorkspaceId, user: UserId) -> Result<()> {
    tx.wake(workspace.0);
    delete_rows_of_user(tx, workspace, user)
}

crate::row_struct!(
    /// What a session may do.
    SessionAccess { user = user_id: UserId, role: Role }
);

impl FromRow for UserPrincipal {
    const COLUMNS: &'static [&'static str] = &["session_id", "user_id", "role"];

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { session: row.take()?, user: row.take()?, role: row.take()? })
    }
}

impl FromRow for ActiveSession {
    const COLUMNS: &'static [&'static str] = &joined::<{ 4 + Workspace::COLUMNS.len() }>(
        &["session_id", "user_id", "role", "last_used_at"],
        Workspace::COLUMNS,
    );

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (user, last_used_at) = (UserPrincipal::from_row(row)?, row.take()?);
        Ok(Self { user, last_used_at, workspace: Workspace::from_row(row)? })
    }
}
