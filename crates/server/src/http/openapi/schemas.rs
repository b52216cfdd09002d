//! The parts of the document that every route shares: the error body and the header fields.

use posthouse_domain::error::Code;
use serde_json::{Value, json};

/// The body of every refusal (decision 1).
pub(super) fn error() -> Value {
    json!({
        "type": "object",
        "description": "Why a request was not carried out.",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": { "$ref": "#/components/schemas/ErrorCode" },
                    "message": { "type": "string", "description": "What is wrong with this request." },
                    "fix": { "type": "string", "description": "The next action, in one sentence." },
                    "request_id": { "type": "string", "description": "The same as `X-Request-Id`." },
                    "details": {
                        "type": "object",
                        "description": "Facts for programs, by code.",
                        "properties": {
                            "fields": {
                                "type": "array",
                                "description": "With `invalid_request`: every problem at once.",
                                "items": {
                                    "type": "object",
                                    "properties": { "path": { "type": "string" }, "problem": { "type": "string" } },
                                    "required": ["path", "problem"],
                                },
                            },
                            "permission": { "type": "string", "description": "With `insufficient_permissions`." },
                            "addresses": {
                                "type": "array", "items": { "type": "string" }, "description": "With `recipient_suppressed` and `recipient_blocked`.",
                            },
                            "retry_after_seconds": { "type": "integer", "description": "As `Retry-After`." },
                        },
                    },
                },
                "required": ["code", "message", "request_id"],
            },
        },
        "required": ["error"],
    })
}

/// The closed list of codes.
pub(super) fn error_code() -> Value {
    let lines: Vec<String> =
        Code::ALL.iter().map(|code| format!("- `{}` ({}): {}", code.text(), code.status(), code.fix())).collect();
    json!({
        "type": "string",
        "description": lines.join("\n"),
        "enum": Code::ALL.iter().map(|code| code.text()).collect::<Vec<&str>>(),
    })
}

/// The header fields of answers.
pub(super) fn headers() -> Value {
    let text = |description: &str| json!({ "description": description, "schema": { "type": "string" } });
    json!({
        "X-Request-Id": text("The id of this request; the server's log bears it."),
        "RateLimit-Policy": text("The policy of the key: `\"key-minute\";q=<requests>;w=60`."),
        "RateLimit": text("What is left of it: `\"key-minute\";r=<requests>;t=<seconds>`."),
        "Service-Notice": text("What the operator tells this workspace, percent-encoded UTF-8. Only while there is a notice."),
        "Retry-After": { "description": "When to try again, in seconds.", "schema": { "type": "integer", "minimum": 0 } },
        "WWW-Authenticate": text("How to say who asks: `Bearer`."),
        "Allow": text("The methods that the path takes."),
        "Idempotent-Replayed": {
            "description": "`true` when this is the first answer again.", "schema": { "type": "string", "const": "true" },
        },
    })
}

/// References to header fields of the components.
pub(super) fn header_refs(names: &[&str]) -> Value {
    let reference = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(names.iter().map(reference).collect())
}
