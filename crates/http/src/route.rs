//! Routes: the rows of the table behind the router, the permission test and the OpenAPI description.
//!
//! Handlers neither decode requests nor check permissions: they receive an [`RouteInput`] that has passed both.

mod input;
mod response;

use crate::{Api, directory_limits::DirectoryLimit};
use std::{future::Future, pin::Pin, sync::Arc};

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::{ErrorCode, Refusal},
    user::Role,
};
use schemars::JsonSchema;
use serde_json::Value;

pub(crate) use crate::route::response::{ChunkStream, entity_tag};
pub use crate::route::{
    input::{FromBody, FromRequestParts, PathParams, PublicInput, RawBody, RequestInfo, RequestParts, RouteInput},
    response::{DocumentVersion, ResponseBody, ResponseStream, RouteResponse, render_page, render_view},
};
use posthouse_api::wire::QueryParameters as _;
use posthouse_app::Service;

/// Largest request body of routes without attachments, in bytes.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Largest request body of routes with attachments, in bytes.
pub const ATTACHMENT_BODY_BYTES_MAX: usize = 40 * 1024 * 1024;

/// The scope that a key needs to use a route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequiredScope {
    /// Any key. Results for an inbox-scoped key are restricted to its inbox.
    Any,
    /// Any key that is not inbox-scoped; otherwise 403 `forbidden`.
    Workspace,
    /// Only an org-wide key; otherwise 403 `forbidden`.
    Org,
}

/// Who may use a route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RouteAccess {
    /// Any client, without a key.
    Public,
    /// A key with this permission and scope, or a person with a session.
    Key(Permission, RequiredScope),
    /// A person with a session and this role.
    Session(Role),
    /// A person with a session, also one who is in no workspace.
    Person,
}

impl RouteAccess {
    /// Returns whether a request must authenticate.
    #[must_use]
    pub const fn needs_caller(self) -> bool {
        match self {
            RouteAccess::Key(..) | RouteAccess::Session(_) | RouteAccess::Person => true,
            RouteAccess::Public => false,
        }
    }
}

/// Requirements for a request body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyRule {
    /// The accepted content type.
    pub content_type: &'static str,
    /// Largest size in bytes.
    pub bytes_max: usize,
}

/// A response of a handler in the OpenAPI description.
#[derive(Clone, Debug)]
pub struct ResponseDoc {
    /// The status.
    pub status: u16,
    /// The content type; `None` for 204.
    pub content_type: Option<&'static str>,
    /// The schema of a JSON response.
    pub schema: Option<fn(&mut schemars::SchemaGenerator) -> schemars::Schema>,
}

type HandlerFuture = Pin<Box<dyn Future<Output = Result<RouteResponse, Refusal>> + Send>>;
type Handler = Arc<dyn Fn(Arc<Api>, RequestParts) -> HandlerFuture + Send + Sync>;

/// Refuses a request for a part of the service that is switched off.
pub type SwitchCheck = fn(&Service) -> Result<(), Refusal>;

/// One row of the route table.
#[derive(Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The stable `operationId`.
    pub name: &'static str,
    /// One sentence of documentation.
    pub summary: &'static str,
    /// Who may use the route.
    pub access: RouteAccess,
    /// Permissions needed in addition to that of `access`.
    pub also: &'static [Permission],
    /// Requirements for the body; `None` if it is ignored.
    pub body: Option<BodyRule>,
    /// Whether the route supports `Idempotency-Key`.
    pub idempotent: bool,
    /// Whether a public route acts on the session of the cookie, so that such a request must come from the dashboard.
    pub acts_on_session: bool,
    /// Returns the query parameters for the OpenAPI description.
    pub parameters: fn() -> Vec<Value>,
    /// Returns the body schema for the OpenAPI description.
    pub body_schema: fn() -> Value,
    /// The responses of the handler.
    pub answers: Vec<ResponseDoc>,
    /// Error codes in addition to those of every route.
    pub errors: &'static [ErrorCode],
    /// Whether the route exists only for development: on loopback, with `delivery.mode = "capture"`.
    pub development: bool,
    /// Checks that the part of the service that the route belongs to is switched on, before the request is read.
    pub switch: Option<SwitchCheck>,
    /// The limit of the directory that requests count for.
    pub limit: Option<DirectoryLimit>,
    /// Whether pages of every origin may read the responses.
    pub is_cross_origin: bool,
    /// Whether the errors have the form of OAuth 2.0 (RFC 6749 §5.2).
    pub has_oauth_errors: bool,
    /// The security schemes of a public route in the OpenAPI description. A request uses one; an empty name means no
    /// authentication.
    pub security: &'static [&'static str],
    /// Renders a refusal for browsers.
    pub error_page: Option<fn(&Refusal) -> RouteResponse>,
    handler: Option<Handler>,
}

impl Route {
    /// Creates a route for keys with this permission.
    #[must_use]
    pub fn new(method: Method, path: &'static str, name: &'static str, permission: Permission) -> Self {
        Self::with_access(method, path, name, RouteAccess::Key(permission, RequiredScope::Any))
    }

    /// Creates a public route.
    #[must_use]
    pub fn public(method: Method, path: &'static str, name: &'static str) -> Self {
        Self::with_access(method, path, name, RouteAccess::Public)
    }

    /// Creates a route for people with a session and this role.
    #[must_use]
    pub fn session(method: Method, path: &'static str, name: &'static str, role: Role) -> Self {
        Self::with_access(method, path, name, RouteAccess::Session(role))
    }

