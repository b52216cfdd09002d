//! Messages, threads, search results and claims.

use serde_json::{Map, Value, json};

use super::{
    HTML_FACTOR, LISTED_CHARS_MAX, MESSAGE_CHARS_MAX, THREAD_CHARS_MAX, TextWindow, ViewOptions, page, pick, window,
};
use crate::fence;

/// Members that are shown as they are, before the content.
const HEAD: &[&str] = &["id", "inbox_id", "thread_id", "direction", "status", "from", "to", "cc", "bcc"];
/// Members of a sent message that are shown as they are.
const SENT: &[&str] = &["id", "inbox_id", "thread_id", "status", "from", "to", "cc", "bcc", "subject"];

/// Where a text that was cut continues.
#[derive(Clone, Copy)]
enum Continuation {
    /// In the same tool.
    Here,
    /// In `get_message`.
    GetMessage,
}

/// Shows one message.
pub(crate) fn one(message: &Value, options: &ViewOptions) -> Value {
    let chars_max = options.max_chars.unwrap_or(MESSAGE_CHARS_MAX);
    view(message, options, chars_max, Continuation::Here)
}

/// Shows the message of a wait, or that none came.
pub(crate) fn waited(result: &Value, options: &ViewOptions) -> Value {
    match &result["data"] {
        Value::Null => Value::String("No matching message arrived in time. Call again to keep waiting.".to_owned()),
        message => view(message, options, MESSAGE_CHARS_MAX, Continuation::GetMessage),
    }
}

/// Shows a page of messages.
pub(crate) fn list(result: &Value, _: &ViewOptions) -> Value {
    page(result, "messages", listed)
}

/// Shows a message in a list.
fn listed(message: &Value) -> Value {
    view(message, &ViewOptions::default(), LISTED_CHARS_MAX, Continuation::GetMessage)
}

/// Shows search results.
pub(crate) fn search(result: &Value, _: &ViewOptions) -> Value {
    page(result, "results", |hit| {
        let mut shown = pick(hit, &["rank", "snippet"]);
        if let Value::Object(message) = listed(hit) {
            shown.extend(message);
        }
        Value::Object(shown)
    })
}

