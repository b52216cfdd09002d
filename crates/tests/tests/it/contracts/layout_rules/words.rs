//! Forbidden words: panics without a reason, sleeps in tests, unfinished work, `unsafe`.

use super::paths::named_paths;
use super::source::{SourceFile, SourceToken, TokenKind};
use super::{Rule, Violation};

/// Minimum length of an `expect` message, so that it can state an invariant.
const INVARIANT_BYTES_MIN: usize = 12;

/// Files with dedicated threads, which may sleep without blocking other work.
const OWN_THREADS: &str = "crates/store/src/db";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "no unwrap",
        advice: "Outside tests return the error, or use `expect` with the invariant that makes it impossible.",
        check: unwrap,
        fails: &[("crates/mail/src/x.rs", "fn f() { g().unwrap(); }")],
        passes: &[
            ("crates/mail/src/x.rs", "#[cfg(test)] mod tests { fn f() { g().unwrap(); } }"),
            ("crates/mail/src/x.rs", "/// `a.unwrap()`\nfn f() { g().unwrap_or(1); }"),
        ],
    },
    Rule {
        name: "expect states the invariant",
        advice: "State why it can't fail, for example `.expect(\"the table is sorted, its test says so\")`.",
        check: expect,
        fails: &[
            ("crates/mail/src/x.rs", "fn f() { g().expect(\"\"); }"),
            ("crates/mail/src/x.rs", "fn f() { g().expect(\"works\"); }"),
        ],
        passes: &[
            ("crates/mail/src/x.rs", "fn f() { g().expect(\"a fixed pattern always compiles\"); }"),
            ("crates/mail/src/x.rs", "fn f() { parser.expect(b'x'); }"),
        ],
    },
    Rule {
        name: "no sleep",
        advice: "Wait for the event itself: the wake-up, the manual clock's `advance`, or the harness's `settle`.",
        check: sleep,
        fails: &[
            ("crates/tests/src/x.rs", "async fn f() { tokio::time::sleep(d).await; }"),
            ("crates/mail/src/x.rs", "#[cfg(test)] mod tests { fn f() { std::thread::sleep(d); } }"),
            ("crates/store/src/x.rs", "use std::thread; fn f() { thread::sleep(d); }"),
            ("crates/store/src/db/x.rs", "#[test] fn f() { std::thread::sleep(d); }"),
        ],
        passes: &[
            ("crates/server/src/adapters/clock.rs", "async fn f() { tokio::time::sleep(d).await; }"),
            ("crates/store/src/db/x.rs", "fn f() { std::thread::sleep(d); }"),
            ("crates/tests/src/x.rs", "fn f() { clock.sleep(d); }"),
        ],
    },
    Rule {
        name: "no ignored tests",
        advice: "Fix the test or remove it.",
        check: ignored,
        fails: &[
            ("crates/mail/src/x.rs", "#[test]\n#[ignore]\nfn f() {}"),
            ("crates/mail/src/x.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}"),
        ],
        passes: &[("crates/mail/src/x.rs", "#[test]\nfn ignore() { let ignore = [ignore]; }")],
    },
    Rule {
        name: "no unfinished work",
        advice: "Finish it, or leave it out and file an issue.",
        check: unfinished,
        fails: &[
            ("crates/mail/src/x.rs", concat!("fn f() { to", "do!() }")),
            ("crates/mail/src/x.rs", concat!("fn f() { unimple", "mented!() }")),
            ("crates/tests/src/x.rs", concat!("fn f() { db", "g!(1); }")),
            ("crates/mail/src/x.rs", concat!("// FIX", "ME: later\n")),
            ("crates/mail/src/x.rs", concat!("// TO", "DO: later\n")),
        ],
        passes: &[("crates/mail/src/x.rs", "fn todo() { dbg; }\nconst METHOD: &str = \"Todos\";")],
    },
    Rule {
        name: "reads of requests have a share",
        advice: "Read with the scope `caller.workspace`, so that its slow reads delay no other workspace.",
        check: unshared_reads,
        fails: &[("crates/operations/src/x.rs", "async fn f() { service.read(ReadScope::Service, work).await }")],
        passes: &[
            ("crates/operations/src/x.rs", "async fn f() { service.read(caller.workspace, work).await }"),
            ("crates/app/src/jobs/x.rs", "async fn f() { service.read(ReadScope::Service, work).await }"),
        ],
    },
    Rule {
        name: "no unsafe",
        advice: "Write safe Rust only. If unsafe code is unavoidable, use a maintained library for it.",
        check: |source| words(source, "unsafe", "an `unsafe`"),
        fails: &[("fuzz/fuzz_targets/x.rs", "fn f() { unsafe { g() } }")],
        passes: &[("crates/mail/src/x.rs", "//! unsafe\n#![forbid(unsafe_code)]\n")],
    },
];

