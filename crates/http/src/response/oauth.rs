//! Responses of endpoints whose clients expect errors in the form of OAuth 2.0 (RFC 6749 §5.2, RFC 6750 §3).

use axum::http::{HeaderValue, StatusCode, header};
use posthouse_api::views::oauth::OAuthErrorView;
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_app::sign_in_with::failure::OAuthFailure;
use posthouse_domain::{OAuthError, OAuthErrorCode, Refusal};

use crate::route::RouteResponse;

/// Status of a request without valid credentials.
const UNAUTHORIZED: u16 = 401;

/// Returns the response of a failed request.
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

/// Returns the response of a refusal by the service.
pub(crate) fn service(refusal: &Refusal) -> RouteResponse {
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
    let response = uncached(RouteResponse::rendered_json(status, json));
    RouteResponse { status: StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST), ..response }
}

/// Lets pages of every site read a response: no cookie is involved.
#[must_use]
pub fn open(response: RouteResponse) -> RouteResponse {
    response.with(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))
}

/// Forbids caches to store a response with a token (RFC 6749 §5.1).
#[must_use]
pub fn uncached(response: RouteResponse) -> RouteResponse {
    open(response).with_fields([(header::CACHE_CONTROL, "no-store"), (header::PRAGMA, "no-cache")])
}
