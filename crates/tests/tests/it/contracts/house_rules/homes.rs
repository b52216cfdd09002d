//! Things with one home: real time, randomness, the environment, database drivers, HTTP clients, tasks and threads.

use super::paths::{Named, named};
use super::source::{Kind, Source};
use super::{Hit, Rule};

/// Where real time is read.
const CLOCK: &[&str] = &["crates/server/src/adapters/clock"];
/// Where random bytes come from.
const ENTROPY: &[&str] = &["crates/server/src/adapters"];
/// Where the environment is read.
const CONFIG: &[&str] = &["crates/server/src/config", "crates/server/src/main.rs"];
/// The files of the seam: only they know that there are two databases.
const SEAM: &[&str] = &[
    "crates/store/src/db",
    "crates/store/src/values",
    "crates/store/src/tx",
    "crates/store/src/dialect",
    "crates/store/src/migrate",
    "crates/store/src/backup",
    "crates/store/src/search",
];
/// Where HTTP requests leave from.
const HTTP_OUT: &[&str] = &["crates/server/src/adapters", "crates/store/src/blobs"];
/// Where tasks and threads begin, each with its reason.
const SPAWNERS: &[(&str, &str)] = &[
    ("crates/server/src/boot", "the top-level tasks"),
    ("crates/server/src/shutdown", "waits for the signals and the top-level tasks"),
    ("crates/server/src/jobs/runner", "one task per running job, bounded per kind"),
    ("crates/server/src/jobs/webhooks", "one task per workspace with webhooks, and per attempt, bounded per webhook"),
    ("crates/server/src/smtp/listener", "one task per connection, bounded"),
    ("crates/server/src/apart", "reading large mail, few at once"),
    ("crates/server/src/http/listener", "one task per connection, bounded"),
    ("crates/store/src/db", "the writer thread, the readers and the worker pool"),
];

/// Real time by its last segments, so that an import does not hide it.
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
/// Random numbers.
const RANDOM: &[&str] = &["getrandom", "rand", "fastrand", "rand_core"];
/// What starts a task or a thread.
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

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "one clock",
        advice: "Only server/src/adapters/clock.rs reads real time. Take `now` as a value, or the `Clock` port. \
                 The rule holds for tests too: use the manual clock.",
        check: |source| outside(source, CLOCK, |path| TIME.iter().any(|now| path.ends(now))),
        found_in: &[
            ("crates/domain/src/x.rs", "fn f() { std::time::SystemTime::now(); }"),
            ("crates/store/src/x.rs", "use std::time::Instant; fn f() { Instant::now(); }"),
            ("crates/tests/src/x.rs", "fn f() { uuid::Uuid::now_v7(); }"),
        ],
        absent_in: &[
            ("crates/server/src/adapters/clock.rs", "fn f() { jiff::Timestamp::now(); }"),
            ("crates/store/src/x.rs", "fn f(now: Timestamp) { clock.now(); }"),
        ],
    },
    Rule {
        name: "one source of randomness",
        advice: "Only an adapter of server/src/adapters draws random bytes. Take them as a value or through a port.",
        check: |source| {
            let random = |path: &Named| RANDOM.iter().any(|name| path.begins(name)) || path.ends("Uuid::new_v4");
            outside(source, ENTROPY, |path| !path.in_test && random(path))
        },
        found_in: &[("crates/store/src/x.rs", "fn f() { getrandom::fill(&mut bytes); }")],
        absent_in: &[("crates/server/src/adapters/entropy.rs", "fn f() { getrandom::fill(&mut bytes); }")],
    },
    Rule {
        name: "one reader of the environment",
        advice: "Only server/src/config (and main.rs) reads the environment. Add a key to the configuration instead.",
        check: |source| outside(source, CONFIG, |path| !path.in_test && path.begins("std::env")),
        found_in: &[("crates/server/src/telemetry.rs", "use std::{env, fmt};")],
        absent_in: &[
            ("crates/server/src/config/env.rs", "fn f() { std::env::vars(); }"),
            ("crates/tests/src/corpora.rs", "fn f() { std::env::var(name); }"),
            ("crates/server/src/x.rs", "const V: &str = env!(\"CARGO_PKG_VERSION\");"),
        ],
    },
    Rule {
        name: "one seam to the databases",
        advice: "Only db, values, tx, dialect, migrate, backup and search of the store know the drivers. Use `Tx`.",
        check: |source| outside(source, SEAM, |path| !path.in_test && is_driver(path)),
        found_in: &[
            ("crates/store/src/messages.rs", "use rusqlite::params;"),
            ("crates/server/src/boot.rs", "fn f() { postgres::Client::connect(url, tls); }"),
        ],
        absent_in: &[
            ("crates/store/src/db/sqlite.rs", "use rusqlite::Connection;"),
            ("crates/tests/src/postgres.rs", "use postgres::NoTls;"),
        ],
    },
    Rule {
        name: "one way out for HTTP",
        advice: "Requests leave from an adapter only, where the address guard and the time limits are. Use its port.",
        check: |source| outside(source, HTTP_OUT, |path| !path.in_test && is_http_client(path)),
        found_in: &[
            ("crates/server/src/jobs/webhook.rs", "use reqwest::Client;"),
            ("crates/server/src/app/wait.rs", "use hyper_util::client::legacy::Client;"),
        ],
        absent_in: &[
            ("crates/server/src/adapters/http_post.rs", "use reqwest::Client;"),
            ("crates/store/src/blobs.rs", "use object_store::ObjectStore;"),
        ],
    },
    Rule {
        name: "homes of tasks",
        advice: "Tasks and threads begin in boot, the job runner and the listeners, where they are bounded and stopped. \
                 Make it a job, or await it.",
        check: spawns,
        found_in: &[
            ("crates/server/src/app/send.rs", "fn f() { tokio::spawn(g()); }"),
            ("crates/store/src/messages.rs", "use std::thread; fn f() { thread::spawn(g); }"),
        ],
        absent_in: &[
            ("crates/server/src/boot.rs", "fn f() { tokio::spawn(g()); }"),
            ("crates/tests/src/smtp_sink.rs", "fn f() { tokio::spawn(g()); }"),
        ],
    },
    Rule {
        name: "no statics with state",
        advice: "State lives in `App`, built once and handed down. A table is a `const`.",
        check: statics,
        found_in: &[
            ("crates/server/src/x.rs", "static A: AtomicU64 = AtomicU64::new(0);"),
            ("crates/store/src/x.rs", "static A: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();"),
            ("crates/mail/src/x.rs", "thread_local! { static A: RefCell<u8> = RefCell::new(0); }"),
        ],
        absent_in: &[
            ("crates/mail/src/x.rs", "static NAMES: &[&str] = &[\"a\"]; fn f(a: &'static Mutex<u8>) {}"),
            ("crates/tests/src/x.rs", "static A: OnceLock<u8> = OnceLock::new();"),
        ],
    },
];

