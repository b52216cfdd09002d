//! What the service shows of itself to its operator: `/healthz`, `/readyz`, `/metrics` (operations.md).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::error::{Code, Refusal};
use serde_json::json;

use super::route::{Answer, PublicInput, Route};
use crate::{app::App, shutdown::Stage};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::public(Method::GET, "/healthz", "getHealth")
            .summary("Whether the process is up.")
            .answers_with(200, Some("application/json"))
            .handle_public(healthz),
        Route::public(Method::GET, "/readyz", "getReadiness")
            .summary("Whether the store and the listeners work; 503 says what does not.")
            .answers_with(200, Some("application/json"))
            .errors(&[Code::Unavailable])
            .handle_public(readyz),
    ]
}

async fn healthz(_app: Arc<App>, _input: PublicInput) -> Result<Answer, Refusal> {
    Answer::json(200, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

async fn readyz(app: Arc<App>, _input: PublicInput) -> Result<Answer, Refusal> {
    match app.life.stage() {
        Stage::Starting => return Err(not_ready("starting", "The listeners are not bound yet.")),
        Stage::Draining => return Err(not_ready("draining", "The service is shutting down.")),
        Stage::Ready => {}
    }
    crate::boot::probe(&app.store)
        .await
        .map_err(|error| not_ready("store", &format!("The store cannot write: {error}.")))?;
    Answer::json(200, &json!({ "status": "ready" }))
}

fn not_ready(reason: &str, message: &str) -> Refusal {
    Refusal::new(Code::Unavailable, message).detail("reason", reason)
}
