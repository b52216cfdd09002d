//! How results of operations are shown to models: fewer members, and texts up to a limit.

pub(crate) mod agent;
pub(crate) mod draft;
pub(crate) mod file;
pub(crate) mod knowledge;
pub(crate) mod message;
mod text;
pub(crate) mod workspace;

use serde_json::{Map, Value};

pub(crate) use text::{TextWindow, beyond, window};

/// Largest text of one message, in characters.
pub(crate) const MESSAGE_CHARS_MAX: usize = 8_000;
/// Largest text of a message in a list, in characters.
pub(crate) const LISTED_CHARS_MAX: usize = 1_500;
/// Largest text of a message in a thread, in characters.
pub(crate) const THREAD_CHARS_MAX: usize = 3_000;
/// How much longer HTML may be than text.
pub(crate) const HTML_FACTOR: usize = 4;

/// What a client asked to see.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ViewOptions {
    /// Longest text in characters, in place of the limit of the view.
    pub(crate) max_chars: Option<usize>,
    /// Where texts begin, in characters.
    pub(crate) offset: usize,
    /// Whether to show the whole text with quoted history, too.
    pub(crate) full_text: bool,
    /// Whether to show HTML, too.
    pub(crate) html: bool,
    /// Whether the client asked for URLs of the files.
    pub(crate) download_urls: bool,
}

/// Returns the named members that have a value, in this order.
pub(crate) fn pick(value: &Value, names: &[&str]) -> Map<String, Value> {
    let present = |name: &&&str| value.get(**name).is_some_and(|member| !is_empty(member));
    names.iter().filter(present).map(|name| ((*name).to_owned(), value[*name].clone())).collect()
}

/// Returns whether a member says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Returns a list of views with the cursor of the next page.
pub(crate) fn page(result: &Value, name: &str, view: impl Fn(&Value) -> Value) -> Value {
    let items = result["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut page = Map::new();
    page.insert(name.to_owned(), items.iter().map(view).collect());
    page.insert("next_cursor".to_owned(), result["next_cursor"].clone());
    Value::Object(page)
}
