//! How a refusal becomes a response (decisions 1 and 6).

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use posthouse_domain::error::{Code, Refusal};

use super::route::Answer;

/// Seconds that `Retry-After` says on a 503 whose cause does not know better.
const UNAVAILABLE_RETRY_S: u64 = 2;
/// Seconds that it says on one that a person must end.
const DAMAGED_RETRY_S: u64 = 60;

/// The response of a refusal, on every route and for router misses too.
#[must_use]
pub fn response(refusal: &Refusal, request_id: &str) -> Response {
    let body = refusal.body(request_id).to_string();
    let mut response = Answer::written(refusal.code.status(), body).into_response();
    let headers = response.headers_mut();
    let retry = refusal.retry_after_s.or(match refusal.code {
        Code::Unavailable => Some(UNAVAILABLE_RETRY_S),
        Code::StoreDamaged => Some(DAMAGED_RETRY_S),
        _ => None,
    });
    if let Some(value) = retry.and_then(|s| HeaderValue::from_str(&s.to_string()).ok()) {
        headers.insert(header::RETRY_AFTER, value);
    }
    if response.status() == StatusCode::UNAUTHORIZED {
        // RFC 6750 §3
        let challenge = HeaderValue::from_static("Bearer realm=\"posthouse\", error=\"invalid_token\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
