//! `POST /v1/emergency-stop`. No API key ends a stop: an owner does
//! (`docs/decisions/people.md#0049-only-an-owner-resumes`).

use posthouse_api::views::workspace::OrgView;
use posthouse_app::workspaces::stop;
use posthouse_call::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// Longest reason in characters.
const REASON_CHARS_MAX: usize = 500;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Post, "/v1/emergency-stop", "emergencyStop", Permission::WorkspaceEmergency)
            .org_wide()
            .destructive()
            .repeatable()
            .summary("Stops the workspace: nothing is sent or claimed until an owner resumes it.")
            .responds::<StoppedView>(200)
            .handle(stop),
    ]
}

object! {
    /// Stops the workspace.
    struct StopBody {
        /// Why the workspace is stopped, for people.
        reason: Option<BoundedText<1, REASON_CHARS_MAX>>,
    }
}

/// The stopped workspace.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoppedWorkspace")]
struct StoppedView {
    org: OrgView,
}

async fn stop(service: Arc<Service>, input: Input<EmptyInput, StopBody>) -> Result<Outcome, Refusal> {
    let reason = input.body.reason.map(|text| text.0);
    let workspace = stop::stop(&service, input.caller, reason).await?;
    Outcome::json(200, &StoppedView { org: OrgView::of(&workspace) })
}
