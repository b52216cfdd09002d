//! A route: one row of the table that feeds the router, the permission test and the OpenAPI document.
//!
//! A handler decodes nothing and checks no permission itself: it gets an [`Input`] that has passed both.

use std::{future::Future, net::IpAddr, pin::Pin, sync::Arc};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::socket::Entrance;
use super::wire::{self, Empty, Problems, Query, Wire};
use crate::app::App;

/// Largest request body, in bytes, of routes that take no attachments (decision 13).
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Largest request body, in bytes, of routes that take attachments (decision 13).
pub const ATTACHMENT_BODY_BYTES_MAX: usize = 40 * 1024 * 1024;

/// How far a key must reach to use a route (contract §28).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Any key; what an inbox-scoped one sees is narrowed.
    Any,
    /// Not an inbox-scoped key: 403 `forbidden`.
    Workspace,
    /// An org-wide key alone: 403 `forbidden`.
    Org,
}

/// Who may use a route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Everybody, without a key.
    Public,
    /// A key with the permission and the reach.
    Key(Permission, Reach),
}

/// What a request body must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyRule {
    /// The content type that is taken.
    pub content_type: &'static str,
    /// Most bytes.
    pub bytes_max: usize,
}

/// What the OpenAPI document says of one answer.
#[derive(Clone, Debug)]
pub struct AnswerDoc {
    /// The status of success.
    pub status: u16,
    /// The content type; none for 204.
    pub content_type: Option<&'static str>,
    /// The schema of a JSON answer.
    pub schema: Option<fn(&mut schemars::SchemaGenerator) -> schemars::Schema>,
}

type Handled = Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send>>;
type Handler = Arc<dyn Fn(Arc<App>, Parts) -> Handled + Send + Sync>;

/// One row of the table.
#[derive(Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, parameters in braces.
    pub path: &'static str,
    /// The stable `operationId`.
    pub name: &'static str,
    /// One sentence of documentation.
    pub summary: &'static str,
    /// Who may use it.
    pub access: Access,
    /// Permissions that it needs beside that of `access`.
    pub also: &'static [Permission],
    /// The body it takes, if any.
    pub body: Option<BodyRule>,
    /// Whether it honours `Idempotency-Key`.
    pub idempotent: bool,
    /// Query parameters for the OpenAPI document.
    pub parameters: fn() -> Vec<Value>,
    /// Body schema for the OpenAPI document.
    pub body_schema: fn() -> Value,
    /// Answers of success.
    pub answers: Vec<AnswerDoc>,
    /// Refusals of its own, beside those that every route can give.
    pub errors: &'static [Code],
    /// Whether it exists only with `delivery.mode = "capture"` (decision 25).
    pub development: bool,
    handler: Option<Handler>,
}

/// A request that passed authentication, as it comes from the router.
pub struct Parts {
    /// Who asks; absent on public routes.
    pub caller: Option<Caller>,
    /// Facts about the request.
    pub request: RequestInfo,
    /// Path parameters, percent-decoded.
    pub path: PathParams,
    /// The raw query.
    pub query: Option<String>,
    /// The body.
    pub body: Bytes,
}

/// Text that no log may show.
#[derive(Clone)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Facts about a request that answers, logs and records need.
#[derive(Clone, Debug)]
pub struct RequestInfo {
    /// `X-Request-Id`.
    pub id: String,
    /// The route's name.
    pub route: &'static str,
    /// When its head had been read.
    pub arrived_at: Time,
    /// The client, as far as trusted proxies tell.
    pub client_ip: IpAddr,
    /// The `Idempotency-Key`, on routes that honour it.
    pub idempotency_key: Option<String>,
    /// With an `Idempotency-Key`: SHA-256 of path parameters, query and body, by which a repeated request is known.
    pub fingerprint: Option<[u8; 32]>,
    /// The request header `Host`.
    pub host: Option<String>,
    /// The secret in `Authorization: Bearer`, for public routes with a token of their own.
    pub bearer: Option<Secret>,
    /// Whether the client is on this machine and nobody stands between.
    pub on_loopback: bool,
    /// The accept key of a request that asks for a WebSocket.
    pub handshake: Option<String>,
}

/// Path parameters.
#[derive(Clone, Debug, Default)]
pub struct PathParams(pub Vec<(String, String)>);

