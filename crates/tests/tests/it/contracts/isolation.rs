//! Data of other tenants is not found, wherever one of their ids appears: in a path, a query, a body, an array, a
//! cursor, a lease.
//!
//! The locations come from the OpenAPI description, so a new route or field needs a kind of id in [`locations`] or an
//! exemption with a reason. Every location is tried with every kind of foreign key, and afterwards neither what the API
//! shows of a tenant nor a row of its workspace in the database may differ.

mod calls;
mod database;
mod locations;
mod tenant;

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join_all;
use posthouse::all_routes;
use posthouse_app::settings::DeliveryMode;
use posthouse_call::{Access, RequiredScope};
use posthouse_domain::{
    auth::{Permission, Permissions, Scope},
    plan::Plan,
};
use posthouse_http::route::Route;
use posthouse_tests::{ServerOptions, TestServer, WebhookSink, fixtures::TestKey, http::ApiResponse};
use serde_json::{Value, json};

use self::{
    locations::{IdKind, IdLocation, locations},
    tenant::Tenant,
};

/// A key without access to the victim's inbox.
struct OtherKey {
    name: &'static str,
    key: TestKey,
    permissions: Permissions,
    scope: Scope,
    /// The index of the tenant whose ids it uses besides the victim's.
    own_tenant: usize,
    /// Whether it belongs to the victim's workspace.
    is_same_workspace: bool,
}

/// The expected response to a request with an id of another tenant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ExpectedResponse {
    /// This error.
    Refused(&'static str),
    /// 200 with the id in `missing`.
    Missing,
    /// 200 without data of the victim.
    Nothing,
    /// Data that the workspace shares. Not tested.
    Shared,
}

/// The maximum time for an error response. A longer request counts as waiting.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// Lists that every key of a workspace can read entirely.
const SHARED: [&str; 3] = ["listContacts", "listSuppressions", "searchAgents"];

/// Creates the victim, another inbox of its workspace and an inbox of another workspace, and keys of the latter two.
async fn create_tenants(server: &TestServer, sink: &WebhookSink) -> (Vec<Tenant>, Vec<OtherKey>) {
    let (home, away) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let tenants = vec![
        Tenant::make(server, &home, "zebra", sink).await,
        Tenant::make(server, &home, "otter", sink).await,
        Tenant::make(server, &away, "heron", sink).await,
    ];
    let (colleague, other) = (Scope::Inbox(tenants[1].inbox.id), Scope::Inbox(tenants[2].inbox.id));
    let mut others = Vec::new();
    for (name, of, own_tenant, permissions, scope) in [
        ("other inbox, full", &home, 1, "full", colleague),
        ("other inbox, read-only", &home, 1, "read_only", colleague),
        ("other inbox, agent", &home, 1, "agent", colleague),
        ("other inbox, send-only", &home, 1, "send_only", colleague),
        ("other organization, full", &away, 2, "full", Scope::Org),
        ("other workspace, full", &away, 2, "full", Scope::Workspace),
        ("other workspace, read-only", &away, 2, "read_only", Scope::Workspace),
        ("other organization, agent", &away, 2, "agent", Scope::Org),
        ("other workspace, send-only", &away, 2, "send_only", Scope::Workspace),
        ("inbox of another workspace, full", &away, 2, "full", other),
    ] {
        let key = server.key(of, permissions, scope).await;
        let permissions = Permissions::parse(permissions).unwrap();
        others.push(OtherKey { name, key, permissions, scope, own_tenant, is_same_workspace: own_tenant == 1 });
    }
    (tenants, others)
}

fn expected(route: &Route, location: &IdLocation, other: &OtherKey) -> ExpectedResponse {
    let Access::Key(permission, reach) = route.operation.access else { return ExpectedResponse::Shared };
    let is_narrow = other.scope.is_limited();
    if !std::iter::once(&permission).chain(route.operation.also).all(|one| other.permissions.has(*one)) {
        return ExpectedResponse::Refused("insufficient_permissions");
    }
    if (reach != RequiredScope::Any && is_narrow) || (reach == RequiredScope::Org && other.scope != Scope::Org) {
        return ExpectedResponse::Refused("forbidden");
    }
    match (location.kind, location.name.as_str()) {
        // Every key of a workspace may see its contacts and webhooks.
        (kind, _) if kind.is_of_workspace() && other.is_same_workspace => ExpectedResponse::Shared,
        (IdKind::Cursor, _) if SHARED.contains(&route.operation.name) && other.is_same_workspace => {
            ExpectedResponse::Shared
        }
        (_, "body:/ids[]") => ExpectedResponse::Missing,
        // An event id is a position in the log of the workspace. Every key of the workspace may read from it and gets
        // only visible events.
        (IdKind::Event, "path:id") => ExpectedResponse::Refused("not_found"),
        (IdKind::Event, _) if other.is_same_workspace => ExpectedResponse::Nothing,
        (IdKind::Event, _) => ExpectedResponse::Refused("invalid_cursor"),
        // A cursor is a position in a list. Every caller gets only its own items after it.
        (IdKind::Cursor, _) => ExpectedResponse::Nothing,
        (IdKind::Lease, _) => ExpectedResponse::Refused("lease_expired"),
        (IdKind::DraftFile, _) => ExpectedResponse::Refused("invalid_request"),
        // The filter matches nothing of the caller.
        (IdKind::Thread, "query:thread_id") => ExpectedResponse::Nothing,
        _ => ExpectedResponse::Refused("not_found"),
    }
}

