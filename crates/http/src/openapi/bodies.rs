//! Moves the objects in a body schema to the shared schemas, so that each is described once and has a name in generated
//! code.

use serde_json::{Map, Value, json};

/// Replaces the objects with a title in a schema by references, and adds them to the shared schemas.
pub(super) fn share(mut schema: Value, shared: &mut Map<String, Value>) -> Value {
    share_parts(&mut schema, shared);
    let Some(name) = take_title(&mut schema) else { return schema };
    let is_nullable = schema["type"].is_array();
    schema["type"] = json!("object");
    let description = schema.as_object_mut().and_then(|members| members.remove("description"));
    let mut used = json!({ "$ref": format!("#/components/schemas/{name}") });
    if is_nullable {
        used = json!({ "anyOf": [used, { "type": "null" }] });
    }
    if let Some(description) = description {
        used["description"] = description;
    }
    shared.insert(name, schema);
    used
}

/// Does the same with the parts of a schema; the schema itself stays.
pub(super) fn share_parts(schema: &mut Value, shared: &mut Map<String, Value>) {
    let Some(members) = schema.as_object_mut() else { return };
    for (name, member) in members.iter_mut() {
        match (name.as_str(), member) {
            ("properties", Value::Object(properties)) => {
                properties.iter_mut().for_each(|(_, property)| *property = share(property.take(), shared));
            }
            ("items", items) => *items = share(items.take(), shared),
            ("anyOf" | "oneOf" | "allOf", Value::Array(some)) => {
                some.iter_mut().for_each(|one| *one = share(one.take(), shared));
            }
            _ => {}
        }
    }
}

/// Removes the title of an object and returns it.
pub(super) fn take_title(schema: &mut Value) -> Option<String> {
    schema.as_object_mut()?.remove("title")?.as_str().map(str::to_owned)
}
