//! Frames of an open stream, and how it ends.

use posthouse_domain::auth::Scope;
use posthouse_tests::{TestMessage, stream::StreamItem};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::{StreamFixture, subject};

#[tokio::test]
async fn events_match_the_log_in_both_payload_forms() {
    let fixture = StreamFixture::open().await;
    let (mut full, mut envelope) =
        (fixture.server.stream(&fixture.key).await, fixture.server.stream(&fixture.key).await);
    fixture.mail("before").await;
    assert_eq!(full.subscribe(json!({})).await, json!({ "type": "subscribed", "replayed": 0 }));
    envelope.subscribe(json!({ "payload": "envelope" })).await;
    fixture.mail("after").await;
    let logged = fixture.api.get("/v1/events").await.expect(200).data()[1].clone();
    assert_eq!(full.frame().await, json!({ "type": "event", "event": logged }));
    let frame = envelope.expect("event").await;
    assert_eq!((&frame["event"]["id"], &frame["event"]["type"]), (&logged["id"], &logged["type"]));
    let data = &frame["event"]["data"];
    assert_eq!((&data["subject"], &data["inbox_id"]), (&json!("after"), &json!(fixture.inbox.id.to_string())));
    assert!(data.get("message").is_none() && data.get("text").is_none(), "{data}");
    assert_eq!(full.close().await, Some(1000));
    fixture.server.finish().await;
}

