//! The OpenAPI 3.1 document, generated from the route table and the response types (`GET /v1/openapi.json`).
//!
//! Only what neither the table nor a type contains is written by hand, so every route is in the document.

mod bodies;
mod examples;
mod once;
mod operation;
mod pages;
mod schemas;

pub use operation::path_parameters;
pub use pages::routes;

use posthouse_domain::error::ErrorCode;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::request::cookie;
use posthouse_api::views::event::catalogue;
use posthouse_call::{ErrorForm, Operation};

/// The description of the API.
const DESCRIPTION: &str = "Email for AI agents: inboxes that agents own, mail as JSON, replies that thread.\n\n\
    Send `Authorization: Bearer <API key>` with every request, except to public routes. Every response of a route has an \
    `X-Request-Id`; one of `/v1` can have a `Service-Notice`: what the operator says to this workspace, percent-encoded. \
    Errors have the rate limits of successes. Times are UTC, such as `2026-01-01T00:00:00.000Z`. Members without a value are null; the few that may \
    be absent are documented. Lists use opaque cursors.\n\n\
    Errors have the same body, except those of OAuth (RFC 6749 section 5.2): `error.code` (a closed list), `error.message` (what is wrong with this request), \
    `error.fix` (the next action), `error.request_id` and, for some codes, `error.details`. `x-errors` lists the codes \
    with their status and fix.";

/// The chapters of the API, and what each is about. An operation is in the chapter of a segment of its path.
const CHAPTERS: &[(&str, &str)] = &[
    ("account", "The workspace of the API key, its limits, and the key itself."),
    ("attachments", "The files of messages and drafts, and the raw mail of messages."),
    ("contacts", "The addresses that mail was exchanged with."),
    ("dashboard", "What the dashboard uses: sign-in of people, members, API keys and settings."),
    ("deliverability", "How well the mail of the workspace is delivered."),
    ("development", "Mail without other servers, on a machine for development."),
    ("directory", "Cards, handles and standing of agents: looking them up, searching and reporting."),
    ("domains", "Custom domains, their DNS records and DKIM keys."),
    ("drafts", "Messages that are written, approved and scheduled before they are sent."),
    ("emergency-stop", "Stops everything that the workspace sends."),
    ("escalation", "The people on call, and what they are asked to look at."),
    ("events", "The log of what happened in the workspace."),
    ("identities", "Agents without mail."),
    ("identity", "Sign-in to other services as an agent."),
    ("inboxes", "Addresses that agents own."),
    ("knowledge", "Documents that agents draw on for replies."),
    ("lists", "Allow and block lists for receiving, sending and replying."),
    ("messages", "Sending, reading, changing, waiting for and claiming mail."),
    ("metrics", "Counts of sent and received mail over time."),
    ("operation", "Pages about the service itself."),
    ("queue", "The work queues of inboxes, for people."),
    ("search", "Full-text search over messages."),
    ("signup", "Workspaces that agents create for themselves, and that people claim."),
    ("stream", "Events as they happen, over a WebSocket."),
    ("suppressions", "Addresses that the workspace does not send to."),
    ("threads", "Conversations within an inbox."),
    ("webhook-events", "Requests that the service sends to webhooks."),
    ("webhooks", "URLs that events are sent to."),
];

/// Generates the document of these operations; `base_url` is the URL of the server.
#[must_use]
pub fn document(operations: &[Operation], base_url: &str) -> Value {
    let mut generator = generator();
    let mut shared = SharedParts::default();
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations {
        let described = operation::describe(operation, &mut generator, &mut shared);
        let entry = paths.entry(operation.path).or_insert_with(|| json!({}));
        entry[operation.method.text().to_ascii_lowercase()] = described;
    }
    paths.sort_keys();
    paths.values_mut().filter_map(Value::as_object_mut).for_each(Map::sort_keys);
    let webhooks = catalogue::document(&mut generator);
    let SharedParts { mut schemas } = shared;
    schemas.extend(generator.take_definitions(true));
    schemas.extend(webhooks.schemas);
    schemas["EnvelopeData"]["examples"] = json!([catalogue::envelope_example()]);
    schemas::add_error(&mut schemas, "Error", schemas::error());
    schemas.insert("ErrorCode".to_owned(), schemas::error_code());
    if operations.iter().any(|operation| operation.error_form == ErrorForm::JsonRpc) {
        schemas::add_error(&mut schemas, "JsonRpcError", schemas::json_rpc_error());
    }
    schemas::add_details(&mut schemas);
    schemas.sort_keys();
    let mut document = json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Posthouse",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Email for AI agents.",
            "description": DESCRIPTION,
            "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
        },
        "servers": [{ "url": base_url }],
        "security": [{ "apiKey": [] }],
        "tags": CHAPTERS.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": webhooks.requests,
        "components": {
            "schemas": schemas,
            "headers": schemas::headers(),
            "securitySchemes": security_schemes(),
        },
        "x-errors": ErrorCode::ALL.iter().map(|code| {
            json!({ "code": code.text(), "status": code.status(), "fix": code.fix() })
        }).collect::<Vec<Value>>(),
    });
    examples::add(&mut document);
    once::say_once(&mut document);
    document
}

/// Returns the ways to authenticate.
fn security_schemes() -> Value {
    json!({
        "apiKey": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key: `ph_` and 40 letters and digits.",
        },
        "appSecret": {
            "type": "http",
            "scheme": "basic",
            "description": "The `client_id` and secret of a sign-in app. It can also send them in the form; an app \
                without a secret sends its `client_id` there.",
        },
        "accessToken": {
            "type": "http",
            "scheme": "bearer",
            "description": "An access token of a sign-in app: `phat_` and 43 characters.",
        },
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookie::NAME,
            "description": "The session of a person in the dashboard. Changes need the header \
                `X-Requested-With: service-web`.",
        },
    })
}

/// Components that operations share.
#[derive(Default)]
struct SharedParts {
    schemas: Map<String, Value>,
}

/// Creates a generator of JSON Schema 2020-12 for serialized types, with shared definitions in the components.
fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    settings.into_generator()
}

/// Returns the chapter of a route: that of its first path segment, if it has one for everything below it, and otherwise
/// the last collection in its path.
fn tag(operation: &Operation) -> &'static str {
    /// First segments after the version, with the chapter of everything below them.
    const ROOTS: &[(&str, &str)] =
        &[("held-messages", "messages"), ("public", "directory"), ("signup", "signup"), ("webhooks", "webhooks")];
    if operation.is_platform() {
        return "dashboard";
    }
    if operation.development {
        return "development";
    }
    let path = operation.path.strip_prefix("/v1/").filter(|path| *path != "openapi.json");
    let Some(path) = path else { return "operation" };
    let root = path.split('/').next().and_then(|first| ROOTS.iter().find(|(segment, _)| *segment == first));
    let last = || path.rsplit('/').find_map(|segment| CHAPTERS.iter().find(|(chapter, _)| *chapter == segment));
    root.map(|(_, chapter)| *chapter).or_else(|| last().map(|(chapter, _)| *chapter)).unwrap_or("other")
}