/// The offending paths of a file that is not one of the homes.
fn outside(source: &Source, homes: &[&str], offends: impl Fn(&Named) -> bool) -> Vec<Hit> {
    if source.is_in_any(homes) {
        return Vec::new();
    }
    let paths = named(source).into_iter().filter(offends);
    paths.map(|path| Hit::new(path.line, format!("uses `{}`", path.path))).collect()
}

fn is_driver(path: &Named) -> bool {
    ["rusqlite", "postgres", "tokio_postgres", "libsqlite3_sys"].iter().any(|driver| path.begins(driver))
}

fn is_http_client(path: &Named) -> bool {
    ["reqwest", "hyper::client", "hyper_util::client", "object_store"].iter().any(|client| path.begins(client))
}

fn spawns(source: &Source) -> Vec<Hit> {
    let homes: Vec<&str> = SPAWNERS.iter().map(|(home, _)| *home).collect();
    outside(source, &homes, |path| !path.in_test && SPAWN.iter().any(|spawn| path.ends(spawn)))
}

/// Types whose value can change behind a shared reference. A `LazyLock` of something else is a table that cannot be
/// built at compile time, such as a search automaton.
const MUTABLE: &[&str] =
    &["Mutex", "RwLock", "OnceLock", "OnceCell", "LazyCell", "RefCell", "Cell", "UnsafeCell", "mut"];

fn statics(source: &Source) -> Vec<Hit> {
    let tokens = &source.tokens;
    let mut hits = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_lifetime = at > 0 && tokens[at - 1].is("'");
        if token.in_test || is_lifetime || !token.is("static") {
            continue;
        }
        let declared = tokens[at + 1..].iter().take_while(|token| !token.is("=") && !token.is(";"));
        let mutable = |word: &str| MUTABLE.contains(&word) || word.starts_with("Atomic");
        for part in declared.filter(|part| part.kind == Kind::Word && mutable(&part.text)) {
            hits.push(Hit::new(part.line, format!("a static of `{}`", part.text)));
        }
    }
    hits
}

#[test]
fn every_spawner_says_why() {
    for (home, reason) in SPAWNERS {
        assert!(!reason.is_empty(), "{home} may spawn without a reason");
    }
}
