//! `/platform/workspaces`: the workspaces of a person. The switch to another one begins a session, which is in the crate of
//! pages.

use posthouse_api::views::user::ListView;
use posthouse_app::people::switch::{self, NamedMembership};
use posthouse_call::prelude::*;
use posthouse_domain::Role;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/workspaces", "listWorkspaces", Role::Member)
            .summary("Lists the workspaces of the person, the one used last first, without pages.")
            .responds::<ListView<MembershipView>>(200)
            .handle(list),
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

async fn list(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let current = input.caller.workspace;
    let found = switch::workspaces(&service, input.caller).await?;
    let view = |found: NamedMembership| MembershipView {
        id: found.member.workspace.into(),
        name: found.workspace_name,
        role: found.member.role.text(),
        current: found.member.workspace == current,
    };
    Outcome::json(200, &ListView { data: found.into_iter().map(view).collect() })
}
