//! `GET /llms.txt`: the API as one Markdown page for language models (llmstxt.org).

use serde_json::Value;

use super::{chapters, text, title};

/// Renders the page of an OpenAPI description.
#[must_use]
pub fn page(document: &Value) -> String {
    let base = text(&document["servers"][0]["url"]);
    let description = text(&document["info"]["description"]);
    let (tagline, description) = description.split_once("\n\n").unwrap_or((description, ""));
    let mut lines = vec![
        "# Posthouse".to_owned(),
        String::new(),
        format!("> {tagline}"),
        String::new(),
        format!("Base URL: {base}"),
        String::new(),
        description.to_owned(),
        String::new(),
        format!("- [OpenAPI 3.1 document]({base}/v1/openapi.json): every route, parameter, body, response and error"),
        format!("- [API reference]({base}/docs): the same for people"),
        String::new(),
    ];
    for chapter in chapters(document) {
        lines.push(format!("## {}", title(chapter.name)));
        lines.push(String::new());
        for entry in &chapter.operations {
            let permission = entry.operation["x-permission"].as_str();
            let permission = permission.map(|name| format!(" ({name})")).unwrap_or_default();
            let method = entry.method.to_ascii_uppercase();
            lines.push(format!("- `{method} {}`{permission}: {}", entry.path, text(&entry.operation["summary"])));
        }
        lines.push(String::new());
    }
    lines.push("## Errors".to_owned());
    lines.push(String::new());
    for error in document["x-errors"].as_array().into_iter().flatten() {
        lines.push(format!("- `{}` ({}): {}", text(&error["code"]), error["status"], text(&error["fix"])));
    }
    lines.join("\n") + "\n"
}
