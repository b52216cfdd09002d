//! Caller-defined JSON: structured `data` and `metadata`.

use serde_json::{Map, Value, json};

use super::{BodyValue, Problems, expected, member};

/// The maximum number of keys of a metadata object.
const METADATA_KEYS_MAX: usize = 50;
/// The maximum length of a metadata key, in characters.
const METADATA_KEY_CHARS_MAX: usize = 64;
/// The maximum length of a metadata string value, in characters.
const METADATA_VALUE_CHARS_MAX: usize = 1_000;
/// The maximum nesting depth of caller-defined JSON.
const DEPTH_MAX: usize = 32;

/// An object or array of at most `BYTES` bytes, serialized without whitespace.
#[derive(Clone, PartialEq, Debug)]
pub struct BoundedJson<const BYTES: usize>(pub Value);

/// Any JSON object.
pub type JsonObject = Map<String, Value>;

/// Metadata of a request. A null value deletes its key in an update and is omitted in a create.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Metadata(pub JsonObject);

impl<const BYTES: usize> BodyValue for BoundedJson<BYTES> {
    fn schema() -> Value {
        // Two schemas with names instead of one with two types: many client generators support only these.
        json!({ "title": "StructuredData", "anyOf": [
            { "title": "JsonObject", "type": "object" },
            { "title": "JsonArray", "type": "array", "items": {} },
        ] })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        if !value.is_object() && !value.is_array() {
            return expected("an object or an array", value, path, problems);
        }
        if depth(value) > DEPTH_MAX {
            return problems.add(path, format!("must not be nested deeper than {DEPTH_MAX}"));
        }
        let bytes = value.to_string().len();
        if bytes > BYTES {
            return problems.add(path, format!("must be at most {BYTES} bytes of JSON, not {bytes}"));
        }
        Some(Self(value.clone()))
    }
}

/// Returns the nesting depth of a value. [`JsonLimits`](super::JsonLimits) bounds the recursion.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

impl BodyValue for Metadata {
    fn schema() -> Value {
        json!({
            "type": "object", "maxProperties": METADATA_KEYS_MAX,
            "propertyNames": { "pattern": "^[a-zA-Z0-9_.-]{1,64}$" },
            "additionalProperties": {
                "title": "MetadataValue", "type": ["string", "number", "boolean", "null"], "maxLength": METADATA_VALUE_CHARS_MAX,
            },
        })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(object) = value.as_object() else { return expected("an object", value, path, problems) };
        let mut is_valid = true;
        if object.len() > METADATA_KEYS_MAX {
            return problems.add(path, format!("must have at most {METADATA_KEYS_MAX} keys, not {}", object.len()));
        }
        for (key, value) in object {
            if let Some(problem) = metadata_problem(key, value) {
                problems.add::<()>(&member(path, key), problem);
                is_valid = false;
            }
        }
        is_valid.then(|| Self(object.clone()))
    }
}

/// Returns whether the text is a valid metadata key.
pub(super) fn is_metadata_key(key: &str) -> bool {
    (1..=METADATA_KEY_CHARS_MAX).contains(&key.len())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

fn metadata_problem(key: &str, value: &Value) -> Option<String> {
    if !is_metadata_key(key) {
        return Some(format!("the key must be 1 to {METADATA_KEY_CHARS_MAX} letters, digits, '_', '.' or '-'"));
    }
    match value {
        Value::String(text) if text.chars().count() > METADATA_VALUE_CHARS_MAX => {
            Some(format!("must have at most {METADATA_VALUE_CHARS_MAX} characters"))
        }
        Value::Array(_) | Value::Object(_) => Some("must be a string, number, boolean or null".to_owned()),
        _ => None,
    }
}
