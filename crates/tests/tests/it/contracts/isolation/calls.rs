//! Every operation does the same over HTTP and when it is called directly: the value, the error and the effects.
//!
//! Two servers with the same history get the same calls: one over HTTP, one over a pipe. What differs between two runs (ids,
//! times, tokens, ports) is replaced before the comparison.

use std::{collections::BTreeMap, sync::Arc};

use posthouse::all_routes;
use posthouse_app::settings::DeliveryMode;
use posthouse_call::{Access, Method};
use posthouse_domain::plan::Plan;
use posthouse_http::route::Route;
use posthouse_tests::{ServerOptions, TestServer, WebhookSink, pipe::Pipe};
use serde_json::{Map, Value, json};

use super::{
    database,
    tenant::{self, Tenant},
};

/// Characters of the shortest token: ids have 36, secrets more than 30.
const TOKEN_CHARS_MIN: usize = 20;
/// Letters of each case in a token.
const TOKEN_LETTERS_MIN: usize = 4;

/// A server with one tenant.
struct Side {
    server: TestServer,
    tenant: Tenant,
    _sink: WebhookSink,
}

impl Side {
    async fn start() -> Self {
        let options = ServerOptions::default().seed(7).configure(|config| {
            config.delivery.mode = DeliveryMode::Capture;
            config.plans.team.requests_per_minute = None;
        });
        let (server, sink) = (TestServer::start(options).await, WebhookSink::start().await);
        let key = server.workspace(Plan::Team).await;
        let tenant = Tenant::make(&server, &key, "zebra", &sink).await;
        Self { server, tenant, _sink: sink }
    }

    /// Returns all rows once everything that was caused is done.
    async fn all_rows(&self) -> database::TableRows {
        self.server.settle().await;
        database::rows_of(&self.server, self.tenant.key.workspace).await
    }

    /// Returns the rows of each table.
    async fn rows(&self) -> BTreeMap<String, usize> {
        let rows = database::rows_of(&self.server, self.tenant.key.workspace).await;
        rows.into_iter().map(|(table, rows)| (table.to_string(), rows.len())).collect()
    }
}

/// Returns the operations that a key can call, in an order in which each finds what it needs: reads, then changes, then what
/// deletes or stops.
fn callable() -> Vec<Route> {
    let is_callable = |route: &Route| {
        let (operation, access) = (&route.operation, route.operation.access);
        // Nothing to wait for: the tutorial over a pipe waits for a code.
        operation.name != "waitForVerification"
            && operation.is_callable()
            && matches!(access, Access::Key(..) | Access::Public)
            && !operation.development
    };
    let mut routes: Vec<Route> = all_routes().into_iter().filter(is_callable).collect();
    routes.sort_by_key(|route| {
        let effects = route.operation.effects;
        (
            effects.writes,
            effects.destructive || route.operation.name == "deleteInbox",
            route.operation.name == "deleteInbox",
        )
    });
    routes
}

/// Returns the path parameters and the query of a path.
fn arguments(route: &Route, path: &str) -> (Value, Option<String>) {
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query.to_owned())));
    let names = route.operation.path.split('/').zip(path.split('/'));
    let named = names.filter_map(|(name, value)| Some((name.strip_prefix('{')?.strip_suffix('}')?, value)));
    let values: Map<String, Value> =
        named.map(|(name, value)| (name.to_owned(), json!(value.replace("%40", "@")))).collect();
    (Value::Object(values), query)
}

/// Replaces what differs between two runs.
fn normalized(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(words(text)),
        Value::Array(items) => items.iter().map(normalized).collect(),
        Value::Object(members) => {
            let shown = members.iter().filter(|(name, _)| *name != "request_id");
            Value::Object(shown.map(|(name, value)| (name.clone(), normalized(value))).collect())
        }
        other => other.clone(),
    }
}

/// Replaces each token and each number that looks like one of a port or a time. A token of random letters may have no digit.
fn words(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '/');
    let mut shown = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(rest.chars().next().unwrap_or(' '))).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(c.len_utf8()));
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let mixes = |is: fn(&char) -> bool| word.chars().filter(is).count() >= TOKEN_LETTERS_MIN;
        let is_token =
            word.len() >= TOKEN_CHARS_MIN && mixes(char::is_ascii_uppercase) && mixes(char::is_ascii_lowercase);
        shown.push_str(if is_word(c) && (is_token || digits >= 2) { "#" } else { word });
        rest = after;
    }
    shown
}

#[tokio::test]
async fn every_operation_does_the_same_over_http_and_when_called() {
    let (web, direct) = (Side::start().await, Side::start().await);
    let api = web.server.api(&web.tenant.key);
    let mut pipe = Pipe::connect(Arc::clone(direct.server.service()), Some(direct.tenant.key.secret.clone()));
    let (mut wrong, mut count, mut values) = (Vec::new(), 0, 0);
    assert_eq!(web.rows().await, direct.rows().await, "both have the same history");
    for route in callable() {
        let operation = &route.operation;
        let (path, body) = tenant::own_request(&web.server, &route, &web.tenant);
        let over_http = api.send(route.method(), &path, body).await;
        let (path, body) = tenant::own_request(&direct.server, &route, &direct.tenant);
        let (path, query) = arguments(&route, &path);
        let called = pipe.call(operation.name, path, query.as_deref(), body).await;
        let shown = if over_http.json["error"].is_object() { &over_http.json["error"] } else { &over_http.json };
        let member = if over_http.status < 300 { "value" } else { "error" };
        let (expected, found) = (normalized(shown), normalized(&called[member]));
        let is_text = called["value"].is_string();
        if called["status"] != over_http.status || (expected != found && !is_text) {
            wrong.push(format!(
                "{}: {} {expected}\n  called: {} {found}",
                operation.name, over_http.status, called["status"]
            ));
        }
        if operation.effects.writes {
            web.server.settle().await;
            direct.server.settle().await;
            let (rows, found) = (web.rows().await, direct.rows().await);
            if rows != found {
                wrong.push(format!("{} changed {rows:?}\n  called: {found:?}", operation.name));
            }
        } else if operation.method == Method::Get && web.rows().await != direct.rows().await {
            wrong.push(format!("{} is a read and changed something", operation.name));
        }
        count += 1;
        values += u32::from(over_http.status < 300);
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 100 && values > 60, "{count} operations, {values} of them with a value");
    web.server.finish().await;
    direct.server.finish().await;
}

/// Tools, and clients that repeat lost requests, rely on it.
#[tokio::test]
async fn operations_that_can_be_repeated_change_nothing_the_second_time() {
    let side = Side::start().await;
    let api = side.server.api(&side.tenant.key);
    let (mut wrong, mut count) = (Vec::new(), 0);
    let repeatable = |route: &Route| route.operation.effects.writes && route.operation.effects.idempotent;
    for route in callable().into_iter().filter(repeatable) {
        let (path, body) = tenant::own_request(&side.server, &route, &side.tenant);
        let first = api.send(route.method(), &path, body.clone()).await;
        let before = side.all_rows().await;
        side.server.clock.advance(1);
        let again = api.send(route.method(), &path, body).await;
        let differences = database::differences(&before, &side.all_rows().await);
        if !differences.is_empty() {
            let name = route.operation.name;
            wrong.push(format!("{name} ({}, {}):\n    {}", first.status, again.status, differences.join("\n    ")));
        }
        count += u32::from(first.status < 300);
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 20, "{count} operations changed something");
    side.server.finish().await;
}
