//! One workspace abuses the budgets of bodies, responses, JSON, connections, streams, keys, reads, statements, SMTP and
//! storage at once, and another workspace's requests and mails all succeed.

mod by_mail;
mod by_reads;

use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{
    ServerOptions, TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    stream::StreamClient,
};
use serde_json::{Value, json};

use super::{RawConnection, metric, unknown_key, until_used};

/// Small budgets, so that the abuse reaches all of them.
const BODY_BYTES: u64 = 200_000;
const BODY_BYTES_ALL: u64 = 1_000_000;
const PAGE_BYTES: u64 = 50_000;
const CONNECTIONS: u64 = 12;
const UNAUTHENTICATED: u64 = 20;
const STREAMS: u64 = 3;
const UNKNOWN: u64 = 5;
const STORAGE_BYTES: u64 = by_reads::TEXT_BYTES + 300_000;
/// Rounds of requests of the neighbor.
const ROUNDS: usize = 10;

async fn server() -> TestServer {
    let options = ServerOptions::default().configure(|config| {
        config.limits.request_body_bytes_per_workspace = BODY_BYTES;
        config.limits.request_body_bytes = BODY_BYTES_ALL;
        config.limits.page_bytes = PAGE_BYTES;
        config.limits.json_values = 1_000;
        config.limits.unauthenticated_connections_per_address = Some(UNAUTHENTICATED);
        config.limits.unknown_keys_per_minute = Some(UNKNOWN);
        config.limits.stream_frames_per_minute = Some(5);
        config.plans.free.connections = Some(CONNECTIONS);
        config.plans.free.streams = Some(STREAMS);
        config.plans.free.requests_per_minute = None;
        config.plans.free.storage_bytes = Some(STORAGE_BYTES);
        by_reads::configure(config);
        by_mail::configure(config);
    });
    TestServer::start(options).await
}

/// What the abuser holds open.
struct Abuse {
    bodies: Vec<RawConnection>,
    idle: Vec<RawConnection>,
    streams: Vec<StreamClient>,
}

/// The address of the abuser's connections without a key.
const ABUSER: [u8; 4] = [127, 0, 0, 2];

/// Uses up every budget: half-sent bodies, streams and their frames, unknown keys, JSON, connections.
async fn abuse(server: &TestServer, key: &TestKey) -> Abuse {
    let mut abuse = Abuse { bodies: Vec::new(), idle: Vec::new(), streams: Vec::new() };
    for _ in 0..3 {
        let mut half = RawConnection::open(server).await;
        half.half_body(Some(key), 65_001, 65_000).await;
        abuse.bodies.push(half);
    }
    until_used(server, LimitName::RequestBodyBytes, |used| used >= 3 * 65_000).await;
    for _ in 0..STREAMS {
        abuse.streams.push(server.stream(key).await);
    }
    let mut noisy = abuse.streams.pop().expect("a stream");
    for _ in 0..6 {
        noisy.send(json!({ "type": "ping" })).await;
    }
    assert_eq!(noisy.end().await, Some(1008));
    for at in 0..10 {
        server.anonymous().with_key(&unknown_key(at)).get("/v1/inboxes").await;
    }
    loop {
        let mut connection = RawConnection::open(server).await;
        connection.get("/v1/inboxes", Some(key)).await;
        match connection.status().await {
            Some(200) => abuse.idle.push(connection),
            status => break assert_eq!(status, Some(429)),
        }
    }
    for _ in 0..UNAUTHENTICATED {
        abuse.idle.push(RawConnection::open_from(server, ABUSER).await);
    }
    let refused = RawConnection::open_from(server, ABUSER).await.rest().await;
    assert!(refused.starts_with(b"HTTP/1.1 429 "), "{}", String::from_utf8_lossy(&refused));
    abuse
}

/// Reads more at once than the workspace's share. The reads beyond it wait, and all are served.
async fn read_at_once(server: &TestServer, key: &TestKey) {
    let mut readers = Vec::new();
    for _ in 0..CONNECTIONS / 2 {
        let mut reader = RawConnection::open(server).await;
        reader.get("/v1/events?limit=100", Some(key)).await;
        readers.push(reader);
    }
    for mut reader in readers {
        assert_eq!(reader.status().await, Some(200));
        reader.rest_of_response().await;
    }
}

