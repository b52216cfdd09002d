//! HTML escaping, and the Markdown subset of descriptions: code in backticks, paragraphs, dashed lists.

/// Escapes text for elements and quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text and renders `code` in backticks.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            out.push_str(&format!("<code>{}</code>", escape(part)));
        } else {
            out.push_str(&escape(part));
        }
    }
    out
}

/// Renders paragraphs and dashed lists.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::new();
    for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
        if block.starts_with("- ") {
            let items: Vec<String> =
                block.split("\n- ").map(|item| format!("<li>{}</li>", inline(item.trim_start_matches("- ")))).collect();
            out.push_str(&format!("<ul>{}</ul>", items.concat()));
        } else {
            out.push_str(&format!("<p>{}</p>", inline(block)));
        }
    }
    out
}

/// Renders a path with marked parameters and line breaks between its segments.
pub(super) fn path(path: &str) -> String {
    let rest = escape(path.trim_start_matches('/')).replace('/', "/<wbr>");
    format!("/{rest}").replace('{', "<i>{").replace('}', "}</i>")
}
