//! Builds the service from the route table: request ids, authentication, limits, the body, the handler, the response,
//! one log line.
//!
//! The stages of a request: `respond` calls `enter`, which reads the head and calls `admit` (authentication, permission,
//! limits, the body). Then `Route::run` calls the handler, and `hold` reserves the memory of its response. `refused`
//! writes a refusal of any stage as a response, and `finish` adds the request id and the fields of all responses.

use crate::Api;
use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, Request, rejection::RawPathParamsRejection},
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request},
    response::Response,
    routing::{MethodFilter, on},
};
use bytes::Bytes;
use futures_util::stream;
use posthouse_domain::{
    auth::{Caller, Principal},
    error::{ErrorCode, LimitName, Refusal},
    id::WorkspaceId,
    time::Time,
    workspace::WorkspaceNotice,
};
use tracing::Instrument;

use super::{
    auth, body,
    client::{self, HttpConnectionInfo, RequestClient},
    cookie, cors, dashboard, development, error, host, idempotency, oauth,
    route::{PathParams, RequestInfo, RequestParts, ResponseBody, ResponseStream, Route, RouteAccess, RouteResponse},
    socket,
};
use crate::{
    body_budget::BodyShare,
    connections::{ConnectionSlot, ProxiedRequest},
    in_flight::InFlightGuard,
    rate_limits::RateLimitStatus,
};
use posthouse_api::wire::Problems;
use posthouse_app::{
    access::{authenticate::AuthenticatedCaller, authenticate::no_session, credentials},
    inboxes::names::NameRules,
    service::Service,
};
use posthouse_store::workspaces;

/// `X-Request-Id`.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVICE_NOTICE: HeaderName = HeaderName::from_static("service-notice");

/// Builds the router that serves a route table.
pub(crate) fn build(api: &Arc<Api>, routes: Vec<Route>) -> Router {
    let mut router = Router::new();
    for route in routes.into_iter().filter(|route| !route.development || api.service.config.is_loopback_profile()) {
        let (preflight_app, is_cross_origin) = (api.clone(), route.is_cross_origin);
        let (api, route) = (api.clone(), Arc::new(route));
        let filter = MethodFilter::try_from(route.method.clone()).expect("the table names ordinary methods");
        let path = route.path;
        let handler = move |path: Result<RawPathParams, RawPathParamsRejection>, request: Request| {
            respond(api.clone(), route.clone(), path, request)
        };
        if is_cross_origin {
            let api = preflight_app;
            let answer = move || async move { finish(cors::preflight().into_response(), &request_id(&api.service)) };
            router = router.route(path, on(MethodFilter::OPTIONS, answer));
        }
        router = router.route(path, on(filter, handler));
    }
    let (unmatched_app, method_app) = (api.clone(), api.clone());
    router
        .fallback(move |request: Request| {
            let api = unmatched_app.clone();
            async move {
                if let Some(response) = api.dashboard.response(&request) {
                    return finish(response, &request_id(&api.service));
                }
                if let Some(response) = (api.site.unmatched)(&request) {
                    return finish(response.into_response(), &request_id(&api.service));
                }
                let refusal = dashboard::no_route(&request);
                let is_cross_origin = cors::is_cross_origin_path(request.uri().path());
                let mut response = refuse_unmatched(&api, request, refusal).await;
                if is_cross_origin {
                    cors::allow(response.headers_mut());
                }
                response
            }
        })
        .method_not_allowed_fallback(move |request: Request| {
            let api = method_app.clone();
            async move {
                let what = format!("This route doesn't support `{}`.", request.method());
                refuse_unmatched(&api, request, Refusal::new(ErrorCode::MethodNotAllowed, what)).await
            }
        })
}

