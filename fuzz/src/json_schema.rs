//! A validator for the part of JSON Schema (2020-12) that request types use. Panics at a keyword it doesn't know, so
//! that no part of a schema goes unchecked.

use regex_automata::meta::Regex;
use serde_json::{Map, Value};

/// Keywords that describe a value and reject none. Formats and encodings are annotations.
const ANNOTATIONS: [&str; 7] = ["title", "description", "default", "examples", "format", "contentEncoding", "style"];

/// Returns why the value doesn't match the schema.
///
/// # Errors
/// Names the keyword that rejects the value, and where.
pub(crate) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    let members = schema.as_object().expect("a schema is an object");
    for (keyword, wanted) in members.iter().filter(|(keyword, _)| !ANNOTATIONS.contains(&keyword.as_str())) {
        let fits = match value {
            _ if is_general(keyword) => fits_general(keyword, wanted, value)?,
            Value::String(text) if is_of(keyword, &["minLength", "maxLength", "pattern"]) => {
                fits_text(keyword, wanted, text)
            }
            Value::Number(number) if is_of(keyword, &["minimum", "maximum"]) => {
                let (number, bound) = (number.as_f64(), wanted.as_f64());
                if keyword == "minimum" { number >= bound } else { number <= bound }
            }
            Value::Array(items) if is_of(keyword, &["items", "minItems", "maxItems"]) => {
                fits_array(keyword, wanted, items)?
            }
            Value::Object(object) if is_of(keyword, OBJECT) => fits_object(keyword, members, object)?,
            _ => true,
        };
        if !fits {
            return Err(format!("{keyword} {wanted} rejects {value}"));
        }
    }
    Ok(())
}

const OBJECT: &[&str] =
    &["properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties"];
const BY_TYPE: [&str; 8] = ["minLength", "maxLength", "pattern", "minimum", "maximum", "items", "minItems", "maxItems"];

fn is_of(keyword: &str, names: &[&str]) -> bool {
    names.contains(&keyword)
}

/// Returns whether a keyword applies to values of every type.
fn is_general(keyword: &str) -> bool {
    let is_known = ["type", "enum", "const", "anyOf", "allOf", "not"].contains(&keyword);
    assert!(is_known || is_of(keyword, OBJECT) || is_of(keyword, &BY_TYPE), "unknown keyword {keyword}");
    is_known
}

fn fits_general(keyword: &str, wanted: &Value, value: &Value) -> Result<bool, String> {
    let each = || wanted.as_array().expect("the keyword holds a list of schemas").iter();
    Ok(match keyword {
        "type" => match wanted {
            Value::Array(types) => types.iter().any(|one| is_type(one, value)),
            one => is_type(one, value),
        },
        "enum" => each().any(|one| one == value),
        "const" => wanted == value,
        "anyOf" => each().any(|one| check(one, value).is_ok()),
        "allOf" => each().try_for_each(|one| check(one, value)).is_ok(),
        _ => check(wanted, value).is_err(),
    })
}

fn is_type(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("a type's name") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    }
}

fn fits_text(keyword: &str, wanted: &Value, text: &str) -> bool {
    let count = text.chars().count();
    match keyword {
        "minLength" => count >= bound(wanted),
        "maxLength" => count <= bound(wanted),
        _ => {
            let pattern = wanted.as_str().expect("the keyword holds a pattern");
            Regex::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}")).is_match(text)
        }
    }
}

fn fits_array(keyword: &str, wanted: &Value, items: &[Value]) -> Result<bool, String> {
    match keyword {
        "items" => items.iter().try_for_each(|item| check(wanted, item)).map(|()| true),
        "minItems" => Ok(items.len() >= bound(wanted)),
        _ => Ok(items.len() <= bound(wanted)),
    }
}

fn fits_object(keyword: &str, schema: &Map<String, Value>, object: &Map<String, Value>) -> Result<bool, String> {
    let wanted = &schema[keyword];
    let properties = schema.get("properties").and_then(Value::as_object);
    match keyword {
        "properties" => {
            let known = wanted.as_object().expect("the keyword holds an object of schemas").iter();
            known.filter_map(|(name, one)| Some((one, object.get(name)?))).try_for_each(|(one, v)| check(one, v))?;
            Ok(true)
        }
        "required" => Ok(wanted
            .as_array()
            .expect("the keyword holds a list of names")
            .iter()
            .filter_map(Value::as_str)
            .all(|n| object.contains_key(n))),
        "propertyNames" => {
            object.keys().try_for_each(|name| check(wanted, &Value::String(name.clone()))).map(|()| true)
        }
        "minProperties" => Ok(object.len() >= bound(wanted)),
        "maxProperties" => Ok(object.len() <= bound(wanted)),
        _ => {
            let mut others =
                object.iter().filter(|(name, _)| properties.is_none_or(|known| !known.contains_key(*name)));
            match wanted {
                Value::Bool(allowed) => Ok(*allowed || others.next().is_none()),
                one => others.try_for_each(|(_, value)| check(one, value)).map(|()| true),
            }
        }
    }
}

fn bound(wanted: &Value) -> usize {
    usize::try_from(wanted.as_u64().expect("the keyword holds a whole number")).expect("a bound fits")
}
