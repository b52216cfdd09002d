//! What the service shows of itself to its operator: `/healthz`, `/readyz`, `/metrics` (operations.md).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::error::{Code, Refusal};
use posthouse_store::instance;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::route::{Answer, PublicInput, Route};
use crate::{app::App, shortage::REASON_STORAGE_FULL, shutdown::Stage};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::public(Method::GET, "/healthz", "getHealth")
            .summary("Whether the process is up.")
            .answers_with(200, Some("application/json"))
            .handle(healthz),
        Route::public(Method::GET, "/readyz", "getReadiness")
            .summary("Whether the store and the listeners work; 503 says what does not, `warnings` what needs somebody all the same.")
            .answers_with(200, Some("application/json"))
            .errors(&[Code::Unavailable])
            .handle(readyz),
        Route::public(Method::GET, "/metrics", "getPrometheusMetrics")
            .summary("Counts for Prometheus: on loopback, or with the bearer token `http.metrics_token`.")
            .answers_with(200, Some(METRICS_TYPE))
            .errors(&[Code::Unauthorized])
            .handle(metrics),
    ]
}

/// The text format of Prometheus.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

async fn metrics(app: Arc<App>, input: PublicInput) -> Result<Answer, Refusal> {
    let token = app.config.http.metrics_token.as_deref();
    // Digests are compared, so that the time it takes tells nothing of the token.
    let digest = |text: &str| Sha256::digest(text.as_bytes());
    let known = token.zip(input.request.bearer.as_ref()).is_some_and(|(own, given)| digest(own) == digest(&given.0));
    if !known && !input.request.on_loopback {
        let refusal =
            Refusal::new(Code::Unauthorized, "Metrics are for this machine, or for who has the metrics token.");
        return Err(refusal.with_fix("Send 'Authorization: Bearer <http.metrics_token>'."));
    }
    let (writes, reads) = app.store.queued();
    app.metrics.store_queue(writes, reads);
    app.metrics.destinations(app.pacer.standings(app.clock.now()));
    Ok(Answer::typed(200, METRICS_TYPE, app.metrics.text()))
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
    can_write(&app).await.map_err(|error| {
        let reason = if matches!(error, posthouse_store::Error::Full(_)) { REASON_STORAGE_FULL } else { "store" };
        not_ready(reason, &format!("The store cannot write: {error}."))
    })?;
    let mut view = json!({ "status": "ready" });
    let warnings = warnings(&app);
    if !warnings.is_empty() {
        view["warnings"] = warnings.into();
    }
    Answer::json(200, &view)
}

/// What works and needs somebody all the same.
fn warnings(app: &App) -> Vec<&'static str> {
    let Some(facts) = app.tls.facts() else { return Vec::new() };
    let found = [
        (app.tls.refused().is_some(), "certificate_not_reloaded"),
        (facts.left_ms(app.clock.now()) <= 0, "certificate_expired"),
        (app.config.smtp.acme && facts.self_signed(), "certificate_not_issued"),
    ];
    found.into_iter().filter_map(|(holds, name)| holds.then_some(name)).collect()
}

/// Few bytes are written to a store that is well; one that was full must take a mail's worth, and so must the blobs.
async fn can_write(app: &App) -> posthouse_store::Result<()> {
    if !app.shortage.is_noted() {
        return instance::probe(&app.store).await;
    }
    instance::probe_room(&app.store).await?;
    let blob = app.blobs.put(vec![0; instance::PROBE_BYTES].into()).await?;
    app.blobs.delete(&blob).await?;
    app.shortage.ended();
    Ok(())
}

fn not_ready(reason: &str, message: &str) -> Refusal {
    Refusal::new(Code::Unavailable, message).detail("reason", reason)
}
