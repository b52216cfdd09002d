//! JSON values as text of a table: one line each.

use serde_json::Value;

/// Returns the member of a value at a path such as `inbox.address`, or null.
pub(crate) fn member<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, name| match value {
        Value::Array(_) => name.parse::<usize>().map_or(&Value::Null, |at| value.get(at).unwrap_or(&Value::Null)),
        other => other.get(name).unwrap_or(&Value::Null),
    })
}

/// Returns a value as text. Times are shortened to the second.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => short_time(text).unwrap_or_else(|| text.clone()),
        Value::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join(", "),
        Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Returns a time of the API (`2026-01-01T00:00:00.000Z`) as `2026-01-01 00:00:00Z`.
fn short_time(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let has = |at: usize, mark: u8| bytes.get(at) == Some(&mark);
    let is_time = bytes.len() == 24
        && bytes.is_ascii()
        && has(4, b'-')
        && has(7, b'-')
        && has(10, b'T')
        && has(13, b':')
        && has(16, b':')
        && has(19, b'.')
        && has(23, b'Z');
    is_time.then(|| format!("{} {}Z", &text[..10], &text[11..19]))
}

/// Returns the text of escaped HTML whose only elements mark matches.
pub(crate) fn text_of_html(html: &str) -> String {
    let text = html.replace("<b>", "").replace("</b>", "");
    // The ampersand is last, so that an escaped entity stays one.
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_text_of_one_cell() {
        let value = json!({
            "a": { "b": [1, "x"] }, "time": "2026-01-01T12:30:59.123Z", "yes": true, "none": null, "list": ["a", "b"]
        });
        for (path, text) in [
            ("a.b", "1, x"),
            ("a.b.1", "x"),
            ("a.c", ""),
            ("time", "2026-01-01 12:30:59Z"),
            ("yes", "yes"),
            ("none", ""),
            ("list", "a, b"),
        ] {
            assert_eq!(text_of(member(&value, path)), text, "{path}");
        }
        assert_eq!(text_of(&json!("2026-01-01Téééééééé.123Z")), "2026-01-01Téééééééé.123Z");
    }

    #[test]
    fn matches_are_shown_without_markup() {
        assert_eq!(text_of_html("an <b>invoice</b> &lt;b&gt; &amp;lt; &quot;x&quot;"), "an invoice <b> &lt; \"x\"");
    }
}
