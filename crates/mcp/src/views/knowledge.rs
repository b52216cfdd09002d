//! Results of a search for knowledge, and drafted replies.

use serde_json::{Value, json};

use super::{ViewOptions, draft, page, pick};

/// Shows the results of a search.
pub(crate) fn search(result: &Value, _: &ViewOptions) -> Value {
    let mut shown =
        page(result, "results", |hit| Value::Object(pick(hit, &["id", "title", "inbox_id", "rank", "snippet"])));
    if let Value::Object(members) = &mut shown {
        members.remove("next_cursor");
    }
    shown
}

/// Shows a drafted reply, and the draft if it was stored.
pub(crate) fn reply(result: &Value, options: &ViewOptions) -> Value {
    let mut shown = pick(result, &["text", "citations", "model"]);
    if result["draft"].is_object() {
        shown.insert("saved_draft".to_owned(), draft::one(&result["draft"], options));
    }
    json!(shown)
}
