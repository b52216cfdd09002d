//! `GET /docs`: the API reference as HTML, rendered from the OpenAPI description alone.
//!
//! One page without scripts or external resources. All content is escaped. Why it is not a vendored renderer:
//! `docs/decisions/api.md#0058-own-api-reference-page`.

pub(crate) mod example;
pub mod html;
pub mod llms;
mod operation;
mod schema;

#[cfg(test)]
mod tests;

pub(crate) use schema::narrowed;

use axum::http::HeaderValue;
use html::{escape, prose};
use serde_json::Value;

use super::style_policy::{FormTarget, style_policy};

/// The style sheet of the page.
const STYLE: &str = include_str!("docs/style.css");

/// Returns the content security policy.
#[must_use]
pub fn security_policy() -> HeaderValue {
    style_policy(STYLE, FormTarget::None)
}

/// Renders the page of an OpenAPI description.
#[must_use]
pub fn page(document: &Value) -> String {
    let chapters = chapters(document);
    let base = text(&document["servers"][0]["url"]);
    let mut out = String::with_capacity(256 * 1024);
    out.push_str("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    out.push_str("<title>Posthouse API</title><style>");
    out.push_str(STYLE);
    out.push_str("</style></head><body>");
    navigation(&chapters, &mut out);
    out.push_str("<main><header><h1>Posthouse API</h1>");
    out.push_str(&format!(
        "<p class=\"facts\"><span>Version {}</span><span>Server <code>{}</code></span>\
         <span><a href=\"/v1/openapi.json\">OpenAPI 3.1</a></span><span><a href=\"/llms.txt\">llms.txt</a></span></p>",
        escape(text(&document["info"]["version"])),
        escape(base)
    ));
    out.push_str(&prose(text(&document["info"]["description"])));
    out.push_str("</header>");
    for chapter in &chapters {
        out.push_str(&format!("<section class=\"chapter\" id=\"{0}\"><h2>{1}</h2>", chapter.name, title(chapter.name)));
        for entry in &chapter.operations {
            operation::write(document, base, entry, &mut out);
        }
        out.push_str("</section>");
    }
    errors(document, &mut out);
    out.push_str("</main></body></html>\n");
    out
}

/// The operations of one tag.
struct Chapter<'a> {
    name: &'a str,
    operations: Vec<DocsOperation<'a>>,
}

/// An operation with its method and path.
struct DocsOperation<'a> {
    method: &'a str,
    path: &'a str,
    operation: &'a Value,
}

/// The first chapters, in order.
const FIRST: &[&str] = &["account", "inboxes", "messages", "threads", "attachments", "events"];
/// The last chapters, which are not the API itself.
const LAST: &[&str] = &["dashboard", "operation", "development"];

/// Groups the operations by tag: first chapters, others in document order, last chapters.
fn chapters(document: &Value) -> Vec<Chapter<'_>> {
    let tags = document["tags"].as_array().into_iter().flatten().map(|tag| text(&tag["name"]));
    let mut chapters: Vec<Chapter<'_>> = tags.map(|name| Chapter { name, operations: Vec::new() }).collect();
    chapters.sort_by_key(|chapter| {
        let first = FIRST.iter().position(|name| *name == chapter.name).unwrap_or(FIRST.len());
        (LAST.contains(&chapter.name), first)
    });
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let tag = text(&operation["tags"][0]);
            if let Some(chapter) = chapters.iter_mut().find(|chapter| chapter.name == tag) {
                chapter.operations.push(DocsOperation { method, path, operation });
            }
        }
    }
    chapters
}

fn navigation(chapters: &[Chapter<'_>], out: &mut String) {
    out.push_str("<nav><p class=\"brand\">Posthouse</p>");
    for chapter in chapters {
        out.push_str(&format!("<p><a href=\"#{0}\">{1}</a></p><ul>", chapter.name, title(chapter.name)));
        for entry in &chapter.operations {
            out.push_str(&format!(
                "<li><a href=\"#{}\"><b class=\"{1}\">{1}</b> {2}</a></li>",
                escape(text(&entry.operation["operationId"])),
                entry.method,
                html::path(entry.path)
            ));
        }
        out.push_str("</ul>");
    }
    out.push_str("<p><a href=\"#errors\">Errors</a></p></nav>");
}

fn errors(document: &Value, out: &mut String) {
    out.push_str("<section class=\"chapter\" id=\"errors\"><h2>Errors</h2><div class=\"wide\"><table><thead><tr>");
    out.push_str("<th>Status</th><th>Code</th><th>What to do</th></tr></thead><tbody>");
    for error in document["x-errors"].as_array().into_iter().flatten() {
        out.push_str(&format!(
            "<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>",
            error["status"],
            escape(text(&error["code"])),
            escape(text(&error["fix"]))
        ));
    }
    out.push_str("</tbody></table></div></section>");
}

fn title(name: &str) -> String {
    let mut letters = name.chars();
    escape(&letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
