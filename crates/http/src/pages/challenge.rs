//! ACME challenges (RFC 8555 §8.3), and listeners that redirect to HTTPS.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use posthouse_app::domains::acme;
use posthouse_call::{Method, Operation};
use posthouse_domain::{ErrorCode, Refusal};

use crate::route::{PageInput, PageOperation as _, Route, RouteResponse};
use crate::{Api, router};

/// Returns the routes of listeners that serve challenges only.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Operation::public(Method::Get, "/.well-known/acme-challenge/{token}", "getAcmeChallenge")
            .summary("Returns the response to an ACME challenge (RFC 8555 §8.3), while a certificate is being ordered.")
            .responds_with(200, Some(ANSWER_TYPE))
            .errors(&[ErrorCode::NotFound])
            .page_in(challenge),
    ]
}

/// The content type of a challenge response.
const ANSWER_TYPE: &str = "application/octet-stream";

async fn challenge(api: Arc<Api>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let found = acme::answer(&api.service, input.path.text("token")).await?;
    let answer = found.ok_or_else(|| Refusal::new(ErrorCode::NotFound, "No challenge has this token."))?;
    Ok(RouteResponse::typed(200, ANSWER_TYPE, answer))
}

/// Builds a router for these routes that redirects all other requests to `base_url`, if that is https.
pub(crate) fn redirecting(api: &Arc<Api>, routes: Vec<Route>) -> Router {
    let (unmatched_app, method_app) = (Arc::clone(api), Arc::clone(api));
    router::build(api, routes)
        .fallback(move |request: Request| redirect(Arc::clone(&unmatched_app), request))
        .method_not_allowed_fallback(move |request: Request| redirect(Arc::clone(&method_app), request))
}

async fn redirect(api: Arc<Api>, request: Request) -> Response {
    let base = &api.service.config.base_url;
    if !base.starts_with("https://") {
        let what = format!("There is no route `{}` at this address.", request.uri().path());
        return router::refuse_unmatched(&api, request, Refusal::new(ErrorCode::NotFound, what)).await;
    }
    if request.headers().contains_key(header::AUTHORIZATION) {
        let refusal = Refusal::new(ErrorCode::InvalidRequest, "The API key was sent without encryption.");
        let refusal = refusal.with_fix(format!("Use {base}. Revoke the key if others could read the connection."));
        return router::refuse_unmatched(&api, request, refusal).await;
    }
    // `OPTIONS *` has no path (RFC 9112 §3.2.4).
    let path = request.uri().path_and_query().map(|path| path.as_str()).filter(|path| path.starts_with('/'));
    let path = path.unwrap_or("/");
    let mut response = router::plain(StatusCode::PERMANENT_REDIRECT, "");
    if let Ok(location) = HeaderValue::from_str(&format!("{base}{path}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
