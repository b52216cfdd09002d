//! Shared components of the document: the error body and the header fields.

use posthouse_domain::error::ErrorCode;
use serde_json::{Map, Value, json};

use super::bodies;

/// Adds the schema of an error, and its parts.
pub(super) fn add_error(schemas: &mut Map<String, Value>, name: &str, mut schema: Value) {
    bodies::share_parts(&mut schema, schemas);
    schemas.insert(name.to_owned(), schema);
}

/// Returns the schema of the error body.
pub(super) fn error() -> Value {
    json!({
        "type": "object",
        "description": "Why a request failed.",
        "properties": {
            "error": {
                "type": "object",
                "title": "ErrorObject",
                "properties": {
                    "code": { "$ref": "#/components/schemas/ErrorCode" },
                    "message": { "type": "string", "description": "What is wrong with this request." },
                    "fix": { "type": "string", "description": "The next action, in one sentence." },
                    "request_id": { "type": "string", "description": "The same as `X-Request-Id`." },
                    "details": {
                        "type": "object",
                        "description": "Details for programs. Their schema depends on the code: `ErrorDetails.<code>`.",
                    },
                },
                "required": ["code", "message", "request_id"],
                "allOf": with_details().map(details_of).collect::<Vec<Value>>(),
            },
        },
        "required": ["error"],
    })
}

/// Returns the schema of a response of JSON-RPC with an error.
pub(super) fn json_rpc_error() -> Value {
    json!({
        "type": "object",
        "description": "Why a message failed, as a response of JSON-RPC 2.0.",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": {
                "type": ["string", "integer", "null"],
                "description": "The id of the message; null if it wasn't read.",
            },
            "error": {
                "type": "object",
                "title": "JsonRpcErrorObject",
                "properties": {
                    "code": { "type": "integer", "description": "The code of JSON-RPC or of the Model Context Protocol." },
                    "message": { "type": "string", "description": "What is wrong, and the next action." },
                    "data": {
                        "type": "object",
                        "title": "JsonRpcErrorData",
                        "properties": {
                            "fix": { "type": "string", "description": "The next action, in one sentence." },
                            "code": { "$ref": "#/components/schemas/ErrorCode" },
                            "details": {
                                "type": "object",
                                "description": "Details for programs. Their schema depends on the code: \
                                    `ErrorDetails.<code>`.",
                            },
                        },
                        "required": ["fix"],
                    },
                },
                "required": ["code", "message", "data"],
            },
        },
        "required": ["jsonrpc", "id", "error"],
    })
}

/// Returns the codes that have details.
fn with_details() -> impl Iterator<Item = ErrorCode> {
    ErrorCode::ALL.iter().copied().filter(|code| !code.details().is_empty())
}

/// Returns the name of the schema of a code's details.
fn details_name(code: ErrorCode) -> String {
    format!("ErrorDetails.{}", code.text())
}

/// Returns the condition that `details` of errors with this code match its schema.
fn details_of(code: ErrorCode) -> Value {
    let reference = json!({ "$ref": format!("#/components/schemas/{}", details_name(code)) });
    let mut then = json!({ "properties": { "details": reference } });
    if code.details().iter().any(|rule| rule.is_required) {
        then["required"] = json!(["details"]);
    }
    json!({ "if": { "properties": { "code": { "const": code.text() } } }, "then": then })
}

/// Adds the schemas of `error.details`.
pub(super) fn add_details(schemas: &mut Map<String, Value>) {
    for code in with_details() {
        let properties: Map<String, Value> =
            code.details().iter().map(|rule| (rule.kind.text().to_owned(), rule.kind.schema())).collect();
        let required: Vec<&str> =
            code.details().iter().filter(|rule| rule.is_required).map(|rule| rule.kind.text()).collect();
        let mut schema = json!({
            "type": "object",
            "description": format!("`error.details` of `{}`.", code.text()),
            "properties": properties,
        });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        bodies::share_parts(&mut schema, schemas);
        schemas.insert(details_name(code), schema);
    }
}

/// Returns the closed list of error codes.
pub(super) fn error_code() -> Value {
    json!({
        "type": "string",
        "description": "What went wrong. `x-errors` has the status of each code and what to do; `error.fix` says it, too.",
        "enum": ErrorCode::ALL.iter().map(|code| code.text()).collect::<Vec<&str>>(),
    })
}

/// Returns the header fields of responses.
pub(super) fn headers() -> Value {
    let text = |description: &str| json!({ "description": description, "schema": { "type": "string" } });
    json!({
        "RateLimit-Policy": text("The limits that the request counts for, such as that of the key: \
            `\"key-minute\";q=<requests>;w=60`."),
        "RateLimit": text("The remainder of each limit: `\"key-minute\";r=<requests>;t=<seconds>`."),
        "Location": text("The URL that the browser goes to."),
        "Retry-After": {
            "description": "Seconds to wait before the next try.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "WWW-Authenticate": text("The authentication scheme: `Bearer`, or `Basic` for the secret of an app."),
        "Idempotent-Replayed": {
            "description": "`true` if this is a replay of the first response.",
            "schema": { "type": "string", "const": "true" },
        },
    })
}

/// Returns the parameter of operations that a client can repeat.
pub(super) fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key", "in": "header",
        "description": "1 to 255 visible ASCII characters. For 24 hours, a repeated request with the same key and \
            body returns the first response.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
    })
}

/// Returns references to shared header fields.
pub(super) fn header_refs(names: &[&str]) -> Value {
    let reference = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(names.iter().map(reference).collect())
}
