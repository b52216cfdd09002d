//! Code that is allowed in few files: real time, randomness, the environment, database drivers, HTTP clients, tasks and
//! threads.

use super::paths::{NamedPath, named_paths};
use super::source::{SourceFile, SourceToken, TokenKind};
use super::{Rule, Violation};

/// Benchmarks: they have arguments and measure real time.
const CARD_SEARCH: &str = "bench/card_search";
const CATEGORISE: &str = "bench/categorise";
const KNOWLEDGE_SEARCH: &str = "bench/knowledge_search";
const THREAD_DIGEST: &str = "bench/thread_digest";
/// Files that may read real time.
const CLOCK: &[&str] =
    &["crates/server/src/adapters/clock", "crates/client/src/clock", CARD_SEARCH, CATEGORISE, KNOWLEDGE_SEARCH];
/// Files that may draw random bytes.
const ENTROPY: &[&str] = &["crates/server/src/adapters", "crates/client/src/entropy"];
/// Files that may read the environment. Cargo tells a build script by it where to write.
const CONFIG: &[&str] = &[
    "crates/server/src/config",
    "crates/client/src/environment",
    "crates/posthouse/src/main.rs",
    "crates/store/build.rs",
    CARD_SEARCH,
    CATEGORISE,
    KNOWLEDGE_SEARCH,
    THREAD_DIGEST,
];
/// Files that may depend on a specific database.
const DATABASE_FILES: &[&str] = &[
    "crates/store/src/db",
    "crates/store/src/schema/migrate",
    "crates/store/src/backup",
    "crates/store/src/search",
    "crates/store/src/agents/card_index",
];
/// Files that may send HTTP requests.
const HTTP_OUT: &[&str] = &["crates/server/src/adapters/http_out", "crates/store/src/blobs", "crates/client/src/http"];
/// Files that may start tasks and threads, each with its reason.
const TASK_OWNERS: &[(&str, &str)] = &[
    ("crates/server/src/boot", "the top-level tasks"),
    ("crates/app/src/lifecycle", "waits for the signals and the top-level tasks"),
    ("crates/app/src/jobs/runner", "one task per running job, bounded per kind"),
    ("crates/app/src/webhooks/dispatch", "one task per workspace with webhooks, and per attempt, bounded per webhook"),
    ("crates/client/src/commands/rehearse/trap", "one task that answers followed links, for one rehearsal"),
    ("crates/server/src/cli/read_file", "one thread of a process that reads one file, for its stack"),
    ("crates/server/src/smtp/listener", "one task per connection, bounded"),
    ("crates/app/src/limits/blocking_pool", "parsing of large messages, few at a time"),
    ("crates/http/src/connection/listener", "one task per connection, bounded"),
    ("crates/store/src/db", "the writer thread, the readers and the worker pool"),
];

