//! What the endpoints of both authorization servers share: their errors, the limits of a client, their answers, and how a
//! browser is sent on.

use posthouse_api::views::oauth::OAuthErrorView;
use posthouse_app::limits::{client_network, requests::RateLimitStatus};
use posthouse_app::sign_in_with::failure::OAuthFailure;
use posthouse_domain::OAuthErrorCode;
use posthouse_http::prelude::*;
use posthouse_http::response::oauth::{open, response, uncached};
use sha2::{Digest, Sha256};

use crate::form::OAuthQuery;

/// Declares the errors of an endpoint: those of these statuses, and those of its limits.
pub(crate) fn with_errors(operation: Operation, statuses: &[u16]) -> Operation {
    let all = statuses.iter().chain(&[429, 503]);
    all.fold(operation.oauth_errors(), |operation, status| operation.responds::<OAuthErrorView>(*status))
}

/// What pages of other sites may send to an endpoint.
#[derive(Clone, Copy)]
pub(crate) struct Preflight {
    /// The methods, separated by commas.
    pub(crate) methods: &'static str,
    /// The header fields, separated by commas.
    pub(crate) fields: &'static str,
}

/// Serves the request that a browser sends before that of a page of another site.
pub(crate) fn preflight(operation: Operation, allowed: Preflight) -> Route {
    let allow = move |_: Arc<Service>, _: PageInput<OAuthQuery>| async move {
        let fields = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, allowed.methods),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, allowed.fields),
            (header::ACCESS_CONTROL_MAX_AGE, "86400"),
        ];
        Ok(open(RouteResponse::empty()).with_fields(fields))
    };
    operation.responds_with(204, None).oauth_errors().page(allow)
}

/// Returns what a request to an endpoint is counted by: the client and the address. So strangers can't use up the limit of
/// a client without a secret.
pub(crate) fn counted_as(client: impl AsRef<[u8]>, request: &RequestInfo) -> [u8; 32] {
    let network = client_network(request.client_ip).to_string();
    Sha256::new().chain_update(client).chain_update("\n").chain_update(network).finalize().into()
}

/// Whose secrets a request may guess wrong only so often, and what counts as wrong.
pub(crate) struct GuessLimit {
    /// What requests are counted by.
    pub(crate) counted: [u8; 32],
    /// What wrong secrets are counted by.
    pub(crate) guessed: [u8; 32],
    /// The error that says that the secret is wrong.
    pub(crate) wrong: OAuthErrorCode,
}

/// Returns the answer of an endpoint. No cache stores it.
///
/// # Errors
/// Returns an error if the view can't be rendered.
pub(crate) fn answer<T>(
    done: Result<T, OAuthFailure>,
    view: impl FnOnce(T) -> Result<RouteResponse, Refusal>,
) -> Result<RouteResponse, Refusal> {
    Ok(match done {
        Ok(value) => uncached(view(value)?),
        Err(failure) => response(&failure),
    })
}

/// Returns the answer of an endpoint that checks secrets, with the rest of the client's limit.
///
/// # Errors
/// Returns an error if the view can't be rendered.
pub(crate) async fn limited_answer<T>(
    service: &Service,
    request: &RequestInfo,
    limit: GuessLimit,
    work: impl Future<Output = Result<T, OAuthFailure>>,
    view: impl FnOnce(T) -> Result<RouteResponse, Refusal>,
) -> Result<RouteResponse, Refusal> {
    let counted = limit.counted;
    let answer = answer(limited(service, request, limit, work).await, view)?;
    let rest = service.sign_in_limits.rest_of_issuer(counted, service.clock.now());
    Ok(answer.with_limits(RateLimitStatus::rest(rest)))
}

/// Does the work of a request, unless its client sent too many requests or wrong secrets.
///
/// # Errors
/// Returns `rate_limited`, or the errors of the work.
async fn limited<T>(
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
