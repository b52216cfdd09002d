//! The routes that show the API: the document itself, the readable reference and the page for language models.
//!
//! Each text is made once, at its first request, and kept.

use std::sync::{Arc, OnceLock};

use axum::http::{HeaderName, HeaderValue, Method, header};
use bytes::Bytes;
use posthouse_domain::error::Refusal;
use serde_json::Value;

use super::document;
use crate::{
    app::App,
    http::{
        docs,
        route::{Answer, PublicInput, Route},
        routes,
    },
};

/// The texts, once they were asked for.
#[derive(Default)]
struct Texts {
    openapi: OnceLock<Bytes>,
    docs: OnceLock<Bytes>,
    llms: OnceLock<Bytes>,
}

/// The routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    let texts = Arc::new(Texts::default());
    let (openapi, reference, llms) = (texts.clone(), texts.clone(), texts);
    vec![
        Route::public(Method::GET, "/v1/openapi.json", "getOpenApi")
            .summary("This document.")
            .answers_with(200, Some("application/json"))
            .handle(move |app: Arc<App>, _: PublicInput| {
                let texts = openapi.clone();
                async move {
                    let text = texts.openapi.get_or_init(|| of_app(&app).to_string().into());
                    cached(Answer::written(200, text.clone()))
                }
            }),
        Route::public(Method::GET, "/docs", "getDocs")
            .summary("The API reference for people.")
            .answers_with(200, Some("text/html; charset=utf-8"))
            .handle(move |app: Arc<App>, _: PublicInput| {
                let texts = reference.clone();
                async move {
                    let text = texts.docs.get_or_init(|| docs::page(&of_app(&app)).into());
                    cached(secured(Answer::typed(200, "text/html; charset=utf-8", text.clone())))
                }
            }),
        Route::public(Method::GET, "/llms.txt", "getLlmsText")
            .summary("The API in one page for language models.")
            .answers_with(200, Some("text/plain; charset=utf-8"))
            .handle(move |app: Arc<App>, _: PublicInput| {
                let texts = llms.clone();
                async move {
                    let text = texts.llms.get_or_init(|| docs::llms::page(&of_app(&app)).into());
                    cached(Answer::typed(200, "text/plain; charset=utf-8", text.clone()))
                }
            }),
    ]
}

fn of_app(app: &App) -> Value {
    let served: Vec<Route> =
        routes::all().into_iter().filter(|route| !route.development || app.config.is_loopback_profile()).collect();
    document(&served, &app.config.base_url)
}

fn cached(answer: Answer) -> Result<Answer, Refusal> {
    Ok(answer.with(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300")))
}

/// A page of ours may show its own style and nothing else.
fn secured(mut answer: Answer) -> Answer {
    let policy = docs::security_policy();
    for (name, value) in [
        ("content-security-policy", policy.as_str()),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", "interest-cohort=()"),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            answer = answer.with(HeaderName::from_static(name), value);
        }
    }
    answer
}
