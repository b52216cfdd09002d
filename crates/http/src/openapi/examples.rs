//! Adds an example to each body and answer in JSON, generated from its schema. Answers of one type share theirs.

use serde_json::{Map, Value, json};

use crate::pages::docs::example;

/// Adds the examples to a document.
pub(super) fn add(document: &mut Value) {
    let mut shared = Map::new();
    // The schemas are read while the operations change.
    let mut paths = document["paths"].take();
    let operations = paths.as_object_mut().into_iter().flatten().filter_map(|(_, methods)| methods.as_object_mut());
    for (_, operation) in operations.flatten() {
        if let Some(media) = operation.get_mut("requestBody").and_then(json_media) {
            media["example"] = example::body(document, &media["schema"], 0);
        }
        let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
        let successes = responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
        for media in successes.filter_map(|(_, response)| json_media(response)) {
            let Some(schema) = media.get("schema") else { continue };
            let shown = example::body(document, schema, 0);
            match schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
                Some(name) => {
                    let shown = json!({ "value": shown });
                    let known = shared.iter().find(|(_, other)| **other == shown).map(|(known, _)| known.clone());
                    let name = known.unwrap_or_else(|| name.to_owned());
                    media["examples"] = json!({ "one": { "$ref": format!("#/components/examples/{name}") } });
                    shared.insert(name, shown);
                }
                None => media["example"] = shown,
            }
        }
    }
    document["paths"] = paths;
    shared.sort_keys();
    document["components"]["examples"] = Value::Object(shared);
}

fn json_media(of: &mut Value) -> Option<&mut Value> {
    of.get_mut("content")?.get_mut("application/json")
}
