//! The routes of the HTTP server: operations, and pages that only HTTP has.

use std::{future::Future, net::IpAddr, pin::Pin, sync::Arc};

use axum::http::Method;
use posthouse_api::wire::{EmptyInput, QueryParameters as _};
use posthouse_app::Service;
use posthouse_call::{CallParts, FromBody as _, FromCallParts, Input, Operation, PathParams, PublicInput};
use posthouse_domain::{Refusal, WorkspaceId};

use crate::Api;

pub use crate::request::request_info::RequestInfo;
pub use crate::response::route_response::{DocumentVersion, ResponseBody, RouteResponse};
pub use crate::served::RouteProtocol;

type PageFuture = Pin<Box<dyn Future<Output = Result<RouteResponse, Refusal>> + Send>>;
type PageHandler = Arc<dyn Fn(Arc<Api>, PageParts) -> PageFuture + Send + Sync>;

type OwnerFuture = Pin<Box<dyn Future<Output = Result<WorkspaceId, Refusal>> + Send>>;
type OwnerCheck = Arc<dyn Fn(Arc<Service>, PathParams, IpAddr) -> OwnerFuture + Send + Sync>;

/// A route: an operation with its method and path, and how HTTP serves it if it isn't called as all transports do.
#[derive(Clone)]
pub struct Route {
    pub operation: Operation,
    /// Renders a refusal for browsers.
    pub error_page: Option<fn(&Refusal) -> RouteResponse>,
    /// How it serves a protocol of its own.
    pub protocol: Option<RouteProtocol>,
    /// Finds the workspace of a public request before its body is read.
    body_owner: Option<OwnerCheck>,
    page: Option<PageHandler>,
}

impl From<Operation> for Route {
    fn from(operation: Operation) -> Self {
        Self { operation, error_page: None, protocol: None, body_owner: None, page: None }
    }
}

/// Serves an operation as a page, which only HTTP has: it reads cookies or fields, returns HTML or upgrades the connection.
pub trait PageOperation {
    /// Sets the handler.
    fn page<I, F, Fut>(self, handler: F) -> Route
    where
        I: FromCallParts<RequestInfo>,
        F: Fn(Arc<Service>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<RouteResponse, Refusal>> + Send + 'static;

    /// Sets the handler of a page that needs the state of the HTTP server.
    fn page_in<I, F, Fut>(self, handler: F) -> Route
    where
        I: FromCallParts<RequestInfo>,
        F: Fn(Arc<Api>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<RouteResponse, Refusal>> + Send + 'static;
}

impl PageOperation for Operation {
    fn page<I, F, Fut>(self, handler: F) -> Route
    where
        I: FromCallParts<RequestInfo>,
        F: Fn(Arc<Service>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<RouteResponse, Refusal>> + Send + 'static,
    {
        self.page_in(move |api: Arc<Api>, input| handler(Arc::clone(&api.service), input))
    }

    fn page_in<I, F, Fut>(mut self, handler: F) -> Route
    where
        I: FromCallParts<RequestInfo>,
        F: Fn(Arc<Api>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<RouteResponse, Refusal>> + Send + 'static,
    {
        self.parameters = I::Query::parameters;
        self.body_schema = I::Body::body_schema;
        let page: PageHandler = Arc::new(move |api, parts| match I::from_parts(parts) {
            Ok(input) => Box::pin(handler(api, input)),
            Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
        });
        Route { page: Some(page), ..Route::from(self) }
    }
}

impl Route {
    /// Shows refusals to browsers as pages.
    #[must_use]
    pub fn error_page(mut self, page: fn(&Refusal) -> RouteResponse) -> Self {
        self.error_page = Some(page);
        self
    }

    /// Serves a protocol of its own: with its errors, and for pages of allowed origins. The handler gets all header
    /// fields.
    #[must_use]
    pub fn protocol(mut self, protocol: RouteProtocol) -> Self {
        self.protocol = Some(protocol);
        self
    }

    /// Finds the workspace of a public request by its path before its body is read: the body counts for that workspace, and
    /// nobody else can send one.
    #[must_use]
    pub fn body_of<F, Fut>(mut self, find: F) -> Self
    where
        F: Fn(Arc<Service>, PathParams, IpAddr) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<WorkspaceId, Refusal>> + Send + 'static,
    {
        self.body_owner = Some(Arc::new(move |service, path, client| Box::pin(find(service, path, client))));
        self
    }

    /// Returns the check of [`Route::body_of`].
    pub(crate) fn body_owner(&self) -> Option<&OwnerCheck> {
        self.body_owner.as_ref()
    }

    /// Returns the handler of a page; `None` if the route is a call.
    pub(crate) fn page(&self) -> Option<&PageHandler> {
        self.page.as_ref()
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> Method {
        match self.operation.method {
            posthouse_call::Method::Get => Method::GET,
            posthouse_call::Method::Post => Method::POST,
            posthouse_call::Method::Put => Method::PUT,
            posthouse_call::Method::Patch => Method::PATCH,
            posthouse_call::Method::Delete => Method::DELETE,
            posthouse_call::Method::Options => Method::OPTIONS,
        }
    }
}

/// A request for a page, before decoding.
pub(crate) type PageParts = CallParts<RequestInfo>;
/// Input of a public page.
pub type PageInput<Q = EmptyInput, B = EmptyInput> = PublicInput<Q, B, RequestInfo>;
/// Input of a page that needs a caller.
pub type CallerInput<Q = EmptyInput, B = EmptyInput> = Input<Q, B, RequestInfo>;