/// Shows a thread with its messages, or a digest of it.
pub(crate) fn thread(thread: &Value, options: &ViewOptions) -> Value {
    if thread["parts"].is_array() {
        return Value::Object(pick(thread, &["text", "tokens", "parts", "next_cursor"]));
    }
    let names = ["id", "inbox_id", "subject", "participants", "message_count", "unread_count", "last_message_at"];
    let mut shown = pick(thread, &names);
    shown.extend(pick(thread, &["labels", "metadata"]));
    let chars_max = options.max_chars.unwrap_or(THREAD_CHARS_MAX);
    let messages = thread["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let view = |message| view(message, &ViewOptions::default(), chars_max, Continuation::GetMessage);
    shown.insert("messages".to_owned(), messages.iter().map(view).collect());
    if let Some(cursor) = thread["earlier_cursor"].as_str() {
        shown.insert("earlier_cursor".to_owned(), json!(cursor));
        shown.insert("note".to_owned(), json!("The thread has older messages: pass earlier_cursor as cursor."));
    }
    Value::Object(shown)
}

/// The status of a message that became a draft.
pub(super) const HELD_FOR_APPROVAL: &str = "held_for_approval";

/// Shows a message that waits for an approval.
pub(super) fn held(result: &Value) -> Value {
    let mut shown = pick(result, &["status", "draft_id", "hold"]);
    let next = "Nothing was sent. A person must approve the draft. Tell them why; don't send it another way.";
    shown.insert("next".to_owned(), json!(next));
    Value::Object(shown)
}

/// Shows a message that was sent.
pub(crate) fn sent(message: &Value, _: &ViewOptions) -> Value {
    if message["status"] == HELD_FOR_APPROVAL {
        return held(message);
    }
    let mut shown = pick(message, SENT);
    kind(message, &mut shown);
    if let Some(recipients) = message["delivery"].as_array().filter(|recipients| !recipients.is_empty()) {
        let view = |one: &Value| Value::Object(pick(one, &["address", "channel", "status", "smtp_code", "detail"]));
        shown.insert("delivery".to_owned(), recipients.iter().map(view).collect());
        shown.insert("delivery_summary".to_owned(), json!(delivery_summary(recipients)));
    }
    shown.insert("created_at".to_owned(), message["created_at"].clone());
    Value::Object(shown)
}

/// Says how many recipients are in which state: `2 queued, 1 delivered`.
fn delivery_summary(recipients: &[Value]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for status in recipients.iter().filter_map(|one| one["status"].as_str()) {
        match counts.iter_mut().find(|(known, _)| *known == status) {
            Some((_, count)) => *count += 1,
            None => counts.push((status, 1)),
        }
    }
    let parts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    parts.join(", ")
}

/// Shows claimed messages.
pub(crate) fn claims(result: &Value, _: &ViewOptions) -> Value {
    let claimed = result["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let view = |claim: &Value| {
        let mut shown = pick(claim, &["lease_id", "lease_until", "delivery_count"]);
        let message = view(&claim["message"], &ViewOptions::default(), MESSAGE_CHARS_MAX, Continuation::GetMessage);
        shown.insert("message".to_owned(), message);
        Value::Object(shown)
    };
    let mut shown = Map::new();
    shown.insert("paused".to_owned(), result["paused"].clone());
    shown.insert("claimed".to_owned(), claimed.iter().map(view).collect());
    if !claimed.is_empty() {
        let next = "Handle each message, then call ack_message with its id and lease_id before lease_until.";
        shown.insert("next".to_owned(), json!(next));
    }
    Value::Object(shown)
}

/// Shows a code or link, with what the labels of its message warn of.
pub(crate) fn verification(result: &Value, _: &ViewOptions) -> Value {
    let found = &result["data"];
    if found.is_null() {
        return Value::String("No message with a code or link arrived in time. Call again to keep waiting.".to_owned());
    }
    let mut shown = found.as_object().cloned().unwrap_or_default();
    warn(&result["message"], &mut shown);
    if found["confidence"].as_f64().is_some_and(|confidence| confidence < 0.5) {
        let note = "Low confidence: read the message with get_message before you use this.";
        shown.insert("note".to_owned(), json!(note));
    }
    Value::Object(shown)
}

/// Returns what the labels in the result of an operation warn of, wherever its messages are.
pub(crate) fn warnings(result: &Value) -> Vec<String> {
    let mut labels = Vec::new();
    collect_labels(result, &mut labels);
    fence::warnings(labels.iter().copied())
}

/// Collects the labels of messages. What is inside of a message is content: its `data` may contain anything.
fn collect_labels<'a>(value: &'a Value, labels: &mut Vec<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_labels(item, labels)),
        Value::Object(members) if members.contains_key("direction") => {
            let own = members.get("labels").and_then(Value::as_array);
            labels.extend(own.into_iter().flatten().filter_map(Value::as_str));
        }
        Value::Object(members) => {
            for name in ["message", "messages", "data"] {
                if let Some(inner) = members.get(name) {
                    collect_labels(inner, labels);
                }
            }
        }
        _ => {}
    }
}

fn view(message: &Value, options: &ViewOptions, chars_max: usize, continuation: Continuation) -> Value {
    let mut shown = pick(message, HEAD);
    shown.extend(pick(message, &["reply_to"]));
    if message["reply_to_unproven"] == true {
        shown.insert("reply_to_unproven".to_owned(), json!(true));
    }
    shown.insert("subject".to_owned(), message["subject"].clone());
    shown.extend(pick(message, &["received_at", "sent_at", "created_at", "is_read"]));
    shown.insert("labels".to_owned(), message["labels"].clone());
    kind(message, &mut shown);
    notes_on_author(message, &mut shown);
    warn(message, &mut shown);
    shown.extend(pick(message, &["withheld"]));
    let mut notes = Vec::new();
    texts(message, options, chars_max, &mut shown, &mut notes);
    data(&message["data"], chars_max, &mut shown, &mut notes);
    shown.insert("ai".to_owned(), message["ai"].clone());
    if message["ai_disclosure"]["agent"] == true {
        let disclosure = pick(&message["ai_disclosure"], &["agent", "on_behalf_of", "operator", "verified"]);
        shown.insert("ai_disclosure".to_owned(), Value::Object(disclosure));
    }
    attachments(message, &mut shown);
    if !notes.is_empty() {
        if matches!(continuation, Continuation::GetMessage) {
            notes.push("read on with get_message".to_owned());
        }
        shown.insert("note".to_owned(), json!(notes.join("; ")));
    }
    Value::Object(shown)
}

