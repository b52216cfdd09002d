//! Views of people, members and sessions.

use posthouse_domain::{
    id::SessionId,
    user::{Member, Role, Session},
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of, workspace::WorkspaceView};

/// A person with a session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub struct UserView<'a> {
    id: Uuid,
    email: &'a str,
    name: Option<&'a str>,
    /// What the person may do in the workspace.
    #[schemars(schema_with = "name_of::<Role>")]
    role: &'static str,
    created_at: TimestampView,
}

/// The person of a session, and the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignedIn")]
pub struct SignedInView<'a> {
    user: UserView<'a>,
    org: WorkspaceView,
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
    /// `active`, or `invited` until the first sign-in.
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
    /// Returns the view of a member of a workspace.
    #[must_use]
    pub fn of(member: &'a Member, workspace: &Workspace) -> Self {
        let user = UserView {
            id: member.user.id.into(),
            email: &member.user.email,
            name: member.user.name.as_deref(),
            role: member.role.text(),
            created_at: member.user.created_at.into(),
        };
        Self { user, org: WorkspaceView::of(workspace) }
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
