//! The reference escapes its content, describes types in words, and ends for recursive types.

use serde_json::json;

use super::*;

#[test]
fn content_is_escaped() {
    let document = json!({
        "info": { "description": "a <b> & `c<d`" }, "servers": [{ "url": "http://x/\"><script>" }],
        "tags": [{ "name": "x" }],
        "paths": { "/x/{id}": {
            "get": { "operationId": "x\"y", "tags": ["x"], "summary": "<script>", "responses": {} },
        } },
    });
    let page = page(&document);
    assert!(!page.contains("<script>"), "{page}");
    assert!(page.contains("a &lt;b&gt; &amp; <code>c&lt;d</code>"));
    assert!(page.contains("id=\"x&quot;y\""));
}

#[test]
fn types_are_described_in_words() {
    let document = json!({ "components": { "schemas": { "A": { "type": "object", "properties": { "b": {} } } } } });
    let table = [
        (json!({ "type": "string", "minLength": 1, "maxLength": 64 }), "string, 1 to 64 characters"),
        (json!({ "type": ["string", "null"], "format": "date-time" }), "string or null, date-time"),
        (json!({ "type": "array", "items": { "type": "string" }, "maxItems": 3 }), "array of string, at most 3 items"),
        (json!({ "enum": ["a", "b", null] }), "a | b | null"),
        (json!({ "anyOf": [{ "$ref": "#/components/schemas/A" }, { "type": "null" }] }), "object or null"),
        (json!({ "type": "object", "allOf": [{ "required": ["a"] }] }), "object"),
        (json!({ "type": "integer", "minimum": 1, "maximum": 100, "default": 25 }), "integer, 1 to 100, default: 25"),
    ];
    for (schema, expected) in table {
        assert_eq!(super::schema::words(&document, &schema), expected, "{schema}");
    }
}

#[test]
fn recursive_types_end() {
    let document = json!({ "components": { "schemas": { "T": {
        "type": "object", "required": ["child"],
        "properties": { "child": { "$ref": "#/components/schemas/T" } } } } } });
    let schema = json!({ "$ref": "#/components/schemas/T" });
    let mut out = String::new();
    super::schema::members(&document, &schema, &mut out);
    assert!(out.matches("child").count() < 20);
    assert!(example::body(&document, &schema, 0).to_string().len() < 200);
}

#[test]
fn an_example_meets_patterns_lengths_and_what_is_required_deep_inside() {
    let table = [
        (json!({ "type": "string", "pattern": "^[0-9a-f]{4}$" }), json!("aaaa")),
        (json!({ "type": "string", "pattern": "^[0-9]+$" }), json!("0")),
        (json!({ "type": "string", "pattern": "^[^x]*$" }), json!("text")),
        (json!({ "type": "array", "items": { "type": "string" }, "minItems": 2 }), json!(["text", "text"])),
    ];
    for (schema, expected) in table {
        assert_eq!(example::body(&json!({}), &schema, 0), expected, "{schema}");
    }
    let mut schema = json!({ "type": ["string", "null"] });
    let mut expected = json!(null);
    for _ in 0..6 {
        schema = json!({ "type": "object", "required": ["a"], "properties": { "a": schema } });
        expected = json!({ "a": expected });
    }
    assert_eq!(example::body(&json!({}), &schema, 0), expected);
}

#[test]
fn an_example_meets_the_conditions_across_members() {
    let text = json!({ "type": "string" });
    let members = json!({ "name": text, "type": { "enum": ["public", "private"] }, "to": text, "cc": text });
    let has = |name: &str| json!({ "required": [name], "properties": { name: { "type": "string" } } });
    let private = json!({ "required": ["type"], "properties": { "type": { "enum": ["private"] } } });
    let schema = json!({ "type": "object", "properties": members, "required": ["name"], "allOf": [
        { "anyOf": [private, has("cc")] },
        { "oneOf": [{ "allOf": [has("to"), has("cc")] }, has("name")] },
    ] });
    let expected = json!({ "name": "text", "type": "private", "to": "text", "cc": "text" });
    assert_eq!(example::body(&json!({}), &schema, 0), expected);
    for (excluded, expected) in [("cc", json!({ "name": "text", "to": "text" })), ("name", json!({ "name": "text" }))] {
        let condition = json!({ "allOf": [has("name"), { "not": has(excluded) }] });
        let schema = json!({ "type": "object", "properties": members, "required": ["name"], "allOf": [
            { "if": condition, "then": { "required": ["to"] } },
        ] });
        assert_eq!(example::body(&json!({}), &schema, 0), expected, "{excluded}");
    }
    let schema = json!({ "type": "object", "properties": members, "required": ["name"], "allOf": [
        { "if": { "anyOf": [has("to"), has("cc")] }, "else": { "not": {} } },
    ] });
    assert_eq!(example::body(&json!({}), &schema, 0), json!({ "name": "text", "to": "text" }));
}

#[test]
fn a_case_of_a_type_is_shown_instead_of_the_type() {
    let document = json!({ "types": { "Any": { "type": "string" }, "Case": { "const": "case" } } });
    let schema = json!({ "$ref": "#/types/Any", "x-case": { "$ref": "#/types/Case" } });
    assert_eq!(example::body(&document, &schema, 0), "case");
    assert_eq!(schema::words(&document, &schema), "case");
}
