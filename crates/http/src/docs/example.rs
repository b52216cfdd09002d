//! Example commands, generated from the schemas of an operation.

use serde_json::{Map, Value, json};

use super::{
    DocsOperation,
    schema::{content, resolve},
    text,
};

/// Deepest nesting of an example.
const DEPTH_MAX: usize = 5;

/// Renders the operation as a `curl` command that reads the key from the environment.
pub(super) fn curl(document: &Value, base: &str, entry: &DocsOperation<'_>) -> String {
    let method = entry.method.to_ascii_uppercase();
    let path = entry.path.replace('{', "$").replace('}', "").replace("$id", "$ID");
    let mut lines = vec![if method == "GET" {
        format!("curl \"{base}{path}\"")
    } else {
        format!("curl -X {method} \"{base}{path}\"")
    }];
    if entry.operation["security"].as_array().is_none_or(|list| !list.is_empty()) {
        lines.push("  -H \"Authorization: Bearer $POSTHOUSE_KEY\"".to_owned());
    }
    match content(&entry.operation["requestBody"]) {
        Some(("application/json", media)) => {
            let body = body(document, &media["schema"], 0).to_string().replace('\'', "'\\''");
            lines.push("  -H \"Content-Type: application/json\"".to_owned());
            lines.push(format!("  -d '{body}'"));
        }
        Some((content_type, _)) => {
            lines.push(format!("  -H \"Content-Type: {content_type}\""));
            lines.push("  --data-binary @message.eml".to_owned());
        }
        None => {}
    }
    lines.join(" \\\n")
}

/// Returns a value that fits the schema: its required members, or the first member if none is required.
pub(super) fn body(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolve(document, schema);
    if let Some(one) = schema["enum"].as_array().and_then(|all| all.first()).or_else(|| schema.get("const")) {
        return one.clone();
    }
    if let Some(some) = ["anyOf", "oneOf"].iter().find_map(|name| schema[name].as_array()) {
        return some.first().map_or(Value::Null, |one| body(document, one, depth));
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().map(text).unwrap_or_default(),
        kind => text(kind),
    };
    match kind {
        "object" => object(document, schema, depth),
        "array" if depth < DEPTH_MAX => json!([body(document, &schema["items"], depth + 1)]),
        "array" => json!([]),
        "integer" | "number" => schema.get("default").or_else(|| schema.get("minimum")).cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        _ => json!(string(schema)),
    }
}

fn object(document: &Value, schema: &Value, depth: usize) -> Value {
    let Some(members) = schema["properties"].as_object().filter(|_| depth < DEPTH_MAX) else { return json!({}) };
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    // Mail needs one of text, html and data, which the schema does not express.
    let needed = |name: &String| name == "text" || required.iter().any(|one| one == name.as_str());
    let names: Vec<&String> = if required.is_empty() {
        members.keys().take(1).collect()
    } else {
        members.keys().filter(|name| needed(name)).collect()
    };
    let filled = names.into_iter().map(|name| (name.clone(), body(document, &members[name], depth + 1)));
    Value::Object(filled.collect::<Map<String, Value>>())
}

fn string(schema: &Value) -> &'static str {
    match (schema["format"].as_str(), schema["contentEncoding"].as_str()) {
        (Some("email"), _) => "ada@example.com",
        (Some("date-time"), _) => "2026-01-01T00:00:00.000Z",
        (Some("uuid"), _) => "01890a5d-ac96-774b-bcce-b302099a8057",
        (Some("uri"), _) => "https://example.com",
        (_, Some("base64")) => "SGVsbG8=",
        _ if text(&schema["description"]).contains("<addr>") => "ada@example.com",
        _ => "text",
    }
}