/// Calls that read real time, by their last segments, so that an import doesn't hide them.
const TIME: &[&str] = &[
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "Utc::now",
    "Local::now",
    "Uuid::now_v7",
    "Uuid::now_v6",
    "Uuid::now_v1",
    "Timestamp::from_unix_now",
    "OffsetDateTime::now_utc",
];
/// Crates of random numbers.
const RANDOM: &[&str] = &["getrandom", "rand", "fastrand", "rand_core"];
/// Calls that start a task or thread.
const SPAWN: &[&str] = &[
    "tokio::spawn",
    "task::spawn",
    "task::spawn_local",
    "task::spawn_blocking",
    "tokio::task::JoinSet",
    "JoinSet::new",
    "thread::spawn",
    "thread::Builder",
    "thread::scope",
];
/// Types that have a constructor with defaults, and the files that may list their members. Elsewhere, a new member would
/// touch every literal. The files of the store read rows.
const BUILT: &[(&str, &[&str])] = &[
    ("OutgoingMessage", &["crates/app/src/outbound/compose"]),
    ("NewEvent", &["crates/domain/src/event", "crates/store/src/events"]),
    ("NewJob", &["crates/store/src/jobs"]),
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "one clock",
        advice: "Only server/src/adapters/clock.rs and client/src/clock.rs read real time. Pass `now` as a value, or use the `Clock` port. \
                 This includes tests: use the manual clock.",
        check: |source| outside(source, CLOCK, |path| TIME.iter().any(|now| path.ends(now))),
        fails: &[
            ("crates/domain/src/x.rs", "fn f() { std::time::SystemTime::now(); }"),
            ("crates/store/src/x.rs", "use std::time::Instant; fn f() { Instant::now(); }"),
            ("crates/tests/src/x.rs", "fn f() { uuid::Uuid::now_v7(); }"),
        ],
        passes: &[
            ("crates/server/src/adapters/clock.rs", "fn f() { jiff::Timestamp::now(); }"),
            ("crates/store/src/x.rs", "fn f(now: Timestamp) { clock.now(); }"),
        ],
    },
    Rule {
        name: "one source of randomness",
        advice: "Only server/src/adapters and client/src/entropy.rs draw random bytes. Pass them as a value or use a port.",
        check: |source| {
            let random = |path: &NamedPath| RANDOM.iter().any(|name| path.begins(name)) || path.ends("Uuid::new_v4");
            outside(source, ENTROPY, |path| !path.in_test && random(path))
        },
        fails: &[("crates/store/src/x.rs", "fn f() { getrandom::fill(&mut bytes); }")],
        passes: &[("crates/server/src/adapters/entropy.rs", "fn f() { getrandom::fill(&mut bytes); }")],
    },
    Rule {
        name: "one reader of the environment",
        advice: "Only server/src/config, client/src/environment.rs and main.rs read the environment. Add a key to the configuration instead.",
        check: |source| outside(source, CONFIG, |path| !path.in_test && path.begins("std::env")),
        fails: &[("crates/server/src/telemetry.rs", "use std::{env, fmt};")],
        passes: &[
            ("crates/server/src/config/env.rs", "fn f() { std::env::vars(); }"),
            ("crates/tests/src/corpora.rs", "fn f() { std::env::var(name); }"),
            ("crates/server/src/x.rs", "const V: &str = env!(\"CARGO_PKG_VERSION\");"),
        ],
    },
    Rule {
        name: "database drivers",
        advice: "Only db, schema/migrate, backup and search of the store use the drivers. Use `Tx`.",
        check: |source| outside(source, DATABASE_FILES, |path| !path.in_test && is_driver(path)),
        fails: &[
            ("crates/store/src/messages.rs", "use rusqlite::params;"),
            ("crates/server/src/boot.rs", "fn f() { postgres::Client::connect(url, tls); }"),
        ],
        passes: &[
            ("crates/store/src/db/sqlite.rs", "use rusqlite::Connection;"),
            ("crates/tests/src/postgres.rs", "use postgres::NoTls;"),
        ],
    },
    Rule {
        name: "outbound HTTP",
        advice: "Only one adapter sends requests, because it has the address guard and the limits. Use `OutboundHttp`.",
        check: |source| outside(source, HTTP_OUT, |path| !path.in_test && is_http_client(path)),
        fails: &[
            ("crates/app/src/webhooks/attempt.rs", "use reqwest::Client;"),
            ("crates/app/src/messages/wait.rs", "use hyper_util::client::legacy::Client;"),
            ("crates/server/src/adapters/acme/http.rs", "use hyper::client::conn::http1;"),
        ],
        passes: &[
            ("crates/server/src/adapters/http_out.rs", "use hyper_util::client::legacy::Client;"),
            ("crates/store/src/blobs.rs", "use object_store::ObjectStore;"),
        ],
    },
    Rule {
        name: "task owners",
        advice: "Only boot, the job runner and the listeners start tasks and threads, because they bound and stop them. \
                 Make it a job, or await it.",
        check: spawns,
        fails: &[
            ("crates/app/src/outbound/send.rs", "fn f() { tokio::spawn(g()); }"),
            ("crates/store/src/messages.rs", "use std::thread; fn f() { thread::spawn(g); }"),
        ],
        passes: &[
            ("crates/server/src/boot.rs", "fn f() { tokio::spawn(g()); }"),
            ("crates/tests/src/smtp_sink.rs", "fn f() { tokio::spawn(g()); }"),
        ],
    },
    Rule {
        name: "one builder",
        advice: "Only the module of the type lists its members, so that a new member touches few files. Call `new` and \
                 the functions that set what differs.",
        check: literals,
        fails: &[
            ("crates/app/src/outbound/send.rs", "fn f() { g(OutgoingMessage { message, author: None }) }"),
            ("crates/app/src/signup/create.rs", "fn f() -> NewEvent { NewEvent { kind, ..other } }"),
            ("crates/app/src/drafts.rs", "fn f() -> jobs::NewJob { jobs::NewJob { id, kind } }"),
            ("crates/tests/tests/it/x.rs", "fn f() { g(|n| NewJob { run_at: n, ..job() }) }"),
        ],
        passes: &[
            ("crates/app/src/outbound/compose.rs", "fn f() { g(OutgoingMessage { message, author: None }) }"),
            ("crates/store/src/events.rs", "fn f() { g(NewEvent { kind, id }) }"),
            ("crates/app/src/drafts.rs", "fn f(id: JobId) -> jobs::NewJob { NewJob::new(id).due_at(now) }"),
            ("crates/app/src/x.rs", "impl A for NewEvent { fn f(event: &NewEvent) {} }"),
        ],
    },
    Rule {
        name: "no statics with state",
        advice: "Keep state in `Service`, which is built once and passed down. Use a `const` for tables.",
        check: statics,
        fails: &[
            ("crates/server/src/x.rs", "static A: AtomicU64 = AtomicU64::new(0);"),
            ("crates/store/src/x.rs", "static A: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();"),
            ("crates/mail/src/x.rs", "thread_local! { static A: RefCell<u8> = RefCell::new(0); }"),
        ],
        passes: &[
            ("crates/mail/src/x.rs", "static NAMES: &[&str] = &[\"a\"]; fn f(a: &'static Mutex<u8>) {}"),
            ("crates/tests/src/x.rs", "static A: OnceLock<u8> = OnceLock::new();"),
        ],
    },
];

