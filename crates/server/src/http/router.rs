//! From the route table to a service: request ids, authentication, limits, the body, the handler, the answer, one log line.

use std::{net::IpAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, Request, rejection::RawPathParamsRejection},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request},
    response::Response,
    routing::{MethodFilter, on},
};
use bytes::Bytes;
use posthouse_domain::{
    error::{Code, Refusal},
    plan::Limit,
    time::Time,
    workspace::Notice,
};
use tracing::Instrument;

use super::{
    auth, body,
    client::{self, Client, Connection},
    development, error, host, idempotency,
    route::{Access, Parts, PathParams, RequestInfo, Route},
    socket,
    wire::Problems,
};
use crate::{app::App, in_flight::Flight, rate_limits::Left};

/// `X-Request-Id`.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVICE_NOTICE: HeaderName = HeaderName::from_static("service-notice");

/// The service over that table.
pub fn build(app: &Arc<App>, routes: Vec<Route>) -> Router {
    let mut router = Router::new();
    for route in routes.into_iter().filter(|route| !route.development || app.config.is_loopback_profile()) {
        let (app, route) = (app.clone(), Arc::new(route));
        let filter = MethodFilter::try_from(route.method.clone()).expect("the table names ordinary methods");
        let path = route.path;
        let handler = move |path: Result<RawPathParams, RawPathParamsRejection>, request: Request| {
            answer(app.clone(), route.clone(), path, request)
        };
        router = router.route(path, on(filter, handler));
    }
    let (missed, wrong) = (app.clone(), app.clone());
    router
        .fallback(move |request: Request| {
            let app = missed.clone();
            async move {
                let what = format!("There is no route {}.", request.uri().path());
                miss(&app, request, Refusal::new(Code::NotFound, what)).await
            }
        })
        .method_not_allowed_fallback(move |request: Request| {
            let app = wrong.clone();
            async move {
                let what = format!("The route does not take {}.", request.method());
                miss(&app, request, Refusal::new(Code::MethodNotAllowed, what)).await
            }
        })
}

/// Answers a request that no route of the table is for.
pub(super) async fn miss(app: &App, request: Request, refusal: Refusal) -> Response {
    let notice = notice_of_key(app, request.headers()).await;
    let mut response = refuse(app, request, refusal).await;
    write_extras(&Extras { notice, left: None }, response.headers_mut());
    response
}

/// Refuses a request before anything of it is looked at.
pub(super) async fn refuse(app: &App, request: Request, refusal: Refusal) -> Response {
    let id = request_id(app);
    tracing::info!(request_id = %id, method = %request.method(), status = refusal.code.status(), "http.miss");
    let (head, mut body) = request.into_parts();
    body::drain(app.clock.as_ref(), &head.headers, &mut body).await;
    finish(error::response(&refusal, &id), &id)
}

fn request_id(app: &App) -> String {
    app.clock.ids().next::<uuid::Uuid>().to_string()
}