impl PathParams {
    /// The text of a parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)
    }

    /// An id; a malformed one is as unknown as any other (decision 2).
    ///
    /// # Errors
    /// `not_found`.
    pub fn id<T: std::str::FromStr>(&self, name: &str, what: &str) -> Result<T, Refusal> {
        self.text(name).parse().map_err(|_| Refusal::not_found(what))
    }
}

/// What a handler of a route with a key gets.
pub struct Input<Q = Empty, B = Empty> {
    /// Who asks.
    pub caller: Caller,
    /// Facts about the request.
    pub request: RequestInfo,
    /// Path parameters.
    pub path: PathParams,
    /// The decoded query.
    pub query: Q,
    /// The decoded body.
    pub body: B,
}

/// What a handler of a public route gets.
pub struct PublicInput<Q = Empty, B = Empty> {
    /// Facts about the request.
    pub request: RequestInfo,
    /// Path parameters.
    pub path: PathParams,
    /// The decoded query.
    pub query: Q,
    /// The decoded body.
    pub body: B,
}

/// A body that is taken as bytes.
pub struct Raw(pub Bytes);

/// What can be read from a body.
pub trait FromBody: Sized {
    /// Reads the body, or says every problem.
    fn read(bytes: Bytes, problems: &mut Problems) -> Option<Self>;
    /// The schema for the OpenAPI document.
    fn body_schema() -> Value;
}

impl<T: Wire> FromBody for T {
    fn read(bytes: Bytes, problems: &mut Problems) -> Option<Self> {
        wire::decode_json(&bytes, problems)
    }
    fn body_schema() -> Value {
        T::schema()
    }
}

impl FromBody for Raw {
    fn read(bytes: Bytes, _: &mut Problems) -> Option<Self> {
        Some(Self(bytes))
    }
    fn body_schema() -> Value {
        serde_json::json!({ "type": "string", "contentMediaType": "message/rfc822" })
    }
}

/// An answer of success.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// Headers beside those that every response has.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Bytes,
    /// Who goes on by WebSocket behind it.
    pub entrance: Option<Entrance>,
}

impl Answer {
    /// A JSON answer.
    ///
    /// # Errors
    /// `internal_error` if the view cannot be written, which no view of ours does.
    pub fn json<T: Serialize>(status: u16, view: &T) -> Result<Self, Refusal> {
        let body =
            serde_json::to_vec(view).map_err(|_| Refusal::new(Code::Internal, "The answer could not be written."))?;
        Ok(Self::written(status, body))
    }

    /// A JSON answer that is written already.
    #[must_use]
    pub fn written(status: u16, body: impl Into<Bytes>) -> Self {
        Self::typed(status, "application/json", body)
    }

    /// An answer of another content type.
    #[must_use]
    pub fn typed(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
        Self {
            status,
            headers: vec![(header::CONTENT_TYPE, HeaderValue::from_static(content_type))],
            body: body.into(),
            entrance: None,
        }
    }

    /// 101: from here on the connection is a WebSocket.
    #[must_use]
    pub fn switching(entrance: Entrance) -> Self {
        Self { status: StatusCode::SWITCHING_PROTOCOLS, entrance: Some(entrance), ..Self::empty() }
    }

    /// 204.
    #[must_use]
    pub fn empty() -> Self {
        Self { status: StatusCode::NO_CONTENT, headers: Vec::new(), body: Bytes::new(), entrance: None }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        if let Some(entrance) = self.entrance {
            response.extensions_mut().insert(entrance);
        }
        response
    }
}

impl Route {
    /// A route for a key with that permission.
    #[must_use]
    pub fn new(method: Method, path: &'static str, name: &'static str, permission: Permission) -> Self {
        Self::with_access(method, path, name, Access::Key(permission, Reach::Any))
    }

    /// A route for everybody.
    #[must_use]
    pub fn public(method: Method, path: &'static str, name: &'static str) -> Self {
        Self::with_access(method, path, name, Access::Public)
    }

    fn with_access(method: Method, path: &'static str, name: &'static str, access: Access) -> Self {
        let takes_body = matches!(method, Method::POST | Method::PATCH | Method::PUT);
        Self {
            body: takes_body.then_some(BodyRule { content_type: "application/json", bytes_max: BODY_BYTES_MAX }),
            method,
            path,
            name,
            access,
            also: &[],
            summary: "",
            idempotent: false,
            parameters: Vec::new,
            body_schema: || Value::Null,
            answers: Vec::new(),
            errors: &[],
            development: false,
            handler: None,
        }
    }

