//! Every operation does the same over HTTP and when it is called directly: the value, the error and the effects.
//!
//! Two servers with the same history get the same calls: one over HTTP, one over a pipe. What differs between two runs (ids,
//! times, tokens, ports) is replaced before the comparison.

use std::{collections::BTreeMap, sync::Arc};

use posthouse::all_routes;
use posthouse_app::settings::DeliveryMode;
use posthouse_call::Access;
use posthouse_domain::plan::Plan;
use posthouse_http::route::Route;
use posthouse_tests::{
    ServerOptions, TestServer, WebhookSink, browser::cookie, http::Api, http::ApiResponse, pipe::Pipe,
};
use serde_json::{Map, Value, json};

use super::{
    database,
    tenant::{self, Tenant},
};

/// Characters of the shortest token: ids have 36, secrets more than 30.
const TOKEN_CHARS_MIN: usize = 20;
/// Letters of each case in a token.
const TOKEN_LETTERS_MIN: usize = 4;
/// Operations that differ from a call by more than the transport, and why.
const EXCEPTIONS: &[(&str, &str)] = &[];
/// Operations that return a value here, at least.
const VALUES_MIN: usize = 85;

/// A server with one tenant.
struct Side {
    server: TestServer,
    tenant: Tenant,
    /// The session of the owner, as HTTP has it.
    session: ApiResponse,
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
        let code = "From: shop@people.example\r\nSubject: Sign in\r\n\r\nYour verification code is 482913.\r\n";
        server.receive_message(&tenant.inbox, code.to_owned()).await;
        server.settle().await;
        let session = server.owner_sign_in(&key).await;
        Self { server, tenant, session, _sink: sink }
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

/// Returns the operations that every transport can call, in an order in which each finds what it needs: reads, then changes, then
/// what deletes or stops. The session and the inbox go last.
fn callable() -> Vec<Route> {
    let is_excepted = |name: &str| EXCEPTIONS.iter().any(|(excepted, _)| *excepted == name);
    let is_callable = |route: &Route| route.operation.is_callable() && !is_excepted(route.operation.name);
    let mut routes: Vec<Route> = all_routes().into_iter().filter(is_callable).collect();
    routes.sort_by_key(|route| {
        let (effects, is_inbox) = (route.operation.effects, route.operation.name == "deleteInbox");
        (effects.writes, effects.destructive || is_inbox, is_inbox)
    });
    routes
}

/// Returns whether an operation needs the session of a person.
fn needs_session(route: &Route) -> bool {
    matches!(route.operation.access, Access::Session(_) | Access::Person)
}

/// Sends a request. A text is the body itself.
async fn send(api: &Api, route: &Route, path: &str, body: Option<Value>) -> ApiResponse {
    match (body, route.operation.body) {
        (Some(Value::String(text)), Some(rule)) => api.raw(route.method(), path, rule.content_type, text).await,
        (body, _) => api.send(route.method(), path, body).await,
    }
}

/// Returns the value or error of a response as a call has it: JSON, or the text of another body.
fn shown(response: &ApiResponse) -> Value {
    let json = if response.status < 300 { &response.json } else { &response.json["error"] };
    if json.is_null() && !response.bytes.is_empty() { json!(response.body_text()) } else { json.clone() }
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
    let (api, person) = (web.server.api(&web.tenant.key), web.server.browser(&web.session));
    let connect = |key: &str| Pipe::connect(Arc::clone(direct.server.service()), Some(key.to_owned()));
    let cookie = cookie(&direct.session);
    let mut by_key = connect(&direct.tenant.key.secret);
    let mut by_session = connect(cookie.split_once('=').expect("a cookie has a value").1);
    let (mut wrong, mut values) = (Vec::new(), 0);
    assert_eq!(web.rows().await, direct.rows().await, "both have the same history");
    let routes = callable();
    for route in &routes {
        let operation = &route.operation;
        let (api, pipe) = if needs_session(route) { (&person, &mut by_session) } else { (&api, &mut by_key) };
        let (path, body) = tenant::own_request(&web.server, route, &web.tenant);
        let over_http = send(api, route, &path, body).await;
        let (path, body) = tenant::own_request(&direct.server, route, &direct.tenant);
        let (path, query) = arguments(route, &path);
        let called = pipe.call(operation.name, path, query.as_deref(), body).await;
        let member = if over_http.status < 300 { "value" } else { "error" };
        let value = match &called[member] {
            // JSON of another content type is a text in a call.
            Value::String(text) if !over_http.json.is_null() => serde_json::from_str(text).unwrap_or_default(),
            value => value.clone(),
        };
        let (expected, found) = (normalized(&shown(&over_http)), normalized(&value));
        if called["status"] != over_http.status || expected != found {
            let (status, name) = (over_http.status, operation.name);
            wrong.push(format!("{name}: {status} {expected}\n  called: {} {found}", called["status"]));
        }
        web.server.settle().await;
        direct.server.settle().await;
        let (rows, found) = (web.rows().await, direct.rows().await);
        if rows != found {
            wrong.push(format!("{} changed {rows:?}\n  called: {found:?}", operation.name));
        }
        values += usize::from(over_http.status < 300);
    }
    let count = routes.len();
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(values >= VALUES_MIN, "{count} operations, {values} of them with a value");
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

#[test]
fn every_operation_is_called_once() {
    let routes = all_routes();
    let callable: Vec<&str> = callable().iter().map(|route| route.operation.name).collect();
    for route in &routes {
        let (name, is_excepted) =
            (route.operation.name, EXCEPTIONS.iter().any(|(one, _)| *one == route.operation.name));
        let calls = callable.iter().filter(|one| **one == name).count();
        assert_eq!(calls, usize::from(route.operation.is_callable() && !is_excepted), "{name}");
    }
    for operation in posthouse_operations::operations() {
        let name = operation.name;
        let is_excepted = EXCEPTIONS.iter().any(|(excepted, _)| *excepted == name);
        assert!(callable.contains(&name) != is_excepted, "{name}: a call, or an exception with its reason");
    }
    assert!(EXCEPTIONS.iter().all(|(name, _)| routes.iter().any(|route| route.operation.name == *name)));
}
