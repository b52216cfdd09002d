//! Reads mails as JSON lines and writes answers as JSON lines, or features for `ml/train.py` as numbers.
//!
//! `categorise MODEL answers < mails > answers`, `categorise MODEL features < mails > features`,
//! `categorise MODEL time < mails` prints the time of each mail.

use std::io::{BufRead, BufWriter, Write};
use std::time::Instant;

use posthouse_categoriser::training::training_features;
use posthouse_categoriser::{Authentication, Facts, Mail, Model};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("give the path of a model file")?;
    let mode = arguments.next().unwrap_or_else(|| "answers".to_owned());
    let model = Model::parse(&std::fs::read(path)?)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let value: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| value[name].as_str().unwrap_or("").to_owned();
        let (from, subject, body) = (text("from"), text("subject"), text("text"));
        let names: Vec<&str> =
            value["attachments"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mail = Mail {
            from: &from,
            subject: &subject,
            text: &body,
            attachment_names: &names,
            facts: facts(&value["facts"]),
        };
        match mode.as_str() {
            "features" => write_features(&model, &mail, &mut out)?,
            "time" => write_time(&model, &mail, &mut out)?,
            _ => write_answers(&model, &mail, &mut out)?,
        }
    }
    Ok(out.flush()?)
}

fn facts(value: &Value) -> Facts {
    let check = |name: &str| match value[name].as_str() {
        Some("pass") => Authentication::Pass,
        Some("fail") => Authentication::Fail,
        _ => Authentication::None,
    };
    let is = |name: &str| value[name].as_bool().unwrap_or(false);
    Facts {
        spf: check("spf"),
        dkim: check("dkim"),
        dmarc: check("dmarc"),
        automatic_header: is("automatic_header"),
        list_header: is("list_header"),
        link_mismatch: is("link_mismatch"),
        lookalike_domain: is("lookalike_domain"),
    }
}

/// Bytes of the text, and the fastest, the median and the 99th percentile of 300 answers in milliseconds.
fn write_time(model: &Model, mail: &Mail<'_>, out: &mut impl Write) -> std::io::Result<()> {
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..300 {
        let start = Instant::now();
        std::hint::black_box(model.answer(mail));
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    writeln!(out, "{} {:.3} {:.3} {:.3}", mail.text.len(), times[0], times[150], times[297])
}

fn write_answers(model: &Model, mail: &Mail<'_>, out: &mut impl Write) -> std::io::Result<()> {
    let answers = model.answer(mail);
    let value = json!({
        "category": answers.category, "injection": answers.injection, "at": answers.injection_at,
        "phishing": answers.phishing, "needs_human": answers.needs_human, "urgency": answers.urgency,
        "auto_reply": answers.auto_reply,
    });
    writeln!(out, "{value}")
}

/// Numbers of four bytes: the mail's values, the number of segments, then for each its place, counts, values and grams.
fn write_features(model: &Model, mail: &Mail<'_>, out: &mut impl Write) -> std::io::Result<()> {
    let features = training_features(model, mail);
    for value in &features.values {
        out.write_all(&value.to_le_bytes())?;
    }
    out.write_all(&(features.segments.len() as u32).to_le_bytes())?;
    for segment in &features.segments {
        let head = [segment.place.0 as u32, segment.place.1 as u32, segment.tokens, segment.grams.len() as u32];
        for number in head {
            out.write_all(&number.to_le_bytes())?;
        }
        for value in &segment.values {
            out.write_all(&value.to_le_bytes())?;
        }
        for gram in &segment.grams {
            out.write_all(&gram.to_le_bytes())?;
        }
    }
    Ok(())
}