/// One round of the abuser's requests. Each is served or refused at a limit.
async fn attack(server: &TestServer, key: &TestKey, connection: &mut RawConnection) {
    let values = vec!["[0]"; 600].join(",");
    for body in [format!("[{values}]"), format!("{{\"a\":\"{}\"}}", "x".repeat(30_000))] {
        let head = format!(
            "POST /v1/inboxes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            key.secret,
            body.len()
        );
        connection.send(head.as_bytes()).await;
        let status = connection.status().await;
        assert!(matches!(status, Some(400 | 429)), "{status:?}");
        connection.rest_of_response().await;
    }
    let refused = server.anonymous().with_key(&unknown_key(99)).get("/v1/inboxes").await;
    refused.error("rate_limited");
}

/// One round of the neighbor's requests, which all succeed.
async fn work(server: &TestServer, key: &TestKey, inbox: &TestInbox, at: usize) {
    let api = server.api(key);
    let text = "x".repeat(20_000);
    let body = json!({ "to": "bob@remote.example", "subject": format!("Letter {at}"), "text": text });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    let (mut found, mut query) = (0, String::from("limit=100"));
    loop {
        let page = api.get(&format!("/v1/inboxes/{}/messages?{query}", inbox.id)).await.expect(200);
        found += page.data().len();
        let Value::String(next) = &page["next_cursor"] else { break };
        query = format!("limit=100&cursor={next}");
    }
    assert!(found > at, "{found} messages in round {at}");
    api.get("/v1/events").await.expect(200);
    api.post("/v1/stream/token", json!({})).await.expect(201);
}

#[tokio::test]
async fn a_workspace_that_abuses_every_budget_takes_nothing_from_another() {
    let server = server().await;
    let (abuser, neighbor) = (server.workspace(Plan::Free).await, server.workspace(Plan::Team).await);
    let inbox = server.inbox(&neighbor).await;
    let mut stream = server.stream(&neighbor).await;
    stream.subscribe(json!({ "event_types": ["message.received"] })).await;
    let mut attacker = RawConnection::open(&server).await;
    attacker.get("/v1/inboxes", Some(&abuser)).await;
    assert_eq!(attacker.status().await, Some(200));
    attacker.rest_of_response().await;
    read_at_once(&server, &abuser).await;
    let mut mailer = by_mail::MailAbuse::begin(&server, &abuser).await;
    let mut reader = by_reads::ReadAbuse::begin(&server, &abuser, mailer.inbox()).await;
    work(&server, &neighbor, &inbox, 0).await;
    assert!(reader.is_reading(), "the neighbor waited for the slow statement");
    let unread = reader.end().await;
    let held = abuse(&server, &abuser).await;
    for at in 0..ROUNDS {
        attack(&server, &abuser, &mut attacker).await;
        mailer.attack().await;
        work(&server, &neighbor, &inbox, at).await;
        server.deliver(&TestMessage::new(&format!("Reply {at}"), "text"), &inbox.address).await;
        assert_eq!(stream.expect("event").await["event"]["type"], "message.received");
        server.settle().await;
    }
    server.stream(&neighbor).await.close().await;
    assert!(metric(&server, "limit_peak", LimitName::RequestBodyBytes).await <= BODY_BYTES + 100_000);
    assert!(metric(&server, "limit_peak", LimitName::Streams).await <= STREAMS + 2);
    assert!(metric(&server, "limit_peak", LimitName::Connections).await <= CONNECTIONS + 2 * UNAUTHENTICATED);
    for limit in [
        LimitName::RequestBodyBytesPerWorkspace,
        LimitName::ResponseBytesPerWorkspace,
        LimitName::JsonValues,
        LimitName::Connections,
        LimitName::UnauthenticatedConnections,
        LimitName::StreamFramesPerMinute,
        LimitName::UnknownKeysPerMinute,
        LimitName::StorageBytes,
    ] {
        assert!(metric(&server, "limit_refusals_total", limit).await > 0, "{limit:?} was not reached");
    }
    mailer.assert_limits_reached().await;
    drop(mailer);
    drop((held.bodies, held.idle, attacker, unread));
    for stream in held.streams.into_iter().chain([stream]) {
        stream.close().await;
    }
    until_used(&server, LimitName::RequestBodyBytes, |used| used == 0).await;
    server.finish().await;
}
