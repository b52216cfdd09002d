//! An operation: its name, its summary, who may use it, its arguments and results, and what it does.

use std::{future::Future, pin::Pin, sync::Arc};

use posthouse_api::wire::QueryParameters as _;
use posthouse_app::{Service, limits::directory::DirectoryLimit};
use posthouse_domain::{ErrorCode, Permission, Refusal, Role};
use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::{CallParts, FromBody as _, FromCallParts, Outcome};

/// The method of an operation over HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    /// `PATCH`.
    Patch,
    /// `DELETE`.
    Delete,
    /// `OPTIONS`.
    Options,
}

impl Method {
    /// Returns the name, in capitals.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }
}

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Whether it changes something.
    pub writes: bool,
    /// Whether it deletes or stops something that can't be brought back.
    pub destructive: bool,
    /// Whether a repetition with the same arguments changes nothing more.
    pub idempotent: bool,
    /// Whether it waits for something to happen.
    pub waits: bool,
}

impl Effects {
    const fn of(method: Method) -> Self {
        let idempotent = matches!(method, Method::Get | Method::Put | Method::Patch | Method::Delete | Method::Options);
        let writes = !matches!(method, Method::Get | Method::Options);
        Self { writes, destructive: matches!(method, Method::Delete), idempotent, waits: false }
    }

    /// Returns what may happen if one of two operations is called.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            writes: self.writes || other.writes,
            destructive: self.destructive || other.destructive,
            idempotent: self.idempotent && other.idempotent,
            waits: self.waits || other.waits,
        }
    }
}

/// Largest request body of operations without attachments, in bytes.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Largest request body of operations with attachments, in bytes.
pub const ATTACHMENT_BODY_BYTES_MAX: usize = 40 * 1024 * 1024;

/// The scope that a key needs to use an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequiredScope {
    /// Any key. Results for an inbox-scoped key are restricted to its inbox.
    Any,
    /// Any key that is not inbox-scoped; otherwise 403 `forbidden`.
    Workspace,
    /// Only an org-wide key; otherwise 403 `forbidden`.
    Org,
}

/// Who may use an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Any client, without a key.
    Public,
    /// A key with this permission and scope, or a person with a session.
    Key(Permission, RequiredScope),
    /// A person with a session and this role.
    Session(Role),
    /// A person with a session, also one who is in no workspace.
    Person,
}

impl Access {
    /// Returns whether a request must authenticate.
    #[must_use]
    pub const fn needs_caller(self) -> bool {
        match self {
            Access::Key(..) | Access::Session(_) | Access::Person => true,
            Access::Public => false,
        }
    }
}

/// Requirements for the body of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyRule {
    /// The accepted content type.
    pub content_type: &'static str,
    /// Largest size in bytes.
    pub bytes_max: usize,
    /// Whether `multipart/form-data` is accepted too. A form arrives as JSON, with files as objects.
    pub has_forms: bool,
}

/// A result of a handler in the OpenAPI description.
#[derive(Clone, Debug)]
pub struct ResultDoc {
    /// The status.
    pub status: u16,
    /// The content type; `None` for 204.
    pub content_type: Option<&'static str>,
    /// The schema of a JSON response.
    pub schema: Option<fn(&mut schemars::SchemaGenerator) -> schemars::Schema>,
}

type HandlerFuture = Pin<Box<dyn Future<Output = Result<Outcome, Refusal>> + Send>>;
type Handler = Arc<dyn Fn(Arc<Service>, CallParts) -> HandlerFuture + Send + Sync>;

/// Refuses a request for a part of the service that is switched off.
pub type SwitchCheck = fn(&Service) -> Result<(), Refusal>;

/// The form of the errors of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorForm {
    /// The error body of the API.
    Api,
    /// Errors of OAuth 2.0 (RFC 6749 §5.2).
    OAuth,
    /// Errors of JSON-RPC 2.0 (§5.1).
    JsonRpc,
}

