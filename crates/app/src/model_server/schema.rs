//! The part of JSON Schema that answers of a model are checked against.

use serde_json::{Map, Value};

/// Deepest nesting of a schema and of a value.
const DEPTH_MAX: usize = 32;
/// Keywords that [`validate`] applies.
const APPLIED: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "anyOf",
    "oneOf",
    "allOf",
    "format",
];
/// Keywords that only describe.
const DESCRIBING: &[&str] = &["title", "description", "examples", "default", "$schema", "$comment", "$id"];
/// The one value of `format`.
const DATE_FORMAT: &str = "date";
/// The values of `type`.
const TYPES: &[&str] = &["object", "array", "string", "number", "integer", "boolean", "null"];

/// Checks that [`validate`] understands all of a schema, whose root must be an object.
///
/// # Errors
/// Returns the problem, which completes "the schema …".
pub fn check(schema: &Value) -> Result<(), String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("must have the root type `object`".to_owned());
    }
    check_at(schema, 0)
}

fn check_at(schema: &Value, depth: usize) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Err(format!("is nested deeper than {DEPTH_MAX} levels"));
    }
    let members = match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(members) => members,
        _ => return Err("contains a schema that is not an object".to_owned()),
    };
    for (keyword, value) in members {
        if !APPLIED.contains(&keyword.as_str()) && !DESCRIBING.contains(&keyword.as_str()) {
            return Err(format!("uses the keyword `{keyword}`, which is not supported"));
        }
        check_keyword(keyword, value, depth)?;
    }
    Ok(())
}

fn check_keyword(keyword: &str, value: &Value, depth: usize) -> Result<(), String> {
    let wrong = |expected: &str| Err(format!("must have {expected} as `{keyword}`"));
    match (keyword, value) {
        ("type", Value::String(name)) if TYPES.contains(&name.as_str()) => Ok(()),
        ("type", Value::Array(names)) if names.iter().all(|one| one.as_str().is_some_and(|t| TYPES.contains(&t))) => {
            Ok(())
        }
        ("type", _) => wrong("a JSON type"),
        ("properties", Value::Object(all)) => all.values().try_for_each(|one| check_at(one, depth + 1)),
        ("properties", _) => wrong("an object of schemas"),
        ("items" | "additionalProperties", one) => check_at(one, depth + 1),
        ("anyOf" | "oneOf" | "allOf", Value::Array(all)) if !all.is_empty() => {
            all.iter().try_for_each(|one| check_at(one, depth + 1))
        }
        ("anyOf" | "oneOf" | "allOf", _) => wrong("a list of schemas"),
        ("required", Value::Array(names)) if names.iter().all(Value::is_string) => Ok(()),
        ("required", _) => wrong("a list of names"),
        ("enum", Value::Array(all)) if !all.is_empty() => Ok(()),
        ("enum", _) => wrong("a list of values"),
        ("minLength" | "maxLength" | "minItems" | "maxItems", count) if count.as_u64().is_none() => wrong("a count"),
        ("format", format) if format != DATE_FORMAT => wrong("`date`"),
        ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", number) if !number.is_number() => {
            wrong("a number")
        }
        _ => Ok(()),
    }
}

/// Checks a value against a schema.
///
/// # Errors
/// Returns the first problem with its place, without a value.
pub fn validate(schema: &Value, value: &Value) -> Result<(), String> {
    validate_at(schema, value, "the answer", 0)
}

/// Gives absent values the form that a schema has for them: a required member that may be null and is missing is null, and an
/// optional one that is null and may not be is missing. Models answer either way.
pub fn settle_absent(schema: &Value, value: &mut Value) {
    settle_at(schema, value, 0);
}

fn settle_at(schema: &Value, value: &mut Value, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::Object(members) => {
            let required: Vec<&str> = schema
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                let (is_required, may_be_null) = (required.contains(&&**name), allows_null(property, depth));
                match members.get_mut(name) {
                    None if is_required && may_be_null => drop(members.insert(name.clone(), Value::Null)),
                    Some(Value::Null) if !is_required && !may_be_null => drop(members.remove(name)),
                    Some(member) => settle_at(property, member, depth + 1),
                    None => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(each) = schema.get("items") {
                items.iter_mut().for_each(|item| settle_at(each, item, depth + 1));
            }
        }
        _ => {}
    }
}

fn allows_null(schema: &Value, depth: usize) -> bool {
    validate_at(schema, &Value::Null, "", depth + 1).is_ok()
}

/// Places that are named.
const PLACES_MAX: usize = 20;
/// Characters of a JSON pointer that are named.
const POINTER_CHARS_MAX: usize = 200;

/// Returns the JSON pointers of the places in a value that don't match a schema. A model may have chosen names in them.
#[must_use]
pub fn wrong_places(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(schema, value, &mut String::new(), 0, &mut found);
    found
}

fn collect(schema: &Value, value: &Value, at: &mut String, depth: usize, found: &mut Vec<String>) {
    if found.len() >= PLACES_MAX || depth > DEPTH_MAX || validate_at(schema, value, "", depth).is_ok() {
        return;
    }
    let (before, known) = (at.len(), found.len());
    let mut within = |name: &str, schema: &Value, value: &Value, found: &mut Vec<String>| {
        at.push('/');
        at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        collect(schema, value, at, depth + 1, found);
        at.truncate(before);
    };
    match value {
        Value::Object(members) => {
            let missing = Value::Bool(false);
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            for name in required.filter_map(Value::as_str).filter(|name| !members.contains_key(*name)) {
                within(name, &missing, &Value::Null, found);
            }
            for (name, member) in members {
                let own = schema.get("properties").and_then(|all| all.get(name));
                if let Some(one) = own.or_else(|| schema.get("additionalProperties")) {
                    within(name, one, member, found);
                }
            }
        }
        Value::Array(items) => {
            if let Some(each) = schema.get("items") {
                items.iter().enumerate().for_each(|(n, item)| within(&n.to_string(), each, item, found));
            }
        }
        _ => {}
    }
    if found.len() == known {
        found.push(at.chars().take(POINTER_CHARS_MAX).collect());
    }
}

