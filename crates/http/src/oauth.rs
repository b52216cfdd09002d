//! The endpoints whose clients expect errors in the form of OAuth 2.0 (RFC 6749 §5.2, RFC 6750 §3), and their responses.

use axum::{
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    response::Response,
};
use posthouse_api::views::oauth::OAuthErrorView;
use posthouse_app::identity::failure::OAuthFailure;
use posthouse_domain::{
    error::{ErrorCode, Refusal},
    identity::oauth::{OAuthError, OAuthErrorCode},
};

use crate::{
    rate_limits::RateLimitStatus,
    route::{Route, RouteResponse},
};
use serde_json::{Value, json};

/// Path of the token endpoint.
pub const TOKEN: &str = "/oidc/token";
/// Path of the userinfo endpoint.
pub const USERINFO: &str = "/oidc/userinfo";

/// Status of a request without valid credentials.
const UNAUTHORIZED: u16 = 401;

/// Returns the response of a refusal.
#[must_use]
pub fn response(failure: &OAuthFailure) -> RouteResponse {
    match failure {
        OAuthFailure::Protocol(error) => protocol(error),
        OAuthFailure::Service(refusal) => service(refusal),
    }
}

fn protocol(error: &OAuthError) -> RouteResponse {
    match error.code {
        // RFC 6749 §5.2: the scheme that apps can use.
        OAuthErrorCode::InvalidClient => {
            let challenge = HeaderValue::from_static("Basic realm=\"posthouse\"");
            body(UNAUTHORIZED, error).with(header::WWW_AUTHENTICATE, challenge)
        }
        OAuthErrorCode::InvalidToken => {
            let text = format!(
                "Bearer realm=\"posthouse\", error=\"invalid_token\", error_description=\"{}\"",
                error.description
            );
            let challenge = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("Bearer"));
            body(UNAUTHORIZED, error).with(header::WWW_AUTHENTICATE, challenge)
        }
        _ => body(400, error),
    }
}

/// Returns the response of an error of the service.
fn service(refusal: &Refusal) -> RouteResponse {
    let code = match refusal.code.status() {
        429 | 503 => OAuthErrorCode::TemporarilyUnavailable,
        500.. => OAuthErrorCode::ServerError,
        _ => OAuthErrorCode::InvalidRequest,
    };
    let response = body(refusal.code.status(), &OAuthError::new(code, refusal.message.clone()));
    let response = response.with_limits(RateLimitStatus::of_refusal(refusal));
    match refusal.retry_after_s.and_then(|seconds| HeaderValue::from_str(&seconds.to_string()).ok()) {
        Some(value) => response.with(header::RETRY_AFTER, value),
        None => response,
    }
}

fn body(status: u16, error: &OAuthError) -> RouteResponse {
    let view = OAuthErrorView { error: error.code.text(), error_description: error.description.clone() };
    let json = serde_json::to_string(&view).unwrap_or_default();
    let response = uncached(RouteResponse::written(status, json));
    RouteResponse { status: StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST), ..response }
}

/// Returns the response of a refusal of an endpoint whose clients expect errors of OAuth 2.0; `None` for other paths.
/// The router uses it for every refusal of these routes, whichever check made it. A method that they don't have is no request
/// of OAuth.
pub(crate) fn refused(path: &str, refusal: &Refusal) -> Option<Response> {
    let is_of_route = refusal.code != ErrorCode::MethodNotAllowed;
    (is_of_route && has_oauth_errors(path)).then(|| service(refusal).into_response())
}

/// Returns whether the errors of a path have the form of OAuth 2.0.
pub(crate) fn has_oauth_errors(path: &str) -> bool {
    [TOKEN, USERINFO].contains(&path)
}

/// Returns the security requirements of a public route, for the OpenAPI description.
pub(crate) fn security(route: &Route) -> Value {
    match route.path {
        _ if route.method == Method::OPTIONS => json!([]),
        TOKEN => json!([{ "appSecret": [] }, {}]),
        USERINFO => json!([{ "accessToken": [] }]),
        _ => json!([]),
    }
}

/// Lets pages of every site read a response: no cookie is involved.
#[must_use]
pub fn open(response: RouteResponse) -> RouteResponse {
    response.with(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))
}

/// Forbids caches to store a response with a token (RFC 6749 §5.1).
#[must_use]
pub fn uncached(response: RouteResponse) -> RouteResponse {
    with_fields(open(response), [(header::CACHE_CONTROL, "no-store"), (header::PRAGMA, "no-cache")])
}

/// Adds fields to a response.
#[must_use]
pub fn with_fields<const N: usize>(response: RouteResponse, fields: [(HeaderName, &'static str); N]) -> RouteResponse {
    fields.into_iter().fold(response, |response, (name, value)| response.with(name, HeaderValue::from_static(value)))
}
