//! Names: forbidden names of types and files, and how a file begins.

use super::source::{SourceFile, TokenKind};
use super::{Rule, Violation};

/// Words that don't describe what something is.
const EMPTY_WORDS: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Service"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "file header",
        advice: "Begin the file with `//!`: what it is, what it must never do, and the RFC section.",
        check: header,
        fails: &[
            ("crates/mail/src/x.rs", "use std::fmt;\n//! late\n"),
            ("crates/mail/src/x.rs", "//!\nuse std::fmt;\n"),
            ("crates/mail/src/x.rs", "// a plain comment\n"),
        ],
        passes: &[("crates/mail/src/x.rs", "//! Addresses (RFC 5321).\nuse std::fmt;\n")],
    },
    Rule {
        name: "empty names",
        advice: "Name the thing after what it is or does: no Manager, Helper, Util, Service. The one `Service` is the handle.",
        check: empty_names,
        fails: &[
            ("crates/mail/src/x.rs", "pub struct QueueManager;"),
            ("crates/mail/src/x.rs", "trait SendService {}"),
            ("crates/mail/src/utils.rs", ""),
        ],
        passes: &[
            ("crates/mail/src/x.rs", "pub struct ServiceNotice; impl tower::Service<A> for B {}"),
            ("crates/server/src/http/notice.rs", "const A: &str = \"Service-Notice\";"),
            ("crates/app/src/service.rs", "pub struct Service;"),
        ],
    },
];

fn header(source: &SourceFile) -> Vec<Violation> {
    let first = source.text.lines().next().unwrap_or_default();
    let words = first.strip_prefix("//!").unwrap_or_default().trim();
    if words.is_empty() { vec![Violation::new(1, "does not begin with `//!`")] } else { Vec::new() }
}

fn empty_names(source: &SourceFile) -> Vec<Violation> {
    if source.path == "crates/app/src/service.rs" {
        return Vec::new();
    }
    let mut violations = Vec::new();
    let defines = ["struct", "enum", "trait", "type", "union"];
    for pair in source.tokens.windows(2) {
        let is_definition = defines.iter().any(|word| pair[0].is(word)) && pair[1].kind == TokenKind::Word;
        if is_definition && EMPTY_WORDS.iter().any(|word| pair[1].text.ends_with(word)) {
            violations.push(Violation::new(pair[1].line, format!("a type called `{}`", pair[1].text)));
        }
    }
    if EMPTY_WORDS.iter().any(|word| source.stem().eq_ignore_ascii_case(word)) {
        violations.push(Violation::new(1, format!("a file called `{}`", source.stem())));
    }
    violations
}