fn validate_at(schema: &Value, value: &Value, at: &str, depth: usize) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Err(format!("{at} is nested too deeply"));
    }
    let schema = match schema {
        Value::Bool(false) => return Err(format!("{at} is not allowed")),
        Value::Object(schema) => schema,
        _ => return Ok(()),
    };
    check_type(schema, value, at)?;
    check_choice(schema, value, at, depth)?;
    match value {
        Value::Object(members) => check_object(schema, members, at, depth),
        Value::Array(items) => check_array(schema, items, at, depth),
        Value::String(text) => {
            check_count(schema, "minLength", "maxLength", text.chars().count(), at)?;
            check_format(schema, text, at)
        }
        Value::Number(number) => check_range(schema, number.as_f64().unwrap_or(f64::NAN), at),
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

fn check_type(schema: &Map<String, Value>, value: &Value, at: &str) -> Result<(), String> {
    let is_of = |name: &str| match (name, value) {
        ("object", Value::Object(_)) | ("array", Value::Array(_)) | ("string", Value::String(_)) => true,
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) | ("null", Value::Null) => true,
        ("integer", Value::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    let (matches, expected) = match schema.get("type") {
        Some(Value::String(name)) => (is_of(name), name.clone()),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            (names.iter().any(|name| is_of(name)), names.join(" or "))
        }
        _ => return Ok(()),
    };
    if matches { Ok(()) } else { Err(format!("{at} must be of type {expected}")) }
}

fn check_choice(schema: &Map<String, Value>, value: &Value, at: &str, depth: usize) -> Result<(), String> {
    if schema.get("const").is_some_and(|expected| expected != value) {
        return Err(format!("{at} must be the constant of the schema"));
    }
    if let Some(Value::Array(all)) = schema.get("enum")
        && !all.contains(value)
    {
        return Err(format!("{at} must be one of the values of the schema"));
    }
    let count = |all: &[Value]| all.iter().filter(|one| validate_at(one, value, at, depth + 1).is_ok()).count();
    if let Some(Value::Array(all)) = schema.get("anyOf")
        && count(all) == 0
    {
        return Err(format!("{at} matches no schema of anyOf"));
    }
    if let Some(Value::Array(all)) = schema.get("oneOf")
        && count(all) != 1
    {
        return Err(format!("{at} must match one schema of oneOf"));
    }
    match schema.get("allOf") {
        Some(Value::Array(all)) => all.iter().try_for_each(|one| validate_at(one, value, at, depth + 1)),
        _ => Ok(()),
    }
}

fn check_object(
    schema: &Map<String, Value>,
    members: &Map<String, Value>,
    at: &str,
    depth: usize,
) -> Result<(), String> {
    if let Some(Value::Array(names)) = schema.get("required")
        && let Some(name) = names.iter().filter_map(Value::as_str).find(|name| !members.contains_key(*name))
    {
        return Err(format!("{at} must have the member {name}"));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, member) in members {
        match properties.and_then(|all| all.get(name)) {
            Some(property) => validate_at(property, member, &format!("{at}.{name}"), depth + 1)?,
            // The name is the model's own text; the problem goes back to it.
            None => {
                if let Some(others) = schema.get("additionalProperties") {
                    validate_at(others, member, &format!("{at}.{name}"), depth + 1)?;
                }
            }
        }
    }
    Ok(())
}

fn check_array(schema: &Map<String, Value>, items: &[Value], at: &str, depth: usize) -> Result<(), String> {
    check_count(schema, "minItems", "maxItems", items.len(), at)?;
    let Some(each) = schema.get("items") else { return Ok(()) };
    items.iter().enumerate().try_for_each(|(n, item)| validate_at(each, item, &format!("{at}[{n}]"), depth + 1))
}

fn check_count(schema: &Map<String, Value>, min: &str, max: &str, count: usize, at: &str) -> Result<(), String> {
    let limit = |name: &str| schema.get(name).and_then(Value::as_u64);
    if limit(min).is_some_and(|min| (count as u64) < min) {
        return Err(format!("{at} is shorter than {min}"));
    }
    if limit(max).is_some_and(|max| count as u64 > max) {
        return Err(format!("{at} is longer than {max}"));
    }
    Ok(())
}

fn check_format(schema: &Map<String, Value>, text: &str, at: &str) -> Result<(), String> {
    let is_date = schema.get("format").is_some_and(|format| format == DATE_FORMAT);
    if is_date && !is_full_date(text) { Err(format!("{at} must be a date as YYYY-MM-DD")) } else { Ok(()) }
}

/// Returns whether a text is a day of the calendar (RFC 3339 §5.6, `full-date`).
fn is_full_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_form = bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
    let number =
        |range: std::ops::Range<usize>| text.get(range).and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(0);
    if !is_form {
        return false;
    }
    let (year, month) = (number(0..4), number(5..7));
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&number(8..10))
}

fn check_range(schema: &Map<String, Value>, number: f64, at: &str) -> Result<(), String> {
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    let fits = limit("minimum").is_none_or(|min| number >= min)
        && limit("maximum").is_none_or(|max| number <= max)
        && limit("exclusiveMinimum").is_none_or(|min| number > min)
        && limit("exclusiveMaximum").is_none_or(|max| number < max);
    if fits { Ok(()) } else { Err(format!("{at} is out of range")) }
}