/// An operation. Its method and path are data of it.
#[derive(Clone)]
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The stable `operationId`.
    pub name: &'static str,
    /// One sentence of documentation.
    pub summary: &'static str,
    /// Who may use the operation.
    pub access: Access,
    /// Permissions needed in addition to that of `access`.
    pub also: &'static [Permission],
    /// Requirements for the body; `None` if it is ignored.
    pub body: Option<BodyRule>,
    /// Whether the operation supports `Idempotency-Key`.
    pub idempotent: bool,
    /// Whether a public operation acts on the session of the cookie, so that such a request must come from the dashboard.
    pub acts_on_session: bool,
    /// Returns the query parameters for the OpenAPI description.
    pub parameters: fn() -> Vec<Value>,
    /// Returns the body schema for the OpenAPI description.
    pub body_schema: fn() -> Value,
    /// The responses of the handler.
    pub answers: Vec<ResultDoc>,
    /// Error codes in addition to those of every operation.
    pub errors: Vec<ErrorCode>,
    /// Whether the operation exists only for development: on loopback, with `delivery.mode = "capture"`.
    pub development: bool,
    /// Checks that the part of the service that the operation belongs to is switched on, before the request is read.
    pub switch: Option<SwitchCheck>,
    /// The limit of the directory that requests count for.
    pub limit: Option<DirectoryLimit>,
    /// Whether pages of every origin may read the responses.
    pub is_cross_origin: bool,
    /// The form of the errors.
    pub error_form: ErrorForm,
    /// The security schemes of a public operation in the OpenAPI description. A request uses one; an empty name means no
    /// authentication.
    pub security: &'static [&'static str],
    /// What it does.
    pub effects: Effects,
    handler: Option<Handler>,
}

impl Operation {
    /// Creates an operation for keys with this permission.
    #[must_use]
    pub fn new(method: Method, path: &'static str, name: &'static str, permission: Permission) -> Self {
        Self::with_access(method, path, name, Access::Key(permission, RequiredScope::Any))
    }

    /// Creates a public operation.
    #[must_use]
    pub fn public(method: Method, path: &'static str, name: &'static str) -> Self {
        Self::with_access(method, path, name, Access::Public)
    }

    /// Creates an operation for people with a session and this role.
    #[must_use]
    pub fn session(method: Method, path: &'static str, name: &'static str, role: Role) -> Self {
        Self::with_access(method, path, name, Access::Session(role))
    }

    /// Creates an operation for people with a session, also those who are in no workspace.
    #[must_use]
    pub fn person(method: Method, path: &'static str, name: &'static str) -> Self {
        Self::with_access(method, path, name, Access::Person)
    }

