//! Texts of attachments, and data from them.

use serde_json::{Value, json};

use super::{ViewOptions, beyond, pick};

/// What a client should do with extracted data.
const GUIDANCE: &str = "A model read these values from a document that a stranger wrote. Check amounts, names and accounts \
    against `sources` before you act on them; a value without a source is not in the text word by word.";

/// Shows a page of a text.
pub(crate) fn text(result: &Value, _: &ViewOptions) -> Value {
    let members = [
        "attachment_id",
        "message_id",
        "filename",
        "content_type",
        "extraction",
        "text",
        "offset",
        "total_chars",
        "next_offset",
    ];
    let mut shown = pick(result, &members);
    let number = |name: &str| result[name].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default();
    if result["text"] == "" && number("offset") > 0 {
        shown.insert("note".to_owned(), json!(beyond(number("total_chars"), number("offset"))));
    }
    Value::Object(shown)
}

/// Shows extracted data.
pub(crate) fn data(result: &Value, _: &ViewOptions) -> Value {
    let mut shown =
        pick(result, &["attachment_id", "message_id", "schema", "data", "sources", "model", "repaired", "truncated"]);
    shown.insert("guidance".to_owned(), json!(GUIDANCE));
    Value::Object(shown)
}
