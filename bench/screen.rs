//! Reads mails as JSON lines and writes what the local screen finds as JSON lines.
//!
//! `screen answers < mails > found` writes score, codes and details; `screen time < mails` the CPU time of each mail.

use std::io::{BufRead, BufWriter, Write};

use posthouse_screen::{Content, scan};
use serde_json::{Value, json};

/// Scans of a mail whose fastest is reported.
const RUNS: usize = 3;
/// Bytes that are scanned for one time.
const BYTES_TIMED: usize = 5_000_000;

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

/// Returns the CPU time of a scan in milliseconds; Linux only. It is counted in steps of some milliseconds, so that the scan
/// of a small mail is repeated.
fn time(content: &Content<'_>) -> f64 {
    let bytes = content.text.map_or(0, str::len) + content.html.map_or(0, str::len);
    let scans = (BYTES_TIMED / bytes.max(1)).max(1);
    let before = cpu_ns();
    (0..scans).for_each(|_| {
        std::hint::black_box(scan(content));
    });
    cpu_ns().saturating_sub(before) as f64 / 1e6 / scans as f64
}

fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or_default()
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
