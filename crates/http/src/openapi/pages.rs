//! Routes that serve the documentation of the API: the OpenAPI description, the HTML reference and `llms.txt`.
//!
//! Each text is rendered on the first request and kept.

use std::sync::{Arc, OnceLock};

use axum::http::{HeaderName, HeaderValue, header};
use bytes::Bytes;
use posthouse_api::wire::FUTURE_EXAMPLE;
use posthouse_call::{Method, Operation};
use posthouse_domain::{DAY_MS, Refusal};
use serde_json::Value;

use super::document;
use crate::Api;
use crate::pages::docs;
use crate::route::{PageInput, PageOperation as _, Route, RouteResponse};

/// The rendered texts.
#[derive(Default)]
struct Texts {
    openapi: OnceLock<Bytes>,
    docs: OnceLock<Bytes>,
    llms: OnceLock<Bytes>,
}

/// Returns the routes of the documentation.
pub fn routes() -> Vec<Route> {
    let texts = Arc::new(Texts::default());
    let (openapi, reference, llms) = (texts.clone(), texts.clone(), texts);
    vec![
        Operation::public(Method::Get, "/v1/openapi.json", "getOpenApi")
            .summary("Returns this OpenAPI description.")
            .responds_with(200, Some("application/json"))
            .page_in(move |api: Arc<Api>, _: PageInput| {
                let texts = openapi.clone();
                async move {
                    let text = texts.openapi.get_or_init(|| of_app(&api).to_string().into());
                    cached(RouteResponse::rendered_json(200, text.clone()))
                }
            }),
        Operation::public(Method::Get, "/docs", "getDocs")
            .summary("Returns the API reference as HTML.")
            .responds_with(200, Some("text/html; charset=utf-8"))
            .page_in(move |api: Arc<Api>, _: PageInput| {
                let texts = reference.clone();
                async move {
                    let text = texts.docs.get_or_init(|| docs::page(&of_app(&api)).into());
                    cached(secured(RouteResponse::typed(200, "text/html; charset=utf-8", text.clone())))
                }
            }),
        Operation::public(Method::Get, "/llms.txt", "getLlmsText")
            .summary("Returns the API on one page for language models.")
            .responds_with(200, Some("text/plain; charset=utf-8"))
            .page_in(move |api: Arc<Api>, _: PageInput| {
                let texts = llms.clone();
                async move {
                    let text = texts.llms.get_or_init(|| docs::llms::page(&of_app(&api)).into());
                    cached(RouteResponse::typed(200, "text/plain; charset=utf-8", text.clone()))
                }
            }),
    ]
}

fn of_app(api: &Api) -> Value {
    let is_served = |operation: &&Operation| !operation.development || api.service.config.is_loopback_profile();
    let served: Vec<Operation> =
        api.served.operations.iter().map(|served| &served.operation).filter(is_served).cloned().collect();
    let mut document = document(&served, &api.service.config.base_url);
    set_future(&mut document, &api.service.clock.now().plus_ms(FUTURE_MS).to_string());
    document
}

/// How far the times of examples are ahead of the first request for the document; a schedule allows 30 days.
const FUTURE_MS: i64 = 29 * DAY_MS;

/// Replaces the times of examples that must be in the future.
fn set_future(part: &mut Value, time: &str) {
    match part {
        Value::String(text) if text == FUTURE_EXAMPLE => time.clone_into(text),
        Value::Array(all) => all.iter_mut().for_each(|one| set_future(one, time)),
        Value::Object(all) => all.iter_mut().for_each(|(_, one)| set_future(one, time)),
        _ => {}
    }
}

fn cached(answer: RouteResponse) -> Result<RouteResponse, Refusal> {
    Ok(answer.with(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300")))
}

/// Adds security headers: the page may load its own style and nothing else.
fn secured(answer: RouteResponse) -> RouteResponse {
    answer.with(header::CONTENT_SECURITY_POLICY, docs::security_policy()).with_fields([
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "interest-cohort=()"),
    ])
}
