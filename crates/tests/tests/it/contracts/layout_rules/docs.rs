//! Documentation: public items say what they are for. Fields may leave it to their name and type.

use super::source::{SourceFile, SourceToken, TokenKind};
use super::{Rule, Violation};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "documented items",
    advice: "Say in a line above it what a public function, type or constant is for.",
    check: documented_items,
    fails: &[
        ("crates/domain/src/x.rs", "pub fn a() {}"),
        ("crates/domain/src/x.rs", "#[must_use]\npub const fn a() -> u8 { 1 }"),
        ("crates/domain/src/x.rs", "#[derive(Debug)]\npub struct A;"),
        ("crates/domain/src/x.rs", "impl A { pub async fn a(&self) {} }"),
        ("crates/domain/src/x.rs", "pub enum A {}"),
        ("crates/domain/src/x.rs", "pub type A = u8;"),
        ("crates/domain/src/x.rs", "pub const A: u8 = 1;"),
        ("crates/domain/src/x.rs", "pub static A: u8 = 1;"),
        ("crates/domain/src/x.rs", "/// T.\npub trait T { fn a(&self); }"),
        ("crates/domain/src/x.rs", "/// T.\npub trait T { /// A.\nfn a(&self); const B: u8; }"),
        ("crates/domain/src/x.rs", "pub unsafe trait T {}"),
        ("crates/domain/src/x.rs", "#[macro_export]\nmacro_rules! a { () => {}; }"),
    ],
    passes: &[
        ("crates/domain/src/x.rs", "/// A.\n#[must_use]\npub const fn a() -> u8 { 1 }"),
        ("crates/domain/src/x.rs", "/// A.\npub struct A { pub a: u8, pub b: fn() }"),
        ("crates/domain/src/x.rs", "/// T.\npub trait T { /// A.\nfn a(&self) { fn b() {} } }"),
        ("crates/domain/src/x.rs", "/// A.\npub enum A { B }\npub(crate) fn a() {}\npub mod b;\npub use c::d;"),
        ("crates/domain/src/x.rs", "macro_rules! a { ($(#[$a:meta])*) => { $(#[$a])* pub struct A; }; }"),
        ("crates/domain/src/x.rs", "#[cfg(test)]\nmod tests { pub fn a() {} }"),
        ("crates/tests/src/x.rs", "pub fn a() {}"),
    ],
}];

/// The words between `pub` or a documentation and the keyword of an item.
const MODIFIERS: [&str; 4] = ["pub", "async", "unsafe", "extern"];
/// The keywords of items that are documented.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

fn documented_items(source: &SourceFile) -> Vec<Violation> {
    let is_product = source.path.starts_with("crates/") && source.path.contains("/src/");
    if !is_product || source.path.starts_with("crates/tests/") {
        return Vec::new();
    }
    let tokens = &source.tokens;
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is("macro_rules") {
            let is_exported = attributes(tokens, at).iter().any(|attribute| attribute.is("macro_export"));
            if is_exported && !is_documented(tokens, at) && !tokens[at].in_test {
                found.push(violation(&tokens[at], &tokens[(at + 2).min(tokens.len() - 1)]));
            }
            // What a macro makes is documented where it is called.
            at = block(tokens, at).map_or(tokens.len(), |(_, close)| close + 1);
            continue;
        }
        if let Some((keyword, name)) = public_item(tokens, at).filter(|_| !tokens[at].in_test) {
            if !is_documented(tokens, at) {
                found.push(violation(&tokens[at], name));
            }
            if keyword.is("trait") {
                found.extend(members(tokens, at));
            }
        }
        at += 1;
    }
    found
}

fn violation(at: &SourceToken, name: &SourceToken) -> Violation {
    Violation::new(at.line, format!("{} has no documentation", name.text))
}

/// Returns the keyword and the name of the public item that begins here.
fn public_item(tokens: &[SourceToken], at: usize) -> Option<(&SourceToken, &SourceToken)> {
    if !tokens[at].is("pub") || tokens.get(at + 1)?.is("(") {
        return None;
    }
    let rest = &tokens[at + 1..];
    let is_modifier = |token: &SourceToken| {
        MODIFIERS.iter().any(|word| token.is(word)) || token.is("const") || token.kind == TokenKind::Literal
    };
    let words = rest.iter().take_while(|token| is_modifier(token)).count();
    let [keyword, name] = rest.get(words..words + 2)? else { return None };
    if ITEMS.iter().any(|word| keyword.is(word)) && name.kind == TokenKind::Word {
        return Some((keyword, name));
    }
    // `pub const A`: the modifier was the keyword.
    let last = words.checked_sub(1).map(|last| &rest[last]).filter(|last| last.is("const"))?;
    (keyword.kind == TokenKind::Word).then_some((last, keyword))
}

/// Finds the members of a trait without documentation.
fn members(tokens: &[SourceToken], at: usize) -> Vec<Violation> {
    let Some((open, close)) = block(tokens, at) else { return Vec::new() };
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    let mut begin = open + 1;
    for index in open + 1..close {
        let token = &tokens[index];
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            _ => {}
        }
        if depth == 0 && ["fn", "type", "const"].iter().any(|word| token.is(word)) && index >= begin {
            let first = (begin..index).rev().take_while(|before| tokens[*before].kind == TokenKind::Word).last();
            let is_named = tokens[index + 1].kind == TokenKind::Word && !tokens[index + 1].is("fn");
            if is_named && !is_documented(tokens, first.unwrap_or(index)) {
                found.push(violation(token, &tokens[index + 1]));
            }
        }
        if depth == 0 && (token.is(";") || token.is("}")) {
            begin = index + 1;
        }
    }
    found
}

/// Returns the braces after a position.
fn block(tokens: &[SourceToken], at: usize) -> Option<(usize, usize)> {
    let open = (at..tokens.len()).find(|index| tokens[*index].is("{"))?;
    Some((open, super::sizes::closing(tokens, open)?))
}

/// Returns the first words of the attributes in front of an item; a documentation is one of them.
fn attributes(tokens: &[SourceToken], at: usize) -> Vec<&SourceToken> {
    let (mut found, mut end) = (Vec::new(), at);
    while end >= 3 && tokens[end - 1].is("]") {
        let mut depth = 0_usize;
        let open = (0..end).rev().find(|index| {
            match tokens[*index].kind {
                TokenKind::Close => depth += 1,
                TokenKind::Open => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let Some(open) = open.filter(|open| *open > 0 && tokens[open - 1].is("#")) else { break };
        found.push(&tokens[open + 1]);
        end = open - 1;
    }
    found
}

fn is_documented(tokens: &[SourceToken], at: usize) -> bool {
    attributes(tokens, at).iter().any(|attribute| attribute.is("doc"))
}