    /// Creates a route for people with a session, also those who are in no workspace.
    #[must_use]
    pub fn person(method: Method, path: &'static str, name: &'static str) -> Self {
        Self::with_access(method, path, name, RouteAccess::Person)
    }

    fn with_access(method: Method, path: &'static str, name: &'static str, access: RouteAccess) -> Self {
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
            acts_on_session: false,
            parameters: Vec::new,
            body_schema: || Value::Null,
            answers: Vec::new(),
            errors: &[],
            development: false,
            switch: None,
            limit: None,
            is_cross_origin: false,
            has_oauth_errors: false,
            security: &[],
            error_page: None,
            handler: None,
        }
    }

    /// Sets the one-sentence documentation.
    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Refuses inbox-scoped keys.
    #[must_use]
    pub fn workspace_wide(mut self) -> Self {
        if let RouteAccess::Key(permission, _) = self.access {
            self.access = RouteAccess::Key(permission, RequiredScope::Workspace);
        }
        self
    }

    /// Refuses keys that are not org-wide.
    #[must_use]
    pub fn org_wide(mut self) -> Self {
        if let RouteAccess::Key(permission, _) = self.access {
            self.access = RouteAccess::Key(permission, RequiredScope::Org);
        }
        self
    }

    /// Requires additional permissions.
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

    /// Accepts bodies of another content type.
    #[must_use]
    pub fn accepts(mut self, content_type: &'static str, bytes_max: usize) -> Self {
        self.body = Some(BodyRule { content_type, bytes_max });
        self
    }

    /// Ignores the request body.
    #[must_use]
    pub fn without_body(mut self) -> Self {
        self.body = None;
        self
    }

    /// Acts on the session of the cookie.
    #[must_use]
    pub fn acts_on_session(mut self) -> Self {
        self.acts_on_session = true;
        self
    }

    /// Supports `Idempotency-Key`.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// Restricts the route to development: loopback, with `delivery.mode = "capture"`.
    #[must_use]
    pub fn development(mut self) -> Self {
        self.development = true;
        self
    }

    /// Refuses every request, whatever is in it, while the part of the service is switched off.
    #[must_use]
    pub fn behind_switch(mut self, switch: SwitchCheck) -> Self {
        self.switch = Some(switch);
        self
    }

    /// Counts requests for a limit of the directory.
    #[must_use]
    pub fn counted_for(mut self, limit: DirectoryLimit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Lets pages of every origin read the responses, refusals included. The router answers their preflight requests.
    #[must_use]
    pub fn cross_origin(mut self) -> Self {
        self.is_cross_origin = true;
        self
    }

    /// Has errors in the form of OAuth 2.0, whichever check refuses a request.
    #[must_use]
    pub fn oauth_errors(mut self) -> Self {
        self.has_oauth_errors = true;
        self
    }

    /// Documents the security schemes of a public route. A request uses one; an empty name means no
    /// authentication.
    #[must_use]
    pub fn security(mut self, schemes: &'static [&'static str]) -> Self {
        self.security = schemes;
        self
    }

    /// Shows refusals to browsers as pages.
    #[must_use]
    pub fn error_page(mut self, page: fn(&Refusal) -> RouteResponse) -> Self {
        self.error_page = Some(page);
        self
    }

    /// Returns whether the route is part of the API, rather than a page about the service.
    #[must_use]
    pub fn is_api(&self) -> bool {
        ["/v1/", "/platform/", "/dev/"].iter().any(|prefix| self.path.starts_with(prefix))
    }

    /// Returns whether the route serves the dashboard only.
    #[must_use]
    pub fn is_platform(&self) -> bool {
        self.path.starts_with("/platform/")
    }

    /// Documents a JSON response.
    #[must_use]
    pub fn responds<T: JsonSchema>(mut self, status: u16) -> Self {
        let schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema = |generator| generator.subschema_for::<T>();
        self.answers.push(ResponseDoc { status, content_type: Some("application/json"), schema: Some(schema) });
        self
    }

    /// Documents a response that is not JSON. Without a content type it has no body.
    #[must_use]
    pub fn responds_with(mut self, status: u16, content_type: Option<&'static str>) -> Self {
        self.answers.push(ResponseDoc { status, content_type, schema: None });
        self
    }

    /// Documents error codes of the route itself.
    #[must_use]
    pub fn errors(mut self, errors: &'static [ErrorCode]) -> Self {
        self.errors = errors;
        self
    }

    /// Sets the handler. On public routes its input is a [`PublicInput`].
    #[must_use]
    pub fn handle<I, F, Fut>(self, handler: F) -> Self
    where
        I: FromRequestParts,
        F: Fn(Arc<Service>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<RouteResponse, Refusal>> + Send + 'static,
    {
        self.handle_in(move |api: Arc<Api>, input| handler(Arc::clone(&api.service), input))
    }

    /// Sets the handler of a route that needs the state of the HTTP server.
    #[must_use]
    pub fn handle_in<I, F, Fut>(mut self, handler: F) -> Self
    where
        I: FromRequestParts,
        F: Fn(Arc<Api>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<RouteResponse, Refusal>> + Send + 'static,
    {
        self.parameters = I::Query::parameters;
        self.body_schema = I::Body::body_schema;
        self.handler = Some(Arc::new(move |api, parts| match I::from_parts(parts) {
            Ok(input) => Box::pin(handler(api, input)),
            Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
        }));
        self
    }

    pub(super) fn run(&self, api: Arc<Api>, parts: RequestParts) -> HandlerFuture {
        match &self.handler {
            Some(handler) => handler(api, parts),
            None => Box::pin(async { Err(Refusal::new(ErrorCode::Internal, "The route has no handler.")) }),
        }
    }
}
