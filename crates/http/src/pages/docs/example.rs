//! Example commands, generated from the schemas of an operation.

use serde_json::{Map, Value, json};

use super::schema::{all_of, alternatives, content, resolve, whole};
use super::{DocsOperation, text};

/// Nesting from which an example shows as little as its schema allows.
const DEPTH_BRIEF: usize = 5;
/// Nesting from which an example has no lists and no objects that may be null. The example of the type itself has them.
const DEPTH_FLAT: usize = 3;
/// Deepest nesting of an example. Only types that contain themselves go as deep.
const DEPTH_MAX: usize = 10;

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

/// Returns a value that fits the schema: the required members of an object, or its first one if none is required.
pub(crate) fn body(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolve(document, schema);
    if text(&schema["description"]).to_lowercase().contains("always null") {
        return Value::Null;
    }
    if let Some(one) = schema["examples"].as_array().and_then(|all| all.first()) {
        return one.clone();
    }
    if let Some(one) = schema["enum"].as_array().and_then(|all| all.first()).or_else(|| schema.get("const")) {
        return one.clone();
    }
    if let Some(some) = alternatives(schema) {
        let is_null = |one: &Value| one["type"] == "null";
        let is_flat = |one: &Value| !matches!(text(&resolve(document, one)["type"]), "object" | "array");
        return match some.first() {
            Some(one) if !some.iter().any(is_null) || depth < if is_flat(one) { DEPTH_BRIEF } else { DEPTH_FLAT } => {
                body(document, one, depth)
            }
            _ => Value::Null,
        };
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) if depth >= DEPTH_BRIEF && kinds.iter().any(|kind| kind == "null") => "null",
        Value::Array(kinds) if depth >= DEPTH_FLAT && kinds[..] == ["object", "null"] => "null",
        Value::Array(kinds) if depth >= DEPTH_FLAT && kinds[..] == ["array", "null"] => "null",
        Value::Array(kinds) => kinds.first().map(text).unwrap_or_default(),
        kind => text(kind),
    };
    match kind {
        "null" => Value::Null,
        "object" => object(document, schema, depth),
        "array" => array(document, schema, depth),
        "integer" | "number" => schema.get("default").or_else(|| schema.get("minimum")).cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        _ => json!(string(schema)),
    }
}

fn array(document: &Value, schema: &Value, depth: usize) -> Value {
    let least = schema["minItems"].as_u64().unwrap_or_default();
    let wanted = if depth < DEPTH_FLAT { least.max(1) } else { least };
    (0..wanted).map(|_| body(document, &schema["items"], depth + 1)).collect()
}

fn object(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = &whole(document, schema);
    let Some(members) = schema["properties"].as_object().filter(|_| depth < DEPTH_MAX) else { return json!({}) };
    let mut shown = Map::new();
    add_required(document, schema, members, depth, &mut shown);
    if shown.is_empty() {
        let first = members.iter().take(1);
        shown.extend(first.map(|(name, member)| (name.clone(), body(document, member, depth + 1))));
    }
    Value::Object(shown)
}

/// Adds the members that a schema requires, itself or by the first choice of a condition across members.
fn add_required(
    document: &Value,
    schema: &Value,
    members: &Map<String, Value>,
    depth: usize,
    shown: &mut Map<String, Value>,
) {
    for name in schema["required"].as_array().into_iter().flatten().map(text) {
        let own = &schema["properties"][name];
        // A condition names the type of a member, or the values for which it holds.
        let of = if own["enum"].is_array() { Some(own) } else { members.get(name) };
        shown.extend(of.map(|of| (name.to_owned(), body(document, of, depth + 1))));
    }
    let first = alternatives(schema).and_then(|some| some.first());
    for condition in all_of(schema).into_iter().flatten().chain(first) {
        add_required(document, condition, members, depth, shown);
    }
    match (schema.get("if"), schema.get("then")) {
        (Some(condition), Some(then)) if holds(condition, shown) => {
            add_required(document, then, members, depth, shown);
        }
        // Otherwise nothing is valid.
        (Some(condition), None) => add_required(document, condition, members, depth, shown),
        _ => {}
    }
}

/// Returns whether a condition across members holds for an example.
fn holds(condition: &Value, shown: &Map<String, Value>) -> bool {
    let is_there = |name: &Value| {
        let wanted = &condition["properties"][text(name)];
        shown.get(text(name)).is_some_and(|value| {
            wanted.get("const").is_none_or(|one| one == value)
                && wanted["enum"].as_array().is_none_or(|choices| choices.contains(value))
        })
    };
    condition["required"].as_array().into_iter().flatten().all(is_there)
        && all_of(condition).into_iter().flatten().all(|one| holds(one, shown))
        && condition.get("not").is_none_or(|one| !holds(one, shown))
}

fn string(schema: &Value) -> String {
    if let Some(text) = schema["pattern"].as_str().and_then(of_pattern) {
        return text;
    }
    let text = match (schema["format"].as_str(), schema["contentEncoding"].as_str()) {
        (Some("email"), _) => "ada@example.com",
        (Some("time-or-date"), _) => "2026-01-31",
        (Some("date-time"), _) => "2026-01-01T00:00:00.000Z",
        (Some("uuid"), _) => "01890a5d-ac96-774b-bcce-b302099a8057",
        (Some("uri" | "homepage-url"), _) => "https://example.com",
        (Some("domain-name"), _) => "mail.example.com",
        (Some("mailbox" | "list-pattern" | "author-filter"), _) => "ada@example.com",
        (Some("webhook-url"), _) => "https://example.com/hook",
        (Some("redirect-uri"), _) => "https://example.com/callback",
        (Some("iana-time-zone"), _) => "Europe/Berlin",
        (_, Some("base64")) => "SGVsbG8=",
        _ if text(&schema["description"]).contains("<addr>") => "ada@example.com",
        _ => "text",
    };
    text.to_owned()
}

/// Returns a text of the classes of characters and of the lengths that the pattern wants: `^[0-9a-f]{64}$`, `^[a-z]{3}[AE]$`.
fn of_pattern(pattern: &str) -> Option<String> {
    let mut rest = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let mut found = String::new();
    while !rest.is_empty() {
        let (class, after) = rest.strip_prefix('[')?.split_once(']')?;
        let length = after.split('[').next().unwrap_or_default();
        rest = &after[length.len()..];
        let count = match length.strip_prefix('{') {
            Some(range) => range.trim_end_matches('}').split(',').next()?.parse().ok()?,
            None if matches!(length, "" | "+") => 1,
            None => return None,
        };
        // Without a range, the class is a list of characters.
        let range = ["a-", "A-", "0-"].iter().find(|range| class.contains(**range));
        let is_list = class.chars().all(char::is_alphanumeric);
        let letter = range.map(|range| &range[..1]).or_else(|| class.get(..1).filter(|_| is_list))?;
        found.push_str(&letter.repeat(count));
    }
    Some(found)
}
