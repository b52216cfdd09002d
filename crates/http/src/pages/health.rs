//! Routes for operators: `/healthz`, `/readyz`, `/metrics` (see `docs/OPERATING.md`).

use crate::{Api, connection::host};
use std::sync::Arc;

use posthouse_call::{Method, Operation};
use posthouse_domain::error::{ErrorCode, LimitName, Refusal, RefusalReason};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::route::{PageInput, PageOperation as _, Route, RouteResponse};
use posthouse_app::limits::storage_probe::{self, not_ready};
use posthouse_app::{lifecycle::Stage, service::Service};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Operation::public(Method::Get, "/healthz", "getHealth")
            .summary("Returns 200 while the process is running.")
            .responds::<HealthView>(200)
            .page_in(healthz),
        Operation::public(Method::Get, "/readyz", "getReadiness")
            .summary(
                "Returns 200 if the store and the listeners work, otherwise 503 with the reason. `warnings` lists \
                 problems that need attention although the service works.",
            )
            .responds::<ReadinessView>(200)
            .errors(&[ErrorCode::Unavailable])
            .page_in(readyz),
        Operation::public(Method::Get, "/metrics", "getPrometheusMetrics")
            .summary(
                "Returns counters for Prometheus. Needs the bearer token `http.metrics_token`, unless `http.listen`, \
                 `base_url` and the client are all on loopback.",
            )
            .responds_with(200, Some(METRICS_TYPE))
            .errors(&[ErrorCode::Unauthorized])
            .page_in(metrics),
    ]
}

/// The process is running.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Health")]
struct HealthView {
    /// Always `ok`.
    status: &'static str,
    /// The version of the service.
    version: &'static str,
    /// The same for all processes of one store, and different for other stores. Null if the instance key can't be read.
    instance: Option<String>,
}

/// The service is ready.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Readiness")]
struct ReadinessView {
    /// Always `ready`.
    status: &'static str,
    /// Problems that need attention although the service works. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'static str>,
}

/// Values of `warnings` while it is ready.
const CERTIFICATE_NOT_RELOADED: &str = "certificate_not_reloaded";
const CERTIFICATE_NOT_ISSUED: &str = "certificate_not_issued";
const CERTIFICATE_EXPIRED: &str = "certificate_expired";

/// The Prometheus text format.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

async fn metrics(api: Arc<Api>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let token = api.http.metrics_token.as_ref();
    // Comparing digests keeps the duration independent of the token.
    let digest = |text: &str| Sha256::digest(text.as_bytes());
    let known = token.zip(input.request.bearer.as_ref()).is_some_and(|(own, given)| digest(&own.0) == digest(&given.0));
    let is_local =
        input.request.on_loopback && api.http.is_on_loopback && host::is_on_loopback(&api.service.config.base_url);
    if !known && !is_local {
        let message = "The metrics require the metrics token, unless `http.listen`, `base_url` and the client are all on loopback.";
        let fix = "Set `http.metrics_token` and send the header `Authorization: Bearer <http.metrics_token>`.";
        return Err(Refusal::new(ErrorCode::Unauthorized, message).with_fix(fix));
    }
    api.service.metrics.store_queue(api.service.store.queued());
    api.service.metrics.destinations(api.service.capacity.limiter.count_by_status(api.service.clock.now()));
    record_budgets(&api);
    Ok(RouteResponse::typed(200, METRICS_TYPE, api.service.metrics.text()))
}

/// Sets the metrics of what is used of each budget.
fn record_budgets(api: &Api) {
    let content = &api.service.smtp_content;
    let used = [
        (LimitName::RequestBodyBytes.text(), api.bodies.used()),
        (LimitName::ResponseBytes.text(), api.responses.used()),
        (LimitName::Connections.text(), api.connections.used()),
        (LimitName::Streams.text(), (api.service.streams.used(), api.service.streams.peak())),
        ("smtp_content_bytes", (content.receipt.used(), content.receipt.peak())),
        ("submission_content_bytes", (content.submission.used(), content.submission.peak())),
    ];
    for (limit, (used, peak)) in used {
        api.service.metrics.limit_used(limit, used, peak);
    }
}

async fn healthz(api: Arc<Api>, _input: PageInput) -> Result<RouteResponse, Refusal> {
    let instance = api.service.instance_name();
    RouteResponse::json(200, &HealthView { status: "ok", version: env!("CARGO_PKG_VERSION"), instance })
}

async fn readyz(api: Arc<Api>, _input: PageInput) -> Result<RouteResponse, Refusal> {
    match api.service.lifecycle.stage() {
        Stage::Starting => return Err(not_ready(RefusalReason::Starting, "The listeners are not bound yet.")),
        Stage::Draining => return Err(not_ready(RefusalReason::Draining, "The server is shutting down.")),
        Stage::Ready => {}
    }
    if api.service.store.damage().is_none() {
        api.readiness.of(&api.service, storage_probe::probe).await?;
    }
    // The check itself may have detected the damage.
    if api.service.store.damage().is_some() {
        return Err(not_ready(
            RefusalReason::StoreDamaged,
            "The database is damaged; nothing is stored until it is repaired or restored.",
        ));
    }
    RouteResponse::json(200, &ReadinessView { status: "ready", warnings: warnings(&api.service) })
}

/// Returns problems that need attention although the service works.
fn warnings(service: &Service) -> Vec<&'static str> {
    let Some(facts) = service.tls.facts() else { return Vec::new() };
    let found = [
        (service.tls.refused().is_some(), CERTIFICATE_NOT_RELOADED),
        (service.config.acme.enabled && facts.self_signed(), CERTIFICATE_NOT_ISSUED),
        (facts.remaining_ms(service.clock.now()) <= 0, CERTIFICATE_EXPIRED),
    ];
    found.into_iter().filter_map(|(holds, name)| holds.then_some(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of a text that are in code style.
    fn named(text: &str) -> Vec<&str> {
        text.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn the_operating_page_lists_every_reason_and_warning() {
        let page = include_str!("../../../../docs/OPERATING.md");
        let line = page.lines().find(|line| line.starts_with("| `/readyz` |")).expect("the page has a line about it");
        let (_, lists) = line.split_once("`details.reason` ").expect("reasons");
        let (reasons, warnings) = lists.split_once("`warnings` ").expect("warnings");
        let ready = RefusalReason::ALL.iter().map(|reason| reason.text()).take(6);
        assert_eq!(named(reasons), ready.collect::<Vec<_>>());
        assert_eq!(named(warnings), [CERTIFICATE_NOT_RELOADED, CERTIFICATE_NOT_ISSUED, CERTIFICATE_EXPIRED]);
    }
}