/// Responds to a request that matches no route.
pub(super) async fn refuse_unmatched(api: &Api, request: Request, refusal: Refusal) -> Response {
    let client = client_of(api, request.extensions(), request.headers());
    let mut extras = Extras::default();
    let counted = count_optional_caller(api, request.headers(), client.address, &mut extras).await;
    let mut response = refuse(api, request, counted.err().unwrap_or(refusal)).await;
    write_extras(&extras, response.headers_mut());
    response
}

/// Refuses a request before any of it is processed.
pub(super) async fn refuse(api: &Api, request: Request, refusal: Refusal) -> Response {
    let id = request_id(&api.service);
    tracing::info!(request_id = %id, method = %request.method(), status = refusal.code.status(), "http.refused");
    let (head, mut body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let client = client_of(api, &head.extensions, &head.headers).address;
    api.drains.drain(api.service.clock.as_ref(), client, &head.headers, &mut body).await;
    // A 405 has the error body of the API on every path.
    let is_of_oauth = refusal.code != ErrorCode::MethodNotAllowed && api.site.has_oauth_errors(&path);
    let response = if is_of_oauth { oauth::service(&refusal).into_response() } else { error::response(&refusal, &id) };
    finish(response, &id)
}

fn request_id(service: &Service) -> String {
    service.clock.ids().next::<uuid::Uuid>().to_string()
}

fn finish(mut response: Response, id: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// Results of authentication that the response carries.
#[derive(Default)]
struct Extras {
    notice: Option<WorkspaceNotice>,
    rate_limits: Vec<RateLimitStatus>,
}

impl Extras {
    /// Notes a limit that the request counted for.
    ///
    /// # Errors
    /// Returns `rate_limited` if the limit is used up.
    fn counted(&mut self, status: Option<RateLimitStatus>) -> Result<(), Refusal> {
        self.rate_limits.extend(status);
        status.map_or(Ok(()), |status| status.check())
    }
}

/// A request that passed all checks before its handler.
struct AdmittedRequest {
    parts: RequestParts,
    holds: RequestHolds,
}

/// What a request holds until its response is known.
struct RequestHolds {
    _flight: Option<InFlightGuard>,
    body: BodyShare,
    _proxied: Option<ProxiedRequest>,
}

/// The identity of a request: its id, and when its head was complete.
struct Arrival {
    id: String,
    at: Time,
}

fn respond(
    api: Arc<Api>,
    route: Arc<Route>,
    path: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> impl Future<Output = Response> + Send {
    let (id, began) = (request_id(&api.service), api.service.clock.now());
    let arrival = Arrival { id: id.clone(), at: began };
    // A parameter that is not UTF-8 identifies nothing, so it becomes an empty name.
    let path = path.map(|raw| PathParams::of(raw.iter())).unwrap_or_default();
    let span = tracing::info_span!("request", request_id = %id);
    let page = route.error_page.filter(|_| dashboard::accepts_html(request.headers()));
    // Boxed, so that a long poll does not keep the head and its read buffer in memory while it waits.
    let entering = Box::pin(enter(Arc::clone(&api), Arc::clone(&route), arrival, path, request));
    async move {
        let (extras, admitted) = entering.instrument(span.clone()).await;
        let mut response = match admitted {
            Ok(AdmittedRequest { parts, holds }) => {
                let answered = route.run(Arc::clone(&api), parts).instrument(span).await;
                let answered = answered.and_then(|response| hold(&api, &route, holds.body.key(), response));
                let answered = answered.inspect_err(|refusal| api.service.storage_health.record(refusal));
                match answered {
                    Ok(response) => response.into_response(),
                    Err(refusal) => {
                        let refusal = with_command_options(&api.service, holds.body.key(), refusal).await;
                        refused(&api.service, &route, &refusal, &id, page)
                    }
                }
            }
            Err(refusal) => refused(&api.service, &route, &refusal, &id, page),
        };
        write_extras(&extras, response.headers_mut());
        if route.is_cross_origin {
            cors::allow(response.headers_mut());
        }
        let duration_ms = api.service.clock.now().since_ms(began);
        let status = response.status().as_u16();
        tracing::info!(request_id = %id, route = route.name, status, duration_ms, "http.request");
        api.service.metrics.http_request(route.name, status);
        finish(response, &id)
    }
}

/// Reserves the memory of a response until the client has read it. Only a response that reads can be refused: after a
/// change, the status stays, and the connection ends before the body.
fn hold(
    api: &Api,
    route: &Route,
    workspace: Option<WorkspaceId>,
    response: RouteResponse,
) -> Result<RouteResponse, Refusal> {
    let Some(workspace) = workspace else { return Ok(response) };
    let body = match response.body {
        ResponseBody::Bytes(bytes) if bytes.is_empty() => ResponseBody::Bytes(bytes),
        ResponseBody::Bytes(bytes) => {
            let length = bytes.len() as u64;
            match api.responses.hold(workspace, bytes) {
                Ok(bytes) => ResponseBody::Bytes(bytes),
                Err(refusal) if route.method == Method::GET => return Err(refusal),
                Err(refusal) => {
                    api.service.metrics.refused(&refusal);
                    // hyper writes the head when the body is pending, and drops it if the body fails at once.
                    let failure = stream::once(async move {
                        tokio::task::yield_now().await;
                        Err(refusal)
                    });
                    ResponseBody::Stream(ResponseStream::new(Some(length), failure))
                }
            }
        }
        ResponseBody::Stream(chunks) => {
            ResponseBody::Stream(api.responses.hold_stream(workspace, chunks, &api.service.clock)?)
        }
        upgrade @ ResponseBody::Upgrade(_) => upgrade,
    };
    Ok(RouteResponse { body, ..response })
}

/// Returns the response of a refusal, and counts it if it is due to a limit. Some routes have errors in the
/// form of OAuth 2.0; a browser that asked for a page gets one.
fn refused(
    service: &Service,
    route: &Route,
    refusal: &Refusal,
    id: &str,
    page: Option<fn(&Refusal) -> RouteResponse>,
) -> Response {
    service.metrics.refused(refusal);
    let mut response = match page {
        _ if route.has_oauth_errors => oauth::service(refusal).into_response(),
        Some(page) => error::complete(refusal, page(refusal)),
        None => error::response(refusal, id),
    };
    if refusal.limit() == Some(LimitName::Connections) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Returns a refusal whose fix names a command of the operator: for the operator with the options of this process, which are
/// paths of the server that nobody else needs.
async fn with_command_options(service: &Service, workspace: Option<WorkspaceId>, refusal: Refusal) -> Refusal {
    const COMMAND: &str = "posthouse workspace set ID --resume";
    let fix = refusal.fix.as_deref().unwrap_or(refusal.code.fix());
    let Some(workspace) = workspace.filter(|_| fix.contains(COMMAND)) else { return refusal };
    let fix = fix.replace(COMMAND, &service.config.command_anywhere("workspace set ID --resume"));
    let rules = NameRules::of(&service.config);
    let asked = service.store.read(move |tx| -> Result<bool, Refusal> {
        let tenant = workspaces::get(tx, workspace)?;
        tenant.map_or(Ok(false), |tenant| rules.is_operator(tx, &tenant))
    });
    if asked.await.unwrap_or(false) { refusal.with_fix(fix) } else { refusal }
}

/// Admits a request, or reads and discards the rest of it.
async fn enter(
    api: Arc<Api>,
    route: Arc<Route>,
    arrival: Arrival,
    path: PathParams,
    request: Request,
) -> (Extras, Result<AdmittedRequest, Refusal>) {
    let named = if route.development { host::named(&request) } else { String::new() };
    let (head, mut body) = request.into_parts();
    let mut extras = Extras::default();
    let admitted = match route.development.then(|| development::admit(&api.service.config, &route, &head, &named)) {
        Some(Err(refusal)) => Err(refusal),
        _ => admit(&api, &route, &arrival, path, &head, &mut body, &mut extras).await,
    };
    if let Err(refusal) = &admitted {
        api.service.storage_health.record(refusal);
        let client = client_of(&api, &head.extensions, &head.headers).address;
        api.drains.drain(api.service.clock.as_ref(), client, &head.headers, &mut body).await;
    }
    (extras, admitted)
}

/// Does everything that precedes the handler: authentication, limits, permission, body and idempotency.
async fn admit(
    api: &Arc<Api>,
    route: &Route,
    arrival: &Arrival,
    path: PathParams,
    head: &request::Parts,
    body: &mut Body,
    extras: &mut Extras,
) -> Result<AdmittedRequest, Refusal> {
    let client = client_of(api, &head.extensions, &head.headers);
    let connection = head.extensions.get::<ConnectionSlot>().cloned();
    let (mut caller, mut proxied) = (None, None);
    if route.access.needs_caller() {
        let authenticated = authenticate(api, route, head, client.address).await?;
        extras.notice.clone_from(&authenticated.workspace.notice);
        // Authentication read the database, so every refusal that follows is of a counted request.
        count_request(api, &authenticated, extras)?;
        if let Some(slot) = &connection {
            proxied = slot.authenticated(&api.service, &authenticated.workspace)?;
        }
        if let Principal::User(_) = authenticated.caller.principal {
            cookie::check_change(&route.method, &head.headers, &api.service.config.base_url)?;
        }
        api.responses.check(authenticated.caller.workspace)?;
        auth::authorize(&authenticated.caller, route)?;
        caller = Some(authenticated.caller);
    } else if route.is_api() {
        if route.is_platform() && route.method != Method::GET {
            check_public_change(api, route, &head.headers)?;
        }
        count_optional_caller(api, &head.headers, client.address, extras).await?;
    }
    check_part(api, route, caller.as_ref(), client.address, extras)?;
    // Problems of the header are reported together with problems of the body.
    let mut problems = Problems::default();
    let idempotency_key = if route.idempotent { idempotency::key(&head.headers, &mut problems) } else { None };
    let mut share = api.bodies.share(caller.map(|caller: Caller| caller.workspace));
    let body = match route.body {
        Some(rule) => body::read(api.service.clock.as_ref(), rule, &head.headers, body, &mut share).await?,
        None => Bytes::new(),
    };
    let flight = take_flight(api, route, caller.as_ref(), idempotency_key.as_deref())?;
    let query = head.uri.query().map(str::to_owned);
    let fingerprint = idempotency_key.as_ref().map(|_| idempotency::fingerprint(&path, query.as_deref(), &body));
    let request = RequestInfo {
        id: arrival.id.clone(),
        route: route.name,
        is_head: head.method == Method::HEAD,
        arrived_at: arrival.at,
        client_ip: client.address,
        idempotency_key,
        fingerprint,
        bearer: if route.access.needs_caller() { None } else { auth::bearer_text(&head.headers) },
        basic: if route.access.needs_caller() { None } else { auth::basic_text(&head.headers) },
        session: cookie::session(&head.headers),
        wants_html: dashboard::accepts_html(&head.headers),
        is_framed: head.headers.get("sec-fetch-dest").is_some_and(|dest| dest == "iframe"),
        user_agent: head.headers.get(header::USER_AGENT).and_then(|text| text.to_str().ok()).map(str::to_owned),
        if_none_match: head.headers.get(header::IF_NONE_MATCH).and_then(|text| text.to_str().ok()).map(str::to_owned),
        on_loopback: client.on_loopback,
        connection,
        handshake: socket::handshake(&head.headers),
    };
    let parts = RequestParts { caller, request, path, query, body, json: api.json_limits(), problems };
    Ok(AdmittedRequest { parts, holds: RequestHolds { _flight: flight, body: share, _proxied: proxied } })
}

/// Checks that the part of the service that a route belongs to is on, and counts the request for the limit of the part.
fn check_part(
    api: &Api,
    route: &Route,
    caller: Option<&Caller>,
    client: IpAddr,
    extras: &mut Extras,
) -> Result<(), Refusal> {
    if let Some(switch) = route.switch {
        switch(&api.service)?;
    }
    let Some(limit) = route.limit else { return Ok(()) };
    extras.counted(api.directory_limits.count(limit, caller, client, api.service.clock.now())?)
}

/// Reserves the idempotency key of a request, so that a repetition is refused until the request ends.
fn take_flight(
    api: &Api,
    route: &Route,
    caller: Option<&Caller>,
    idempotency_key: Option<&str>,
) -> Result<Option<InFlightGuard>, Refusal> {
    let (Some(caller), Some(key)) = (caller, idempotency_key) else { return Ok(None) };
    idempotency::scope(caller).map(|scope| api.in_flight.take(scope, route.name, key)).transpose()
}

/// Checks that a change by a public route doesn't come from another site, and from the dashboard if it acts on a session.
fn check_public_change(api: &Api, route: &Route, headers: &HeaderMap) -> Result<(), Refusal> {
    if route.acts_on_session && cookie::session(headers).is_some() {
        return cookie::check_change(&route.method, headers, &api.service.config.base_url);
    }
    cookie::check_site(headers, &api.service.config.base_url)
}

/// Authenticates a request for a route that needs a caller.
async fn authenticate(
    api: &Api,
    route: &Route,
    head: &request::Parts,
    client: IpAddr,
) -> Result<AuthenticatedCaller, Refusal> {
    match route.access {
        RouteAccess::Session(_) | RouteAccess::Person => {
            let secret = cookie::session(&head.headers).ok_or_else(no_session)?;
            credentials::session(&api.service, &secret, client).await
        }
        RouteAccess::Key(..) | RouteAccess::Public => auth::authenticate(api, &head.headers, client).await,
    }
}

/// Counts a request with a valid key or session that needs none, and notes the notice of the workspace.
///
/// # Errors
/// Returns `rate_limited` if a limit is used up.
async fn count_optional_caller(
    api: &Api,
    headers: &HeaderMap,
    client: IpAddr,
    extras: &mut Extras,
) -> Result<(), Refusal> {
    if !headers.contains_key(header::AUTHORIZATION) && cookie::session(headers).is_none() {
        return Ok(());
    }
    let Ok(authenticated) = auth::authenticate(api, headers, client).await else { return Ok(()) };
    extras.notice.clone_from(&authenticated.workspace.notice);
    count_request(api, &authenticated, extras)
}

/// Counts a request for the limits of its caller.
///
/// # Errors
/// Returns `rate_limited` if a limit is used up.
fn count_request(api: &Api, authenticated: &AuthenticatedCaller, extras: &mut Extras) -> Result<(), Refusal> {
    let limit = api.service.config.plans.of(authenticated.workspace.plan).requests_per_minute;
    extras.counted(api.request_limits.count(&authenticated.caller, limit, api.service.clock.now()))
}

fn client_of(api: &Api, extensions: &Extensions, headers: &HeaderMap) -> RequestClient {
    // A peer that isn't known has no rights of this machine.
    let unknown = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let peer = extensions.get::<HttpConnectionInfo>().map_or(unknown, |connection| connection.peer);
    client::of(peer, &api.http.trusted_proxies, headers)
}

fn write_extras(extras: &Extras, headers: &mut HeaderMap) {
    for rate_limit in &extras.rate_limits {
        rate_limit.write(headers);
    }
    if let Some(notice) = &extras.notice {
        let encoded =
            percent_encoding::utf8_percent_encode(&notice.message, percent_encoding::NON_ALPHANUMERIC).to_string();
        if let Ok(value) = HeaderValue::from_str(&encoded) {
            headers.insert(SERVICE_NOTICE, value);
        }
    }
}

/// A plain text response, for requests outside the API.
#[must_use]
pub(crate) fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}
