//! Sizes: files, functions, handlers, and the shape of the whole tree.

use super::source::{SourceFile, SourceToken, TokenKind};
use super::{Rule, Violation, sources};

/// Maximum number of lines in a file, tests included.
const FILE_LINES_MAX: usize = 600;
/// Maximum number of lines in a function, from `fn` to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;
/// Maximum number of lines between the braces of an HTTP handler.
const HANDLER_LINES_MAX: usize = 15;

/// Functions that may be longer, as (path, name, lines). The list may only shrink.
const LONG_FUNCTIONS: &[(&str, &str, usize)] = &[];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "file length",
        advice: "A file has at most 600 lines. Split it by responsibility, into a folder of the same name.",
        check: file_length,
        fails: &[("crates/mail/src/x.rs", LONG)],
        passes: &[("crates/mail/src/x.rs", "fn a() {}\n")],
    },
    Rule {
        name: "function length",
        advice: "A function has at most 70 lines. Keep the branches in the parent and move the steps into named functions.",
        check: function_length,
        fails: &[("crates/mail/src/x.rs", LONG), ("crates/tests/src/x.rs", LONG)],
        passes: &[("crates/mail/src/x.rs", "type F = fn(u8);\ntrait T { fn a(&self); }\nfn a() {}\n")],
    },
    Rule {
        name: "handler length",
        advice: "A handler decodes, calls and encodes in at most 15 lines. Decisions belong in `app`, queries in `store`.",
        check: handler_length,
        fails: &[("crates/operations/src/v1/inboxes.rs", LONG)],
        passes: &[
            ("crates/operations/src/v1/inboxes.rs", "async fn a() {\nb()\n}"),
            ("crates/http/src/router.rs", LONG),
        ],
    },
];

/// A sample beyond every limit: one function of 700 lines.
const LONG: &str = match std::str::from_utf8(&LONG_BYTES) {
    Ok(text) => text,
    Err(_) => "",
};
const LONG_BYTES: [u8; 716] = {
    let mut bytes = [b'\n'; 716];
    let head = b"async fn a() {";
    let mut at = 0;
    while at < head.len() {
        bytes[at] = head[at];
        at += 1;
    }
    bytes[715] = b'}';
    bytes
};

/// A function with a body.
struct Function<'a> {
    name: &'a str,
    is_async: bool,
    in_test: bool,
    first_line: usize,
    open_line: usize,
    last_line: usize,
}

impl Function<'_> {
    fn lines(&self) -> usize {
        self.last_line + 1 - self.first_line
    }
}

fn functions(source: &SourceFile) -> Vec<Function<'_>> {
    let tokens = &source.tokens;
    let is_named =
        |at: &usize| tokens[*at].is("fn") && tokens.get(at + 1).is_some_and(|name| name.kind == TokenKind::Word);
    (0..tokens.len()).filter(is_named).filter_map(|at| function(tokens, at)).collect()
}

fn function(tokens: &[SourceToken], at: usize) -> Option<Function<'_>> {
    let open = body(tokens, at)?;
    let close = closing(tokens, open)?;
    Some(Function {
        name: &tokens[at + 1].text,
        is_async: at > 0 && tokens[at - 1].is("async"),
        in_test: tokens[at].in_test,
        first_line: tokens[at].line,
        open_line: tokens[open].line,
        last_line: tokens[close].line,
    })
}

/// Returns the index of the opening brace of the function at `at`, or `None` for a declaration.
fn body(tokens: &[SourceToken], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            TokenKind::Open if token.is("{") && depth == 0 => return Some(index),
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.checked_sub(1)?,
            TokenKind::Mark if token.is(";") && depth == 0 => return None,
            _ => {}
        }
    }
    None
}

pub(super) fn closing(tokens: &[SourceToken], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

fn file_length(source: &SourceFile) -> Vec<Violation> {
    let lines = source.text.lines().count();
    if lines <= FILE_LINES_MAX {
        return Vec::new();
    }
    vec![Violation::new(FILE_LINES_MAX + 1, format!("a file of {lines} lines"))]
}

fn function_length(source: &SourceFile) -> Vec<Violation> {
    let allowed = |function: &Function<'_>| {
        let is_row = |row: &&(&str, &str, usize)| row.0 == source.path && row.1 == function.name;
        LONG_FUNCTIONS.iter().find(is_row).map_or(FUNCTION_LINES_MAX, |row| row.2)
    };
    let long = functions(source).into_iter().filter(|function| function.lines() > allowed(function));
    long.map(|function| {
        Violation::new(function.first_line, format!("fn {} has {} lines", function.name, function.lines()))
    })
    .collect()
}

fn handler_length(source: &SourceFile) -> Vec<Violation> {
    if !["crates/operations/", "crates/pages/"].iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    let inner = |function: &Function<'_>| function.last_line.saturating_sub(function.open_line + 1);
    let handlers = functions(source).into_iter().filter(|function| function.is_async && !function.in_test);
    let long = handlers.filter(|function| inner(function) > HANDLER_LINES_MAX);
    long.map(|function| {
        Violation::new(function.first_line, format!("handler {} has {} lines", function.name, inner(&function)))
    })
    .collect()
}

/// Returns the value at the given percentile.
fn percentile(values: &mut [usize], percent: usize) -> usize {
    values.sort_unstable();
    values.get(values.len() * percent / 100).copied().unwrap_or(0)
}

/// Limits the size distribution of the whole tree in addition to single files and functions.
#[test]
fn the_size_distribution_of_the_tree_is_within_its_limits() {
    let sources = sources();
    let production: Vec<&SourceFile> =
        sources.iter().filter(|source| source.tokens.iter().any(|token| !token.in_test)).collect();
    let mut files: Vec<usize> = production.iter().map(|source| source.text.lines().count()).collect();
    let mut lengths = Vec::new();
    for source in &production {
        lengths.extend(functions(source).iter().filter(|function| !function.in_test).map(Function::lines));
    }
    let measured = [
        ("file median", percentile(&mut files, 50), 180),
        ("file p95", percentile(&mut files, 95), 450),
        ("function median", percentile(&mut lengths, 50), 12),
        ("function p95", percentile(&mut lengths, 95), 45),
    ];
    for (what, lines, lines_max) in measured {
        assert!(lines <= lines_max, "{what} of the production tree is {lines} lines, the limit is {lines_max}");
    }
}
