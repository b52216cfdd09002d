//! Builds the service from the route table: request ids, authentication, limits, the body, the handler, the response,
//! one log line.
//!
//! The stages of a request: `respond` calls `enter`, which reads the head and calls `admit` (authentication, permission,
//! limits, the body). Then `answer` runs the operation, and `hold` reserves the memory of its response. `refused`
//! writes a refusal of any stage as a response, and `finish` adds the request id and the fields of all responses.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use bytes::Bytes;
use futures_util::stream;
use posthouse_api::wire::Problems;
use posthouse_app::access::authenticate::{AuthenticatedCaller, no_session};
use posthouse_app::access::credentials;
use posthouse_app::service::Service;
use posthouse_call::{self as call, Access, Admission, Arguments, CallSource, ErrorForm, Notes, PathParams};
use posthouse_domain::{ErrorCode, LimitName, Principal, Refusal, Time, WorkspaceId};
use tracing::Instrument;

use crate::connection::client::{self, RequestClient};
use crate::connection::connections::{ConnectionSlot, ProxiedRequest};
use crate::connection::host;
use crate::pages::dashboard;
use crate::request::body_budget::BodyShare;
use crate::request::{auth, body, cookie, development, idempotency};
use crate::response::{cors, error, notes, oauth};
use crate::route::{PageParts, RequestInfo, ResponseBody, Route, RouteResponse};
use crate::served::ServedOperation;
use crate::stream::handshake;
use crate::{Api, protocol};

