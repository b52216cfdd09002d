//! Schemas for models: those of the operations, without what only validators need.
//!
//! A client sends the list of tools to its model with every conversation, so each byte is paid for. What is left out is
//! checked all the same, and the error says what is wrong.

use serde_json::{Map, Value, json};

/// Largest bound that is worth stating: larger ones only repeat the limit of a request.
const BOUND_MAX: u64 = 200_000;
/// Formats that models know how to write.
const FORMATS: [&str; 3] = ["uuid", "date-time", "email"];

/// Returns a schema without patterns, bounds that don't bound, null for "omitted", and descriptions of inner parts.
pub(crate) fn compact(schema: &Value, is_nullable: bool) -> Value {
    let mut slim = slim(schema);
    if is_nullable && !allows_null(&slim) {
        slim = posthouse_api::wire::nullable(slim);
    }
    if let (Some(members), Some(text)) = (slim.as_object_mut(), schema.get("description")) {
        members.insert("description".to_owned(), text.clone());
    }
    slim
}

/// Returns whether null is valid by a schema.
pub(super) fn allows_null(schema: &Value) -> bool {
    let has_null =
        |types: &Value| types == "null" || types.as_array().is_some_and(|all| all.iter().any(|one| one == "null"));
    let choices = schema.get("anyOf").and_then(Value::as_array);
    choices.is_some_and(|choices| choices.iter().any(allows_null)) || schema.get("type").is_some_and(has_null)
}

fn slim(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else { return schema.clone() };
    if let Some(choices) = members.get("anyOf").and_then(Value::as_array) {
        return one_of(choices);
    }
    let mut kept = Map::new();
    for (name, value) in members {
        let value = match name.as_str() {
            "type" => without_null(value),
            "enum" | "const" | "required" | "additionalProperties" => value.clone(),
            "minimum" | "maximum" | "maxLength" | "maxItems" if value.as_u64().is_some_and(|n| n <= BOUND_MAX) => {
                value.clone()
            }
            "minLength" | "minItems" if value.as_u64().is_some_and(|n| n > 1) => value.clone(),
            "format" if FORMATS.iter().any(|known| value == known) => value.clone(),
            "items" => slim(value),
            "properties" => {
                let parts = value.as_object().into_iter().flatten();
                Value::Object(parts.map(|(name, part)| (name.clone(), slim(part))).collect())
            }
            _ => continue,
        };
        kept.insert(name.clone(), value);
    }
    if kept.get("required").is_some_and(|names| names.as_array().is_some_and(Vec::is_empty)) {
        kept.remove("required");
    }
    Value::Object(kept)
}

/// Returns a choice without null, or the only one that is left.
fn one_of(choices: &[Value]) -> Value {
    let mut kept: Vec<Value> = choices.iter().filter(|choice| choice["type"] != "null").map(slim).collect();
    if kept.len() == 1 { kept.remove(0) } else { json!({ "anyOf": kept }) }
}

fn without_null(types: &Value) -> Value {
    let Some(names) = types.as_array() else { return types.clone() };
    let mut kept: Vec<Value> = names.iter().filter(|name| *name != "null").cloned().collect();
    if kept.len() == 1 { kept.remove(0) } else { Value::Array(kept) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_keeps_what_a_model_needs() {
        let table = [
            (
                json!({ "type": ["string", "null"], "pattern": "^x$", "maxLength": 41_943_040 }),
                json!({ "type": "string" }),
            ),
            (
                json!({ "anyOf": [{ "type": "string", "enum": ["a", "b"] }, { "type": "null" }], "description": "A." }),
                json!({ "type": "string", "enum": ["a", "b"], "description": "A." }),
            ),
            (
                json!({ "type": "integer", "minimum": 1, "maximum": 60 }),
                json!({ "type": "integer", "minimum": 1, "maximum": 60 }),
            ),
            (
                json!({ "type": "array", "items": { "type": "string", "description": "One." }, "minItems": 0 }),
                json!({ "type": "array", "items": { "type": "string" } }),
            ),
            (
                json!({ "anyOf": [{ "type": "string", "description": "x" }, { "type": "array", "items": {} }] }),
                json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": {} }] }),
            ),
        ];
        for (given, wanted) in table {
            assert_eq!(compact(&given, false), wanted);
        }
        assert_eq!(compact(&json!({ "type": ["object", "null"] }), true), json!({ "type": ["object", "null"] }));
    }
}
