//! Moves the named parts of a schema to the shared schemas, so that each is described once and has a name in generated
//! code.

use serde_json::{Map, Value, json};

/// Replaces a schema with a title by a reference, and adds it to the shared schemas. Its parts come first.
fn share(mut schema: Value, shared: &mut Map<String, Value>, is_member: bool) -> Value {
    share_parts(&mut schema, shared);
    let Some(name) = take_title(&mut schema) else { return schema };
    let is_nullable = schema["type"].is_array();
    if is_nullable {
        schema["type"] = schema["type"][0].take();
    }
    // A member says what it is for; anything else is what its type is.
    let description = schema.as_object_mut().filter(|_| is_member).and_then(|parts| parts.remove("description"));
    let name = add(shared, &name, schema);
    let mut used = json!({ "$ref": format!("#/components/schemas/{name}") });
    if is_nullable {
        used = json!({ "anyOf": [used, { "type": "null" }] });
    }
    if let Some(description) = description {
        used["description"] = description;
    }
    used
}

/// Does the same with the parts of a schema; the schema itself stays.
pub(super) fn share_parts(schema: &mut Value, shared: &mut Map<String, Value>) {
    let Some(parts) = schema.as_object_mut() else { return };
    for (name, part) in parts.iter_mut() {
        match (name.as_str(), part) {
            ("properties", Value::Object(members)) => {
                members.iter_mut().for_each(|(_, member)| *member = share(member.take(), shared, true));
            }
            ("items", items) => *items = share(items.take(), shared, false),
            ("anyOf" | "oneOf" | "allOf", Value::Array(some)) => {
                some.iter_mut().for_each(|one| *one = share(one.take(), shared, false));
            }
            _ => {}
        }
    }
}

/// Does the same with the schema of a parameter.
pub(super) fn share_member(of: &mut Value, name: &str, shared: &mut Map<String, Value>) {
    if let Some(schema) = of.get_mut(name) {
        *schema = share(schema.take(), shared, false);
    }
}

/// Adds a schema, and returns its name. The same schema has one name; another one with the same title gets a number.
pub(super) fn add(shared: &mut Map<String, Value>, title: &str, schema: Value) -> String {
    let mut numbered = std::iter::once(title.to_owned()).chain((2..).map(|n| format!("{title}{n}")));
    loop {
        let Some(name) = numbered.next() else { return title.to_owned() };
        match shared.get_mut(&name) {
            None => {
                shared.insert(name.clone(), schema);
                return name;
            }
            Some(known) if plain(known) == plain(&schema) => {
                if known.get("description").is_none() {
                    *known = schema;
                }
                return name;
            }
            Some(_) => {}
        }
    }
}

/// Returns a schema without its description.
fn plain(schema: &Value) -> Value {
    let mut plain = schema.clone();
    plain.as_object_mut().map(|parts| parts.remove("description"));
    plain
}

/// Removes the title of a schema and returns it.
pub(super) fn take_title(schema: &mut Value) -> Option<String> {
    schema.as_object_mut()?.remove("title")?.as_str().map(str::to_owned)
}
