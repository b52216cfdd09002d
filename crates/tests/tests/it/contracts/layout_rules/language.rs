//! The language of sources and documents: words and phrases that docs/GLOSSARY.md replaces, and references to documents
//! outside this repository.

use std::path::Path;

use super::repository;

/// Phrases that must not be used, in lower case, and what to write instead. A phrase matches whole words.
const PHRASES: &[(&str, &str)] = &[
    ("mended", "fixed"),
    ("anew", "again"),
    ("thereof", "of it"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("be it", "whether"),
    ("errand", "delivery"),
    ("errands", "deliveries"),
    ("name server", "nameserver"),
    ("handed out", "claimed, or returned"),
    ("handed back", "released"),
    ("given back", "released, or returned to the queue"),
    ("as it were", "leave it out"),
    ("lets it go", "closes or releases it"),
    ("whoever asks", "the caller"),
    ("who asks", "the caller"),
    ("who waits", "the waiter"),
    ("who passes", "if you pass"),
    ("what is told", "what is reported"),
    ("what became of", "the result of"),
    ("what becomes of", "the result of"),
    ("its turn", "it may run"),
    ("whoever", "every caller, or anyone who"),
    ("somebody else", "another worker, process or user"),
    ("nobody has", "no caller or worker has"),
    ("believed about", "accepted for"),
    ("contract \u{a7}", "cite the RFC or a page under docs/"),
    ("api document", "cite the OpenAPI description or a page under docs/"),
    ("operations\u{2e}md", "cite docs/OPERATING.md or docs/reference/configuration.md"),
];
/// Names in camel case that occur in hyphenated words.
const CAMEL_CASE: &[&str] = &["WebSocket", "RateLimit", "AutoReply", "DomainKey", "HmXmrOriginalRecipient"];
/// Files that quote phrases on purpose.
const QUOTES: &[&str] = &["crates/tests/tests/it/contracts/layout_rules/language.rs"];

/// Returns the phrases of a line, with what to write instead.
fn violations(line: &str) -> Vec<&'static (&'static str, &'static str)> {
    let line = line.to_lowercase();
    let is_word = |next: Option<char>| next.is_some_and(char::is_alphanumeric);
    let has = |phrase: &str| {
        line.match_indices(phrase).any(|(at, _)| {
            !is_word(line[..at].chars().next_back()) && !is_word(line[at + phrase.len()..].chars().next())
        })
    };
    PHRASES.iter().filter(|(phrase, _)| has(phrase)).collect()
}

/// Returns the hyphenated words of a line with a part in camel case (`In-ApiResponse-To`): a rename of an identifier
/// that changed a header field or an ordinary word.
fn renamed_by_accident(line: &str) -> Vec<&str> {
    let is_camel_case = |part: &str| {
        let humps = part.char_indices().filter(|(at, letter)| {
            letter.is_ascii_uppercase() && part[at + 1..].starts_with(|next: char| next.is_ascii_lowercase())
        });
        part.chars().all(|letter| letter.is_ascii_alphabetic()) && humps.count() > 1 && !CAMEL_CASE.contains(&part)
    };
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
        .filter(|word| {
            let parts: Vec<&str> = word.split('-').collect();
            parts.len() > 1 && parts.iter().all(|part| !part.is_empty()) && parts.iter().any(|part| is_camel_case(part))
        })
        .collect()
}

fn check(folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_text = [".rs", ".md", ".py", ".sh", ".sql", ".toml"].iter().any(|ending| name.ends_with(ending));
        if path.is_dir() && !["target", "corpus", "artifacts", "seeds"].contains(&name.as_str()) {
            check(&path, found);
        } else if path.is_file() && is_text {
            let shown = path.strip_prefix(repository()).unwrap().to_string_lossy().into_owned();
            if QUOTES.contains(&shown.as_str()) {
                continue;
            }
            for (at, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
                for (phrase, instead) in violations(line) {
                    found.push(format!("{shown}:{}: \"{phrase}\": {instead}", at + 1));
                }
                for word in renamed_by_accident(line) {
                    found.push(format!("{shown}:{}: \"{word}\": a rename changed this word", at + 1));
                }
            }
        }
    }
}

#[test]
fn sources_and_documents_use_the_projects_words() {
    let mut found = Vec::new();
    for folder in ["crates", "docs", "fuzz", "scripts", "bench"] {
        check(&repository().join(folder), &mut found);
    }
    assert!(found.is_empty(), "{} phrases to replace (docs/GLOSSARY.md):\n{}", found.len(), found.join("\n"));
}

#[test]
fn hyphenated_words_hold_no_identifiers() {
    for broken in
        ["Content-Transfer-TransferEncoding: 7bit", "`In-ApiResponse-To`", "the LocalPart-part", "PartHeader-ID"]
    {
        assert_eq!(renamed_by_accident(broken).len(), 1, "{broken}");
    }
    for fine in
        ["Sec-WebSocket-Key", "RateLimit-Policy", "X-Request-Id", "DKIM-Signature", "DomainState", "SMTP-TLS", "-- A-"]
    {
        assert!(renamed_by_accident(fine).is_empty(), "{fine}");
    }
}

#[test]
fn phrases_match_whole_words_only() {
    assert!(!violations("Renew the lease; a canewood.").iter().any(|(phrase, _)| *phrase == "anew"));
    assert_eq!(violations("It is counted Anew.").len(), 1);
    assert!(PHRASES.iter().all(|(phrase, instead)| phrase.to_lowercase() == *phrase && !instead.is_empty()));
}
