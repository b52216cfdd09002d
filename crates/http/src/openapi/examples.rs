//! Adds an example to each body and answer, generated from its schema, or from its type if it isn't JSON. Answers of one type
//! share theirs.

use serde_json::{Map, Value, json};

use crate::pages::docs::{example, narrowed};

/// Examples of contents that have no schema of their members. Files and images have none: they aren't text.
const TEXTS: &[(&str, &str)] = &[
    ("text/html", "<!doctype html>\n<title>Posthouse</title>\n"),
    ("text/plain", "text\n"),
    ("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"),
    ("application/xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
    ("message/rfc822", "From: ada@example.com\r\nTo: sam@example.org\r\nSubject: Hello\r\n\r\nHow are you?\r\n"),
];

/// Adds the examples to a document.
pub(super) fn add(document: &mut Value) {
    let mut shared = Map::new();
    // The schemas are read while the operations change.
    let mut paths = document["paths"].take();
    let operations = paths.as_object_mut().into_iter().flatten().filter_map(|(_, methods)| methods.as_object_mut());
    for (_, operation) in operations.flatten() {
        for (kind, media) in operation.get_mut("requestBody").into_iter().flat_map(contents) {
            if let Some(shown) = of(document, kind, media) {
                media["example"] = shown;
            }
        }
        let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
        let successes = responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
        for (kind, media) in successes.flat_map(|(_, response)| contents(response)) {
            let Some(shown) = of(document, kind, media) else { continue };
            match narrowed(&media["schema"])["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
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

/// Returns the contents of a body or an answer by type.
fn contents(of: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    of.get_mut("content").and_then(Value::as_object_mut).into_iter().flatten()
}

/// Returns the example of a content; `None` if it isn't text.
fn of(document: &Value, kind: &str, media: &Value) -> Option<Value> {
    let essence = kind.split(';').next().unwrap_or_default();
    match TEXTS.iter().find(|(known, _)| *known == essence) {
        Some((_, text)) => Some((*text).into()),
        None if media["schema"]["format"] == "binary" => None,
        None => Some(example::body(document, &media["schema"], 0)),
    }
}
