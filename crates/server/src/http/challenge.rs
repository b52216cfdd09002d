//! The answer to a certificate authority's challenge (RFC 8555 §8.3), and what a listener is that only leads to HTTPS.

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    response::Response,
};
use posthouse_domain::error::{Code, Refusal};

use super::{
    route::{Answer, PublicInput, Route},
    router,
};
use crate::app::{App, obtain_certificate};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::public(Method::GET, "/.well-known/acme-challenge/{token}", "getAcmeChallenge")
            .summary("What a certificate authority looks for (RFC 8555 §8.3), while it is asked for a certificate.")
            .answers_with(200, Some(ANSWER_TYPE))
            .errors(&[Code::NotFound])
            .handle(challenge),
    ]
}

/// The type of an answer.
const ANSWER_TYPE: &str = "application/octet-stream";

async fn challenge(app: Arc<App>, input: PublicInput) -> Result<Answer, Refusal> {
    let found = obtain_certificate::answer(&app, input.path.text("token")).await?;
    let answer = found.ok_or_else(|| Refusal::new(Code::NotFound, "There is no challenge with that token."))?;
    Ok(Answer::typed(200, ANSWER_TYPE, answer))
}

/// A listener with these routes that leads to `base_url` with everything else, if that is https.
pub fn leading_on(app: &Arc<App>, routes: Vec<Route>) -> Router {
    let (missed, wrong) = (Arc::clone(app), Arc::clone(app));
    router::build(app, routes)
        .fallback(move |request: Request| lead_on(Arc::clone(&missed), request))
        .method_not_allowed_fallback(move |request: Request| lead_on(Arc::clone(&wrong), request))
}

async fn lead_on(app: Arc<App>, request: Request) -> Response {
    let base = &app.config.base_url;
    if !base.starts_with("https://") {
        let what = format!("There is no route {} at this address.", request.uri().path());
        return router::miss(&app, request, Refusal::new(Code::NotFound, what)).await;
    }
    if request.headers().contains_key(header::AUTHORIZATION) {
        let refusal = Refusal::new(Code::InvalidRequest, "The key of this request came without encryption.");
        let refusal = refusal.with_fix(format!("Use {base}. Revoke the key if others could listen."));
        return router::miss(&app, request, refusal).await;
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
