//! Measures how many tokens digests of threads save: reads a folder of raw mail (`.txt` or `.eml`), groups it by subject, and compares
//! the whole texts of each long thread with its digest. Checks that the parts have every character of every text once.
//!
//! ```console
//! $ cargo run --release -p posthouse-app --example thread_digest -- FOLDER
//! ```

use std::{collections::BTreeMap, error::Error};

use posthouse_domain::MessageId;
use posthouse_domain::digest::{DigestKind, DigestPart, DigestSource, DigestWriter, QuoteIndex, UnitEnd};
use posthouse_mail::{extract, parse, thread};
use uuid::Uuid;

/// Messages of a long thread.
const MESSAGES_MIN: usize = 5;
/// Budget of each part in tokens.
const BUDGET: usize = 2_000;

struct Mail {
    date: i64,
    from: String,
    text: String,
    new_text: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let mut threads: BTreeMap<String, Vec<Mail>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.extension().is_some_and(|ending| ending == "txt" || ending == "eml") {
            continue;
        }
        let raw = std::fs::read(&path)?;
        let parsed = parse::parse(&raw);
        let subject = thread::normalised_subject(parsed.subject.as_deref().unwrap_or_default());
        let new_text = extract::new_text(parsed.text.as_deref(), parsed.html.as_deref()).map(|new| new.text);
        let from = parsed.author.map(|author| author.to_string()).unwrap_or_default();
        let mail =
            Mail { date: parsed.date_ms.unwrap_or_default(), from, text: parsed.text.unwrap_or_default(), new_text };
        threads.entry(subject).or_default().push(mail);
    }
    let (mut count, mut mails, mut whole, mut digested, mut parts) = (0, 0, 0, 0, 0);
    for (subject, mut thread) in threads {
        thread.sort_by_key(|mail| mail.date);
        if subject.is_empty() || thread.len() < MESSAGES_MIN {
            continue;
        }
        let (tokens, calls) = digest(&thread);
        let full: usize = thread.iter().map(|mail| mail.text.len().div_ceil(4)).sum();
        (count, mails, whole, digested, parts) =
            (count + 1, mails + thread.len(), whole + full, digested + tokens, parts + calls);
    }
    let saved = 100.0 * (1.0 - digested as f64 / whole as f64);
    println!(
        "{count} threads, {mails} messages: {whole} tokens of text, {digested} in {parts} parts: {saved:.1} % fewer"
    );
    Ok(())
}

/// Reads a thread to its end; returns the tokens and the number of parts.
fn digest(mails: &[Mail]) -> (usize, usize) {
    let (mut tokens, mut calls) = (0, 1);
    let mut writer = DigestWriter::new(BUDGET);
    let mut given = vec![0; mails.len()];
    for kind in [DigestKind::Text, DigestKind::Quote] {
        let mut known = QuoteIndex::default();
        for (at, mail) in mails.iter().enumerate() {
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            let source = DigestSource { text: &mail.text, new_text: mail.new_text.as_deref() };
            let lines = source.lines(kind, &known);
            let message = MessageId(Uuid::from_u128(at as u128));
            let part = DigestPart { message, attachment: None, kind, from: 0, to: 0 };
            given[at] += lines.iter().map(|line| (line.to - line.from) as usize).sum::<usize>();
            let heading = match kind {
                DigestKind::Text => format!("#{number} {} 2002-08-22T12:36", mail.from),
                _ => format!("#{number} quoted"),
            };
            let mut offset = 0;
            while kind == DigestKind::Text || !lines.is_empty() {
                match writer.write(&heading, &part, &lines, offset) {
                    UnitEnd::Complete => break,
                    UnitEnd::At(next) => {
                        let full = std::mem::replace(&mut writer, DigestWriter::new(BUDGET)).finish();
                        (tokens, calls, offset) = (tokens + full.tokens(), calls + 1, next);
                    }
                }
            }
            known.add(number, &mail.text);
        }
    }
    for (mail, given) in mails.iter().zip(given) {
        assert_eq!(given, mail.text.chars().count(), "every character is in exactly one part");
    }
    (tokens + writer.finish().tokens(), calls)
}
