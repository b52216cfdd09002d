//! Imports: four crates in one direction, and the rooms inside the server.

use super::paths::{Named, named};
use super::source::Source;
use super::{Hit, Rule, repository};

/// The production crates, lowest first: a crate names only those before it.
const CRATES: &[&str] = &["mail", "domain", "store", "server"];

/// What the functional core never touches: I/O, clocks, SQL and async runtimes.
const SHELL: &[&str] = &[
    "std::fs",
    "std::process",
    "std::thread",
    "std::env",
    "std::io::stdin",
    "std::io::stdout",
    "std::net::TcpStream",
    "std::net::TcpListener",
    "std::net::UdpSocket",
    "std::net::ToSocketAddrs",
    "std::time::Instant",
    "std::time::SystemTime",
    "tokio",
    "axum",
    "hyper",
    "reqwest",
    "rusqlite",
    "postgres",
    "object_store",
    "tracing",
    "futures_util",
    "hickory_resolver",
];

/// What use-cases never name: they speak through `ports`.
const ABOVE_APP: &[&str] = &[
    "crate::http",
    "crate::smtp",
    "crate::jobs",
    "crate::adapters",
    "crate::cli",
    "crate::boot",
    "axum",
    "hyper",
    "tower",
    "reqwest",
    "hickory_resolver",
    "tokio::net",
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "crate direction",
        advice: "mail <- domain <- store <- server. Move what is shared down, or hand the value in.",
        check: crate_direction,
        found_in: &[
            ("crates/mail/src/x.rs", "use posthouse_domain::id::MessageId;"),
            ("crates/store/src/x.rs", "fn f() { posthouse_server::app::send(); }"),
        ],
        absent_in: &[("crates/server/src/x.rs", "use posthouse_store::db;")],
    },
    Rule {
        name: "functional core",
        advice: "mail and domain take values and give values: do the I/O in the store or in an adapter.",
        check: functional_core,
        found_in: &[
            ("crates/mail/src/x.rs", "use std::{fs, fmt};"),
            ("crates/domain/src/x.rs", "use tokio::sync::mpsc;"),
            ("crates/domain/src/x.rs", "async fn f() {}"),
        ],
        absent_in: &[
            ("crates/mail/src/x.rs", "use std::net::IpAddr;"),
            ("crates/mail/src/x.rs", "#[cfg(test)] mod tests { use std::fs; }"),
            ("crates/store/src/x.rs", "use std::fs;"),
        ],
    },
    Rule {
        name: "app imports",
        advice: "A use-case never names http, smtp, jobs, adapters or a framework: take a port or a plain value instead.",
        check: app_imports,
        found_in: &[
            ("crates/server/src/app/send.rs", "use crate::{adapters::clock, ports};"),
            ("crates/server/src/app.rs", "use axum::Json;"),
            ("crates/server/src/app/send.rs", "use super::super::http::error;"),
        ],
        absent_in: &[
            ("crates/server/src/app/send.rs", "use crate::ports::Clock;"),
            ("crates/server/src/boot.rs", "use axum::Router;"),
        ],
    },
    Rule {
        name: "concrete adapters",
        advice: "Only boot.rs knows concrete adapters: everything else takes the trait of `ports`.",
        check: concrete_adapters,
        found_in: &[
            ("crates/server/src/jobs/runner.rs", "use crate::adapters::clock::SystemClock;"),
            ("crates/server/src/main.rs", "use posthouse_server::adapters;"),
        ],
        absent_in: &[
            ("crates/server/src/boot.rs", "use crate::adapters::clock::SystemClock;"),
            ("crates/server/src/adapters/dns.rs", "use crate::adapters::clock;"),
        ],
    },
    Rule {
        name: "adapter imports",
        advice: "An adapter implements a port and knows nothing above it: hand it plain values.",
        check: adapter_imports,
        found_in: &[("crates/server/src/adapters/dns.rs", "use crate::app::App;")],
        absent_in: &[("crates/server/src/adapters/dns.rs", "use crate::{config, ports};")],
    },
];

