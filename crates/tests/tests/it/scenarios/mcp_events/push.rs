//! `events/stream`.

use posthouse_domain::plan::Plan;
use posthouse_tests::ServerOptions;
use serde_json::json;

use super::{EventsFixture, subject};

/// Time after which a stream sends a heartbeat, in milliseconds.
const HEARTBEAT_MS: i64 = 15_000;

#[tokio::test]
async fn a_stream_resumes_at_its_cursor_after_a_restart() {
    let mut fixture = EventsFixture::new().await;
    let mut push = fixture.mcp.stream(json!({ "name": "message.received" })).await;
    let active = push.expect("active").await;
    assert_eq!(active["truncated"], false);
    fixture.mail("one").await;
    let first = push.expect("event").await;
    assert_eq!(subject(&first), "one");
    fixture.mail("two").await;
    fixture.server.stop().await;
    let mut last = None;
    while let Some(message) = push.next().await {
        last = Some(message);
    }
    let last = last.expect("a last message");
    assert_eq!((&last["id"], &last["result"]["_meta"]), (&json!(7), &json!({})), "the request is answered");
    fixture.server.run().await;
    fixture.mail("three").await;
    let params = json!({ "name": "message.received", "cursor": first["cursor"] });
    let mut push = fixture.mcp.stream(params).await;
    assert_eq!(push.expect("active").await["cursor"], first["cursor"]);
    fixture.mail("four").await;
    for expected in ["two", "three", "four"] {
        assert_eq!(subject(&push.expect("event").await), expected);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_quiet_stream_sends_heartbeats_with_its_position() {
    let fixture = EventsFixture::new().await;
    let mut push = fixture.mcp.stream(json!({ "name": "message.received" })).await;
    let start = push.expect("active").await["cursor"].clone();
    fixture.server.clock.advance(HEARTBEAT_MS);
    assert_eq!(push.expect("heartbeat").await["cursor"], start);
    let path = format!("/v1/inboxes/{}/pause", fixture.inbox.id);
    fixture.api.post_empty(&path).await.expect(200);
    let mut cursor = start.clone();
    // The event of another type reaches the stream at any time.
    while cursor == start {
        fixture.server.clock.advance(HEARTBEAT_MS);
        cursor = push.expect("heartbeat").await["cursor"].clone();
    }
    let log = fixture.api.get("/v1/events?types=inbox.paused").await.expect(200);
    assert_eq!(cursor, log.data()[0]["id"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_unknown_cursor_is_truncated_and_wrong_requests_open_nothing() {
    let fixture = EventsFixture::new().await;
    fixture.mail("kept").await;
    let params = json!({ "name": "message.received", "cursor": "0197f3c4-5b1e-7c3a-9d2f-1a2b3c4d5e6f" });
    let mut push = fixture.mcp.stream(params).await;
    assert_eq!(push.expect("active").await["truncated"], true);
    assert_eq!(subject(&push.expect("event").await), "kept");
    fixture.mcp.error("events/stream", json!({ "name": "no.such" }), -32011).await;
    fixture.mcp.error("events/stream", json!({ "name": "message.received", "cursor": "?" }), -32602).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_revoked_key_ends_its_streams() {
    let fixture = EventsFixture::new().await;
    let key = fixture.server.key(&fixture.key, "messages:read", posthouse_domain::auth::Scope::Org).await;
    let mut push = fixture.server.mcp(&key).stream(json!({ "name": "message.received" })).await;
    push.expect("active").await;
    fixture.revoke(&key).await;
    let ended = push.expect("terminated").await;
    assert_eq!(ended["error"]["code"], -32012);
    assert!(ended["error"]["data"]["fix"].is_string(), "{ended}");
    assert!(push.next().await.is_some_and(|last| last["result"].is_object()));
    assert_eq!(push.next().await, None);
    fixture.server.finish().await;
}

#[tokio::test]
async fn streams_count_for_the_plan_until_they_are_closed() {
    let options = ServerOptions::default().configure(|config| config.plans.team.streams = Some(1));
    let fixture = EventsFixture::with(options).await;
    let params = json!({ "name": "message.received" });
    let push = fixture.mcp.stream(params.clone()).await;
    let error = fixture.mcp.error("events/stream", params.clone(), -32013).await;
    assert_eq!(error["data"]["max"], 1);
    let other = fixture.server.workspace(Plan::Team).await;
    let mut elsewhere = fixture.server.mcp(&other).stream(params.clone()).await;
    elsewhere.expect("active").await;
    drop(push);
    // The server notices the closed connection at any time.
    let mut again = loop {
        if let Some(stream) = fixture.mcp.try_stream(&params).await {
            break stream;
        }
    };
    again.expect("active").await;
    fixture.server.finish().await;
}
