//! `/platform/workspaces`: the workspaces of a person, and the change of the session to another one.

use std::sync::Arc;

use axum::http::{Method, header};
use posthouse_domain::{
    error::{ErrorCode, Refusal},
    id::WorkspaceId,
    user::Role,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use posthouse_api::views::user::{ListView, SignedInView};
use posthouse_app::people::switch::{self, NamedMembership};
use posthouse_http::{
    Api, cookie,
    route::{Route, RouteInput, RouteResponse},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::session(Method::GET, "/platform/workspaces", "listWorkspaces", Role::Member)
            .summary("Lists the workspaces of the person, the one used last first, without pages.")
            .answers::<ListView<MembershipView>>(200)
            .handle(list),
        Route::session(Method::POST, "/platform/workspaces/{id}/switch", "switchWorkspace", Role::Member)
            .summary("Begins a session in another workspace of the person, and ends the one of the cookie.")
            .without_body()
            .answers::<SignedInView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(switch_to),
    ]
}

/// A workspace of the person.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkspaceMembership")]
struct MembershipView {
    id: Uuid,
    name: String,
    /// Role of the person in the workspace.
    role: &'static str,
    /// Whether the person has signed in to the workspace; false for an invitation.
    joined: bool,
    /// Whether it is the workspace of this session.
    current: bool,
}

async fn list(app: Arc<Api>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let current = input.caller.workspace;
    let found = switch::workspaces(&app, input.caller).await?;
    let view = |found: NamedMembership| MembershipView {
        id: found.member.workspace.into(),
        name: found.workspace_name,
        role: found.member.role.text(),
        joined: found.member.joined_at.is_some(),
        current: found.member.workspace == current,
    };
    RouteResponse::json(200, &ListView { data: found.into_iter().map(view).collect() })
}

async fn switch_to(app: Arc<Api>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let to: WorkspaceId = input.path.id("id", "workspace")?;
    let request = input.request;
    let client = super::sign_in_client(request);
    let signed_in = switch::switch(&app, input.caller, to, client).await?;
    let response = RouteResponse::json(200, &SignedInView::of(&signed_in.member, &signed_in.workspace))?;
    let cookie = cookie::begin(&signed_in.secret, &app.config.base_url);
    let cookie = cookie.ok_or_else(|| Refusal::new(ErrorCode::Internal, "The cookie couldn't be written."))?;
    Ok(response.with(header::SET_COOKIE, cookie))
}
