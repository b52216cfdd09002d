//! Names: what a type or a file must not be called, and how a file begins.

use super::source::{Kind, Source};
use super::{Hit, Rule};

/// Words that say nothing about what a thing is.
const EMPTY_WORDS: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Service"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "file header",
        advice: "Open the file with `//!`: what it is, what it must never do, and the RFC or API section.",
        check: header,
        found_in: &[
            ("crates/mail/src/x.rs", "use std::fmt;\n//! late\n"),
            ("crates/mail/src/x.rs", "//!\nuse std::fmt;\n"),
            ("crates/mail/src/x.rs", "// a plain comment\n"),
        ],
        absent_in: &[("crates/mail/src/x.rs", "//! Addresses (RFC 5321).\nuse std::fmt;\n")],
    },
    Rule {
        name: "empty names",
        advice: "Name the thing after what it is or does: no Manager, Helper, Util, Service.",
        check: empty_names,
        found_in: &[
            ("crates/mail/src/x.rs", "pub struct QueueManager;"),
            ("crates/mail/src/x.rs", "trait SendService {}"),
            ("crates/mail/src/utils.rs", ""),
        ],
        absent_in: &[
            ("crates/mail/src/x.rs", "pub struct ServiceNotice; impl tower::Service<A> for B {}"),
            ("crates/server/src/http/notice.rs", "const A: &str = \"Service-Notice\";"),
        ],
    },
];

fn header(source: &Source) -> Vec<Hit> {
    let first = source.text.lines().next().unwrap_or_default();
    let words = first.strip_prefix("//!").unwrap_or_default().trim();
    if words.is_empty() { vec![Hit::new(1, "does not open with `//!`")] } else { Vec::new() }
}

fn empty_names(source: &Source) -> Vec<Hit> {
    let mut hits = Vec::new();
    let defines = ["struct", "enum", "trait", "type", "union"];
    for pair in source.tokens.windows(2) {
        let is_definition = defines.iter().any(|word| pair[0].is(word)) && pair[1].kind == Kind::Word;
        if is_definition && EMPTY_WORDS.iter().any(|word| pair[1].text.ends_with(word)) {
            hits.push(Hit::new(pair[1].line, format!("a type called `{}`", pair[1].text)));
        }
    }
    if EMPTY_WORDS.iter().any(|word| source.stem().eq_ignore_ascii_case(word)) {
        hits.push(Hit::new(1, format!("a file called `{}`", source.stem())));
    }
    hits
}
