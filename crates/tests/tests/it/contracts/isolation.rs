//! What others have is not found, wherever an id of theirs can stand: in a path, a query, a body, an array, a cursor, a lease.
//!
//! The places come from the OpenAPI document, so a new route or field needs a kind of id in [`places`] or an exemption with
//! its reason. Each is tried by every kind of key of somebody else, and neither side may look different afterwards.

mod places;
mod side;

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join_all;
use posthouse_domain::{
    auth::{Permissions, Scope},
    plan::Plan,
};
use posthouse_server::{
    config::DeliveryMode,
    http::{
        route::{Access, Reach, Route},
        routes,
    },
};
use posthouse_tests::{Options, TestServer, WebhookSink, fixtures::TestKey, http::Reply};
use serde_json::{Value, json};

use self::{
    places::{IdKind, Place, places},
    side::Side,
};

/// A key that has nothing to do with the victim's inbox.
struct Stranger {
    name: &'static str,
    key: TestKey,
    permissions: Permissions,
    scope: Scope,
    /// Whose ids it uses beside those of the victim.
    own: usize,
    /// Whether its workspace is the victim's.
    is_colleague: bool,
}

/// What a request with an id of somebody else gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// That refusal.
    Refused(&'static str),
    /// 200 with the id among those that are missing.
    Missing,
    /// 200 without anything of the victim's.
    Nothing,
    /// What the workspace shares; not tried.
    Shared,
}

/// How long a refusal may take before the test says that the request waits.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// Lists that every key of a workspace sees whole.
const SHARED: [&str; 2] = ["listContacts", "listSuppressions"];

/// The victim, a colleague's inbox and another workspace, and the keys of the latter two.
async fn world(server: &TestServer, sink: &WebhookSink) -> (Vec<Side>, Vec<Stranger>) {
    let (home, away) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let sides = vec![
        Side::make(server, &home, "zebra", sink).await,
        Side::make(server, &home, "otter", sink).await,
        Side::make(server, &away, "heron", sink).await,
    ];
    let (colleague, other) = (Scope::Inbox(sides[1].inbox.id), Scope::Inbox(sides[2].inbox.id));
    let mut strangers = Vec::new();
    for (name, of, own, permissions, scope) in [
        ("another inbox's", &home, 1, "full", colleague),
        ("another inbox's that reads", &home, 1, "read_only", colleague),
        ("another inbox's agent", &home, 1, "agent", colleague),
        ("another organisation's", &away, 2, "full", Scope::Org),
        ("another workspace's", &away, 2, "full", Scope::Workspace),
        ("another workspace's that reads", &away, 2, "read_only", Scope::Workspace),
        ("an inbox's of another workspace", &away, 2, "full", other),
    ] {
        let key = server.key(of, permissions, scope).await;
        let permissions = Permissions::parse(permissions).unwrap();
        strangers.push(Stranger { name, key, permissions, scope, own, is_colleague: own == 1 });
    }
    (sides, strangers)
}

fn expected(route: &Route, place: &Place, stranger: &Stranger) -> Expected {
    let Access::Key(permission, reach) = route.access else { return Expected::Shared };
    let is_narrow = stranger.scope.inbox().is_some();
    if !std::iter::once(&permission).chain(route.also).all(|one| stranger.permissions.has(*one)) {
        return Expected::Refused("insufficient_permissions");
    }
    if (reach != Reach::Any && is_narrow) || (reach == Reach::Org && stranger.scope != Scope::Org) {
        return Expected::Refused("forbidden");
    }
    match (place.kind, place.name.as_str()) {
        // The people of a workspace are all of its keys'.
        (kind, _) if kind.is_of_workspace() && stranger.is_colleague => Expected::Shared,
        (IdKind::Cursor, _) if SHARED.contains(&route.name) && stranger.is_colleague => Expected::Shared,
        (_, "body:/ids[]") => Expected::Missing,
        // A place in the log of the workspace, which every key of it may read from; what it cannot see is left out.
        (IdKind::Event, _) if stranger.is_colleague => Expected::Nothing,
        (IdKind::Event, _) => Expected::Refused("invalid_cursor"),
        // A place in a list; whoever shows it gets what is behind it of his own.
        (IdKind::Cursor, _) => Expected::Nothing,
        (IdKind::Lease, _) => Expected::Refused("lease_expired"),
        (IdKind::DraftFile, _) => Expected::Refused("invalid_request"),
        // A filter that nothing of his own passes.
        (IdKind::Thread, "query:thread_id") => Expected::Nothing,
        _ => Expected::Refused("not_found"),
    }
}

