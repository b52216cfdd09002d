//! Imports between crates, and what the functional core, use cases and adapters may use.

use super::paths::{NamedPath, named_paths};
use super::source::SourceFile;
use super::{Rule, Violation, repository};

/// The production crates, lowest first, each with the crates that it may use.
const CRATES: &[(&str, &[&str])] = &[
    ("mail", &[]),
    ("categoriser", &[]),
    ("files", &["mail"]),
    ("screen", &[]),
    ("domain", &["mail", "screen"]),
    ("store", &["mail", "screen", "domain"]),
    // The fuzz targets of all formats run as its tests.
    ("api", &["mail", "screen", "domain", "files"]),
    ("app", &["mail", "categoriser", "screen", "domain", "store", "api"]),
    ("call", &["domain", "api", "app"]),
    ("operations", &["mail", "domain", "api", "app", "call"]),
    ("http", &["mail", "domain", "api", "app", "call"]),
    ("mcp", &["domain", "api", "app", "call", "operations"]),
    ("pages", &["mail", "domain", "api", "app", "call", "operations", "http", "mcp"]),
    ("client", &[]),
    ("server", &["mail", "files", "domain", "store", "api", "app", "client"]),
    ("posthouse", &["store", "app", "call", "operations", "http", "mcp", "pages", "server"]),
];

/// Where operations and pages are.
const OPERATIONS: &[&str] = &["crates/operations/", "crates/pages/"];

/// What operations must not use: they know no transport.
const TRANSPORTS: &[&str] = &["axum", "hyper", "http"];

/// The crates without I/O.
const FUNCTIONAL_CORE: &[&str] =
    &["crates/mail/src/", "crates/files/src/", "crates/screen/src/", "crates/domain/src/", "crates/api/src/"];

/// What the functional core must not use: I/O, clocks, SQL and async runtimes.
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

/// What use cases must not use: they use `ports` instead.
const ABOVE_APP: &[&str] =
    &["axum", "hyper", "tower", "reqwest", "hickory_resolver", "instant_acme", "clap", "toml", "tokio::net"];
/// The TLS streams of all listeners: they wrap sockets.
const TLS: &str = "crates/app/src/tls";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "crate direction",
        advice: "mail <- domain <- {store, api} <- app <- call <- {operations, http} <- pages <- posthouse; mcp uses operations, and pages mcp; server uses app and client; client uses none. Move shared code down, or pass the value in.",
        check: crate_direction,
        fails: &[
            ("crates/mail/src/x.rs", "use posthouse_domain::id::MessageId;"),
            ("crates/api/src/x.rs", "use posthouse_store::Tx;"),
            ("crates/store/src/x.rs", "fn f() { posthouse_app::outbound::send(); }"),
            ("crates/http/src/x.rs", "use posthouse_server::boot;"),
            ("crates/http/src/x.rs", "use posthouse_operations::operations;"),
            ("crates/operations/src/x.rs", "use posthouse_http::route::Route;"),
            ("crates/mcp/src/x.rs", "use posthouse_http::route::Route;"),
            ("crates/server/src/x.rs", "use posthouse_http::router;"),
            ("crates/client/src/x.rs", "use posthouse_app::Service;"),
        ],
        passes: &[
            ("crates/server/src/x.rs", "use posthouse_store::db;"),
            ("crates/app/src/x.rs", "use posthouse_api::views;"),
        ],
    },
    Rule {
        name: "functional core",
        advice: "mail, domain and api only map values to values: do the I/O in the store or in an adapter.",
        check: functional_core,
        fails: &[
            ("crates/mail/src/x.rs", "use std::{fs, fmt};"),
            ("crates/domain/src/x.rs", "use tokio::sync::mpsc;"),
            ("crates/domain/src/x.rs", "async fn f() {}"),
            ("crates/api/src/x.rs", "use tokio::fs;"),
        ],
        passes: &[
            ("crates/mail/src/x.rs", "use std::net::IpAddr;"),
            ("crates/mail/src/x.rs", "#[cfg(test)] mod tests { use std::fs; }"),
            ("crates/store/src/x.rs", "use std::fs;"),
        ],
    },
    Rule {
        name: "app imports",
        advice: "A use case must not use a framework or a socket: use a port or a plain value.",
        check: app_imports,
        fails: &[
            ("crates/app/src/outbound/send.rs", "use axum::Json;"),
            ("crates/app/src/outbound/send.rs", "use tokio::{net::TcpStream, sync::Mutex};"),
        ],
        passes: &[
            ("crates/app/src/outbound/send.rs", "use crate::ports::Clock;"),
            ("crates/app/src/tls/stream.rs", "use tokio::net::TcpStream;"),
            ("crates/server/src/boot.rs", "use axum::Router;"),
        ],
    },
    Rule {
        name: "operations know no transport",
        advice: "Return a fact in the `Outcome`; the transport shows it. What only HTTP has is a page.",
        check: transports,
        fails: &[
            ("crates/operations/src/v1/x.rs", "use axum::http::HeaderValue;"),
            ("crates/call/src/x.rs", "use http::Method;"),
            ("crates/mcp/src/x.rs", "use axum::http::HeaderMap;"),
        ],
        passes: &[("crates/pages/src/x.rs", "use axum::http::HeaderValue;")],
    },
    Rule {
        name: "access in operations",
        advice: "An operation decodes, calls a use case and renders: put the check or the change of the caller into `app`.",
        check: access_in_routes,
        fails: &[
            ("crates/operations/src/x.rs", "fn f() { Caller::operator(workspace); }"),
            ("crates/operations/src/v1/x.rs", "fn f(caller: &Caller) { caller.permissions().has(wanted); }"),
        ],
        passes: &[
            ("crates/app/src/access/authorize.rs", "fn f(caller: &Caller) { caller.permissions().has(wanted); }"),
            ("crates/operations/src/v1/x.rs", "fn f(key: Key) { view(key.permissions); }"),
        ],
    },
    Rule {
        name: "concrete adapters",
        advice: "Only boot.rs uses concrete adapters: use the trait in `ports`.",
        check: concrete_adapters,
        fails: &[
            ("crates/server/src/smtp/session.rs", "use crate::adapters::clock::SystemClock;"),
            ("crates/posthouse/src/main.rs", "use posthouse_server::adapters;"),
        ],
        passes: &[
            ("crates/server/src/boot.rs", "use crate::adapters::clock::SystemClock;"),
            ("crates/server/src/adapters/dns.rs", "use crate::adapters::clock;"),
        ],
    },
    Rule {
        name: "adapter imports",
        advice: "An adapter implements a port and uses nothing above it: pass plain values.",
        check: adapter_imports,
        fails: &[("crates/server/src/adapters/dns.rs", "use posthouse_app::App;")],
        passes: &[("crates/server/src/adapters/dns.rs", "use posthouse_app::{ports, settings, tls};")],
    },
];

