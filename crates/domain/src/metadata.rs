//! Custom metadata of inboxes, threads and drafts: merged on update, filtered by text.
//!
//! Keys and values are validated when a request is parsed; these functions expect valid ones.

use serde_json::{Map, Value};

use crate::{error::Refusal, text};

/// The maximum number of keys of one record.
pub const METADATA_KEYS_MAX: usize = 50;

/// Metadata as stored; no value is null.
pub type Metadata = Map<String, Value>;

/// Merges a change into stored metadata: null deletes a key, any other value replaces it.
///
/// # Errors
/// Returns `invalid_request` if the result has more than [`METADATA_KEYS_MAX`] keys.
pub fn merge(mut stored: Metadata, change: &Metadata) -> Result<Metadata, Refusal> {
    for (key, value) in change {
        if value.is_null() {
            stored.remove(key);
        } else {
            stored.insert(key.clone(), value.clone());
        }
    }
    if stored.len() > METADATA_KEYS_MAX {
        let problem = format!("must have at most {METADATA_KEYS_MAX} keys after the merge, not {}", stored.len());
        return Err(Refusal::invalid_field("metadata", problem));
    }
    Ok(stored)
}

/// Merges a change into stored metadata, as [`merge`] does, and returns the JSON text to store.
///
/// # Errors
/// As [`merge`].
pub fn merged(json: &str, change: &Metadata) -> Result<String, Refusal> {
    merge(read(json), change).map(|merged| Value::Object(merged).to_string())
}

/// Parses stored metadata. Anything but a JSON object yields no metadata.
#[must_use]
pub fn read(json: &str) -> Metadata {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns the text that filters compare: strings as indexed, booleans as `true` and `false`, numbers in decimal
/// without an exponent or a zero fraction.
#[must_use]
pub fn filter_text(value: &Value) -> String {
    match value {
        Value::String(text) => text::indexed(text.clone()),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => format!("{float}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// Returns whether every filter matches the text of its key exactly.
#[must_use]
pub fn matches(metadata: &Metadata, filters: &[(String, String)]) -> bool {
    filters.iter().all(|(key, text)| metadata.get(key).is_some_and(|value| filter_text(value) == *text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorCode;

    fn object(value: Value) -> Metadata {
        value.as_object().cloned().expect("the table holds objects")
    }

    #[test]
    fn change_is_merged_and_null_deletes() {
        let table = [
            (json!({}), json!({"a": 1}), json!({"a": 1})),
            (json!({"a": 1, "b": 2}), json!({"a": null}), json!({"b": 2})),
            (json!({"a": 1}), json!({"a": "x", "c": true}), json!({"a": "x", "c": true})),
            (json!({}), json!({"gone": null}), json!({})),
        ];
        for (stored, change, expected) in table {
            assert_eq!(merge(object(stored), &object(change)), Ok(object(expected)));
        }
    }

    #[test]
    fn limit_applies_to_the_keys_after_the_merge() {
        let full: Metadata = (0..METADATA_KEYS_MAX).map(|n| (format!("k{n}"), json!(n))).collect();
        let refused = merge(full.clone(), &object(json!({"new": 1}))).expect_err("one too many");
        assert_eq!(refused.code, ErrorCode::InvalidRequest);
        assert!(merge(full.clone(), &object(json!({"new": 1, "k0": null}))).is_ok());
        assert!(merge(full, &object(json!({"k0": "other"}))).is_ok());
    }

    #[test]
    fn filters_compare_the_text_form() {
        let table = [
            (json!("a b"), "a b"),
            (json!(true), "true"),
            (json!(false), "false"),
            (json!(7), "7"),
            (json!(-7), "-7"),
            (json!(u64::MAX), "18446744073709551615"),
            (json!(1.5), "1.5"),
            (json!(2.0), "2"),
            (json!(1e21), "1000000000000000000000"),
            (json!(0.000_001), "0.000001"),
            (json!(""), ""),
        ];
        for (value, text) in table {
            assert_eq!(filter_text(&value), text);
            let metadata = object(json!({ "k": value }));
            assert!(matches(&metadata, &[("k".to_owned(), text.to_owned())]));
            assert!(!matches(&metadata, &[("k".to_owned(), format!("{text}x"))]));
            assert!(!matches(&metadata, &[("other".to_owned(), text.to_owned())]));
        }
    }
}
