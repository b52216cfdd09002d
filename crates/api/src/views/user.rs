//! Views of people, members and sessions.

use posthouse_domain::{
    id::SessionId,
    user::{Invitation, Member, Role, Session, User},
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of, optional_name_of, workspace::WorkspaceView};

/// A person with a session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub struct UserView<'a> {
    id: Uuid,
    email: &'a str,
    name: Option<&'a str>,
    /// What the person may do in the workspace; null without one.
    #[schemars(schema_with = "optional_name_of::<Role>")]
    role: Option<&'static str>,
    created_at: TimestampView,
}

/// The person of a session, and the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignedIn")]
pub struct SignedInView<'a> {
    user: UserView<'a>,
    /// The workspace of the session; null for a person who is in no workspace.
    org: Option<WorkspaceView>,
    /// Open invitations to other workspaces, newest first.
    invitations: Vec<InvitationView<'a>>,
    /// Whether the server keeps mail to other servers on this machine (`delivery.mode = "capture"`), and shows it at
    /// `GET /dev/outbox`.
    captures_mail: bool,
}

/// An invitation to a workspace. Accept it with `POST /platform/invitations/{id}/accept`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Invitation")]
pub struct InvitationView<'a> {
    id: Uuid,
    workspace: InvitingWorkspaceView<'a>,
    /// The address of the person who invited.
    invited_by: &'a str,
    /// What the person may do after joining.
    #[schemars(schema_with = "name_of::<Role>")]
    role: &'static str,
    created_at: TimestampView,
    expires_at: TimestampView,
}

/// The workspace of an invitation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "InvitingWorkspace")]
pub struct InvitingWorkspaceView<'a> {
    id: Uuid,
    name: &'a str,
}

/// A member of the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Member")]
pub struct MemberView<'a> {
    id: Uuid,
    email: &'a str,
    name: Option<&'a str>,
    /// What the person may do in the workspace.
    #[schemars(schema_with = "name_of::<Role>")]
    role: &'static str,
    /// `active`, or `invited` until the person accepts the invitation.
    status: &'static str,
    created_at: TimestampView,
}

/// A list without pages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListView<T> {
    /// The entries.
    pub data: Vec<T>,
}

/// A session of the caller.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Session")]
pub struct SessionView<'a> {
    id: Uuid,
    /// The browser at sign-in.
    user_agent: Option<&'a str>,
    /// The client's address at sign-in.
    ip: &'a str,
    /// Whether it is the session of this request.
    current: bool,
    created_at: TimestampView,
    /// Last request, to the minute.
    last_used_at: TimestampView,
    expires_at: TimestampView,
}

impl<'a> SignedInView<'a> {
    /// Returns the view of a person, with the role in the workspace of the session.
    #[must_use]
    pub fn of(
        person: &'a User,
        role: Option<Role>,
        workspace: Option<&Workspace>,
        invitations: &'a [Invitation],
        captures_mail: bool,
    ) -> Self {
        let user = UserView {
            id: person.id.into(),
            email: &person.email,
            name: person.name.as_deref(),
            role: role.map(Role::text),
            created_at: person.created_at.into(),
        };
        let invitations = invitations.iter().map(InvitationView::of).collect();
        Self { user, org: workspace.map(WorkspaceView::of), invitations, captures_mail }
    }
}

impl<'a> InvitationView<'a> {
    fn of(invitation: &'a Invitation) -> Self {
        Self {
            id: invitation.id.into(),
            workspace: InvitingWorkspaceView { id: invitation.workspace.into(), name: &invitation.workspace_name },
            invited_by: &invitation.invited_by,
            role: invitation.role.text(),
            created_at: invitation.sent_at.into(),
            expires_at: invitation.expires_at.into(),
        }
    }
}

impl<'a> MemberView<'a> {
    /// Returns the view of a member.
    #[must_use]
    pub fn of(member: &'a Member) -> Self {
        Self {
            id: member.user.id.into(),
            email: &member.user.email,
            name: member.user.name.as_deref(),
            role: member.role.text(),
            status: if member.joined_at.is_some() { "active" } else { "invited" },
            created_at: member.created_at.into(),
        }
    }
}

impl<'a> SessionView<'a> {
    /// Returns the view of a session. `current` is the session of the request.
    #[must_use]
    pub fn of(session: &'a Session, current: SessionId) -> Self {
        Self {
            id: session.id.into(),
            user_agent: session.user_agent.as_deref(),
            ip: &session.ip,
            current: session.id == current,
            created_at: session.created_at.into(),
            last_used_at: session.last_used_at.into(),
            expires_at: session.expires_at.into(),
        }
    }
}