/// Returns the production paths that `offends` matches.
fn production(source: &SourceFile, offends: impl Fn(&NamedPath) -> bool) -> Vec<Violation> {
    let paths = named_paths(source).into_iter().filter(|path| !path.in_test && offends(path));
    paths.map(|path| Violation::new(path.line, format!("names `{}`", path.path))).collect()
}

fn crate_direction(source: &SourceFile) -> Vec<Violation> {
    let is_own = |(name, _): &&(&str, &[&str])| source.path.starts_with(&format!("crates/{name}/src/"));
    let Some((own, allowed)) = CRATES.iter().find(is_own) else { return Vec::new() };
    let others = CRATES.iter().map(|(name, _)| *name).filter(|name| name != own && !allowed.contains(name));
    let banned: Vec<String> = others.map(|name| format!("posthouse_{}", name.replace('-', "_"))).collect();
    let named = source.tokens.iter().filter(|token| banned.iter().any(|name| token.is(name)));
    named.map(|token| Violation::new(token.line, format!("names `{}`", token.text))).collect()
}

fn access_in_routes(source: &SourceFile) -> Vec<Violation> {
    if !OPERATIONS.iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    let calls = source.tokens.windows(2).filter(|pair| pair[1].is("(") && !pair[0].in_test);
    let named = calls.filter(|pair| pair[0].is("permissions") || pair[0].is("operator"));
    named.map(|pair| Violation::new(pair[0].line, format!("calls `{}`", pair[0].text))).collect()
}

fn transports(source: &SourceFile) -> Vec<Violation> {
    if !["crates/call/src/", "crates/operations/src/", "crates/mcp/src/"]
        .iter()
        .any(|folder| source.path.starts_with(folder))
    {
        return Vec::new();
    }
    production(source, |path| TRANSPORTS.iter().any(|banned| path.begins(banned)))
}

fn functional_core(source: &SourceFile) -> Vec<Violation> {
    if !FUNCTIONAL_CORE.iter().any(|core| source.path.starts_with(core)) {
        return Vec::new();
    }
    let mut violations = production(source, |path| SHELL.iter().any(|banned| path.begins(banned)));
    let asynchronous = source.tokens.iter().filter(|token| token.is("async") && !token.in_test);
    violations.extend(asynchronous.map(|token| Violation::new(token.line, "is `async`")));
    violations
}

/// Returns the path from the crate's root if it is written relative to `super`.
fn from_root(source: &SourceFile, path: &str) -> String {
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

fn app_imports(source: &SourceFile) -> Vec<Violation> {
    if !source.path.starts_with("crates/app/src/") || source.is_in(TLS) {
        return Vec::new();
    }
    production(source, |path| begins_any(&path.path, ABOVE_APP))
}

fn concrete_adapters(source: &SourceFile) -> Vec<Violation> {
    let homes = ["crates/server/src/adapters", "crates/server/src/boot"];
    let servers = ["crates/server/src/", "crates/posthouse/src/"];
    if !servers.iter().any(|server| source.path.starts_with(server)) || source.is_in_any(&homes) {
        return Vec::new();
    }
    let banned = ["crate::adapters", "posthouse_server::adapters"];
    production(source, |path| begins_any(&from_root(source, &path.path), &banned))
}

fn adapter_imports(source: &SourceFile) -> Vec<Violation> {
    if !source.is_in("crates/server/src/adapters") {
        return Vec::new();
    }
    let allowed = ["posthouse_app::ports", "posthouse_app::settings", "posthouse_app::tls"];
    let above = ["crate::smtp", "crate::cli", "crate::boot", "posthouse_http", "posthouse_store"];
    production(source, |path| {
        let path = from_root(source, &path.path);
        begins_any(&path, &above) || (begins_any(&path, &["posthouse_app"]) && !begins_any(&path, &allowed))
    })
}

/// The compiler rejects dependencies that a manifest doesn't list, so the manifests enforce the direction too.
#[test]
fn manifests_depend_only_on_allowed_crates() {
    for (name, allowed) in CRATES {
        let path = repository().join("crates").join(name).join("Cargo.toml");
        let manifest = std::fs::read_to_string(path).unwrap();
        let others = CRATES.iter().map(|(name, _)| *name).chain(["tests"]);
        for other in others.filter(|other| other != name && !allowed.contains(other)) {
            let dependency = format!("posthouse-{other}.");
            let named = manifest.lines().any(|line| line.starts_with(&dependency));
            assert!(!named, "crates/{name}/Cargo.toml names {dependency}: dependencies must point downward");
        }
    }
}
