//! The OpenAPI 3.1 document, made from the route table and the types that serve (`GET /v1/openapi.json`).
//!
//! Nothing is described by hand that the table or a type knows: a route that exists is in the document.

mod operation;
mod pages;
mod schemas;

#[cfg(test)]
mod tests;

pub(crate) use pages::routes;

use std::collections::BTreeMap;

use posthouse_domain::error::Code;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::route::{Access, Route};
use crate::views::event::catalogue;

/// What the document begins with.
const ABOUT: &str = "Email for AI agents: inboxes that agents own, mail as JSON, replies that thread.\n\n\
    Every request carries `Authorization: Bearer <API key>`. Every answer carries `X-Request-Id`. Times are \
    `2026-01-01T00:00:00.000Z`; members are never left out, they are null. Lists are paged by opaque cursors.\n\n\
    Every refusal has the same body: `error.code` (a closed list), `error.message` (what is wrong with this request), \
    `error.fix` (the next action), `error.request_id` and, where it helps, `error.details`.";

/// The whole document over those routes; `base_url` is where the server is reached.
#[must_use]
pub fn document(routes: &[Route], base_url: &str) -> Value {
    let mut generator = generator();
    let mut schemas: Map<String, Value> = Map::new();
    let mut paths: Map<String, Value> = Map::new();
    let mut tags: BTreeMap<&'static str, ()> = BTreeMap::new();
    for route in routes {
        tags.insert(tag(route), ());
        let described = operation::describe(route, &mut generator, &mut schemas);
        let entry = paths.entry(route.path).or_insert_with(|| json!({}));
        entry[route.method.as_str().to_ascii_lowercase()] = described;
    }
    let webhooks = catalogue::document(&mut generator);
    schemas.extend(generator.take_definitions(true));
    schemas.insert("Error".to_owned(), schemas::error());
    schemas.insert("ErrorCode".to_owned(), schemas::error_code());
    schemas.sort_keys();
    json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Posthouse",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Email for AI agents.",
            "description": ABOUT,
            "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
        },
        "servers": [{ "url": base_url }],
        "security": [{ "apiKey": [] }],
        "tags": tags.keys().map(|name| json!({ "name": name })).collect::<Vec<Value>>(),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": schemas,
            "headers": schemas::headers(),
            "securitySchemes": {
                "apiKey": { "type": "http", "scheme": "bearer", "description": "An API key: `ph_` and 40 letters and digits." },
            },
        },
        "x-errors": Code::ALL.iter().map(|code| {
            json!({ "code": code.text(), "status": code.status(), "fix": code.fix() })
        }).collect::<Vec<Value>>(),
    })
}

/// JSON Schema 2020-12 of what we write, with shared definitions among the components.
fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    settings.into_generator()
}

/// Whether the route is part of the API, and not a page or a probe.
pub(crate) fn is_api(route: &Route) -> bool {
    route.path.starts_with("/v1/") && (route.access != Access::Public || !route.path.ends_with(".json"))
}

/// The chapter a route belongs to: the last collection that its path names.
pub(crate) fn tag(route: &Route) -> &'static str {
    /// Path segments that are chapters of their own.
    const CHAPTERS: &[&str] = &[
        "account",
        "agents",
        "attachments",
        "contacts",
        "directory",
        "domains",
        "drafts",
        "emergency-stop",
        "events",
        "handles",
        "identity",
        "inboxes",
        "knowledge",
        "lists",
        "messages",
        "metrics",
        "queue",
        "search",
        "suppressions",
        "threads",
        "webhooks",
    ];
    if !is_api(route) {
        return if route.development { "development" } else { "operation" };
    }
    let chapter = route.path.rsplit('/').find_map(|segment| CHAPTERS.iter().find(|chapter| **chapter == segment));
    chapter.copied().unwrap_or("other")
}
