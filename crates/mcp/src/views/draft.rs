//! Drafts.

use serde_json::{Map, Value, json};

use super::{HTML_FACTOR, LISTED_CHARS_MAX, MESSAGE_CHARS_MAX, TextWindow, ViewOptions, message, page, pick, window};

/// Members that are shown as they are, before the bodies.
const HEAD: &[&str] = &[
    "id",
    "inbox_id",
    "status",
    "reply_to_message_id",
    "thread_id",
    "to",
    "cc",
    "bcc",
    "subject",
    "labels",
    "metadata",
];
/// Members that are shown as they are, after the bodies.
const TAIL: &[&str] = &[
    "attachments",
    "send_at",
    "sent_at",
    "sent_message_id",
    "approved_by",
    "approved_at",
    "content_sha256",
    "sent_back",
    "hold",
    "error",
    "created_at",
    "updated_at",
];

/// Shows one draft.
pub(crate) fn one(draft: &Value, options: &ViewOptions) -> Value {
    view(draft, options.max_chars.unwrap_or(MESSAGE_CHARS_MAX), options.offset)
}

/// Shows a page of drafts.
pub(crate) fn list(result: &Value, _: &ViewOptions) -> Value {
    page(result, "drafts", |draft| view(draft, LISTED_CHARS_MAX, 0))
}

/// Shows a draft that was sent, and its message.
pub(crate) fn sent(result: &Value, options: &ViewOptions) -> Value {
    if result["status"] == message::HELD_FOR_APPROVAL {
        return message::held(result);
    }
    let draft = pick(&result["draft"], &["id", "status"]);
    json!({ "draft": draft, "message": message::sent(&result["message"], options) })
}

fn view(draft: &Value, chars_max: usize, offset: usize) -> Value {
    let mut shown = pick(draft, HEAD);
    if draft["type"] != "message" {
        shown.extend(pick(draft, &["type"]));
    }
    let mut notes = Vec::new();
    // A draft with a text is read on in it; HTML alone is read on itself.
    let read_on = if draft["text"].is_string() { "text" } else { "html" };
    for (name, chars_max) in [("text", chars_max), ("html", chars_max.saturating_mul(HTML_FACTOR))] {
        if offset == 0 || name == read_on {
            body(&draft[name], name, TextWindow { offset, chars_max }, &mut shown, &mut notes);
        }
    }
    message::data(&draft["data"], chars_max, &mut shown, &mut notes);
    shown.extend(pick(draft, TAIL));
    if !notes.is_empty() {
        shown.insert("note".to_owned(), json!(notes.join("; ")));
    }
    Value::Object(shown)
}

fn body(text: &Value, name: &str, part: TextWindow, shown: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let Some(text) = text.as_str() else { return };
    let (part, note) = window(text, part);
    shown.insert(name.to_owned(), json!(part));
    notes.extend(note.map(|note| format!("{name}: {note}")));
}
