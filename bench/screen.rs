//! Reads mails as JSON lines and writes what the local screen finds as JSON lines: score, codes, places and details.

use std::io::{BufRead, BufWriter, Write};

use posthouse_screen::{Content, scan};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let value: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| value[name].as_str();
        let names: Vec<&str> =
            value["attachments"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let content = Content {
            from_name: text("from_name").unwrap_or_default(),
            from_domain: text("from_domain").unwrap_or_default(),
            subject: text("subject").unwrap_or_default(),
            text: text("text"),
            html: text("html"),
            attachment_names: &names,
            ..Content::default()
        };
        writeln!(out, "{}", answer(&content))?;
    }
    Ok(out.flush()?)
}

fn answer(content: &Content<'_>) -> Value {
    let found = scan(content);
    let reasons: Vec<Value> = found
        .reasons
        .iter()
        .map(|one| {
            json!([one.code.text(), one.weight, one.place.text(), one.part.text(), one.detail, one.start, one.end])
        })
        .collect();
    json!({ "score": found.score, "flagged": found.flagged, "reasons": reasons })
}