/// Describes what is wrong with a response.
fn problem(
    reply: &ApiResponse,
    expected: ExpectedResponse,
    location: &IdLocation,
    id: &str,
    victim: &Tenant,
) -> Option<String> {
    let code = reply["error"]["code"].as_str().unwrap_or_default();
    let body_text = String::from_utf8_lossy(&reply.bytes);
    // The response may echo the id from the request.
    let leaked = victim.secrets().into_iter().find(|secret| *secret != id && body_text.contains(secret));
    let right = match expected {
        ExpectedResponse::Refused(wanted) => code == wanted,
        ExpectedResponse::Missing => {
            reply.status == 200 && reply["missing"] == json!([id]) && reply["data"] == json!([])
        }
        // A cursor may also be rejected as one of another list.
        ExpectedResponse::Nothing => {
            reply.status == 200 || (location.kind == IdKind::Cursor && code == "invalid_cursor")
        }
        ExpectedResponse::Shared => true,
    };
    match leaked {
        Some(secret) => Some(format!("shows {secret}: {reply}")),
        None => (!right).then(|| format!("expected {expected:?}: {reply}")),
    }
}

/// Tries every location with one key. Returns the number of requests and the problems with their responses.
async fn try_locations(
    server: &TestServer,
    other: &OtherKey,
    tenants: &[Tenant],
    attempts: &[(Route, IdLocation, String)],
) -> (usize, Vec<String>) {
    let (api, victim, own_tenant) = (server.api(&other.key), &tenants[0], &tenants[other.own_tenant]);
    let (mut tried, mut wrong) = (0, Vec::new());
    for (route, location, id) in attempts {
        let expected = expected(route, location, other);
        if expected == ExpectedResponse::Shared {
            continue;
        }
        for others in location.others(own_tenant, victim) {
            let (path, body) = tenant::request(server, route, location, id, others);
            let answer = api.send(route.method(), &path, body.clone());
            tried += 1;
            let problem = match tokio::time::timeout(ANSWER_MAX, answer).await {
                Ok(reply) => problem(&reply, expected, location, id, victim),
                Err(_) => Some("waits for data that it can't see".to_owned()),
            };
            if let Some(problem) = problem {
                wrong.push(format!(
                    "{} key, {} {}: {problem} {body:?}",
                    other.name, route.operation.name, location.name
                ));
            }
        }
    }
    (tried, wrong)
}

/// Sends one request per route and key whose ids are all of the victim. A key of the victim's workspace may use what the
/// workspace shares, so only keys of another workspace take part.
async fn try_all_at_once(
    server: &TestServer,
    others: &[OtherKey],
    tenants: &[Tenant],
    attempts: &[(Route, IdLocation, String)],
) -> Vec<String> {
    let victim = &tenants[0];
    let mut wrong = Vec::new();
    for other in others.iter().filter(|other| !other.is_same_workspace) {
        let api = server.api(&other.key);
        for (route, location, _) in attempts {
            let all: Vec<&(Route, IdLocation, String)> =
                attempts.iter().filter(|(of, ..)| of.operation.name == route.operation.name).collect();
            if all.len() < 2 || all[0].1 != *location {
                continue;
            }
            let (path, body) = tenant::request_with_all(server, &all, victim);
            let reply = api.send(route.method(), &path, body).await;
            let text = String::from_utf8_lossy(&reply.bytes);
            // The response may echo the ids from the request.
            let is_sent = |secret: &str| path.contains(secret) || all.iter().any(|(.., id)| id == secret);
            let leaked = victim.secrets().into_iter().find(|secret| !is_sent(secret) && text.contains(*secret));
            let is_list = reply.status == 200 && route.method() == reqwest::Method::GET;
            if leaked.is_some() || !(is_list || (400..500).contains(&reply.status)) {
                wrong.push(format!("{} key, {} with every id: {reply}", other.name, route.operation.name));
            }
        }
    }
    wrong
}

/// Sends every request with an id of the victim without a key.
async fn try_without_key(
    server: &TestServer,
    victim: &Tenant,
    attempts: &[(Route, IdLocation, String)],
) -> Vec<String> {
    let api = server.anonymous();
    let mut wrong = Vec::new();
    for (route, location, id) in attempts.iter().filter(|(route, ..)| route.operation.access != Access::Public) {
        let (path, body) = tenant::request(server, route, location, id, victim);
        let reply = api.send(route.method(), &path, body).await;
        if reply["error"]["code"] != "unauthorized" {
            wrong.push(format!("no key, {} {}: {reply}", route.operation.name, location.name));
        }
    }
    wrong
}

