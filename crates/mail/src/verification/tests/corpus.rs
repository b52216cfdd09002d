//! Quality gate: code and link must both be correct for at least 99 % of the messages of `verification/mails.jsonl`.

use crate::{
    tests::{corpus, corpus_text},
    verification::{CONFIDENCE_MAX, VerificationInput, detect},
};

/// Minimum share of messages whose code and link are both as expected.
const SHARE_MIN: f64 = 0.99;

#[derive(serde::Deserialize)]
struct Case {
    id: String,
    subject: String,
    text: String,
    expected_code: Option<String>,
    expected_link: Option<String>,
}

#[test]
fn codes_and_links_of_the_corpus_are_detected() {
    let Some(corpus) = corpus_text("verification/mails.jsonl") else { return };
    let (mut total, mut correct) = (0_u32, 0_u32);
    for case in corpus.lines().map(|line| serde_json::from_str::<Case>(line).unwrap()) {
        let message = VerificationInput {
            subject: &case.subject,
            text: Some(&case.text),
            html: None,
            from: "noreply@portal.acme.example",
        };
        let found = detect(&message);
        assert!(found.as_ref().is_none_or(|found| found.confidence > 0.0 && found.confidence <= CONFIDENCE_MAX));
        let (code, link) = found.map_or((None, None), |found| (found.code, found.link));
        total += 1;
        if (&code, &link) == (&case.expected_code, &case.expected_link) {
            correct += 1;
        } else {
            println!(
                "{}: code {code:?} for {:?}, link {link:?} for {:?}",
                case.id, case.expected_code, case.expected_link
            );
        }
    }
    println!("verification: {correct} of {total} correct");
    assert!(total > 0 && f64::from(correct) / f64::from(total) >= SHARE_MIN);
}

/// Returns the mails of a folder and of the folders in it.
fn mails(folder: &std::path::Path, all: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            mails(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "eml") {
            all.push(path);
        }
    }
}

#[test]
fn ordinary_mail_of_the_corpora_has_neither_code_nor_link() {
    /// Maximum number of mails with one: some of these are about accounts.
    const FOUND_MAX: usize = 3;
    let (Some(reports), Some(mime), Some(replies)) = (corpus("bounces"), corpus("mime"), corpus("replies")) else {
        return;
    };
    let mut files = Vec::new();
    mails(&reports, &mut files);
    mails(&mime, &mut files);
    let (mut total, mut found) = (0, Vec::new());
    let mut check = |name: String, subject: &str, text: Option<&str>, html: Option<&str>| {
        total += 1;
        let input = VerificationInput { subject, text, html, from: "ann@a.example" };
        found.extend(detect(&input).map(|detected| format!("{name}: {detected:?}")));
    };
    for file in files {
        let raw = std::fs::read(&file).unwrap();
        let parsed = crate::parse::parse(&raw);
        let subject = parsed.subject.as_deref().unwrap_or_default();
        check(file.display().to_string(), subject, parsed.text.as_deref(), parsed.html.as_deref());
    }
    for set in ["set-a.jsonl", "set-b.jsonl"] {
        let text = std::fs::read_to_string(replies.join(set)).unwrap();
        for reply in text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()) {
            check(reply["file"].to_string(), "Re: Question", reply["input"].as_str(), None);
        }
    }
    println!("ordinary mail: {} of {total} have a code or a link\n{}", found.len(), found.join("\n"));
    assert!(total > 0 && found.len() <= FOUND_MAX);
}
