//! People who can sign in, and their memberships in workspaces.

use posthouse_domain::{
    id::{UserId, WorkspaceId},
    time::Time,
    user::{Member, Role, User},
};

use crate::{Result, Tx, p, statements};

/// The columns of a member in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT m.workspace_id, m.user_id, u.email, u.name, m.role, m.joined_at, m.created_at, u.created_at AS user_created_at
            FROM members m JOIN users u ON u.id = m.user_id ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO users (id, email, name, created_at) VALUES ($1, $2, NULL, $3) ON CONFLICT (email) DO NOTHING";
    ID_BY_EMAIL = "SELECT id FROM users WHERE email = $1";
    RENAME = "UPDATE users SET name = $2 WHERE id = $1";
    ADD = "INSERT INTO members (workspace_id, user_id, role, joined_at, created_at) VALUES ($1, $2, $3, NULL, $4)
        ON CONFLICT (workspace_id, user_id) DO NOTHING";
    GET = select!("WHERE m.workspace_id = $1 AND m.user_id = $2");
    OF_WORKSPACE = select!("WHERE m.workspace_id = $1 ORDER BY m.created_at, m.user_id LIMIT $2");
    LOCK = "SELECT user_id FROM members WHERE workspace_id = $1 ORDER BY user_id {FOR_UPDATE}";
    // Joined workspaces come before invitations, and the one that was used last before the others.
    OF_EMAIL = select!("WHERE u.email = $1 ORDER BY CASE WHEN m.joined_at IS NULL THEN 1 ELSE 0 END,
        COALESCE((SELECT s.last_used_at FROM sessions s WHERE s.workspace_id = m.workspace_id AND s.user_id = m.user_id
          ORDER BY s.last_used_at DESC LIMIT 1), 0) DESC, m.created_at, m.workspace_id LIMIT $2");
    JOIN = "UPDATE members SET joined_at = $3 WHERE workspace_id = $1 AND user_id = $2 AND joined_at IS NULL";
    SET_ROLE = "UPDATE members SET role = $3 WHERE workspace_id = $1 AND user_id = $2";
    REMOVE = "DELETE FROM members WHERE workspace_id = $1 AND user_id = $2";
}

/// Workspaces of a person that are read at most.
const WORKSPACES_MAX: u32 = 100;
/// Members of a workspace that are read at most.
const MEMBERS_READ_MAX: u32 = 1_000;

/// Returns the person with a canonical address; creates one with `id` for a new address.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn of_email(tx: &mut Tx, email: &str, id: UserId, now: Time) -> Result<UserId> {
    tx.exec(&INSERT, p![id, email, now])?;
    Ok(tx.value(&ID_BY_EMAIL, p![email])?.unwrap_or(id))
}

/// Adds a person to a workspace as invited; returns whether the person was no member.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn add(tx: &mut Tx, workspace: WorkspaceId, user: UserId, role: Role, now: Time) -> Result<bool> {
    Ok(tx.exec(&ADD, p![workspace, user, role, now])? > 0)
}

/// Returns a member of a workspace.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn member(tx: &mut Tx, workspace: WorkspaceId, user: UserId) -> Result<Option<Member>> {
    tx.one(&GET, p![workspace, user])
}

/// Returns the members of a workspace, invited ones included, oldest first.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn of_workspace(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<Member>> {
    tx.rows(&OF_WORKSPACE, p![workspace, MEMBERS_READ_MAX])
}

/// Locks the members of a workspace, so that two changes can't both remove the last owner.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<Member>> {
    tx.rows::<(UserId,)>(&LOCK, p![workspace])?;
    of_workspace(tx, workspace)
}

/// Returns the memberships of the person with a canonical address: first the workspace that was used last, invitations
/// at the end.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn memberships(tx: &mut Tx, email: &str) -> Result<Vec<Member>> {
    tx.rows(&OF_EMAIL, p![email, WORKSPACES_MAX])
}

/// Records the first sign-in of a member to a workspace.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn join(tx: &mut Tx, workspace: WorkspaceId, user: UserId, now: Time) -> Result<()> {
    tx.exec(&JOIN, p![workspace, user, now])?;
    Ok(())
}

/// Changes the role of a member.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn set_role(tx: &mut Tx, workspace: WorkspaceId, user: UserId, role: Role) -> Result<()> {
    tx.exec(&SET_ROLE, p![workspace, user, role])?;
    Ok(())
}

/// Changes the name of a person.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn rename(tx: &mut Tx, user: UserId, name: Option<&str>) -> Result<()> {
    tx.exec(&RENAME, p![user, name])?;
    Ok(())
}

/// Removes a member from a workspace.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn remove(tx: &mut Tx, workspace: WorkspaceId, user: UserId) -> Result<()> {
    tx.exec(&REMOVE, p![workspace, user])?;
    Ok(())
}

crate::from_row!(Member {
    workspace = workspace_id,
    id = user_id: UserId,
    email: String,
    name: Option<String>,
    role,
    joined_at,
    created_at,
    user_created_at: Time,
} => Self { workspace, user: User { id, email, name, created_at: user_created_at }, role, joined_at, created_at });