fn words(source: &SourceFile, word: &str, what: &str) -> Vec<Violation> {
    let found = source.tokens.iter().filter(|token| token.is(word));
    found.map(|token| Violation::new(token.line, what)).collect()
}

/// Returns the calls `.name(` in production code, as tokens from the dot on.
fn calls<'a>(source: &'a SourceFile, name: &'a str) -> impl Iterator<Item = &'a [SourceToken]> {
    let windows = (0..source.tokens.len()).map(|at| &source.tokens[at..]);
    windows.filter(move |tokens| match tokens {
        [dot, word, open, ..] => dot.is(".") && word.is(name) && open.is("(") && !word.in_test,
        _ => false,
    })
}

fn unwrap(source: &SourceFile) -> Vec<Violation> {
    calls(source, "unwrap").map(|tokens| Violation::new(tokens[1].line, "calls `.unwrap()`")).collect()
}

fn unshared_reads(source: &SourceFile) -> Vec<Violation> {
    if !["crates/operations/", "crates/pages/"].iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    let scopes = source.tokens.iter().filter(|token| token.is("ReadScope") && !token.in_test);
    scopes.map(|token| Violation::new(token.line, "reads without a workspace")).collect()
}

fn expect(source: &SourceFile) -> Vec<Violation> {
    let text = |tokens: &[SourceToken]| {
        tokens.get(3).filter(|token| token.kind == TokenKind::Literal && token.text.starts_with('"')).cloned()
    };
    let reasons = calls(source, "expect").filter_map(text);
    let poor = reasons.filter(|reason| reason.text.len() < INVARIANT_BYTES_MIN + 2);
    poor.map(|reason| Violation::new(reason.line, format!("`expect({})` states no invariant", reason.text))).collect()
}

fn sleep(source: &SourceFile) -> Vec<Violation> {
    let offends = |path: &super::paths::NamedPath| {
        let in_test = path.in_test && (path.ends("time::sleep") || path.ends("time::sleep_until"));
        in_test || (path.ends("thread::sleep") && (path.in_test || !source.is_in(OWN_THREADS)))
    };
    let paths = named_paths(source).into_iter().filter(offends);
    paths.map(|path| Violation::new(path.line, format!("calls `{}`", path.path))).collect()
}

fn ignored(source: &SourceFile) -> Vec<Violation> {
    let is_ignore = |tokens: &&[SourceToken]| tokens[0].is("#") && tokens[1].is("[") && tokens[2].is("ignore");
    source.tokens.windows(3).filter(is_ignore).map(|tokens| Violation::new(tokens[2].line, "an ignored test")).collect()
}

fn unfinished(source: &SourceFile) -> Vec<Violation> {
    let mut violations = Vec::new();
    for pair in source.tokens.windows(2) {
        let is_macro = ["todo", "unimplemented", "dbg"].iter().any(|name| pair[0].is(name)) && pair[1].is("!");
        if is_macro {
            violations.push(Violation::new(pair[0].line, format!("calls `{}!`", pair[0].text)));
        }
    }
    let marks = [concat!("FIX", "ME"), concat!("TO", "DO:"), concat!("TO", "DO(")];
    for (at, line) in source.text.lines().enumerate() {
        if marks.iter().any(|mark| line.contains(mark)) {
            violations.push(Violation::new(at + 1, "a note of unfinished work"));
        }
    }
    violations
}