/// Returns the paths that `offends` matches, unless the file is one of `homes`.
fn outside(source: &SourceFile, homes: &[&str], offends: impl Fn(&NamedPath) -> bool) -> Vec<Violation> {
    if source.is_in_any(homes) {
        return Vec::new();
    }
    let paths = named_paths(source).into_iter().filter(offends);
    paths.map(|path| Violation::new(path.line, format!("uses `{}`", path.path))).collect()
}

fn is_driver(path: &NamedPath) -> bool {
    ["rusqlite", "postgres", "tokio_postgres", "libsqlite3_sys"].iter().any(|driver| path.begins(driver))
}

fn is_http_client(path: &NamedPath) -> bool {
    ["reqwest", "hyper::client", "hyper_util::client", "object_store"].iter().any(|client| path.begins(client))
}

/// Returns the literals of built types outside their files.
fn literals(source: &SourceFile) -> Vec<Violation> {
    let tokens = &source.tokens;
    let mut violations = Vec::new();
    for at in 0..tokens.len().saturating_sub(1) {
        let Some((name, homes)) = BUILT.iter().find(|(name, _)| tokens[at].is(name)) else { continue };
        if tokens[at + 1].is("{") && !is_type_position(&tokens[..at]) && !source.is_in_any(homes) {
            violations.push(Violation::new(tokens[at].line, format!("a literal of `{name}`")));
        }
    }
    violations
}

/// Returns whether a name after these tokens is a type: after an arrow, `for`, `impl` or `struct`.
fn is_type_position(before: &[SourceToken]) -> bool {
    match before {
        [rest @ .., _, colons] if colons.is("::") => is_type_position(rest),
        [.., dash, angle] if dash.is("-") && angle.is(">") => true,
        [.., word] => ["for", "impl", "struct"].iter().any(|keyword| word.is(keyword)),
        [] => false,
    }
}

fn spawns(source: &SourceFile) -> Vec<Violation> {
    let homes: Vec<&str> = TASK_OWNERS.iter().map(|(home, _)| *home).collect();
    outside(source, &homes, |path| !path.in_test && SPAWN.iter().any(|spawn| path.ends(spawn)))
}

/// Types whose value can change behind a shared reference. A `LazyLock` of another type is a table that can't be built
/// at compile time, for example a search automaton.
const MUTABLE: &[&str] =
    &["Mutex", "RwLock", "OnceLock", "OnceCell", "LazyCell", "RefCell", "Cell", "UnsafeCell", "mut"];

fn statics(source: &SourceFile) -> Vec<Violation> {
    let tokens = &source.tokens;
    let mut violations = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_lifetime = at > 0 && tokens[at - 1].is("'");
        if token.in_test || is_lifetime || !token.is("static") {
            continue;
        }
        let declared = tokens[at + 1..].iter().take_while(|token| !token.is("=") && !token.is(";"));
        let mutable = |word: &str| MUTABLE.contains(&word) || word.starts_with("Atomic");
        for part in declared.filter(|part| part.kind == TokenKind::Word && mutable(&part.text)) {
            violations.push(Violation::new(part.line, format!("a static of `{}`", part.text)));
        }
    }
    violations
}

#[test]
fn every_task_owner_has_a_reason() {
    for (home, reason) in TASK_OWNERS {
        assert!(!reason.is_empty(), "{home} has no reason to start tasks");
    }
}
