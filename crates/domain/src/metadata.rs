//! Metadata of the caller's own on inboxes and threads: merged on update, filtered by text (contract §1.1, §3.1).
//!
//! The form of keys and values is checked where requests are read; what is here combines values that have that form.

use serde_json::{Map, Value};

use crate::{error::Refusal, text};

/// Most keys of one record.
pub const KEYS_MAX: usize = 50;

/// Metadata as stored: no value is null.
pub type Metadata = Map<String, Value>;

/// Merges a change into what is there: a null deletes its key, everything else replaces it.
///
/// # Errors
/// `invalid_request` when more than [`KEYS_MAX`] keys would be left.
pub fn merge(mut stored: Metadata, change: &Metadata) -> Result<Metadata, Refusal> {
    for (key, value) in change {
        if value.is_null() {
            stored.remove(key);
        } else {
            stored.insert(key.clone(), value.clone());
        }
    }
    if stored.len() > KEYS_MAX {
        let problem = format!("must have at most {KEYS_MAX} keys in all, not {}", stored.len());
        return Err(Refusal::invalid_field("metadata", problem));
    }
    Ok(stored)
}

/// Merges a change into stored metadata, as [`merge`] does, and gives what is to be stored.
///
/// # Errors
/// As [`merge`].
pub fn merged(json: &str, change: &Metadata) -> Result<String, Refusal> {
    merge(read(json), change).map(|merged| Value::Object(merged).to_string())
}

/// Reads stored metadata; what is no JSON object reads as empty.
#[must_use]
pub fn read(json: &str) -> Metadata {
    serde_json::from_str(json).unwrap_or_default()
}

/// The text that a filter compares: strings as an index holds them, booleans as `true` and `false`, numbers in decimal without an
/// exponent and without a fraction that is zero.
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

/// Whether every filter finds its key with exactly that text.
#[must_use]
pub fn matches(metadata: &Metadata, filters: &[(String, String)]) -> bool {
    filters.iter().all(|(key, text)| metadata.get(key).is_some_and(|value| filter_text(value) == *text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Code;

    fn object(value: Value) -> Metadata {
        value.as_object().cloned().expect("the table holds objects")
    }

    #[test]
    fn a_change_is_merged_and_null_deletes() {
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
    fn the_limit_counts_what_is_left_after_the_merge() {
        let full: Metadata = (0..KEYS_MAX).map(|n| (format!("k{n}"), json!(n))).collect();
        let refused = merge(full.clone(), &object(json!({"new": 1}))).expect_err("one too many");
        assert_eq!(refused.code, Code::InvalidRequest);
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
