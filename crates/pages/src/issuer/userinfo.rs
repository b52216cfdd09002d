//! `GET` and `POST /oidc/userinfo`.

use axum::http::{HeaderValue, StatusCode, header};
use posthouse_api::views::oauth::{OAuthErrorView, UserinfoView};
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_app::sign_in_with::userinfo;
use posthouse_domain::OAuthErrorCode;
use posthouse_http::prelude::*;
use posthouse_http::{response::oauth, response::oauth::uncached};
use sha2::{Digest, Sha256};

use super::USERINFO;
use crate::form::OAuthQuery;
use crate::oauth::{GuessLimit, limited};

pub(super) fn routes() -> Vec<Route> {
    let route = |method, name| {
        Operation::public(method, USERINFO, name)
            .summary("Returns what an app may know about the agent of an access token.")
            .without_body()
            .oauth_errors()
            .security(&["accessToken"])
            .responds::<UserinfoView>(200)
            .responds::<OAuthErrorView>(401)
            .responds::<OAuthErrorView>(429)
            .responds::<OAuthErrorView>(503)
            .page(read)
    };
    vec![route(Method::Get, "getUserinfo"), route(Method::Post, "postUserinfo")]
}

async fn read(service: Arc<Service>, input: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let Some(token) = &input.request.bearer else { return Ok(without_token()) };
    let digest: [u8; 32] = Sha256::digest(token.0.as_bytes()).into();
    let limit = GuessLimit { counted: digest, guessed: digest, wrong: OAuthErrorCode::InvalidToken };
    let answer = match limited(&service, &input.request, limit, userinfo::userinfo(&service, &token.0)).await {
        Ok(claims) => uncached(RouteResponse::rendered_json(200, claims.to_string())),
        Err(failure) => oauth::response(&failure),
    };
    let rest = service.sign_in_limits.rest_of_issuer(digest, service.clock.now());
    Ok(answer.with_limits(RateLimitStatus::rest(rest)))
}

/// Returns the response to a request without credentials, which names no error (RFC 6750 §3.1).
fn without_token() -> RouteResponse {
    let response = uncached(RouteResponse { status: StatusCode::UNAUTHORIZED, ..RouteResponse::empty() });
    response.with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"posthouse\""))
}
