//! Data of the workspace alone, which no one outside wrote, with the schemas of the views.

use serde_json::{Map, Value, json};

/// Members of an inbox.
const INBOX: &[&str] = &[
    "id",
    "kind",
    "address",
    "display_name",
    "client_id",
    "metadata",
    "temporary",
    "expires_at",
    "status",
    "paused_at",
    "paused_reason",
    "held_count",
    "pending_draft_count",
    "created_at",
];
/// Members of a temporary inbox.
const TEMPORARY: &[&str] = &["id", "address", "expires_at"];
/// Members of an identity.
const IDENTITY: &[&str] =
    &["id", "address", "display_name", "client_id", "metadata", "identity_enabled", "status", "created_at"];
/// Members of an identity token.
const TOKEN: &[&str] = &["id_token", "audience", "issuer", "sub", "scope", "expires_at"];

/// Keeps members of an object.
fn keep(value: &Value, names: &[&str]) -> Map<String, Value> {
    names.iter().filter_map(|name| Some(((*name).to_owned(), value.get(*name)?.clone()))).collect()
}

/// Keeps members in the schema of an object.
fn keep_schema(schema: &Value, names: &[&str]) -> Value {
    let properties = keep(&schema["properties"], names);
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// Adds a text to the schema of an object.
fn with_text(mut schema: Value, name: &str) -> Value {
    schema["properties"][name] = json!({ "type": "string" });
    schema
}

/// Returns the schema of a page, given that of the operation's page.
fn page_schema(schema: &Value, name: &str, members: &[&str]) -> Value {
    let item = keep_schema(&schema["properties"]["data"]["items"], members);
    json!({
        "type": "object",
        "required": [name, "next_cursor"],
        "properties": {
            name: { "type": "array", "items": item },
            "next_cursor": { "type": ["string", "null"] },
        },
    })
}

fn page(result: &Value, name: &str, members: &[&str]) -> Value {
    let items = result["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let items: Vec<Map<String, Value>> = items.iter().map(|item| keep(item, members)).collect();
    json!({ name: items, "next_cursor": result["next_cursor"] })
}

/// Shows the result of the operation as it is.
pub(crate) fn whole(result: Value) -> Value {
    result
}

/// Returns the schema of the operation's result.
pub(crate) fn whole_schema(schema: Value) -> Value {
    schema
}

/// Shows an inbox.
pub(crate) fn inbox(result: Value) -> Value {
    Value::Object(keep(&result, INBOX))
}

/// Returns the schema of [`inbox`].
pub(crate) fn inbox_schema(schema: Value) -> Value {
    keep_schema(&schema, INBOX)
}

/// Shows a temporary inbox.
pub(crate) fn temporary(result: Value) -> Value {
    let mut shown = keep(&result, TEMPORARY);
    let guidance = "It only receives. Use the address, then call get_verification_code or wait_for_email with the id.";
    shown.insert("guidance".to_owned(), json!(guidance));
    Value::Object(shown)
}

/// Returns the schema of [`temporary`].
pub(crate) fn temporary_schema(schema: Value) -> Value {
    with_text(keep_schema(&schema, TEMPORARY), "guidance")
}

/// Shows a page of inboxes.
pub(crate) fn inboxes(result: Value) -> Value {
    page(&result, "inboxes", INBOX)
}

/// Returns the schema of [`inboxes`].
pub(crate) fn inboxes_schema(schema: Value) -> Value {
    page_schema(&schema, "inboxes", INBOX)
}

/// Shows an inbox whose pause ended.
pub(crate) fn resumed(result: Value) -> Value {
    let mut shown = keep(&result, INBOX);
    shown.insert("released_events".to_owned(), result["released_events"].clone());
    Value::Object(shown)
}

/// Returns the schema of [`resumed`].
pub(crate) fn resumed_schema(schema: Value) -> Value {
    keep_schema(&schema, &[INBOX, &["released_events"]].concat())
}

/// Shows an identity. Its handle is its address.
pub(crate) fn identity(result: Value) -> Value {
    let mut shown = keep(&result, IDENTITY);
    shown.insert("handle".to_owned(), result["address"].clone());
    Value::Object(shown)
}

/// Returns the schema of [`identity`].
pub(crate) fn identity_schema(schema: Value) -> Value {
    with_text(keep_schema(&schema, IDENTITY), "handle")
}

/// Shows a page of identities.
pub(crate) fn identities(result: Value) -> Value {
    let items = result["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let items: Vec<Value> = items.iter().cloned().map(identity).collect();
    json!({ "identities": items, "next_cursor": result["next_cursor"] })
}

/// Returns the schema of [`identities`].
pub(crate) fn identities_schema(schema: Value) -> Value {
    let mut page = page_schema(&schema, "identities", IDENTITY);
    page["properties"]["identities"]["items"]["properties"]["handle"] = json!({ "type": "string" });
    page
}

/// Shows an identity token.
pub(crate) fn token(result: Value) -> Value {
    let mut shown = keep(&result, TOKEN);
    let guidance = "Send id_token to the audience alone, before expires_at. Never put it into a message.";
    shown.insert("guidance".to_owned(), json!(guidance));
    Value::Object(shown)
}

/// Returns the schema of [`token`].
pub(crate) fn token_schema(schema: Value) -> Value {
    with_text(keep_schema(&schema, TOKEN), "guidance")
}

/// Shows the id and status of a draft.
pub(crate) fn draft_status(result: Value) -> Value {
    Value::Object(keep(&result, &["id", "status"]))
}

/// Returns the schema of [`draft_status`].
pub(crate) fn draft_status_schema(schema: Value) -> Value {
    keep_schema(&schema, &["id", "status"])
}

/// Shows that the workspace is stopped.
pub(crate) fn stopped(result: Value) -> Value {
    json!({
        "stopped": true,
        "emergency_stopped_at": result["org"]["emergency_stopped_at"],
        "note": "Nothing is sent from now on. Only an owner can resume, in the dashboard. Tell the user.",
    })
}

/// Returns the schema of [`stopped`].
pub(crate) fn stopped_schema(_: Value) -> Value {
    json!({
        "type": "object",
        "required": ["stopped", "emergency_stopped_at", "note"],
        "properties": {
            "stopped": { "type": "boolean" },
            "emergency_stopped_at": { "type": ["string", "null"] },
            "note": { "type": "string" },
        },
    })
}

/// Returns the schema of an object whose members depend on the call.
pub(crate) fn any_schema(_: Value) -> Value {
    json!({ "type": "object" })
}