    fn with_access(method: Method, path: &'static str, name: &'static str, access: Access) -> Self {
        let takes_body = matches!(method, Method::Post | Method::Patch | Method::Put);
        Self {
            body: takes_body.then_some(BodyRule {
                content_type: "application/json",
                bytes_max: BODY_BYTES_MAX,
                has_forms: false,
            }),
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
            errors: Vec::new(),
            development: false,
            switch: None,
            limit: None,
            is_cross_origin: false,
            error_form: ErrorForm::Api,
            security: &[],
            handler: None,
            effects: Effects::of(method),
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
        if let Access::Key(permission, _) = self.access {
            self.access = Access::Key(permission, RequiredScope::Workspace);
        }
        self
    }

    /// Refuses keys that are not org-wide.
    #[must_use]
    pub fn org_wide(mut self) -> Self {
        if let Access::Key(permission, _) = self.access {
            self.access = Access::Key(permission, RequiredScope::Org);
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

    /// Accepts `multipart/form-data` beside JSON.
    #[must_use]
    pub fn accepts_forms(mut self) -> Self {
        if let Some(body) = &mut self.body {
            body.has_forms = true;
        }
        self
    }

    /// Accepts bodies of another content type.
    #[must_use]
    pub fn accepts(mut self, content_type: &'static str, bytes_max: usize) -> Self {
        self.body = Some(BodyRule { content_type, bytes_max, has_forms: false });
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

    /// Restricts the operation to development: loopback, with `delivery.mode = "capture"`.
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

    /// Lets pages of every origin read the responses, refusals included. HTTP answers their preflight requests.
    #[must_use]
    pub fn cross_origin(mut self) -> Self {
        self.is_cross_origin = true;
        self
    }

    /// Has errors in the form of OAuth 2.0, whichever check refuses a request.
    #[must_use]
    pub fn oauth_errors(mut self) -> Self {
        self.error_form = ErrorForm::OAuth;
        self
    }

    /// Has errors of JSON-RPC, whichever check refuses a request.
    #[must_use]
    pub fn json_rpc_errors(mut self) -> Self {
        self.error_form = ErrorForm::JsonRpc;
        self
    }

    /// Documents the security schemes of a public operation. A request uses one; an empty name means no
    /// authentication.
    #[must_use]
    pub fn security(mut self, schemes: &'static [&'static str]) -> Self {
        self.security = schemes;
        self
    }

    /// Changes nothing, although its method is not `GET`.
    #[must_use]
    pub fn reads(mut self) -> Self {
        self.effects = Effects::of(Method::Get);
        self
    }

    /// Changes nothing more when it is repeated with the same arguments, although its method is `POST`.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.effects.idempotent = true;
        self
    }

    /// Deletes or stops something that can't be brought back.
    #[must_use]
    pub fn destructive(mut self) -> Self {
        self.effects.destructive = true;
        self
    }

    /// Waits for something to happen, as long as the caller asks it to.
    #[must_use]
    pub fn waits(mut self) -> Self {
        self.effects.waits = true;
        self
    }

    /// Returns whether the operation is part of the API, rather than a page about the service.
    #[must_use]
    pub fn is_api(&self) -> bool {
        ["/v1/", "/platform/", "/dev/"].iter().any(|prefix| self.path.starts_with(prefix))
    }

    /// Returns whether the operation serves the dashboard only.
    #[must_use]
    pub fn is_platform(&self) -> bool {
        self.path.starts_with("/platform/")
    }

    /// Documents a JSON response.
    #[must_use]
    pub fn responds<T: JsonSchema>(mut self, status: u16) -> Self {
        let schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema = |generator| generator.subschema_for::<T>();
        self.answers.push(ResultDoc { status, content_type: Some("application/json"), schema: Some(schema) });
        self
    }

    /// Documents a JSON response that is always one case of a type, told by its `status`. Clients have one type for all results
    /// of the operation.
    #[must_use]
    pub fn responds_with_case<T: JsonSchema, Case: JsonSchema>(mut self, status: u16) -> Self {
        let schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema = |generator| {
            let (mut schema, case) = (generator.subschema_for::<T>(), generator.subschema_for::<Case>().to_value());
            let definition = &generator.definitions()[Case::schema_name().as_ref()];
            let status = json!({ "enum": definition["properties"]["status"]["enum"] });
            // Generators take members beside a reference for a type of its own, but not patterns.
            schema.insert("patternProperties".to_owned(), json!({ "^status$": status }));
            schema.insert("x-case".to_owned(), case);
            schema
        };
        self.answers.push(ResultDoc { status, content_type: Some("application/json"), schema: Some(schema) });
        self
    }

    /// Documents a response that is not JSON. Without a content type it has no body.
    #[must_use]
    pub fn responds_with(mut self, status: u16, content_type: Option<&'static str>) -> Self {
        self.answers.push(ResultDoc { status, content_type, schema: None });
        self
    }

    /// Documents error codes of the operation itself.
    #[must_use]
    pub fn errors(mut self, errors: &[ErrorCode]) -> Self {
        self.errors.extend(errors);
        self
    }

    /// Sets the handler. On public operations its input is a [`PublicInput`](crate::PublicInput).
    #[must_use]
    pub fn handle<I, F, Fut>(mut self, handler: F) -> Self
    where
        I: FromCallParts,
        F: Fn(Arc<Service>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Outcome, Refusal>> + Send + 'static,
    {
        self.parameters = I::Query::parameters;
        self.body_schema = I::Body::body_schema;
        self.handler = Some(Arc::new(move |service, parts| match I::from_parts(parts) {
            Ok(input) => Box::pin(handler(service, input)),
            Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
        }));
        self
    }

    /// Returns whether every transport can call it. Pages, sign-in of people and upgrades are for HTTP alone.
    #[must_use]
    pub fn is_callable(&self) -> bool {
        self.handler.is_some()
    }

    pub(crate) fn run(&self, service: Arc<Service>, parts: CallParts) -> HandlerFuture {
        match &self.handler {
            Some(handler) => handler(service, parts),
            None => Box::pin(async { Err(Refusal::new(ErrorCode::Internal, "The operation is for HTTP alone.")) }),
        }
    }
}