/// `X-Request-Id`.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Builds the router that serves a route table.
pub(crate) fn build(api: &Arc<Api>, routes: Vec<Route>) -> Router {
    let mut router = Router::new();
    for route in
        routes.into_iter().filter(|route| !route.operation.development || api.service.config.is_loopback_profile())
    {
        let (preflight_app, is_cross_origin) = (api.clone(), route.operation.is_cross_origin);
        let (other_app, protocol) = (api.clone(), route.protocol);
        let (api, route) = (api.clone(), Arc::new(route));
        let filter = MethodFilter::try_from(route.method()).expect("the table names ordinary methods");
        let path = route.operation.path;
        let handler = move |path: Result<RawPathParams, RawPathParamsRejection>, request: Request| {
            respond(api.clone(), route.clone(), path, request)
        };
        if is_cross_origin {
            let api = preflight_app;
            let answer = move || async move { finish(cors::preflight().into_response(), &request_id(&api.service)) };
            router = router.route(path, on(MethodFilter::OPTIONS, answer));
        }
        let methods = match protocol {
            Some(protocol) => on(filter, handler).fallback(move |request: Request| {
                let api = other_app.clone();
                async move { finish(protocol::other_method(&api, protocol, request).await, &request_id(&api.service)) }
            }),
            None => on(filter, handler),
        };
        router = router.route(path, methods);
    }
    let (unmatched_app, method_app) = (api.clone(), api.clone());
    router
        .fallback(move |request: Request| {
            let api = unmatched_app.clone();
            async move {
                if let Some(response) = api.dashboard.response(&request) {
                    return finish(response, &request_id(&api.service));
                }
                if let Some(response) = (api.served.unmatched)(&request) {
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
    let client = client::of_request(&api.http.trusted_proxies, request.extensions(), request.headers());
    let mut notes = Notes::default();
    let counted = count_optional_caller(api, request.headers(), client.address, &mut notes).await;
    let mut response = refuse(api, request, counted.err().unwrap_or(refusal)).await;
    notes::write(&notes, response.headers_mut());
    response
}

/// Refuses a request before any of it is processed.
pub(super) async fn refuse(api: &Api, request: Request, refusal: Refusal) -> Response {
    let id = request_id(&api.service);
    tracing::info!(request_id = %id, method = %request.method(), status = refusal.code.status(), "http.refused");
    let (head, mut body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let client = client::of_request(&api.http.trusted_proxies, &head.extensions, &head.headers).address;
    api.drains.drain(api.service.clock.as_ref(), client, &head.headers, &mut body).await;
    let response = match api.served.with_own_errors(&path) {
        Some(ServedOperation { protocol: Some(protocol), .. }) => protocol::refused(&api.service, *protocol, &refusal),
        // A 405 has the error body of the API on the other paths.
        Some(_) if refusal.code != ErrorCode::MethodNotAllowed => oauth::service(&refusal).into_response(),
        _ => error::response(&refusal, &id),
    };
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

/// A request that passed all checks before its handler.
struct AdmittedRequest {
    admission: Admission,
    arguments: Arguments,
    request: RequestInfo,
    problems: Problems,
    holds: RequestHolds,
}

/// What a request holds until its response is known.
struct RequestHolds {
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
    let fields = route.protocol.map(|_| protocol::fields_for(&api, &request));
    // Boxed, so that a long poll does not keep the head and its read buffer in memory while it waits.
    let entering = Box::pin(enter(Arc::clone(&api), Arc::clone(&route), arrival, path, request));
    async move {
        let (notes, admitted) = entering.instrument(span.clone()).await;
        let mut response = match admitted {
            Ok(admitted) => {
                let (answered, holds) = answer(&api, &route, admitted).instrument(span).await;
                let answered = answered.and_then(|response| hold(&api, &route, holds.body.key(), response));
                let answered = answered.inspect_err(|refusal| api.service.storage_health.record(refusal));
                match answered {
                    Ok(response) => response.into_response(),
                    Err(refusal) => refused(&api.service, &route, &refusal, &id, page),
                }
            }
            Err(refusal) => refused(&api.service, &route, &refusal, &id, page),
        };
        notes::write(&notes, response.headers_mut());
        if route.operation.is_cross_origin {
            cors::allow(response.headers_mut());
        }
        response.headers_mut().extend(fields.into_iter().flatten());
        let duration_ms = api.service.clock.now().since_ms(began);
        let status = response.status().as_u16();
        tracing::info!(request_id = %id, route = route.operation.name, status, duration_ms, "http.request");
        api.service.metrics.http_request(route.operation.name, status);
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
    let Some(workspace) = workspace.or(response.workspace) else { return Ok(response) };
    let body = match response.body {
        ResponseBody::Bytes(bytes) if bytes.is_empty() => ResponseBody::Bytes(bytes),
        ResponseBody::Bytes(bytes) => {
            let length = bytes.len() as u64;
            match api.responses.hold(workspace, bytes) {
                Ok(bytes) => ResponseBody::Bytes(bytes),
                Err(refusal) if route.method() == Method::GET => return Err(refusal),
                Err(refusal) => {
                    api.service.metrics.refused(&refusal);
                    // hyper writes the head when the body is pending, and drops it if the body fails at once.
                    let failure = stream::once(async move {
                        tokio::task::yield_now().await;
                        Err(refusal)
                    });
                    ResponseBody::Stream(posthouse_call::OutcomeStream::new(Some(length), failure))
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
    if let Some(protocol) = route.protocol {
        return protocol::refused(service, protocol, refusal);
    }
    let mut response = match page {
        _ if route.operation.error_form == ErrorForm::OAuth => oauth::service(refusal).into_response(),
        Some(page) => error::complete(refusal, page(refusal)),
        None => error::response(refusal, id),
    };
    if refusal.limit() == Some(LimitName::Connections) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Runs the handler of an admitted request.
async fn answer(
    api: &Arc<Api>,
    route: &Route,
    admitted: AdmittedRequest,
) -> (Result<RouteResponse, Refusal>, RequestHolds) {
    let AdmittedRequest { admission, arguments, request, problems, holds } = admitted;
    let answered = match route.page() {
        Some(page) => {
            let (caller, json) = (admission.caller().copied(), api.json_limits());
            let Arguments { path, query, body, .. } = arguments;
            page(Arc::clone(api), PageParts { caller, request, path, query, body, json, problems }).await
        }
        None => {
            let outcome = call::run(&api.service, &route.operation, admission, arguments, problems).await;
            outcome.map(|outcome| RouteResponse::of(outcome, request.if_none_match.as_deref()))
        }
    };
    (answered, holds)
}

/// Admits a request, or reads and discards the rest of it.
async fn enter(
    api: Arc<Api>,
    route: Arc<Route>,
    arrival: Arrival,
    path: PathParams,
    request: Request,
) -> (Notes, Result<AdmittedRequest, Refusal>) {
    let is_checked = route.operation.development || route.protocol.is_some();
    let named = if is_checked { host::named(&request) } else { String::new() };
    let (head, mut body) = request.into_parts();
    let mut notes = Notes::default();
    let admitted = match check_page(&api, &route, &head, &named) {
        Err(refusal) => Err(refusal),
        Ok(()) => admit(&api, &route, &arrival, path, &head, &mut body, &mut notes).await,
    };
    if let Err(refusal) = &admitted {
        api.service.storage_health.record(refusal);
        let client = client::of_request(&api.http.trusted_proxies, &head.extensions, &head.headers).address;
        api.drains.drain(api.service.clock.as_ref(), client, &head.headers, &mut body).await;
    }
    (notes, admitted)
}

/// Checks the page that sent a request, for routes that pages of other sites must not use.
fn check_page(api: &Api, route: &Route, head: &request::Parts, named: &str) -> Result<(), Refusal> {
    if route.operation.development {
        return development::admit(&api.service.config, route, head, named);
    }
    match route.protocol {
        Some(_) => protocol::check_origin(api, &head.headers, &head.extensions, named),
        None => Ok(()),
    }
}

/// Does everything that precedes the handler: authentication, limits, permission, body and idempotency.
async fn admit(
    api: &Arc<Api>,
    route: &Route,
    arrival: &Arrival,
    path: PathParams,
    head: &request::Parts,
    body: &mut Body,
    notes: &mut Notes,
) -> Result<AdmittedRequest, Refusal> {
    let client = client::of_request(&api.http.trusted_proxies, &head.extensions, &head.headers);
    let connection = head.extensions.get::<ConnectionSlot>().cloned();
    let (operation, service) = (&route.operation, &api.service);
    let (mut caller, mut proxied) = (None, None);
    if operation.access.needs_caller() {
        let authenticated = authenticate(api, route, head, client.address).await?;
        // Authentication read the database, so every refusal that follows is of a counted request.
        call::count_caller(service, &authenticated, notes)?;
        if let Some(slot) = &connection {
            proxied = slot.authenticated(service, &authenticated.workspace)?;
        }
        if let Principal::User(_) = authenticated.caller.principal {
            cookie::check_change(&head.method, &head.headers, &service.config.base_url)?;
        }
        api.responses.check(authenticated.caller.workspace)?;
        caller = Some(authenticated);
    } else if operation.is_api() {
        if operation.is_platform() && operation.method != posthouse_call::Method::Get {
            check_public_change(api, route, head)?;
        }
        // The session ends with the request. Its person must be able to end it at the limit.
        if !operation.acts_on_session || head.headers.contains_key(header::AUTHORIZATION) {
            count_optional_caller(api, &head.headers, client.address, notes).await?;
        }
    }
    let source = CallSource { id: arrival.id.clone(), arrived_at: arrival.at, client_ip: client.address };
    let admission = call::admit(service, operation, caller.as_ref(), source, notes)?;
    // Problems of the header are reported together with problems of the body.
    let mut problems = Problems::default();
    let idempotency_key = if operation.idempotent { idempotency::key(&head.headers, &mut problems) } else { None };
    let owner = match route.body_owner() {
        Some(find) => Some(find(Arc::clone(service), path.clone(), client.address).await?),
        None => admission.caller().map(|caller| caller.workspace),
    };
    let mut share = api.bodies.share(owner);
    let body = match operation.body {
        Some(rule) => body::read(service.clock.as_ref(), rule, &head.headers, body, &mut share).await?,
        None => Bytes::new(),
    };
    let arguments = Arguments { path, query: head.uri.query().map(str::to_owned), body, idempotency_key };
    let mut request = request_info(head, client, connection, !operation.access.needs_caller());
    if route.protocol.is_some() {
        request.fields.clone_from(&head.headers);
    }
    let holds = RequestHolds { body: share, _proxied: proxied };
    Ok(AdmittedRequest { admission, arguments, request, problems, holds })
}

/// Returns the facts about a request that only HTTP has. Credentials of their own are for public routes.
fn request_info(
    head: &request::Parts,
    client: RequestClient,
    connection: Option<ConnectionSlot>,
    is_public: bool,
) -> RequestInfo {
    let text = |name: HeaderName| head.headers.get(name).and_then(|text| text.to_str().ok()).map(str::to_owned);
    RequestInfo {
        is_head: head.method == Method::HEAD,
        client_ip: client.address,
        bearer: if is_public { auth::bearer_text(&head.headers) } else { None },
        basic: if is_public { auth::basic_text(&head.headers) } else { None },
        session: cookie::session(&head.headers),
        wants_html: dashboard::accepts_html(&head.headers),
        is_framed: head.headers.get("sec-fetch-dest").is_some_and(|dest| dest == "iframe"),
        user_agent: text(header::USER_AGENT),
        if_none_match: text(header::IF_NONE_MATCH),
        on_loopback: client.on_loopback,
        connection,
        handshake: handshake::accept_key(&head.headers),
        fields: HeaderMap::new(),
    }
}

/// Checks that a change by a public route doesn't come from another site, and from the dashboard if it acts on a session.
fn check_public_change(api: &Api, route: &Route, head: &request::Parts) -> Result<(), Refusal> {
    let headers = &head.headers;
    if route.operation.acts_on_session && cookie::session(headers).is_some() {
        return cookie::check_change(&head.method, headers, &api.service.config.base_url);
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
    match route.operation.access {
        Access::Session(_) | Access::Person => {
            let secret = cookie::session(&head.headers).ok_or_else(no_session)?;
            credentials::session(&api.service, &secret, client).await
        }
        Access::Key(..) | Access::Public => auth::authenticate(api, &head.headers, client).await,
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
    notes: &mut Notes,
) -> Result<(), Refusal> {
    if !headers.contains_key(header::AUTHORIZATION) && cookie::session(headers).is_none() {
        return Ok(());
    }
    let Ok(authenticated) = auth::authenticate(api, headers, client).await else { return Ok(()) };
    call::count_caller(&api.service, &authenticated, notes)
}

/// A plain text response, for requests outside the API.
#[must_use]
pub(crate) fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}
