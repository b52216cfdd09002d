//! The paths in a source file, from `use a::{b, c::d}` as well as `a::b()`, as text with `::` between segments.

use super::source::{SourceFile, SourceToken, TokenKind};

/// One path as written, with the braces of a `use` expanded.
pub(super) struct NamedPath {
    /// The segments joined by `::`.
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) in_test: bool,
}

impl NamedPath {
    /// Returns whether the path equals `prefix` or continues it.
    pub(super) fn begins(&self, prefix: &str) -> bool {
        self.path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }

    /// Returns whether the path equals `suffix` or ends with it.
    pub(super) fn ends(&self, suffix: &str) -> bool {
        self.path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
    }
}

/// Returns every path of two or more segments in the file, and every imported name.
pub(super) fn named_paths(source: &SourceFile) -> Vec<NamedPath> {
    let tokens = &source.tokens;
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let begins = tokens[at].kind == TokenKind::Word && tokens.get(at + 1).is_some_and(|next| next.is("::"));
        at = if begins { expand(tokens, at, "", &mut out) } else { at + 1 };
    }
    out
}

/// Reads one path, or one item of a braced list, from `at`. Returns the index after it.
fn expand(tokens: &[SourceToken], at: usize, prefix: &str, out: &mut Vec<NamedPath>) -> usize {
    let mut path = prefix.to_owned();
    let mut next = at;
    while let Some(token) = tokens.get(next) {
        if token.is("{") {
            return expand_list(tokens, next, &path, out);
        }
        if token.kind != TokenKind::Word && !token.is("*") {
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
    out.push(NamedPath { path, line: tokens[at].line, in_test: tokens[at].in_test });
    next.max(at + 1)
}

fn expand_list(tokens: &[SourceToken], open: usize, prefix: &str, out: &mut Vec<NamedPath>) -> usize {
    let mut at = open + 1;
    while let Some(token) = tokens.get(at) {
        if token.is("}") {
            return at + 1;
        }
        if token.is("as") {
            at += 2;
        } else if token.kind == TokenKind::Word || token.is("*") {
            at = expand(tokens, at, prefix, out);
        } else {
            at += 1;
        }
    }
    at
}

#[test]
fn braces_are_expanded_and_calls_are_paths() {
    let text =
        "use std::{env, time::{Instant as Now, SystemTime}, fs::*}; fn f() { crate::a::b(c::d::<e::f>::g(), h); }";
    let source = SourceFile::read("x.rs", text).unwrap();
    let paths: Vec<_> = named_paths(&source).into_iter().map(|named| named.path).collect();
    let expected =
        ["std::env", "std::time::Instant", "std::time::SystemTime", "std::fs::*", "crate::a::b", "c::d", "e::f"];
    assert_eq!(paths, expected);
}

#[test]
fn prefixes_and_suffixes_end_at_segments() {
    let source = SourceFile::read("x.rs", "fn f() { std::time::Instant::now(); }").unwrap();
    let path = &named_paths(&source)[0];
    assert!(path.begins("std") && path.begins("std::time") && !path.begins("std::ti"));
    assert!(path.ends("Instant::now") && !path.ends("nstant::now"));
}
