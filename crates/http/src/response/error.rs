//! Turns refusals into responses.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_domain::{ErrorCode, Refusal};

use crate::response::rate_limits;
use crate::route::RouteResponse;

/// `Retry-After` of a 503 without a better estimate, in seconds.
const UNAVAILABLE_RETRY_S: u64 = 2;
/// `Retry-After` of a 503 that a person must resolve, in seconds.
const DAMAGED_RETRY_S: u64 = 60;

/// Returns the response of a refusal, for routes and for requests that match none.
#[must_use]
pub(crate) fn response(refusal: &Refusal, request_id: &str) -> Response {
    let body = refusal.body(request_id).to_string();
    complete(refusal, RouteResponse::rendered_json(refusal.code.status(), body))
}

/// Adds the fields of every response of a refusal.
#[must_use]
pub(crate) fn complete(refusal: &Refusal, response: RouteResponse) -> Response {
    let mut response = response.into_response();
    if let Some(limit) = RateLimitStatus::of_refusal(refusal) {
        rate_limits::write(&limit, response.headers_mut());
    }
    let headers = response.headers_mut();
    let retry = refusal.retry_after_s.or(match refusal.code {
        ErrorCode::Unavailable => Some(UNAVAILABLE_RETRY_S),
        ErrorCode::StoreDamaged => Some(DAMAGED_RETRY_S),
        _ => None,
    });
    if let Some(value) = retry.and_then(|s| HeaderValue::from_str(&s.to_string()).ok()) {
        headers.insert(header::RETRY_AFTER, value);
    }
    if response.status() == StatusCode::UNAUTHORIZED {
        // RFC 6750 §3
        let challenge = HeaderValue::from_static("Bearer realm=\"posthouse\", error=\"invalid_token\"");
        response.headers_mut().entry(header::WWW_AUTHENTICATE).or_insert(challenge);
    }
    response
}

/// Returns the response of a refusal as bytes, for a connection that is closed without reading a request.
#[must_use]
pub(crate) fn closing(refusal: &Refusal, request_id: &str) -> Vec<u8> {
    let status = StatusCode::from_u16(refusal.code.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let body = refusal.body(request_id).to_string();
    let retry = refusal.retry_after_s.map_or(String::new(), |seconds| format!("retry-after: {seconds}\r\n"));
    let (reason, length) = (status.canonical_reason().unwrap_or_default(), body.len());
    let head = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         x-request-id: {request_id}\r\n{retry}cache-control: no-store\r\nconnection: close\r\n\r\n",
        status.as_u16()
    );
    [head, body].concat().into_bytes()
}