#[tokio::test]
async fn filters_narrow_the_events_and_an_inbox_key_gets_only_its_inbox() {
    let fixture = StreamFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let narrow = fixture.server.key(&fixture.key, "messages:read", Scope::Inbox(other.id)).await;
    let mut of_key = fixture.server.stream(&narrow).await;
    of_key.subscribe(json!({})).await;
    let mut of_inbox = fixture.server.stream(&fixture.key).await;
    of_inbox.subscribe(json!({ "inbox_ids": [other.id.to_string()], "event_types": null })).await;
    let mut of_type = fixture.server.stream(&fixture.key).await;
    of_type.subscribe(json!({ "event_types": ["inbox.paused"] })).await;
    fixture.mail("elsewhere").await;
    fixture.server.deliver(&TestMessage::new("here", "text"), &other.address).await;
    fixture.api.post_empty(&format!("/v1/inboxes/{}/pause", fixture.inbox.id)).await.expect(200);
    assert_eq!(subject(&of_key.expect("event").await), "here");
    assert_eq!(subject(&of_inbox.expect("event").await), "here");
    assert_eq!(of_type.expect("event").await["event"]["type"], "inbox.paused");
    of_key.send(json!({ "type": "subscribe", "inbox_ids": [fixture.inbox.id.to_string()] })).await;
    let refused = of_key.expect("error").await;
    assert_eq!(refused["code"], "inbox_not_found", "{refused}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn another_workspace_gets_no_events() {
    let fixture = StreamFixture::open().await;
    let stranger = fixture.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let mut stream = fixture.server.stream(&stranger).await;
    stream.subscribe(json!({})).await;
    stream.send(json!({ "type": "subscribe", "inbox_ids": [fixture.inbox.id.to_string()] })).await;
    assert_eq!(stream.expect("error").await["code"], "inbox_not_found");
    fixture.mail("secret").await;
    let own = fixture.server.inbox(&stranger).await;
    fixture.server.deliver(&TestMessage::new("own", "text"), &own.address).await;
    assert_eq!(subject(&stream.expect("event").await), "own");
    fixture.server.finish().await;
}

#[tokio::test]
async fn invalid_frames_get_an_error_and_are_limited() {
    let fixture = StreamFixture::open().await;
    let mut stream = fixture.server.stream(&fixture.key).await;
    for (frame, word) in [
        (json!({ "type": "subscribe", "event_types": ["message.recieved"] }), "did you mean message.received?"),
        (json!({ "type": "subscribe", "inboxes": [] }), "inbox_ids"),
        (json!({ "type": "subscribe", "since": "yesterday" }), "since"),
        (json!({ "type": "shout" }), "shout"),
        (json!([1]), "object"),
    ] {
        stream.send(frame).await;
        let error = stream.expect("error").await;
        assert_eq!(error["code"], "invalid_request");
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
    }
    stream.send_message(Message::binary(vec![1, 2])).await;
    stream.expect("error").await;
    stream.send(json!({ "type": "ping" })).await;
    assert_eq!(stream.frame().await, json!({ "type": "pong" }));
    stream.subscribe(json!({})).await;
    for _ in 6..20 {
        stream.send_message(Message::text("{")).await;
        stream.expect("error").await;
    }
    stream.send_message(Message::text("{")).await;
    assert_eq!(stream.next().await, StreamItem::End(Some(1008)));
    let mut stream = fixture.server.stream(&fixture.key).await;
    stream.send_message(Message::text("x".repeat(64 * 1024 + 1))).await;
    assert_eq!(stream.end().await, Some(1009));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_paused_inbox_sends_no_events_until_it_is_resumed() {
    let fixture = StreamFixture::open().await;
    let mut stream = fixture.server.stream(&fixture.key).await;
    stream.subscribe(json!({})).await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    fixture.api.post_empty(&format!("{inbox}/pause")).await.expect(200);
    fixture.mail("held").await;
    let other = fixture.server.inbox(&fixture.key).await;
    fixture.server.deliver(&TestMessage::new("not held", "text"), &other.address).await;
    assert_eq!(stream.expect("event").await["event"]["type"], "inbox.paused");
    assert_eq!(subject(&stream.expect("event").await), "not held");
    fixture.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    let mut seen = [stream.expect("event").await, stream.expect("event").await];
    seen.sort_by_key(|frame| frame["event"]["type"].to_string());
    assert_eq!(seen[0]["event"]["type"], "inbox.resumed");
    assert_eq!(subject(&seen[1]), "held");
    fixture.server.finish().await;
}

#[tokio::test]
async fn revoking_a_key_ends_its_streams_only() {
    let fixture = StreamFixture::open().await;
    let key = fixture.server.key(&fixture.key, "messages:read", Scope::Workspace).await;
    let (mut one, mut two) = (fixture.server.stream(&key).await, fixture.server.stream(&key).await);
    let mut other = fixture.server.stream(&fixture.key).await;
    one.subscribe(json!({})).await;
    other.subscribe(json!({})).await;
    fixture.revoke(&key).await;
    assert_eq!((one.end().await, two.end().await), (Some(4001), Some(4001)));
    fixture.mail("on").await;
    assert_eq!(subject(&other.expect("event").await), "on");
    fixture.server.finish().await;
}

#[tokio::test]
async fn pings_work_in_both_directions() {
    let fixture = StreamFixture::open().await;
    let mut alive = fixture.server.stream(&fixture.key).await;
    let mut dead = fixture.server.stream(&fixture.key).await;
    for _ in 0..2 {
        fixture.server.clock.advance(30_000);
        alive.ping().await;
        alive.send(json!({ "type": "ping" })).await;
        alive.expect("pong").await;
    }
    // The client read nothing and thus did not reply to the pings. Reading sooner would reply to the first one.
    while fixture.server.service().subscriptions.count() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(dead.end().await, Some(4000));
    alive.subscribe(json!({})).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn closed_streams_are_no_longer_counted() {
    let fixture = StreamFixture::open().await;
    for _ in 0..3 {
        let stream = fixture.server.stream(&fixture.key).await;
        assert_eq!(fixture.server.service().subscriptions.count(), 1);
        stream.close().await;
        while fixture.server.service().subscriptions.count() > 0 {
            tokio::task::yield_now().await;
        }
    }
    let mut stream = fixture.server.stream(&fixture.key).await;
    stream.subscribe(json!({})).await;
    fixture.mail("once").await;
    assert_eq!(subject(&stream.expect("event").await), "once");
    stream.send(json!({ "type": "ping" })).await;
    stream.expect("pong").await;
    fixture.server.finish().await;
}
