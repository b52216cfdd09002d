//! People who can sign in, and their memberships in workspaces.

use posthouse_domain::{
    id::{InvitationId, UserId, WorkspaceId},
    time::Time,
    user::{Invitation, Member, Role, User},
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

/// The columns of an invitation in the order that rows are read.
macro_rules! invitations {
    ($rest:literal) => {
        concat!(
            "SELECT m.invitation_id, m.workspace_id, w.name AS workspace_name, m.invited_by, m.inviter_id, m.role, m.invited_at, m.invitation_expires_at
            FROM members m JOIN workspaces w ON w.id = m.workspace_id ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO users (id, email, name, created_at) VALUES ($1, $2, NULL, $3) ON CONFLICT (email) DO NOTHING";
    ID_BY_EMAIL = "SELECT id FROM users WHERE email = $1";
    /// Changes the name of a person.
    pub fn rename(user: UserId, name: Option<&str>) = "UPDATE users SET name = :name WHERE id = :user";
    /// Returns a person.
    pub fn get(id: UserId) -> Option<User> = "SELECT id, email, name, created_at FROM users WHERE id = :id";
    /// Adds a person to a workspace.
    pub fn add(workspace: WorkspaceId, user: UserId, role: Role, now: Time) =
        "INSERT INTO members (workspace_id, user_id, role, joined_at, created_at) VALUES (:workspace, :user, :role, :now, :now)";
    INVITE = "INSERT INTO members (workspace_id, user_id, role, created_at, invitation_id, invited_by, invited_at, invitation_expires_at, inviter_id)
        VALUES ($1, $2, $3, $4, $5, $6, $4, $7, $8) ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role,
        invitation_id = excluded.invitation_id, invited_by = excluded.invited_by, invited_at = excluded.invited_at,
        invitation_expires_at = excluded.invitation_expires_at, inviter_id = excluded.inviter_id WHERE members.joined_at IS NULL";
    INVITATIONS = invitations!("WHERE m.user_id = $1 AND m.joined_at IS NULL AND m.invitation_expires_at > $2
        ORDER BY m.invited_at DESC, m.workspace_id LIMIT $3");
    INVITATION = invitations!("WHERE m.user_id = $1 AND m.joined_at IS NULL AND m.invitation_expires_at > $2
        AND m.invitation_id = $3");
    /// Returns a member of a workspace.
    pub fn member(workspace: WorkspaceId, user: UserId) -> Option<Member> =
        select!("WHERE m.workspace_id = :workspace AND m.user_id = :user");
    OF_WORKSPACE = select!("WHERE m.workspace_id = $1 ORDER BY m.created_at, m.user_id LIMIT $2");
    LOCK = "SELECT user_id FROM members WHERE workspace_id = $1 ORDER BY user_id {FOR_UPDATE}";
    // The workspace that was used last comes first.
    OF_USER = select!("WHERE m.user_id = $1 AND m.joined_at IS NOT NULL ORDER BY
        COALESCE((SELECT s.last_used_at FROM sessions s WHERE s.workspace_id = m.workspace_id AND s.user_id = m.user_id
          ORDER BY s.last_used_at DESC LIMIT 1), 0) DESC, m.created_at, m.workspace_id LIMIT $2");
    JOIN = "UPDATE members SET joined_at = $4, invitation_id = NULL WHERE workspace_id = $1 AND user_id = $2
        AND invitation_id = $3 AND joined_at IS NULL";
    /// Changes the role of a member.
    pub fn set_role(workspace: WorkspaceId, user: UserId, role: Role) =
        "UPDATE members SET role = :role WHERE workspace_id = :workspace AND user_id = :user";
    /// Removes a member from a workspace.
    pub fn remove(workspace: WorkspaceId, user: UserId) =
        "DELETE FROM members WHERE workspace_id = :workspace AND user_id = :user";
    /// Ends the open invitations to a workspace that a person sent, or those to a role.
    pub fn end_invitations(workspace: WorkspaceId, inviter: UserId, to: Option<Role>) =
        "DELETE FROM members WHERE workspace_id = :workspace AND inviter_id = :inviter AND joined_at IS NULL AND role = COALESCE(:to, role)";
}

/// Workspaces of a person that are read at most.
const WORKSPACES_MAX: u32 = 100;
/// Members of a workspace that are read at most.
const MEMBERS_READ_MAX: u32 = 1_000;

/// Returns the person with a canonical address; creates one with `id` for a new address.
pub fn of_email(tx: &mut Tx, email: &str, id: UserId, now: Time) -> Result<UserId> {
    tx.exec(&INSERT, p![id, email, now])?;
    Ok(tx.value(&ID_BY_EMAIL, p![email])?.unwrap_or(id))
}

/// Stores an invitation of a person, in place of an earlier one to the same workspace. A member keeps the role.
pub fn invite(tx: &mut Tx, user: UserId, i: &Invitation) -> Result<()> {
    tx.exec(&INVITE, p![i.workspace, user, i.role, i.sent_at, i.id, i.invited_by, i.expires_at, i.inviter])?;
    Ok(())
}

/// Returns the invitations of a person that haven't expired, newest first.
pub fn invitations(tx: &mut Tx, user: UserId, now: Time) -> Result<Vec<Invitation>> {
    tx.rows(&INVITATIONS, p![user, now, WORKSPACES_MAX])
}

/// Returns an invitation of a person that hasn't expired.
pub fn invitation(tx: &mut Tx, user: UserId, id: InvitationId, now: Time) -> Result<Option<Invitation>> {
    tx.one(&INVITATION, p![user, now, id])
}

/// Returns the members of a workspace, invited ones included, oldest first.
pub fn of_workspace(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<Member>> {
    tx.rows(&OF_WORKSPACE, p![workspace, MEMBERS_READ_MAX])
}

/// Locks the members of a workspace, so that two changes can't both remove the last owner.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<Member>> {
    tx.rows::<(UserId,)>(&LOCK, p![workspace])?;
    of_workspace(tx, workspace)
}

/// Returns the memberships of a person, that of the workspace that was used last first. An invitation is none.
pub fn memberships(tx: &mut Tx, user: UserId) -> Result<Vec<Member>> {
    tx.rows(&OF_USER, p![user, WORKSPACES_MAX])
}

/// Returns the id of the person with a canonical address.
pub fn by_email(tx: &mut Tx, email: &str) -> Result<Option<UserId>> {
    tx.value(&ID_BY_EMAIL, p![email])
}

/// Makes an invited person a member; returns whether the invitation was still open.
pub fn join(tx: &mut Tx, user: UserId, invitation: &Invitation, now: Time) -> Result<bool> {
    Ok(tx.exec(&JOIN, p![invitation.workspace, user, invitation.id, now])? > 0)
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

crate::from_row!(User { id, email, name, created_at });

crate::from_row!(Invitation {
    id = invitation_id,
    workspace = workspace_id,
    workspace_name,
    invited_by,
    inviter = inviter_id,
    role,
    sent_at = invited_at,
    expires_at = invitation_expires_at,
});
