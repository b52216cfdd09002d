//! Contacts, cards of agents and their keys.

use serde_json::{Map, Value, json};

use super::{ViewOptions, page, pick};

/// Members of a contact.
const CONTACT: &[&str] = &[
    "id",
    "address",
    "name",
    "kind",
    "notes",
    "metadata",
    "labels",
    "message_count",
    "last_subject",
    "first_seen_at",
    "last_seen_at",
];
/// Members of a thread of a contact.
const THREAD: &[&str] = &["id", "inbox_id", "subject", "message_count", "unread_count", "last_message_at"];
/// Members of an agent's bundle.
const BUNDLE: &[&str] = &["status", "assurance", "visibility", "badges", "domain", "handle", "sanction", "card"];

/// Shows a contact, with its threads if the operation returns them.
pub(crate) fn contact(contact: &Value, _: &ViewOptions) -> Value {
    let mut shown = pick(contact, CONTACT);
    if let Some(threads) = contact["recent_threads"].as_array() {
        let view = |thread: &Value| Value::Object(pick(thread, THREAD));
        shown.insert("recent_threads".to_owned(), threads.iter().map(view).collect());
    }
    Value::Object(shown)
}

/// Shows the card that an address or handle leads to.
pub(crate) fn resolved(result: &Value, _: &ViewOptions) -> Value {
    let mut shown = Map::new();
    shown.insert("summary".to_owned(), json!(summary(&result["card"])));
    shown.insert("card".to_owned(), card(&result["card"]));
    shown.extend(pick(result, &["redirected_from"]));
    if result["card"]["status"] != "active" {
        let status = result["card"]["status"].as_str().unwrap_or("unknown");
        shown.insert("warning".to_owned(), json!(format!("This agent is {status}: don't rely on its card.")));
    }
    Value::Object(shown)
}

/// Shows a page of cards, each with a line that sums it up.
pub(crate) fn cards(result: &Value, _: &ViewOptions) -> Value {
    page(result, "agents", |found| json!({ "summary": summary(found), "card": card(found) }))
}

/// Shows the bundle of an agent of the workspace.
pub(crate) fn bundle(bundle: &Value, _: &ViewOptions) -> Value {
    let mut shown = pick(&bundle["inbox"], &["id", "address"]);
    shown.extend(pick(bundle, BUNDLE));
    Value::Object(shown)
}

/// Shows the keys of an agent.
pub(crate) fn keys(result: &Value, _: &ViewOptions) -> Value {
    json!({ "keys": result["data"] })
}

/// Shows what the signature of a message proves.
pub(crate) fn verified(result: &Value, _: &ViewOptions) -> Value {
    result.get("explanation").map_or_else(|| result["verification"].clone(), |text| json!({ "explanation": text }))
}

/// Returns a card without members that say nothing.
fn card(card: &Value) -> Value {
    let names: Vec<&str> = card.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    Value::Object(pick(card, &names))
}

/// Sums up a card in a line.
fn summary(card: &Value) -> String {
    let text = |name: &str| card[name].as_str().unwrap_or("unknown");
    format!("{} <{}>: {}, {}", text("name"), text("address"), text("status"), text("assurance"))
}
