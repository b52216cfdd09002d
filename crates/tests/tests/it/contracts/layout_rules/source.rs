//! One source file: its lines, and its tokens without comments and with test code marked.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use std::str::FromStr;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Mark,
    Literal,
    Open,
    Close,
}

/// One token. A `Word` is an identifier or keyword. `::` is one `Mark`; all other marks are single characters.
#[derive(Clone, Debug)]
pub(super) struct SourceToken {
    pub(super) kind: TokenKind,
    pub(super) text: String,
    /// The line, counted from 1.
    pub(super) line: usize,
    /// Whether it is inside a `#[cfg(test)]` or `#[test]` item, or in a test file.
    pub(super) in_test: bool,
}

impl SourceToken {
    /// Returns whether the token is this word or mark.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != TokenKind::Literal && self.text == text
    }
}

/// A source file.
pub(super) struct SourceFile {
    /// The path from the root of the repository, with `/`.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) tokens: Vec<SourceToken>,
}

impl SourceFile {
    /// Tokenizes a file. Fails if the text isn't valid Rust.
    pub(super) fn read(path: &str, text: &str) -> Result<Self, String> {
        let stream = TokenStream::from_str(text).map_err(|error| error.to_string())?;
        let mut tokens = Vec::new();
        flatten(stream, is_test_file(path) || is_test_stream(text), &mut tokens);
        Ok(Self { path: path.to_owned(), text: text.to_owned(), tokens })
    }

    /// Returns whether the file is `home` or below it: `store/src/db` covers `store/src/db.rs` and `store/src/db/…`.
    pub(super) fn is_in(&self, home: &str) -> bool {
        let Some(rest) = self.path.strip_prefix(home) else { return false };
        rest == ".rs" || rest.starts_with('/') || (home.ends_with(".rs") && rest.is_empty())
    }

    /// Returns whether the file is one of these locations or below one.
    pub(super) fn is_in_any(&self, homes: &[&str]) -> bool {
        homes.iter().any(|home| self.is_in(home))
    }

    /// Returns the file name without folder and extension.
    pub(super) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.strip_suffix(".rs").unwrap_or(name)
    }
}

/// Returns whether the path is that of a test file.
fn is_test_file(path: &str) -> bool {
    let stem = path.trim_end_matches(".rs");
    stem.split('/').any(|part| part == "tests" || part == "benches") || stem.ends_with("_tests")
}

fn is_test_stream(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("#![cfg(test)]"))
}

fn flatten(stream: TokenStream, in_test: bool, out: &mut Vec<SourceToken>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut in_test_item = false;
    let mut colon = false;
    for (at, tree) in trees.iter().enumerate() {
        in_test_item = in_test_item || starts_test(&trees[at..]);
        let in_test = in_test || in_test_item;
        match tree {
            TokenTree::Group(group) => {
                flatten_group(group, in_test, out);
                in_test_item = in_test_item && group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Ident(word) => out.push(token(TokenKind::Word, word.to_string(), word.span(), in_test)),
            TokenTree::Literal(literal) => {
                out.push(token(TokenKind::Literal, literal.to_string(), literal.span(), in_test))
            }
            TokenTree::Punct(mark) => {
                in_test_item = in_test_item && mark.as_char() != ';';
                if colon && mark.as_char() == ':' {
                    out.last_mut().unwrap().text = "::".to_owned();
                    colon = false;
                    continue;
                }
                out.push(token(TokenKind::Mark, mark.as_char().to_string(), mark.span(), in_test));
                colon = mark.as_char() == ':' && mark.spacing() == Spacing::Joint;
            }
        }
    }
}

fn flatten_group(group: &Group, in_test: bool, out: &mut Vec<SourceToken>) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    };
    out.push(token(TokenKind::Open, open.to_owned(), group.span_open(), in_test));
    flatten(group.stream(), in_test, out);
    out.push(token(TokenKind::Close, close.to_owned(), group.span_close(), in_test));
}

fn token(kind: TokenKind, text: String, span: proc_macro2::Span, in_test: bool) -> SourceToken {
    SourceToken { kind, text, line: span.start().line, in_test }
}

/// Returns whether an attribute begins here that makes the next item a test: `#[test]`, `#[x::test]`, `#[cfg(test)]`.
fn starts_test(trees: &[TokenTree]) -> bool {
    let [TokenTree::Punct(mark), TokenTree::Group(group), ..] = trees else { return false };
    if mark.as_char() != '#' || group.delimiter() != Delimiter::Bracket {
        return false;
    }
    let text = group.stream().to_string().replace(' ', "");
    let name = text.split('(').next().unwrap_or_default();
    name == "test" || name.ends_with("::test") || text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

#[test]
fn test_code_is_marked_and_production_code_is_not() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { c(); } }\nfn d() {}\n#[tokio::test]\nasync fn e() {}\n#[cfg(not(test))]\nfn f() {}";
    let source = SourceFile::read("crates/mail/src/x.rs", text).unwrap();
    let marked = |name: &str| source.tokens.iter().find(|token| token.is(name)).unwrap().in_test;
    assert_eq!(["a", "b", "c", "d", "e", "f"].map(marked), [false, true, true, false, true, false]);
    let source = SourceFile::read("crates/mail/src/x/tests.rs", "fn a() {}").unwrap();
    assert!(source.tokens[0].in_test);
}
