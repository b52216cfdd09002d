//! The paths a source file names: `use a::{b, c::d}` and `a::b()` alike, as lists of segments.

use super::source::{Kind, Source, Token};

/// One path as written, with the braces of a `use` spread out.
pub(super) struct Named {
    /// The segments joined by `::`.
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) in_test: bool,
}

impl Named {
    /// Whether the path is `prefix` or goes on from it.
    pub(super) fn begins(&self, prefix: &str) -> bool {
        self.path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }

    /// Whether the path is `suffix` or ends in it.
    pub(super) fn ends(&self, suffix: &str) -> bool {
        self.path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
    }
}

/// Every path of two or more segments in the file, and every name a `use` brings in.
pub(super) fn named(source: &Source) -> Vec<Named> {
    let tokens = &source.tokens;
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let begins = tokens[at].kind == Kind::Word && tokens.get(at + 1).is_some_and(|next| next.is("::"));
        at = if begins { spread(tokens, at, "", &mut out) } else { at + 1 };
    }
    out
}

/// Reads one path (or one arm of a braced list) from `at`; answers where it ended.
fn spread(tokens: &[Token], at: usize, prefix: &str, out: &mut Vec<Named>) -> usize {
    let mut path = prefix.to_owned();
    let mut next = at;
    while let Some(token) = tokens.get(next) {
        if token.is("{") {
            return spread_list(tokens, next, &path, out);
        }
        if token.kind != Kind::Word && !token.is("*") {
            break;
        }
        if !path.is_empty() {
            path.push_str("::");
        }
        path.push_str(&token.text);
        next += 1;
        if !tokens.get(next).is_some_and(|mark| mark.is("::")) {
            break;
        }
        next += 1;
    }
    out.push(Named { path, line: tokens[at].line, in_test: tokens[at].in_test });
    next.max(at + 1)
}

fn spread_list(tokens: &[Token], open: usize, prefix: &str, out: &mut Vec<Named>) -> usize {
    let mut at = open + 1;
    while let Some(token) = tokens.get(at) {
        if token.is("}") {
            return at + 1;
        }
        if token.is("as") {
            at += 2;
        } else if token.kind == Kind::Word || token.is("*") {
            at = spread(tokens, at, prefix, out);
        } else {
            at += 1;
        }
    }
    at
}

#[test]
fn braces_are_spread_and_calls_are_paths() {
    let text =
        "use std::{env, time::{Instant as Now, SystemTime}, fs::*}; fn f() { crate::a::b(c::d::<e::f>::g(), h); }";
    let source = Source::read("x.rs", text).unwrap();
    let paths: Vec<_> = named(&source).into_iter().map(|named| named.path).collect();
    let expected =
        ["std::env", "std::time::Instant", "std::time::SystemTime", "std::fs::*", "crate::a::b", "c::d", "e::f"];
    assert_eq!(paths, expected);
}

#[test]
fn prefixes_and_suffixes_end_at_segments() {
    let source = Source::read("x.rs", "fn f() { std::time::Instant::now(); }").unwrap();
    let path = &named(&source)[0];
    assert!(path.begins("std") && path.begins("std::time") && !path.begins("std::ti"));
    assert!(path.ends("Instant::now") && !path.ends("nstant::now"));
}