/// What is wrong with an answer.
fn problem(reply: &Reply, expected: Expected, (place, id): (&Place, &str), victim: &Side) -> Option<String> {
    let code = reply["error"]["code"].as_str().unwrap_or_default();
    let said = String::from_utf8_lossy(&reply.bytes);
    // Its own words about the request may hold the id that the request held.
    let leaked = victim.secrets().into_iter().find(|secret| *secret != id && said.contains(secret));
    let right = match expected {
        Expected::Refused(wanted) => code == wanted,
        Expected::Missing => reply.status == 200 && reply["missing"] == json!([id]) && reply["data"] == json!([]),
        // A cursor may also be refused as one of another list.
        Expected::Nothing => reply.status == 200 || (place.kind == IdKind::Cursor && code == "invalid_cursor"),
        Expected::Shared => true,
    };
    match leaked {
        Some(secret) => Some(format!("shows {secret}: {reply}")),
        None => (!right).then(|| format!("expected {expected:?}: {reply}")),
    }
}

/// Has one key try every place; how many requests it made, and what was wrong with their answers.
async fn try_all(
    server: &TestServer,
    stranger: &Stranger,
    sides: &[Side],
    attempts: &[(Route, Place, String)],
) -> (usize, Vec<String>) {
    let (api, victim, own) = (server.api(&stranger.key), &sides[0], &sides[stranger.own]);
    let (mut tried, mut wrong) = (0, Vec::new());
    for (route, place, id) in attempts {
        let expected = expected(route, place, stranger);
        if expected == Expected::Shared {
            continue;
        }
        for others in place.others(own, victim) {
            let (path, body) = side::request(server, route, (place, id), others);
            let answer = api.send(route.method.clone(), &path, body.clone());
            tried += 1;
            let problem = match tokio::time::timeout(ANSWER_MAX, answer).await {
                Ok(reply) => problem(&reply, expected, (place, id), victim),
                Err(_) => Some("waits for what it cannot see".to_owned()),
            };
            if let Some(problem) = problem {
                wrong.push(format!("{} key, {} {}: {problem} {body:?}", stranger.name, route.name, place.name));
            }
        }
    }
    (tried, wrong)
}

#[tokio::test]
async fn no_id_of_somebody_else_is_good_for_anything_wherever_it_stands() {
    let options = Options::default().configure(|config| {
        config.delivery.mode = DeliveryMode::Capture;
        config.plans.team.requests_per_minute = None;
    });
    let (server, sink) = (TestServer::start(options).await, WebhookSink::start().await);
    let (sides, strangers) = world(&server, &sink).await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200).json;
    let victim = &sides[0];
    let mut attempts = Vec::new();
    for route in routes::all() {
        for place in places(&document, &route) {
            let id = victim.id(&server, &route, place.kind).await;
            attempts.push((route.clone(), place, id));
        }
    }
    let dump_all = async || {
        let mut all = Vec::new();
        for side in &sides {
            all.push(side.dump(&server).await);
        }
        all
    };
    let before = dump_all().await;
    let of_each = join_all(strangers.iter().map(|stranger| try_all(&server, stranger, &sides, &attempts))).await;
    let tried: usize = of_each.iter().map(|(tried, _)| tried).sum();
    let mut wrong: Vec<String> = of_each.into_iter().flat_map(|(_, wrong)| wrong).collect();
    for (before, after) in before.iter().zip(dump_all().await) {
        wrong.extend(side::differences(before, &after).into_iter().map(|difference| format!("changed {difference}")));
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 500, "{tried} were tried");
    server.settle().await;
    server.finish().await;
}

/// The stream names inboxes and events in its frames, which are no part of the document.
#[tokio::test]
async fn a_stream_takes_no_inbox_and_no_place_of_somebody_else() {
    let options = Options::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let (server, sink) = (TestServer::start(options).await, WebhookSink::start().await);
    let (sides, strangers) = world(&server, &sink).await;
    let victim = &sides[0];
    let event = victim.known(IdKind::Event);
    for stranger in &strangers {
        let mut stream = server.stream(&stranger.key).await;
        let own = sides[stranger.own].inbox.id.to_string();
        for inboxes in [json!([victim.inbox.id.to_string()]), json!([own, victim.inbox.id.to_string()])] {
            stream.send(json!({ "type": "subscribe", "inbox_ids": inboxes })).await;
            assert_eq!(stream.expect("error").await["code"], "inbox_not_found", "{}", stranger.name);
        }
        stream.send(json!({ "type": "subscribe", "since": event, "inbox_ids": [own] })).await;
        let begun = stream.expect("subscribed").await;
        for _ in 0..begun["replayed"].as_u64().unwrap() {
            let told = stream.expect("event").await.to_string();
            let leaked = victim.secrets().into_iter().find(|secret| told.contains(secret));
            assert_eq!(leaked, None, "{}: {told}", stranger.name);
        }
        stream.close().await;
    }
    server.settle().await;
    server.finish().await;
}

/// An id that is in no place of the document would be tried by nobody.
#[tokio::test]
async fn every_id_that_a_request_can_carry_has_a_kind() {
    let server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200).json;
    let mut found = BTreeSet::new();
    for route in routes::all() {
        found.extend(places(&document, &route).into_iter().map(|place| (route.name, place.name)));
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
    let unused: Vec<_> = places::EXEMPT.iter().filter(|exempt| !places::is_there(&document, exempt)).collect();
    assert!(unused.is_empty(), "exemptions of what is not there: {unused:?}");
    server.finish().await;
}

/// Names a value inside a body.
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