fn finish(mut response: Response, id: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// What authentication found out that the answer has to carry.
#[derive(Default)]
struct Extras {
    notice: Option<Notice>,
    left: Option<Left>,
}

fn answer(
    app: Arc<App>,
    route: Arc<Route>,
    path: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> impl Future<Output = Response> + Send {
    let (id, began) = (request_id(&app), app.clock.now());
    // A parameter that is no UTF-8 names nothing, so it becomes the name of nothing.
    let path =
        path.map(|raw| PathParams(raw.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect())).unwrap_or_default();
    let span = tracing::info_span!("request", request_id = %id);
    // Apart: a long-poll holds for a minute what the rest of this needs, and not the head with the buffer that it was read into.
    let entering = Box::pin(enter(Arc::clone(&app), Arc::clone(&route), (id.clone(), began), path, request));
    async move {
        let (extras, admitted) = entering.instrument(span.clone()).await;
        let begun = admitted.map(|(parts, flight)| (route.run(Arc::clone(&app), parts), flight));
        let mut response = match begun {
            Ok((running, _flight)) => {
                let answered = running.instrument(span).await;
                let answered = answered.inspect_err(|refusal| app.shortage.note(refusal));
                answered.map_or_else(|refusal| error::response(&refusal, &id), super::route::Answer::into_response)
            }
            Err(refusal) => error::response(&refusal, &id),
        };
        write_extras(&extras, response.headers_mut());
        let duration_ms = app.clock.now().since_ms(began);
        let status = response.status().as_u16();
        tracing::info!(request_id = %id, route = route.name, status, duration_ms, "http.request");
        app.metrics.http_request(route.name, status);
        finish(response, &id)
    }
}

/// Admits a request, or reads the rest of it.
async fn enter(
    app: Arc<App>,
    route: Arc<Route>,
    (id, began): (String, Time),
    path: PathParams,
    request: Request,
) -> (Extras, Result<(Parts, Option<Flight>), Refusal>) {
    let named = if route.development { host::named(&request) } else { String::new() };
    let (head, mut body) = request.into_parts();
    let mut extras = Extras::default();
    let admitted = match route.development.then(|| development::admit(&app.config, &route, &head, &named)) {
        Some(Err(refusal)) => Err(refusal),
        _ => admit(&app, &route, (&id, began), path, (&head, &mut body), &mut extras).await,
    };
    if let Err(refusal) = &admitted {
        app.shortage.note(refusal);
        body::drain(app.clock.as_ref(), &head.headers, &mut body).await;
    }
    (extras, admitted)
}

/// Everything that comes before the handler: who asks, whether they may, what they ask.
async fn admit(
    app: &Arc<App>,
    route: &Route,
    (id, arrived_at): (&str, Time),
    path: PathParams,
    (head, body): (&request::Parts, &mut Body),
    extras: &mut Extras,
) -> Result<(Parts, Option<Flight>), Refusal> {
    let mut caller = None;
    if let Access::Key(..) = route.access {
        let recognised = auth::recognise(app, &head.headers).await?;
        extras.notice = recognised.workspace.notice;
        let limit = app.config.plans.of(recognised.workspace.plan).requests_per_minute;
        let taken = app.rate_limits.take(recognised.caller.key, limit, app.clock.now());
        extras.left = left(limit, &taken);
        taken?;
        auth::admit(&recognised.caller, route)?;
        caller = Some(recognised.caller);
    } else if route.is_api() {
        extras.notice = notice_of_key(app, &head.headers).await;
    }
    // What is wrong with the header is told with what is wrong with the body.
    let mut problems = Problems::default();
    let idempotency_key = if route.idempotent { idempotency::key(&head.headers, &mut problems) } else { None };
    let body = match route.body {
        Some(rule) => body::read(app.clock.as_ref(), rule, &head.headers, body).await?,
        None => Bytes::new(),
    };
    let flight = match (&caller, &idempotency_key) {
        (Some(caller), Some(key)) => Some(app.in_flight.take(caller.workspace, route.name, key)?),
        _ => None,
    };
    let client = client_of(app, head);
    let query = head.uri.query().map(str::to_owned);
    let fingerprint = idempotency_key.as_ref().map(|_| idempotency::fingerprint(&path, query.as_deref(), &body));
    let request = RequestInfo {
        id: id.to_owned(),
        route: route.name,
        arrived_at,
        client_ip: client.address,
        idempotency_key,
        fingerprint,
        bearer: if route.access == Access::Public { auth::bearer_text(&head.headers) } else { None },
        on_loopback: client.on_loopback,
        handshake: socket::handshake(&head.headers),
    };
    Ok((Parts { caller, request, path, query, body, problems }, flight))
}

/// Who has a key gets the workspace's notice on every answer, on those that need no key too.
async fn notice_of_key(app: &App, headers: &HeaderMap) -> Option<Notice> {
    if !headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    auth::recognise(app, headers).await.ok()?.workspace.notice
}

/// What the rate-limit fields say: the refusal of a request too many has them too (decision 6).
fn left(limit: Limit, taken: &Result<Option<Left>, Refusal>) -> Option<Left> {
    match (taken, limit) {
        (Ok(left), _) => *left,
        (Err(refusal), Some(max)) => Some(Left { max, requests: 0, seconds: refusal.retry_after_s.unwrap_or(60) }),
        (Err(_), None) => None,
    }
}

fn client_of(app: &App, head: &request::Parts) -> Client {
    // Without a listener there is no other machine.
    let peer = head.extensions.get::<Connection>().map_or(IpAddr::from([127, 0, 0, 1]), |connection| connection.peer);
    client::of(peer, &app.config.http.trusted_proxies, &head.headers)
}

fn write_extras(extras: &Extras, headers: &mut HeaderMap) {
    if let Some(left) = &extras.left {
        write_left(left, headers);
    }
    if let Some(notice) = &extras.notice {
        let encoded =
            percent_encoding::utf8_percent_encode(&notice.message, percent_encoding::NON_ALPHANUMERIC).to_string();
        if let Ok(value) = HeaderValue::from_str(&encoded) {
            headers.insert(SERVICE_NOTICE, value);
        }
    }
}

/// Writes `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
fn write_left(left: &Left, headers: &mut HeaderMap) {
    let fields = [
        ("ratelimit-policy", format!("\"key-minute\";q={};w=60", left.max)),
        ("ratelimit", format!("\"key-minute\";r={};t={}", left.requests, left.seconds)),
    ];
    for (name, value) in fields {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

/// A plain answer outside the table, for the pages that are no API.
#[must_use]
pub fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}
