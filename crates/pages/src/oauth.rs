//! What the endpoints of both authorization servers share: the limits of a client, and how a browser is sent on.

use axum::http::{HeaderValue, StatusCode, header};
use posthouse_app::sign_in_with::failure::OAuthFailure;
use posthouse_domain::OAuthErrorCode;
use posthouse_http::prelude::*;

/// Whose secrets a request may guess wrong only so often, and what counts as wrong.
pub(crate) struct GuessLimit {
    /// What requests are counted by.
    pub(crate) counted: [u8; 32],
    /// What wrong secrets are counted by.
    pub(crate) guessed: [u8; 32],
    /// The error that says that the secret is wrong.
    pub(crate) wrong: OAuthErrorCode,
}

/// Does the work of a request, unless its client sent too many requests or wrong secrets.
///
/// # Errors
/// Returns `rate_limited`, or the errors of the work.
pub(crate) async fn limited<T>(
    service: &Service,
    request: &RequestInfo,
    limit: GuessLimit,
    work: impl Future<Output = Result<T, OAuthFailure>>,
) -> Result<T, OAuthFailure> {
    let (per_minute, now) = (service.config.limits.unknown_keys_per_minute, service.clock.now());
    service.sign_in_limits.count_issuer(limit.counted, now)?;
    let check = service.unknown_keys.admit(limit.guessed, request.client_ip, per_minute, now)?;
    let done = work.await;
    match &done {
        Err(OAuthFailure::Protocol(error)) if error.code == limit.wrong => check.reject(),
        // The secret may be right or wrong.
        Err(OAuthFailure::Service(_)) => drop(check),
        Ok(_) | Err(OAuthFailure::Protocol(_)) => check.accept(),
    }
    done
}

/// Sends the browser to another page with a GET, whatever the method of the request (RFC 9700 §4.12).
pub(crate) fn see_other(uri: &str) -> Result<RouteResponse, Refusal> {
    let location = HeaderValue::from_str(uri)
        .map_err(|_| Refusal::new(ErrorCode::Internal, "The address of the next page couldn't be written."))?;
    let response = RouteResponse { status: StatusCode::SEE_OTHER, ..RouteResponse::empty() };
    let fields = [
        (header::LOCATION, location),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    Ok(fields.into_iter().fold(response, |response, (name, value)| response.with(name, value)))
}