    /// Says what the route does.
    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Refuses inbox-scoped keys.
    #[must_use]
    pub fn workspace_wide(mut self) -> Self {
        if let Access::Key(permission, _) = self.access {
            self.access = Access::Key(permission, Reach::Workspace);
        }
        self
    }

    /// Refuses every key that is not org-wide.
    #[must_use]
    pub fn org_wide(mut self) -> Self {
        if let Access::Key(permission, _) = self.access {
            self.access = Access::Key(permission, Reach::Org);
        }
        self
    }

    /// Needs these permissions too.
    #[must_use]
    pub fn also(mut self, permissions: &'static [Permission]) -> Self {
        self.also = permissions;
        self
    }

    /// Allows bodies with attachments.
    #[must_use]
    pub fn with_attachments(mut self) -> Self {
        if let Some(body) = &mut self.body {
            body.bytes_max = ATTACHMENT_BODY_BYTES_MAX;
        }
        self
    }

    /// Takes a body of another content type.
    #[must_use]
    pub fn takes(mut self, content_type: &'static str, bytes_max: usize) -> Self {
        self.body = Some(BodyRule { content_type, bytes_max });
        self
    }

    /// Takes a request whose body says nothing, whatever its type.
    #[must_use]
    pub fn without_body(mut self) -> Self {
        self.body = None;
        self
    }

    /// Honours `Idempotency-Key`.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// Exists only with `delivery.mode = "capture"`.
    #[must_use]
    pub fn development(mut self) -> Self {
        self.development = true;
        self
    }

    /// Documents a JSON answer.
    #[must_use]
    pub fn answers<T: JsonSchema>(mut self, status: u16) -> Self {
        let schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema = |generator| generator.subschema_for::<T>();
        self.answers.push(AnswerDoc { status, content_type: Some("application/json"), schema: Some(schema) });
        self
    }

    /// Documents an answer that is not JSON; no content type means no body.
    #[must_use]
    pub fn answers_with(mut self, status: u16, content_type: Option<&'static str>) -> Self {
        self.answers.push(AnswerDoc { status, content_type, schema: None });
        self
    }

    /// Documents refusals of its own.
    #[must_use]
    pub fn errors(mut self, errors: &'static [Code]) -> Self {
        self.errors = errors;
        self
    }

    /// Sets the handler of a route with a key.
    #[must_use]
    pub fn handle<Q, B, F, Fut>(mut self, handler: F) -> Self
    where
        Q: Query + Send + 'static,
        B: FromBody + Send + 'static,
        F: Fn(Arc<App>, Input<Q, B>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Answer, Refusal>> + Send + 'static,
    {
        self.parameters = Q::parameters;
        self.body_schema = B::body_schema;
        self.handler = Some(Arc::new(move |app, parts| {
            let handler = handler.clone();
            Box::pin(async move {
                let caller =
                    parts.caller.ok_or_else(|| Refusal::new(Code::Unauthorized, "The request has no API key."))?;
                let (query, body) = decode::<Q, B>(parts.query.as_deref(), parts.body)?;
                handler(app, Input { caller, request: parts.request, path: parts.path, query, body }).await
            })
        }));
        self
    }

    /// Sets the handler of a public route.
    #[must_use]
    pub fn handle_public<Q, B, F, Fut>(mut self, handler: F) -> Self
    where
        Q: Query + Send + 'static,
        B: FromBody + Send + 'static,
        F: Fn(Arc<App>, PublicInput<Q, B>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Answer, Refusal>> + Send + 'static,
    {
        self.parameters = Q::parameters;
        self.body_schema = B::body_schema;
        self.handler = Some(Arc::new(move |app, parts| {
            let handler = handler.clone();
            Box::pin(async move {
                let (query, body) = decode::<Q, B>(parts.query.as_deref(), parts.body)?;
                handler(app, PublicInput { request: parts.request, path: parts.path, query, body }).await
            })
        }));
        self
    }

    pub(super) fn run(&self, app: Arc<App>, parts: Parts) -> Handled {
        match &self.handler {
            Some(handler) => handler(app, parts),
            None => Box::pin(async { Err(Refusal::new(Code::Internal, "The route has no handler.")) }),
        }
    }
}

/// Reads query and body together, so that the problems of both are said at once.
fn decode<Q: Query, B: FromBody>(query: Option<&str>, body: Bytes) -> Result<(Q, B), Refusal> {
    let mut problems = Problems::default();
    let query = wire::decode_query(query, &mut problems);
    let body = B::read(body, &mut problems);
    problems.finish(query.zip(body))
}
