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

view! {
    /// A member of the workspace.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Member")]
    pub struct MemberView<'a> of member: &'a Member {
        id: Uuid = member.user.id.into(),
        email: &'a str = &member.user.email,
        name: Option<&'a str> = member.user.name.as_deref(),
        /// What the person may do in the workspace.
        #[schemars(schema_with = "name_of::<Role>")]
        role: &'static str = member.role.text(),
        /// `active`, or `invited` until the person accepts the invitation.
        status: &'static str = if member.joined_at.is_some() { "active" } else { "invited" },
        created_at: TimestampView = member.created_at.into(),
    }
}

/// What the sign-in page shows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignInOptions")]
pub struct SignInOptionsView {
    /// Owner of the first workspace, which gets the mail of a fresh installation; null unless only this machine can connect
    /// and mail is captured.
    pub first_owner: Option<String>,
    /// Whether sign-in mail stays on this machine, and its link is in the log of the server.
    pub captures_mail: bool,
    /// Whether an address that is in no workspace gets a workspace of its own.
    pub sign_up: bool,
}

/// A list without pages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub struct ListView<T> {
    /// The entries.
    pub data: Vec<T>,
}

view! {
    /// A session of the caller.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Session")]
    pub struct SessionView<'a> of session: &'a Session, current: SessionId {
        id: Uuid = session.id.into(),
        /// The browser at sign-in.
        user_agent: Option<&'a str> = session.user_agent.as_deref(),
        /// The client's address at sign-in.
        ip: &'a str = &session.ip,
        /// Whether it is the session of this request.
        current: bool = session.id == current,
        created_at: TimestampView = session.created_at.into(),
        /// Last request, to the minute.
        last_used_at: TimestampView = session.last_used_at.into(),
        expires_at: TimestampView = session.expires_at.into(),
    }
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
