//! `POST /v1/emergency-stop` (API document, Trust; contract §17.2). No route ends a stop: an owner does.

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{auth::Permission, error::Refusal};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::{App, stop_workspace},
    http::{
        route::{Answer, Input, Route},
        wire::{Empty, Text, object},
    },
    views::workspace::OrgView,
};

/// Longest reason in characters (API document, Limits).
const REASON_CHARS_MAX: usize = 500;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/v1/emergency-stop", "emergencyStop", Permission::WorkspaceEmergency)
            .org_wide()
            .summary("Stops every agent of the workspace: nothing is sent or claimed until an owner resumes it.")
            .answers::<StoppedView>(200)
            .handle(stop),
    ]
}

object! {
    /// Why the workspace is stopped.
    struct StopBody {
        /// For people who look at the workspace.
        reason: Option<Text<1, REASON_CHARS_MAX>>,
    }
}

/// The stopped workspace.
#[derive(Serialize, JsonSchema)]
struct StoppedView {
    org: OrgView,
}

async fn stop(app: Arc<App>, input: Input<Empty, StopBody>) -> Result<Answer, Refusal> {
    let reason = input.body.reason.map(|text| text.0);
    let workspace = stop_workspace::stop(&app, input.caller, reason).await?;
    Answer::json(200, &StoppedView { org: OrgView::of(&workspace) })
}