/// The hits of production paths that `offends` names.
fn production(source: &Source, offends: impl Fn(&Named) -> bool) -> Vec<Hit> {
    let paths = named(source).into_iter().filter(|path| !path.in_test && offends(path));
    paths.map(|path| Hit::new(path.line, format!("names `{}`", path.path))).collect()
}

fn crate_direction(source: &Source) -> Vec<Hit> {
    let is_own = |name: &&&str| source.path.starts_with(&format!("crates/{name}/"));
    let Some(own) = CRATES.iter().find(is_own) else { return Vec::new() };
    let above = CRATES.iter().skip_while(|name| *name != own).skip(1);
    let above: Vec<String> = above.map(|name| format!("posthouse_{name}")).collect();
    let mut hits: Vec<Hit> = Vec::new();
    for token in &source.tokens {
        if above.iter().any(|name| token.is(name)) {
            hits.push(Hit::new(token.line, format!("names `{}`", token.text)));
        }
    }
    hits
}

fn functional_core(source: &Source) -> Vec<Hit> {
    if !source.path.starts_with("crates/mail/src/") && !source.path.starts_with("crates/domain/src/") {
        return Vec::new();
    }
    let mut hits = production(source, |path| SHELL.iter().any(|banned| path.begins(banned)));
    let asynchronous = source.tokens.iter().filter(|token| token.is("async") && !token.in_test);
    hits.extend(asynchronous.map(|token| Hit::new(token.line, "is `async`")));
    hits
}

/// The path seen from the crate's root, where it is written from the module above.
fn from_root(source: &Source, path: &str) -> String {
    let Some(inside) = source.path.strip_prefix("crates/server/src/") else { return path.to_owned() };
    let depth = inside.trim_end_matches(".rs").split('/').count();
    let up = path.split("::").take_while(|segment| *segment == "super").count();
    if up == 0 || up != depth {
        return path.to_owned();
    }
    let rest: Vec<&str> = path.split("::").skip(up).collect();
    format!("crate::{}", rest.join("::"))
}

fn begins_any(path: &str, banned: &[&str]) -> bool {
    let begins = |one: &&str| path.strip_prefix(*one).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    banned.iter().any(begins)
}

fn app_imports(source: &Source) -> Vec<Hit> {
    if !source.is_in("crates/server/src/app") {
        return Vec::new();
    }
    production(source, |path| begins_any(&from_root(source, &path.path), ABOVE_APP))
}

fn concrete_adapters(source: &Source) -> Vec<Hit> {
    let homes = ["crates/server/src/adapters", "crates/server/src/boot"];
    if !source.path.starts_with("crates/server/src/") || source.is_in_any(&homes) {
        return Vec::new();
    }
    let banned = ["crate::adapters", "posthouse_server::adapters"];
    production(source, |path| begins_any(&from_root(source, &path.path), &banned))
}

fn adapter_imports(source: &Source) -> Vec<Hit> {
    let banned =
        ["crate::app", "crate::http", "crate::smtp", "crate::jobs", "crate::cli", "crate::boot", "posthouse_store"];
    if !source.is_in("crates/server/src/adapters") {
        return Vec::new();
    }
    production(source, |path| begins_any(&from_root(source, &path.path), &banned))
}

/// The compiler refuses what a manifest does not name, so the manifests keep the direction too.
#[test]
fn manifests_name_only_crates_below() {
    for (at, name) in CRATES.iter().enumerate() {
        let path = repository().join("crates").join(name).join("Cargo.toml");
        let manifest = std::fs::read_to_string(path).unwrap();
        for above in CRATES.iter().skip(at + 1).chain(&["tests"]) {
            let dependency = format!("posthouse-{above}");
            let named = manifest.lines().any(|line| line.starts_with(&dependency));
            assert!(!named, "crates/{name}/Cargo.toml names {dependency}: dependencies point downwards only");
        }
    }
}
