//! Words that must not stand in the code: panics without a reason, sleeps in tests, unfinished work, `unsafe`.

use super::paths::named;
use super::source::{Kind, Source, Token};
use super::{Hit, Rule};

/// Shortest text of an `expect` that can state an invariant.
const INVARIANT_BYTES_MIN: usize = 12;

/// Where threads are our own, so that a pause holds nobody up.
const OWN_THREADS: &str = "crates/store/src/db";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "no unwrap",
        advice: "Outside tests answer the error, or use `expect` with the invariant that makes it impossible.",
        check: unwrap,
        found_in: &[("crates/mail/src/x.rs", "fn f() { g().unwrap(); }")],
        absent_in: &[
            ("crates/mail/src/x.rs", "#[cfg(test)] mod tests { fn f() { g().unwrap(); } }"),
            ("crates/mail/src/x.rs", "/// `a.unwrap()`\nfn f() { g().unwrap_or(1); }"),
        ],
    },
    Rule {
        name: "expect states the invariant",
        advice: "Say why it cannot fail, as in `.expect(\"the table is sorted, its test says so\")`.",
        check: expect,
        found_in: &[
            ("crates/mail/src/x.rs", "fn f() { g().expect(\"\"); }"),
            ("crates/mail/src/x.rs", "fn f() { g().expect(\"works\"); }"),
        ],
        absent_in: &[
            ("crates/mail/src/x.rs", "fn f() { g().expect(\"a fixed pattern always compiles\"); }"),
            ("crates/mail/src/x.rs", "fn f() { parser.expect(b'x'); }"),
        ],
    },
    Rule {
        name: "no sleep",
        advice: "Wait for the thing itself: the wake, the manual clock's `advance`, or the harness's `settle`.",
        check: sleep,
        found_in: &[
            ("crates/tests/src/x.rs", "async fn f() { tokio::time::sleep(d).await; }"),
            ("crates/mail/src/x.rs", "#[cfg(test)] mod tests { fn f() { std::thread::sleep(d); } }"),
            ("crates/store/src/x.rs", "use std::thread; fn f() { thread::sleep(d); }"),
            ("crates/store/src/db/x.rs", "#[test] fn f() { std::thread::sleep(d); }"),
        ],
        absent_in: &[
            ("crates/server/src/adapters/clock.rs", "async fn f() { tokio::time::sleep(d).await; }"),
            ("crates/store/src/db/x.rs", "fn f() { std::thread::sleep(d); }"),
            ("crates/tests/src/x.rs", "fn f() { clock.sleep(d); }"),
        ],
    },
    Rule {
        name: "no ignored tests",
        advice: "A test runs or does not exist. Mend it or take it out.",
        check: ignored,
        found_in: &[
            ("crates/mail/src/x.rs", "#[test]\n#[ignore]\nfn f() {}"),
            ("crates/mail/src/x.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}"),
        ],
        absent_in: &[("crates/mail/src/x.rs", "#[test]\nfn ignore() { let ignore = [ignore]; }")],
    },
    Rule {
        name: "no unfinished work",
        advice: "Finish it, or leave it out and write it down in the issue.",
        check: unfinished,
        found_in: &[
            ("crates/mail/src/x.rs", concat!("fn f() { to", "do!() }")),
            ("crates/mail/src/x.rs", concat!("fn f() { unimple", "mented!() }")),
            ("crates/tests/src/x.rs", concat!("fn f() { db", "g!(1); }")),
            ("crates/mail/src/x.rs", concat!("// FIX", "ME: later\n")),
            ("crates/mail/src/x.rs", concat!("// TO", "DO: later\n")),
        ],
        absent_in: &[("crates/mail/src/x.rs", "fn todo() { dbg; }\nconst METHOD: &str = \"Todos\";")],
    },
    Rule {
        name: "no unsafe",
        advice: "Safe Rust only: a well-kept library has the few lines that cannot be.",
        check: |source| words(source, "unsafe", "an `unsafe`"),
        found_in: &[("fuzz/fuzz_targets/x.rs", "fn f() { unsafe { g() } }")],
        absent_in: &[("crates/mail/src/x.rs", "//! unsafe\n#![forbid(unsafe_code)]\n")],
    },
];

fn words(source: &Source, word: &str, what: &str) -> Vec<Hit> {
    let found = source.tokens.iter().filter(|token| token.is(word));
    found.map(|token| Hit::new(token.line, what)).collect()
}

/// The production calls `.name(` with the tokens from the dot on.
fn calls<'a>(source: &'a Source, name: &'a str) -> impl Iterator<Item = &'a [Token]> {
    let windows = (0..source.tokens.len()).map(|at| &source.tokens[at..]);
    windows.filter(move |tokens| match tokens {
        [dot, word, open, ..] => dot.is(".") && word.is(name) && open.is("(") && !word.in_test,
        _ => false,
    })
}

fn unwrap(source: &Source) -> Vec<Hit> {
    calls(source, "unwrap").map(|tokens| Hit::new(tokens[1].line, "calls `.unwrap()`")).collect()
}

fn expect(source: &Source) -> Vec<Hit> {
    let text = |tokens: &[Token]| {
        tokens.get(3).filter(|token| token.kind == Kind::Literal && token.text.starts_with('"')).cloned()
    };
    let reasons = calls(source, "expect").filter_map(text);
    let poor = reasons.filter(|reason| reason.text.len() < INVARIANT_BYTES_MIN + 2);
    poor.map(|reason| Hit::new(reason.line, format!("`expect({})` states no invariant", reason.text))).collect()
}

fn sleep(source: &Source) -> Vec<Hit> {
    let offends = |path: &super::paths::Named| {
        let in_test = path.in_test && (path.ends("time::sleep") || path.ends("time::sleep_until"));
        in_test || (path.ends("thread::sleep") && (path.in_test || !source.is_in(OWN_THREADS)))
    };
    let paths = named(source).into_iter().filter(offends);
    paths.map(|path| Hit::new(path.line, format!("calls `{}`", path.path))).collect()
}

fn ignored(source: &Source) -> Vec<Hit> {
    let is_ignore = |tokens: &&[Token]| tokens[0].is("#") && tokens[1].is("[") && tokens[2].is("ignore");
    source.tokens.windows(3).filter(is_ignore).map(|tokens| Hit::new(tokens[2].line, "an ignored test")).collect()
}

fn unfinished(source: &Source) -> Vec<Hit> {
    let mut hits = Vec::new();
    for pair in source.tokens.windows(2) {
        let is_macro = ["todo", "unimplemented", "dbg"].iter().any(|name| pair[0].is(name)) && pair[1].is("!");
        if is_macro {
            hits.push(Hit::new(pair[0].line, format!("calls `{}!`", pair[0].text)));
        }
    }
    let marks = [concat!("FIX", "ME"), concat!("TO", "DO:"), concat!("TO", "DO(")];
    for (at, line) in source.text.lines().enumerate() {
        if marks.iter().any(|mark| line.contains(mark)) {
            hits.push(Hit::new(at + 1, "a note of unfinished work"));
        }
    }
    hits
}
