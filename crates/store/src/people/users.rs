//! People who can sign in, and their memberships in workspaces.

use posthouse_domain::{Invitation, InvitationId, Member, Role, Time, User, UserId, WorkspaceId};

use crate::{Result, Tx, statements};

/// The columns of a member in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT m.workspace_id, u.id, u.email, u.name, u.created_at, m.role, m.joined_at, m.created_at
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
    fn insert(email: &str, id: UserId, now: Time) =
        "INSERT INTO users (id, email, name, created_at) VALUES (:id, :email, NULL, :now) ON CONFLICT (email) DO NOTHING";
    /// Returns the id of the person with a canonical address.
    pub fn by_email(email: &str) -> Option<UserId> = "SELECT id FROM users WHERE email = :email";
    /// Changes the name of a person.
    pub fn rename(user: UserId, name: Option<&str>) = "UPDATE users SET name = :name WHERE id = :user";
    /// Returns a person.
    pub fn get(id: UserId) -> Option<User> = "SELECT {users} FROM users WHERE id = :id";
    /// Adds a person to a workspace.
    pub fn add(workspace: WorkspaceId, user: UserId, role: Role, now: Time) =
        "INSERT INTO members (workspace_id, user_id, role, joined_at, created_at) VALUES (:workspace, :user, :role, :now, :now)";
    /// Stores an invitation of a person, in place of an earlier one to the same workspace. A member keeps the role.
    pub fn invite(user: UserId, i: &Invitation { workspace, role, sent_at, id, invited_by, expires_at, inviter }) =
        "INSERT INTO members (workspace_id, user_id, role, created_at, invitation_id, invited_by, invited_at, invitation_expires_at, inviter_id)
        VALUES (:workspace, :user, :role, :sent_at, :id, :invited_by, :sent_at, :expires_at, :inviter) ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role,
        invitation_id = excluded.invitation_id, invited_by = excluded.invited_by, invited_at = excluded.invited_at,
        invitation_expires_at = excluded.invitation_expires_at, inviter_id = excluded.inviter_id WHERE members.joined_at IS NULL";
    /// Returns the invitations of a person that haven't expired, newest first.
    pub fn invitations(user: UserId, now: Time; limit = WORKSPACES_MAX) -> Vec<Invitation> =
        invitations!("WHERE m.user_id = :user AND m.joined_at IS NULL AND m.invitation_expires_at > :now
        ORDER BY m.invited_at DESC, m.workspace_id LIMIT :limit");
    /// Returns an invitation of a person that hasn't expired.
    pub fn invitation(user: UserId, id: InvitationId, now: Time) -> Option<Invitation> =
        invitations!("WHERE m.user_id = :user AND m.joined_at IS NULL AND m.invitation_expires_at > :now
        AND m.invitation_id = :id");
    /// Returns a member of a workspace.
    pub fn member(workspace: WorkspaceId, user: UserId) -> Option<Member> =
        select!("WHERE m.workspace_id = :workspace AND m.user_id = :user");
    /// Returns the members of a workspace, invited ones included, oldest first.
    pub fn of_workspace(workspace: WorkspaceId; limit = MEMBERS_READ_MAX) -> Vec<Member> =
        select!("WHERE m.workspace_id = :workspace ORDER BY m.created_at, m.user_id LIMIT :limit");
    fn lock_rows(workspace: WorkspaceId) =
        "SELECT user_id FROM members WHERE workspace_id = :workspace ORDER BY user_id {FOR_UPDATE}";
    // The workspace that was used last comes first.
    /// Returns the memberships of a person, that of the workspace that was used last first. An open invitation
    /// isn't a membership.
    pub fn memberships(user: UserId; limit = WORKSPACES_MAX) -> Vec<Member> =
        select!("WHERE m.user_id = :user AND m.joined_at IS NOT NULL ORDER BY
        COALESCE((SELECT s.last_used_at FROM sessions s WHERE s.workspace_id = m.workspace_id AND s.user_id = m.user_id
          ORDER BY s.last_used_at DESC LIMIT 1), 0) DESC, m.created_at, m.workspace_id LIMIT :limit");
    /// Makes an invited person a member; returns whether the invitation was still open.
    pub fn join(user: UserId, invitation: &Invitation { workspace, id }, now: Time) -> bool =
        "UPDATE members SET joined_at = :now, invitation_id = NULL WHERE workspace_id = :workspace AND user_id = :user
        AND invitation_id = :id AND joined_at IS NULL";
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
    insert(tx, email, id, now)?;
    Ok(by_email(tx, email)?.unwrap_or(id))
}

/// Locks the members of a workspace, so that two changes can't both remove the last owner.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<Member>> {
    lock_rows(tx, workspace)?;
    of_workspace(tx, workspace)
}

crate::from_row!(Member {
    workspace = workspace_id,
    user(id: UserId, email: String, name: Option<String>, created_at: Time) => User { id, email, name, created_at },
    role, joined_at, created_at,
});

crate::from_row!(Invitation {
    id = invitation_id, workspace = workspace_id, workspace_name, invited_by, inviter = inviter_id, role,
    sent_at = invited_at, expires_at = invitation_expires_at,
});
