//! `GET` and `POST /oidc/userinfo`.

use posthouse_api::views::oauth::UserinfoView;
use posthouse_app::sign_in_with::userinfo;
use posthouse_domain::OAuthErrorCode;
use posthouse_http::prelude::*;
use posthouse_http::response::oauth::uncached;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::form::OAuthQuery;
use crate::oauth::{GuessLimit, limited_answer, with_errors};

/// Path of the userinfo endpoint.
pub(super) const PATH: &str = "/oidc/userinfo";

pub(super) fn routes() -> Vec<Route> {
    let route = |method, name| {
        let operation = Operation::public(method, PATH, name)
            .summary("Returns what an app may know about the agent of an access token.")
            .without_body()
            .security(&["accessToken"])
            .responds::<UserinfoView>(200);
        with_errors(operation, &[401]).page(read)
    };
    vec![route(Method::Get, "getUserinfo"), route(Method::Post, "getUserinfoByPost")]
}

async fn read(service: Arc<Service>, input: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let Some(token) = &input.request.bearer else { return Ok(without_token()) };
    let digest: [u8; 32] = Sha256::digest(token.0.as_bytes()).into();
    let limit = GuessLimit { counted: digest, guessed: digest, wrong: OAuthErrorCode::InvalidToken };
    let claims = userinfo::userinfo(&service, &token.0);
    let view = |claims: Value| Ok(RouteResponse::rendered_json(200, claims.to_string()));
    limited_answer(&service, &input.request, limit, claims, view).await
}

/// Returns the response to a request without credentials, which names no error (RFC 6750 §3.1).
fn without_token() -> RouteResponse {
    let response = uncached(RouteResponse { status: StatusCode::UNAUTHORIZED, ..RouteResponse::empty() });
    response.with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"posthouse\""))
}