/// Adds channel and type unless they are the usual ones.
fn kind(message: &Value, shown: &mut Map<String, Value>) {
    if message["channel"] != "email" {
        shown.extend(pick(message, &["channel"]));
    }
    if message["type"] != "message" {
        shown.extend(pick(message, &["type"]));
    }
}

/// Adds one line each about the sending agent and the author's signature.
fn notes_on_author(message: &Value, shown: &mut Map<String, Value>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let agent = &message["agent"];
    if !agent.is_null() {
        let proof = if agent["verified"] == true { "signed by this service" } else { "without a signature" };
        let line = format!("agent {}, {}, {proof}", text(&agent["from"]), text(&agent["assurance"]));
        shown.insert("sender".to_owned(), json!(line));
    }
    let author = &message["author"];
    if !author.is_null() {
        let covers: Vec<&str> = author["covers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let line = if author["verified"] == true {
            format!("signed by the author's own key; covers {}", covers.join(", "))
        } else {
            format!("the author's signature doesn't count: {}", text(&author["reason"]))
        };
        shown.insert("author".to_owned(), json!(line));
    }
}

/// Adds what the labels warn of.
fn warn(message: &Value, shown: &mut Map<String, Value>) {
    let labels = message["labels"].as_array().map(Vec::as_slice).unwrap_or_default();
    let warnings = fence::warnings(labels.iter().filter_map(Value::as_str));
    if !warnings.is_empty() {
        shown.insert("warning".to_owned(), json!(warnings.join("; ")));
    }
}

/// Adds the texts up to the limit.
fn texts(
    message: &Value,
    options: &ViewOptions,
    chars_max: usize,
    shown: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) {
    let new_text = if message["extracted_text"].is_null() { &message["text"] } else { &message["extracted_text"] };
    let mut parts = vec![("extracted_text", new_text, chars_max)];
    if options.full_text {
        parts.push(("full_text", &message["text"], chars_max));
    }
    if options.html {
        parts.push(("html", &message["html"], chars_max.saturating_mul(HTML_FACTOR)));
    }
    // Lengths differ, so only the last text that was asked for goes on.
    if options.offset > 0 {
        parts.drain(..parts.len() - 1);
    }
    for (name, text, chars_max) in parts {
        let Some(text) = text.as_str() else { continue };
        let (part, note) = window(text, TextWindow { offset: options.offset, chars_max });
        shown.insert(name.to_owned(), json!(part));
        notes.extend(note.map(|note| format!("{name}: {note}")));
    }
}

/// Adds structured data, or the beginning of its JSON.
pub(super) fn data(data: &Value, chars_max: usize, shown: &mut Map<String, Value>, notes: &mut Vec<String>) {
    if data.is_null() {
        return;
    }
    let text = data.to_string();
    let (part, note) = window(&text, TextWindow { offset: 0, chars_max });
    match note {
        None => drop(shown.insert("data".to_owned(), data.clone())),
        Some(_) => {
            notes.push(format!("data: {} more characters", text.chars().count() - chars_max));
            shown.insert("data_preview".to_owned(), json!(part));
        }
    }
}

fn attachments(message: &Value, shown: &mut Map<String, Value>) {
    let files = message["attachments"].as_array().map(Vec::as_slice).unwrap_or_default();
    if files.is_empty() {
        return;
    }
    let message = message["id"].as_str().unwrap_or_default();
    let view = |file: &Value| {
        let mut shown =
            pick(file, &["id", "filename", "content_type", "size_bytes", "inline", "extraction", "download_url"]);
        if let Some(id) = file["id"].as_str() {
            shown.insert("download".to_owned(), json!(format!("GET /v1/attachments/{id}")));
            shown.insert("resource".to_owned(), json!(format!("attachment://{message}/{id}")));
        }
        Value::Object(shown)
    };
    shown.insert("attachments".to_owned(), files.iter().map(view).collect());
}
