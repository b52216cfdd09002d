//! The reference shows every operation, escapes what it shows, and needs nothing from elsewhere.

use serde_json::json;

use super::*;
use crate::http::{openapi, routes};

#[test]
fn every_operation_is_shown_and_nothing_is_loaded() {
    let document = openapi::document(&routes::all(), "http://127.0.0.1:8080");
    let page = page(&document);
    let llms = llms::page(&document);
    for route in routes::all() {
        assert!(page.contains(&format!("<article id=\"{}\">", route.name)), "{}", route.name);
        assert!(llms.contains(&format!("`{} {}`", route.method, route.path)), "{}", route.path);
    }
    for foreign in ["<script", "<link", "<img", "src=", "@import", "url(", "style=\"", "onclick"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert_eq!(page.matches("<style>").count(), 1);
}

#[test]
fn what_is_shown_is_escaped() {
    let document = json!({
        "info": { "description": "a <b> & `c<d`" }, "servers": [{ "url": "http://x/\"><script>" }],
        "tags": [{ "name": "x" }],
        "paths": { "/x/{id}": { "get": { "operationId": "x\"y", "tags": ["x"], "summary": "<script>", "responses": {} } } },
    });
    let page = page(&document);
    assert!(!page.contains("<script>"), "{page}");
    assert!(page.contains("a &lt;b&gt; &amp; <code>c&lt;d</code>"));
    assert!(page.contains("id=\"x&quot;y\""));
}

#[test]
fn types_are_said_in_words() {
    let document = json!({ "components": { "schemas": { "A": { "type": "object", "properties": { "b": {} } } } } });
    let table = [
        (json!({ "type": "string", "minLength": 1, "maxLength": 64 }), "string, 1 to 64 characters"),
        (json!({ "type": ["string", "null"], "format": "date-time" }), "string or null, date-time"),
        (json!({ "type": "array", "items": { "type": "string" }, "maxItems": 3 }), "array of string, at most 3 items"),
        (json!({ "enum": ["a", "b", null] }), "a | b | null"),
        (json!({ "anyOf": [{ "$ref": "#/components/schemas/A" }, { "type": "null" }] }), "object or null"),
        (
            json!({ "type": "integer", "minimum": 1, "maximum": 100, "default": 25 }),
            "integer, 1 to 100, 25 if left out",
        ),
    ];
    for (schema, expected) in table {
        assert_eq!(super::schema::words(&document, &schema), expected, "{schema}");
    }
}

#[test]
fn a_type_that_holds_itself_has_an_end() {
    let document = json!({ "components": { "schemas": { "T": {
        "type": "object", "properties": { "child": { "$ref": "#/components/schemas/T" } }, "required": ["child"] } } } });
    let schema = json!({ "$ref": "#/components/schemas/T" });
    let mut out = String::new();
    super::schema::members(&document, &schema, &mut out);
    assert!(out.matches("child").count() < 20);
    assert!(example::body(&document, &schema, 0).to_string().len() < 200);
}
