//! `/platform/workspaces`: the workspaces of a person, and the change of the session to another one.

use posthouse_api::views::user::{ListView, SignedInView};
use posthouse_app::people::switch::{self, NamedMembership};
use posthouse_domain::{Role, WorkspaceId};
use posthouse_http::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::session(Method::GET, "/platform/workspaces", "listWorkspaces", Role::Member)
            .summary("Lists the workspaces of the person, the one used last first, without pages.")
            .responds::<ListView<MembershipView>>(200)
            .handle(list),
        Route::session(Method::POST, "/platform/workspaces/{id}/switch", "switchWorkspace", Role::Member)
            .summary("Begins a session in another workspace of the person, and ends the one of the cookie.")
            .without_body()
            .responds::<SignedInView<'_>>(200)
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
    /// Whether it is the workspace of this session.
    current: bool,
}

async fn list(service: Arc<Service>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let current = input.caller.workspace;
    let found = switch::workspaces(&service, input.caller).await?;
    let view = |found: NamedMembership| MembershipView {
        id: found.member.workspace.into(),
        name: found.workspace_name,
        role: found.member.role.text(),
        current: found.member.workspace == current,
    };
    RouteResponse::json(200, &ListView { data: found.into_iter().map(view).collect() })
}

async fn switch_to(service: Arc<Service>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let to: WorkspaceId = input.path.id("id", "workspace")?;
    let request = input.request;
    let client = super::sign_in_client(request);
    let signed_in = switch::switch(&service, input.caller, to, client).await?;
    super::begin_session(&service, &signed_in)
}
