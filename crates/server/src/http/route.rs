//! A route: one row of the table that feeds the router, the permission test and the OpenAPI document.
//!
//! A handler decodes nothing and checks no permission itself: it gets an [`Input`] that has passed both.

mod answer;
mod input;

use std::{future::Future, pin::Pin, sync::Arc};

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::{Code, Refusal},
};
use schemars::JsonSchema;
use serde_json::Value;

pub use self::{
    answer::Answer,
    input::{FromBody, FromParts, Input, Parts, PathParams, PublicInput, Raw, RequestInfo},
};
use super::wire::Query as _;
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
    /// Whether it exists only for development: on loopback, with `delivery.mode = "capture"`.
    pub development: bool,
    handler: Option<Handler>,
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

    /// Exists only for development: on loopback, with `delivery.mode = "capture"`.
    #[must_use]
    pub fn development(mut self) -> Self {
        self.development = true;
        self
    }

    /// Whether it is a part of the API, and not a page about the service.
    #[must_use]
    pub fn is_api(&self) -> bool {
        self.path.starts_with("/v1/") || self.path.starts_with("/dev/")
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

    /// Sets the handler; on public routes its input is a [`PublicInput`].
    #[must_use]
    pub fn handle<I, F, Fut>(mut self, handler: F) -> Self
    where
        I: FromParts,
        F: Fn(Arc<App>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Answer, Refusal>> + Send + 'static,
    {
        self.parameters = I::Query::parameters;
        self.body_schema = I::Body::body_schema;
        self.handler = Some(Arc::new(move |app, parts| match I::from_parts(parts) {
            Ok(input) => Box::pin(handler(app, input)),
            Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
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
