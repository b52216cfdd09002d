//! Tools, resources and prompts with fixed content.

use posthouse_mcp::Request;
use serde_json::{Value, json};

use crate::fixtures::text;

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// A sound without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// The tools without arguments.
const PLAIN_TOOLS: [&str; 20] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
];

/// The tool that asks only what its client can answer.
const OF_CAPABILITIES: &str = "test_input_required_result_capabilities";

pub(crate) fn tools() -> Vec<Value> {
    let entry = |name: &str, properties: Value| {
        json!({
            "name": name,
            "description": "For the conformance suite.",
            "inputSchema": { "type": "object", "properties": properties },
        })
    };
    let words = json!({ "type": "string" });
    let mut all: Vec<Value> = PLAIN_TOOLS.iter().map(|name| entry(name, json!({}))).collect();
    all.push(entry(OF_CAPABILITIES, json!({})));
    all.push(entry("test_sampling", json!({ "prompt": words })));
    all.push(entry("test_elicitation", json!({ "message": words })));
    all
}

pub(crate) fn resources() -> Vec<Value> {
    let entry = |uri: &str, name: &str, media_type: &str| json!({ "uri": uri, "name": name, "mimeType": media_type });
    vec![
        entry("test://static-text", "static-text", "text/plain"),
        entry("test://static-binary", "static-binary", "image/png"),
        entry("test://watched-resource", "watched-resource", "text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<Value> {
    vec![json!({ "uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json" })]
}

pub(crate) fn prompts() -> Vec<Value> {
    let entry = |name: &str, arguments: &[&str]| {
        let argument = |name: &&str| json!({ "name": name, "description": "A text.", "required": true });
        let arguments: Vec<Value> = arguments.iter().map(argument).collect();
        json!({ "name": name, "description": "For the conformance suite.", "arguments": arguments })
    };
    vec![
        entry("test_simple_prompt", &[]),
        entry("test_prompt_with_arguments", &["arg1", "arg2"]),
        entry("test_prompt_with_embedded_resource", &["resourceUri"]),
        entry("test_prompt_with_image", &[]),
        entry("test_input_required_result_prompt", &[]),
    ]
}

/// Returns the result of a tool that says something.
pub(crate) fn said(words: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": words }], "isError": false })
}

/// Answers a request; `None` for one that isn't about this content.
pub(crate) fn answer(request: &Request) -> Option<Value> {
    match request.method.as_str() {
        "tools/call" => tool(text(request, "name")),
        "resources/read" => resource(text(request, "uri")),
        "prompts/get" => prompt(request),
        "completion/complete" => {
            let name = request.params.get("ref").and_then(|named| named["name"].as_str()).unwrap_or_default();
            let is_own = name.starts_with("test_");
            is_own.then(|| json!({ "completion": { "values": [], "total": 0, "hasMore": false } }))
        }
        _ => None,
    }
}

fn picture() -> Value {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}

fn embedded(uri: &str, media_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": media_type, "text": text } })
}

fn tool(name: &str) -> Option<Value> {
    let content = match name {
        "test_simple_text" | "test_logging_tool" => {
            return Some(said("This is a simple text response for testing."));
        }
        "test_error_handling" => {
            let mut failed = said("This tool intentionally returns an error for testing");
            failed["isError"] = json!(true);
            return Some(failed);
        }
        "test_image_content" => json!([picture()]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => {
            json!([embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")])
        }
        "test_multiple_content_types" => json!([
            { "type": "text", "text": "Multiple content types test:" },
            picture(),
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        _ => return None,
    };
    Some(json!({ "content": content, "isError": false }))
}

fn resource(uri: &str) -> Option<Value> {
    let mut content = match uri {
        "test://static-text" => {
            json!({ "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        "test://static-binary" => json!({ "mimeType": "image/png", "blob": PNG }),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "mimeType": "application/json", "text": data.to_string() })
        }
    };
    content["uri"] = json!(uri);
    Some(json!({ "contents": [content], "ttlMs": 0, "cacheScope": "private" }))
}

fn prompt(request: &Request) -> Option<Value> {
    let argument = |name: &str| {
        let arguments = request.params.get("arguments").unwrap_or(&Value::Null);
        arguments[name].as_str().unwrap_or_default().to_owned()
    };
    let words = |text: &str| json!({ "type": "text", "text": text });
    let parts = match text(request, "name") {
        "test_simple_prompt" => vec![words("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            vec![words(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => vec![
            embedded(&argument("resourceUri"), "text/plain", "Embedded resource content for testing."),
            words("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![picture(), words("Please analyze the image above.")],
        _ => return None,
    };
    let messages: Vec<Value> = parts.into_iter().map(|part| json!({ "role": "user", "content": part })).collect();
    Some(json!({ "messages": messages }))
}
