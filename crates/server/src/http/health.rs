//! What the service shows of itself to its operator: `/healthz`, `/readyz`, `/metrics` (operations.md).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::error::{Code, Refusal};
use posthouse_store::instance;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::route::{Answer, PublicInput, Route};
use crate::{
    app::App,
    shortage::{REASON_BLOBS, REASON_STORAGE_FULL},
    shutdown::Stage,
};

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
            .summary("Counts for Prometheus, with the bearer token `http.metrics_token`; without it only where `http.listen`, `base_url` and the client are on loopback.")
            .answers_with(200, Some(METRICS_TYPE))
            .errors(&[Code::Unauthorized])
            .handle(metrics),
    ]
}

/// Values of `details.reason` when the service is not ready, beside those of [`crate::shortage`].
const STARTING: &str = "starting";
const DRAINING: &str = "draining";
const STORE: &str = "store";
const STORE_DAMAGED: &str = "store_damaged";
/// Values of `warnings` when it is.
const CERTIFICATE_NOT_RELOADED: &str = "certificate_not_reloaded";
const CERTIFICATE_NOT_ISSUED: &str = "certificate_not_issued";
const CERTIFICATE_EXPIRED: &str = "certificate_expired";

/// How long `/readyz` waits for a probe of the blobs, in milliseconds: who asks gives up sooner than a store that is silent.
const BLOB_PROBE_MS_MAX: i64 = 2_000;
/// The text format of Prometheus.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

async fn metrics(app: Arc<App>, input: PublicInput) -> Result<Answer, Refusal> {
    let token = app.config.http.metrics_token.as_deref();
    // Digests are compared, so that the time it takes tells nothing of the token.
    let digest = |text: &str| Sha256::digest(text.as_bytes());
    let known = token.zip(input.request.bearer.as_ref()).is_some_and(|(own, given)| digest(own) == digest(&given.0));
    let is_local = input.request.on_loopback && app.config.http_is_on_loopback();
    if !known && !is_local {
        let message =
            "Metrics need the metrics token, unless http.listen, base_url and the client are all on loopback.";
        let fix = "Set http.metrics_token and send 'Authorization: Bearer <http.metrics_token>'.";
        return Err(Refusal::new(Code::Unauthorized, message).with_fix(fix));
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
        Stage::Starting => return Err(not_ready(STARTING, "The listeners are not bound yet.")),
        Stage::Draining => return Err(not_ready(DRAINING, "The service is shutting down.")),
        Stage::Ready => {}
    }
    if app.store.damage().is_none() {
        app.readiness.of(&app, check).await?;
    }
    // The check itself may have met it.
    if app.store.damage().is_some() {
        return Err(not_ready(
            STORE_DAMAGED,
            "The database is damaged; nothing is stored until it is repaired or restored.",
        ));
    }
    let mut view = json!({ "status": "ready" });
    let warnings = warnings(&app);
    if !warnings.is_empty() {
        view["warnings"] = warnings.into();
    }
    Answer::json(200, &view)
}

/// Looks whether the store and the blobs work.
async fn check(app: &App) -> Result<(), Refusal> {
    can_write(app).await.or_else(|error| match error {
        // Told by the caller.
        posthouse_store::Error::Damaged(_) => Ok(()),
        posthouse_store::Error::Full(_) => Err(unwritable(REASON_STORAGE_FULL, &error)),
        _ => Err(unwritable(STORE, &error)),
    })?;
    if blobs_work(app).await { Ok(()) } else { Err(not_ready(REASON_BLOBS, "The blob store is not available.")) }
}

fn unwritable(reason: &str, error: &posthouse_store::Error) -> Refusal {
    not_ready(reason, &format!("The store cannot write: {error}."))
}

/// What works and needs somebody all the same.
fn warnings(app: &App) -> Vec<&'static str> {
    let Some(facts) = app.tls.facts() else { return Vec::new() };
    let found = [
        (app.tls.refused().is_some(), CERTIFICATE_NOT_RELOADED),
        (app.config.smtp.acme && facts.self_signed(), CERTIFICATE_NOT_ISSUED),
        (facts.left_ms(app.clock.now()) <= 0, CERTIFICATE_EXPIRED),
    ];
    found.into_iter().filter_map(|(holds, name)| holds.then_some(name)).collect()
}

/// Few bytes are written to a store that is well; one that was full must take a mail's worth, and so must the blobs.
async fn can_write(app: &App) -> posthouse_store::Result<()> {
    if !app.shortage.is_full() {
        return instance::probe(&app.store).await;
    }
    instance::probe_room(&app.store).await?;
    let blob = app.blobs.put(vec![0; instance::PROBE_BYTES].into()).await?;
    app.blobs.delete(&blob).await?;
    app.shortage.room_found();
    Ok(())
}

/// Whether the blob store works: it is asked where it failed, and not more often than now and then.
async fn blobs_work(app: &App) -> bool {
    if !app.shortage.are_blobs_in_doubt() {
        return true;
    }
    if !app.shortage.takes_blob_probe(app.clock.now()) {
        return false;
    }
    let bytes = app.clock.ids().next::<uuid::Uuid>().as_bytes().to_vec();
    let probed = tokio::select! {
        probed = app.blobs.probe(bytes.into()) => probed,
        () = app.clock.sleep_until(app.clock.now().plus_ms(BLOB_PROBE_MS_MAX)) => return false,
    };
    match probed {
        Ok(()) => app.shortage.blobs_work(),
        Err(error) => tracing::warn!(cause = error.internal(), "blobs.unavailable"),
    }
    !app.shortage.are_blobs_in_doubt()
}

fn not_ready(reason: &str, message: &str) -> Refusal {
    Refusal::new(Code::Unavailable, message).detail("reason", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words in code style of a text.
    fn named(text: &str) -> Vec<&str> {
        text.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn the_page_for_operators_names_every_reason_and_every_warning() {
        let page = include_str!("../../../../docs/OPERATING.md");
        let line = page.lines().find(|line| line.starts_with("| `/readyz` |")).expect("the page has a line about it");
        let (_, told) = line.split_once("`details.reason` ").expect("reasons");
        let (reasons, warnings) = told.split_once("`warnings` ").expect("warnings");
        assert_eq!(named(reasons), [STARTING, DRAINING, STORE, STORE_DAMAGED, REASON_STORAGE_FULL, REASON_BLOBS]);
        assert_eq!(named(warnings), [CERTIFICATE_NOT_RELOADED, CERTIFICATE_NOT_ISSUED, CERTIFICATE_EXPIRED]);
    }
}
