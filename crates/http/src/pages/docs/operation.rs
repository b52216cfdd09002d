//! Renders one operation of the reference: parameters, body, example, responses and errors.

use serde_json::Value;

use super::html::{escape, inline, path, prose};
use super::schema::content;
use super::{DocsOperation, example, schema, text};

/// Renders an operation.
pub(super) fn write(document: &Value, base: &str, entry: &DocsOperation<'_>, out: &mut String) {
    let operation = entry.operation;
    let id = escape(text(&operation["operationId"]));
    out.push_str(&format!(
        "<article id=\"{id}\"><h3><b class=\"{0}\">{0}</b> <a href=\"#{id}\">{1}</a></h3><p class=\"summary\">{2}</p>",
        entry.method,
        path(entry.path),
        inline(text(&operation["summary"]))
    ));
    out.push_str(&prose(text(&operation["description"])));
    parameters(document, operation, out);
    if let Some((content_type, body)) = content(&operation["requestBody"]) {
        out.push_str(&format!("<h4>Body <span class=\"type\">{}</span></h4>", escape(content_type)));
        schema::members(document, &body["schema"], out);
    }
    let command = example::curl(document, base, entry);
    out.push_str(&format!("<details><summary>Example</summary><pre>{}</pre></details>", escape(&command)));
    responses(document, operation, out);
    out.push_str("</article>");
}

fn parameters(document: &Value, operation: &Value, out: &mut String) {
    let all = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let all: Vec<&Value> = all.iter().map(|one| schema::resolve(document, one)).collect();
    for (location, heading) in [("path", "Path"), ("query", "Query"), ("header", "Header")] {
        let mut some = all.iter().filter(|parameter| parameter["in"] == location).peekable();
        if some.peek().is_none() {
            continue;
        }
        out.push_str(&format!("<h4>{heading}</h4><dl>"));
        for parameter in some {
            let required = parameter["required"] == true && location != "path";
            schema::term(document, text(&parameter["name"]), &parameter["schema"], required, out);
            out.push_str(&format!("<dd>{}</dd>", inline(text(&parameter["description"]))));
        }
        out.push_str("</dl>");
    }
}

fn responses(document: &Value, operation: &Value, out: &mut String) {
    let mut refusals = String::new();
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let response = schema::resolve(document, response);
        if !status.starts_with('2') {
            refusals.push_str(&refusal(status, response));
            continue;
        }
        let found = content(response);
        let kind = found.map_or_else(String::new, |(content_type, _)| escape(content_type));
        out.push_str(&format!(
            "<h4>Response <b class=\"ok\">{}</b> {} <span class=\"type\">{kind}</span></h4>",
            escape(status),
            escape(text(&response["description"]))
        ));
        if let Some((_, media)) = found.filter(|(_, media)| media.get("schema").is_some()) {
            out.push_str("<details><summary>Members</summary>");
            schema::members(document, &media["schema"], out);
            out.push_str("</details>");
        }
    }
    out.push_str(&format!("<details><summary>Errors</summary><dl class=\"refusals\">{refusals}</dl></details>"));
}

fn refusal(status: &str, response: &Value) -> String {
    let codes = &response["content"]["application/json"]["schema"]["patternProperties"]["^error$"]["properties"]["code"]
        ["enum"];
    let codes = codes.as_array().into_iter().flatten().map(|code| format!("<code>{}</code>", escape(text(code))));
    format!("<dt>{}</dt><dd>{}</dd>", escape(status), codes.collect::<Vec<String>>().join(" "))
}
