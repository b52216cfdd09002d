//! Renders JSON Schemas for readers: name, type, limits, description and members.

use serde_json::{Map, Value};

use super::html::{escape, inline};
use super::text;

/// Deepest nesting that is rendered, because types can be recursive.
const DEPTH_MAX: usize = 6;
/// Most choices listed for a type.
const CHOICES_MAX: usize = 16;

/// Resolves a reference within the document.
pub(super) fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = narrowed(schema);
    match schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
        Some(pointer) => document.pointer(pointer).unwrap_or(schema),
        None => schema,
    }
}

/// Returns the reference to the case of its type that a schema always is, or the schema itself.
pub(crate) fn narrowed(schema: &Value) -> &Value {
    schema.get("x-case").unwrap_or(schema)
}

/// Returns an object with the members of its parts: other schemas, and its own if it has such. Conditions across members
/// stay as they are.
pub(super) fn whole(document: &Value, schema: &Value) -> Value {
    let mut own = resolve(document, schema).clone();
    let Some(parts) = own["allOf"].as_array_mut() else { return own };
    let is_object = |part: &Value| part.get("$ref").is_some() || part["type"] == "object";
    let (others, conditions): (Vec<Value>, Vec<Value>) = std::mem::take(parts).into_iter().partition(is_object);
    *parts = conditions;
    let (mut members, mut required) = (Map::new(), Vec::new());
    let others = others.iter().map(|other| whole(document, other));
    for part in others.chain([own.clone()]) {
        members.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    own["properties"] = Value::Object(members);
    own["required"] = Value::Array(required);
    own
}

/// Renders the members of an object, or the description of any other type.
pub(super) fn members(document: &Value, schema: &Value, out: &mut String) {
    let schema = resolve(document, schema);
    if object_in(document, schema).is_none() {
        out.push_str(&format!("<p class=\"type\">{}</p>", escape(&words(document, schema))));
        return;
    }
    level(document, schema, 0, out);
}

/// Renders the name and type of one member or parameter.
pub(super) fn term(document: &Value, name: &str, schema: &Value, required: bool, out: &mut String) {
    let required = if required { " <em>required</em>" } else { "" };
    out.push_str(&format!(
        "<dt><code>{}</code> <span class=\"type\">{}</span>{required}</dt>",
        escape(name),
        escape(&words(document, schema))
    ));
}

fn level(document: &Value, schema: &Value, depth: usize, out: &mut String) {
    let Some(object) = object_in(document, schema) else { return };
    let required = object["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    out.push_str("<dl>");
    for (name, member) in object["properties"].as_object().into_iter().flatten() {
        term(document, name, member, required.iter().any(|one| one == name.as_str()), out);
        let about = member.get("description").unwrap_or(&resolve(document, member)["description"]);
        out.push_str(&format!("<dd>{}", inline(text(about))));
        if depth < DEPTH_MAX {
            level(document, member, depth + 1, out);
        }
        out.push_str("</dd>");
    }
    out.push_str("</dl>");
}

/// Returns the object in a schema: the schema itself, its reference, the items of an array, or the only alternative to
/// null.
fn object_in(document: &Value, schema: &Value) -> Option<Value> {
    let mut schema = whole(document, schema);
    for _ in 0..DEPTH_MAX {
        if schema["properties"].as_object().is_some_and(|members| !members.is_empty()) {
            return Some(schema);
        }
        let inner = match alternatives(&schema).or_else(|| all_of(&schema)) {
            Some(some) => some.iter().find(|one| has_members(document, one))?,
            None => schema.get("items")?,
        };
        schema = whole(document, inner);
    }
    None
}

fn has_members(document: &Value, schema: &Value) -> bool {
    let schema = resolve(document, schema);
    ["properties", "items", "allOf"].iter().any(|part| schema.get(*part).is_some())
}

/// Returns the schemas of which a value fits one.
pub(super) fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    ["anyOf", "oneOf"].iter().find_map(|name| schema[name].as_array())
}

/// Returns the schemas that a value fits beside its own: parts of an object, or conditions across members.
pub(super) fn all_of(schema: &Value) -> Option<&Vec<Value>> {
    schema["allOf"].as_array()
}

/// Describes a type in words: `string or null, 1 to 64 characters`.
pub(super) fn words(document: &Value, schema: &Value) -> String {
    let schema = resolve(document, schema);
    if let Some(choices) = schema["enum"].as_array() {
        let shown: Vec<String> = choices.iter().take(CHOICES_MAX).map(shown).collect();
        let more = if choices.len() > CHOICES_MAX { ", …" } else { "" };
        return format!("{}{more}", shown.join(" | "));
    }
    if let Some(one) = schema.get("const") {
        return shown(one);
    }
    if let Some(some) = alternatives(schema) {
        let mut words: Vec<String> = some.iter().map(|one| self::words(document, one)).collect();
        words.dedup();
        return words.join(" or ");
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().map(text).collect::<Vec<&str>>().join(" or "),
        _ => "any".to_owned(),
    };
    let kind = match schema.get("items") {
        Some(items) => kind.replacen("array", &format!("array of {}", words(document, items)), 1),
        None => kind,
    };
    let mut parts = vec![kind];
    parts.extend(schema["format"].as_str().filter(|format| !format.starts_with("uint")).map(str::to_owned));
    parts.extend(schema["contentEncoding"].as_str().map(str::to_owned));
    parts.extend(limits(schema));
    parts.join(", ")
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn limits(schema: &Value) -> Vec<String> {
    let ranges = [
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
        ("minimum", "maximum", ""),
        ("minProperties", "maxProperties", " members"),
    ];
    let mut all: Vec<String> = Vec::new();
    for (low, high, unit) in ranges {
        match (schema.get(low), schema.get(high)) {
            (Some(low), Some(high)) => all.push(format!("{low} to {high}{unit}")),
            (None, Some(high)) => all.push(format!("at most {high}{unit}")),
            (Some(low), None) if low != 0 => all.push(format!("at least {low}{unit}")),
            _ => {}
        }
    }
    if let Some(default) = schema.get("default") {
        all.push(format!("default: {}", shown(default)));
    }
    all
}

/// Returns the only content of a body or response.
pub(super) fn content(of: &Value) -> Option<(&str, &Value)> {
    of["content"].as_object()?.iter().next().map(|(content_type, media)| (content_type.as_str(), media))
}