#[tokio::test]
async fn ids_of_other_tenants_are_useless_in_every_location() {
    let options = ServerOptions::default().configure(|config| {
        config.delivery.mode = DeliveryMode::Capture;
        config.plans.team.requests_per_minute = None;
    });
    let (server, sink) = (TestServer::start(options).await, WebhookSink::start().await);
    let (tenants, others) = create_tenants(&server, &sink).await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200).json;
    let victim = &tenants[0];
    let mut attempts = Vec::new();
    for route in all_routes() {
        for location in locations(&document, &route) {
            let id = victim.id(&server, &route, location.kind).await;
            attempts.push((route.clone(), location, id));
        }
    }
    let dump_all = async || {
        let mut all = Vec::new();
        for tenant in &tenants {
            all.push(tenant.dump(&server).await);
        }
        all
    };
    // The first search of a workspace brings its index up to date.
    for tenant in &tenants {
        server.api(&tenant.key).get("/v1/search?q=secret").await.expect(200);
    }
    let before = dump_all().await;
    let home = victim.key.workspace;
    let rows_before = database::rows_of(&server, home).await;
    assert!(rows_before.values().map(Vec::len).sum::<usize>() > 100, "the victim has rows");
    let of_each = join_all(others.iter().map(|other| try_locations(&server, other, &tenants, &attempts))).await;
    let tried: usize = of_each.iter().map(|(tried, _)| tried).sum();
    let mut wrong: Vec<String> = of_each.into_iter().flat_map(|(_, wrong)| wrong).collect();
    for (before, after) in before.iter().zip(dump_all().await) {
        wrong.extend(tenant::differences(before, &after).into_iter().map(|difference| format!("changed {difference}")));
    }
    wrong.extend(try_all_at_once(&server, &others, &tenants, &attempts).await);
    wrong.extend(try_without_key(&server, victim, &attempts).await);
    wrong.extend(database::differences(&rows_before, &database::rows_of(&server, home).await));
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 500, "only {tried} requests");
    server.settle().await;
    server.finish().await;
}

/// The stream has inbox and event ids in its frames, which the OpenAPI description doesn't cover.
#[tokio::test]
async fn a_stream_rejects_inboxes_and_ignores_events_of_other_tenants() {
    let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let (server, sink) = (TestServer::start(options).await, WebhookSink::start().await);
    let (tenants, others) = create_tenants(&server, &sink).await;
    let victim = &tenants[0];
    let event = victim.id_of(IdKind::Event);
    // A key without this permission has no stream at all.
    for other in others.iter().filter(|other| other.permissions.has(Permission::MessagesRead)) {
        let mut stream = server.stream(&other.key).await;
        let own_tenant = tenants[other.own_tenant].inbox.id.to_string();
        for inboxes in [json!([victim.inbox.id.to_string()]), json!([own_tenant, victim.inbox.id.to_string()])] {
            stream.send(json!({ "type": "subscribe", "inbox_ids": inboxes })).await;
            assert_eq!(stream.expect("error").await["code"], "inbox_not_found", "{}", other.name);
        }
        stream.send(json!({ "type": "subscribe", "since": event, "inbox_ids": [own_tenant] })).await;
        let subscribed = stream.expect("subscribed").await;
        for _ in 0..subscribed["replayed"].as_u64().unwrap() {
            let event_text = stream.expect("event").await.to_string();
            let leaked = victim.secrets().into_iter().find(|secret| event_text.contains(secret));
            assert_eq!(leaked, None, "{}: {event_text}", other.name);
        }
        stream.close().await;
    }
    server.settle().await;
    server.finish().await;
}

/// An id without a location in the document would never be tested.
#[tokio::test]
async fn every_id_that_a_request_can_carry_has_a_kind() {
    let server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200).json;
    let mut found = BTreeSet::new();
    for route in all_routes() {
        found.extend(locations(&document, &route).into_iter().map(|location| (route.operation.name, location.name)));
    }
    for known in [
        ("batchGetMessages", "body:/ids[]"),
        ("createWebhook", "body:/inbox_ids[]"),
        ("updateDraft", "body:/attachments[]/id"),
        ("replyToMessage", "body:/lease_id"),
        ("redeliverWebhookEvent", "path:delivery_id"),
        ("listEvents", "query:after"),
        ("getAttachment", "path:id"),
    ] {
        assert!(found.contains(&(known.0, known.1.to_owned())), "{known:?}");
    }
    let unused = locations::unused_exemptions(&document);
    assert!(unused.is_empty(), "exemptions without a location: {unused:?}");
    server.finish().await;
}

/// Sets a value inside a body.
fn set(body: &mut Value, pointer: &str, id: &str) {
    let mut at = body;
    for step in pointer.split('/').skip(1) {
        let (name, is_list) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
        if is_list {
            at[name] = json!([null]);
            at = &mut at[name][0];
        } else {
            at = &mut at[name];
        }
    }
    *at = id.into();
}
