//! Cross-origin resource sharing (CORS): documents that pages of every origin may read. Nothing in them depends on a cookie, so they are the same for everyone.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::route::RouteResponse;

/// The prefix below which every origin may read all responses, those of unknown paths included.
const SHARED: &str = "/v1/public/";
/// The origins.
const EVERY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
/// The fields of responses that pages may read, beyond those that they always may.
const EXPOSED: HeaderValue = HeaderValue::from_static("etag, ratelimit, ratelimit-policy, retry-after, x-request-id");
/// The methods and header fields that a page may send, and how long its browser caches that, in seconds.
const PREFLIGHT: [(HeaderName, &str); 3] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD"),
    (header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, if-none-match, mcp-protocol-version"),
    (header::ACCESS_CONTROL_MAX_AGE, "86400"),
];

/// Returns whether a path is where all documents are shared.
pub(crate) fn is_cross_origin_path(path: &str) -> bool {
    path.starts_with(SHARED)
}

/// Lets pages of every origin read a response.
pub(crate) fn allow(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERY_ORIGIN);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

/// Returns the response to a preflight request.
pub(crate) fn preflight() -> RouteResponse {
    RouteResponse::empty().with(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERY_ORIGIN).with_fields(PREFLIGHT)
}
