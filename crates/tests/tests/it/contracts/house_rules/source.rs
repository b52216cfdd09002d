//! One source file as the rules see it: its lines, and its tokens without comments and with test code marked.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use std::str::FromStr;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Mark,
    Literal,
    Open,
    Close,
}

/// One token. A `Word` is an identifier or keyword; `::` is one `Mark`, all others are single characters.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Line, from 1.
    pub(super) line: usize,
    /// Inside a `#[cfg(test)]` or `#[test]` item, or in a file of tests.
    pub(super) in_test: bool,
}

impl Token {
    /// Whether the token is this word or mark.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Literal && self.text == text
    }
}

/// A source file.
pub(super) struct Source {
    /// Path from the root of the repository, with `/`.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
}

impl Source {
    /// Reads a file's tokens; fails on text that is no Rust.
    pub(super) fn read(path: &str, text: &str) -> Result<Self, String> {
        let stream = TokenStream::from_str(text).map_err(|error| error.to_string())?;
        let mut tokens = Vec::new();
        flatten(stream, is_test_file(path) || is_test_stream(text), &mut tokens);
        Ok(Self { path: path.to_owned(), text: text.to_owned(), tokens })
    }

    /// Whether the file lies at `home` or below it: `store/src/db` is `store/src/db.rs` and `store/src/db/…`.
    pub(super) fn is_in(&self, home: &str) -> bool {
        let Some(rest) = self.path.strip_prefix(home) else { return false };
        rest == ".rs" || rest.starts_with('/') || (home.ends_with(".rs") && rest.is_empty())
    }

    /// Whether the file lies in one of these homes.
    pub(super) fn is_in_any(&self, homes: &[&str]) -> bool {
        homes.iter().any(|home| self.is_in(home))
    }

    /// The file's name without folder and extension.
    pub(super) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.strip_suffix(".rs").unwrap_or(name)
    }
}

/// Files that hold nothing but tests, by their place.
fn is_test_file(path: &str) -> bool {
    let stem = path.trim_end_matches(".rs");
    stem.split('/').any(|part| part == "tests" || part == "benches") || stem.ends_with("_tests")
}

fn is_test_stream(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("#![cfg(test)]"))
}

fn flatten(stream: TokenStream, in_test: bool, out: &mut Vec<Token>) {
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
            TokenTree::Ident(word) => out.push(token(Kind::Word, word.to_string(), word.span(), in_test)),
            TokenTree::Literal(literal) => out.push(token(Kind::Literal, literal.to_string(), literal.span(), in_test)),
            TokenTree::Punct(mark) => {
                in_test_item = in_test_item && mark.as_char() != ';';
                if colon && mark.as_char() == ':' {
                    out.last_mut().unwrap().text = "::".to_owned();
                    colon = false;
                    continue;
                }
                out.push(token(Kind::Mark, mark.as_char().to_string(), mark.span(), in_test));
                colon = mark.as_char() == ':' && mark.spacing() == Spacing::Joint;
            }
        }
    }
}

fn flatten_group(group: &Group, in_test: bool, out: &mut Vec<Token>) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    };
    out.push(token(Kind::Open, open.to_owned(), group.span_open(), in_test));
    flatten(group.stream(), in_test, out);
    out.push(token(Kind::Close, close.to_owned(), group.span_close(), in_test));
}

fn token(kind: Kind, text: String, span: proc_macro2::Span, in_test: bool) -> Token {
    Token { kind, text, line: span.start().line, in_test }
}

/// Whether an attribute that makes the next item a test begins here: `#[test]`, `#[x::test]`, `#[cfg(test)]`.
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
    let source = Source::read("crates/mail/src/x.rs", text).unwrap();
    let marked = |name: &str| source.tokens.iter().find(|token| token.is(name)).unwrap().in_test;
    assert_eq!(["a", "b", "c", "d", "e", "f"].map(marked), [false, true, true, false, true, false]);
    let source = Source::read("crates/mail/src/x/tests.rs", "fn a() {}").unwrap();
    assert!(source.tokens[0].in_test);
}
