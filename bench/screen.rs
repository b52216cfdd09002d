//! Reads mails as JSON lines and writes what the local screen finds as JSON lines.
//!
//! `screen answers < mails > found` writes score, codes and details; `screen time < mails` the time of each mail.

use std::io::{BufRead, BufWriter, Write};
use std::time::Instant;

use posthouse_screen::{Content, scan};
use serde_json::{Value, json};

/// Scans of a mail whose fastest is reported.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "answers".to_owned());
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
        if mode == "time" {
            let fastest = (0..RUNS).map(|_| time(&content)).fold(f64::INFINITY, f64::min);
            writeln!(out, "{fastest:.3}")?;
        } else {
            writeln!(out, "{}", answer(&content))?;
        }
    }
    Ok(out.flush()?)
}

/// Returns the time of a scan in milliseconds.
fn time(content: &Content<'_>) -> f64 {
    let start = Instant::now();
    std::hint::black_box(scan(content));
    start.elapsed().as_secs_f64() * 1e3
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
