//! Routes that serve a protocol of their own, such as MCP: it has its own errors, and pages of some origins may speak it.
//!
//! The origin is checked before anything else of a request. It is no secret: it only keeps a page that reached the
//! service by DNS rebinding, or a page that holds a stolen key, from using it.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use posthouse_app::Service;
use posthouse_call::{self as call, Notes};
use posthouse_domain::{ErrorCode, Refusal};

use crate::Api;
use crate::connection::{client, host};
use crate::request::{auth, origin};
use crate::response::{error, notes};
use crate::route::{RouteProtocol, RouteResponse};

/// The methods of such a route.
const ALLOWED: HeaderValue = HeaderValue::from_static("POST, OPTIONS");
/// What pages of allowed origins may read, and what they may send.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id");
const SENT: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id",
);
/// For how long browsers keep the answer to a preflight request, in seconds.
const PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

/// Checks the origin of the page that sent a request. `named` is the host that the request names.
///
/// # Errors
/// Returns `forbidden` for a page of an origin that isn't allowed.
pub(crate) fn check_origin(
    api: &Api,
    headers: &HeaderMap,
    connection: &Extensions,
    named: &str,
) -> Result<(), Refusal> {
    let allowed = origin::own(&api.service.config, connection, named).and(&api.http.allowed_origins);
    if allowed.include_all_or_loopback(headers) {
        return Ok(());
    }
    let refusal = Refusal::new(ErrorCode::Forbidden, "The request comes from a page of an origin that isn't allowed.");
    Err(refusal.with_fix("The operator can add the origin to `http.allowed_origins`."))
}

/// Responds to a request whose method isn't that of the route. It counts for a valid key.
pub(crate) async fn other_method(api: &Api, protocol: RouteProtocol, request: Request) -> Response {
    let fields = fields_for(api, &request);
    let checked = check_origin(api, request.headers(), request.extensions(), &host::named(&request));
    let (head, mut body) = request.into_parts();
    let client = client::of_request(&api.http.trusted_proxies, &head.extensions, &head.headers).address;
    let mut noted = Notes::default();
    let refusal = match checked {
        Ok(()) if head.method == Method::OPTIONS => None,
        Ok(()) => {
            let message = format!("This route doesn't support `{}`.", head.method);
            let counted = count_key(api, &head.headers, client, &mut noted).await;
            Some(counted.err().unwrap_or_else(|| Refusal::new(ErrorCode::MethodNotAllowed, message)))
        }
        Err(refusal) => Some(refusal),
    };
    api.drains.drain(api.service.clock.as_ref(), client, &head.headers, &mut body).await;
    let mut response = match &refusal {
        Some(refusal) => refused(&api.service, protocol, refusal),
        None => preflight(),
    };
    response.headers_mut().insert(header::ALLOW, ALLOWED);
    response.headers_mut().extend(fields);
    notes::write(&noted, response.headers_mut());
    response
}

/// Counts a request that has a valid key.
async fn count_key(api: &Api, headers: &HeaderMap, client: IpAddr, notes: &mut Notes) -> Result<(), Refusal> {
    if !headers.contains_key(header::AUTHORIZATION) {
        return Ok(());
    }
    let Ok(authenticated) = auth::authenticate(api, headers, client).await else { return Ok(()) };
    call::count_caller(&api.service, &authenticated, notes)
}

/// Returns the response of a refusal.
pub(crate) fn refused(service: &Service, protocol: RouteProtocol, refusal: &Refusal) -> Response {
    error::complete(refusal, (protocol.refusal)(service, refusal))
}

fn preflight() -> Response {
    let mut response = RouteResponse::empty().into_response();
    let fields = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, SENT),
        (header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE),
    ];
    response.headers_mut().extend(fields);
    response
}

/// Lets the page that sent a request read the response. Its origin was checked.
pub(crate) fn allow(request: &HeaderMap, response: &mut HeaderMap) {
    if let Some(origin) = request.get(header::ORIGIN) {
        response.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        response.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        response.append(header::VARY, HeaderValue::from_static("origin"));
    }
}

/// Returns the fields that [`allow`] adds to the response of a request; empty if its origin isn't allowed.
pub(crate) fn fields_for(api: &Api, request: &Request) -> HeaderMap {
    let mut fields = HeaderMap::new();
    let is_page = request.headers().contains_key(header::ORIGIN);
    if is_page && check_origin(api, request.headers(), request.extensions(), &host::named(request)).is_ok() {
        allow(request.headers(), &mut fields);
    }
    fields
}
