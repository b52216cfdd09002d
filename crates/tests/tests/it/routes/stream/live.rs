//! What a stream says while it is open, and how it ends.

use posthouse_domain::auth::Scope;
use posthouse_tests::{Letter, stream::Next};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::{Studio, subject};

#[tokio::test]
async fn an_event_is_the_one_of_the_log_in_either_form() {
    let studio = Studio::open().await;
    let (mut full, mut envelope) = (studio.server.stream(&studio.key).await, studio.server.stream(&studio.key).await);
    studio.mail("before").await;
    assert_eq!(full.subscribe(json!({})).await, json!({ "type": "subscribed", "replayed": 0 }));
    envelope.subscribe(json!({ "payload": "envelope" })).await;
    studio.mail("after").await;
    let logged = studio.api.get("/v1/events").await.expect(200).data()[1].clone();
    assert_eq!(full.frame().await, json!({ "type": "event", "event": logged }));
    let frame = envelope.expect("event").await;
    assert_eq!((&frame["event"]["id"], &frame["event"]["type"]), (&logged["id"], &logged["type"]));
    let data = &frame["event"]["data"];
    assert_eq!((&data["subject"], &data["inbox_id"]), (&json!("after"), &json!(studio.inbox.id.to_string())));
    assert!(data.get("message").is_none() && data.get("text").is_none(), "{data}");
    assert_eq!(full.close().await, Some(1000));
    studio.server.finish().await;
}

#[tokio::test]
async fn filters_narrow_and_a_key_of_one_inbox_hears_that_one() {
    let studio = Studio::open().await;
    let other = studio.server.inbox(&studio.key).await;
    let narrow = studio.server.key(&studio.key, "messages:read", Scope::Inbox(other.id)).await;
    let mut of_key = studio.server.stream(&narrow).await;
    of_key.subscribe(json!({})).await;
    let mut of_inbox = studio.server.stream(&studio.key).await;
    of_inbox.subscribe(json!({ "inbox_ids": [other.id.to_string()], "event_types": null })).await;
    let mut of_type = studio.server.stream(&studio.key).await;
    of_type.subscribe(json!({ "event_types": ["inbox.paused"] })).await;
    studio.mail("elsewhere").await;
    studio.server.deliver(&Letter::new("here", "text"), &other.address).await;
    studio.api.post_empty(&format!("/v1/inboxes/{}/pause", studio.inbox.id)).await.expect(200);
    assert_eq!(subject(&of_key.expect("event").await), "here");
    assert_eq!(subject(&of_inbox.expect("event").await), "here");
    assert_eq!(of_type.expect("event").await["event"]["type"], "inbox.paused");
    of_key.send(json!({ "type": "subscribe", "inbox_ids": [studio.inbox.id.to_string()] })).await;
    let refused = of_key.expect("error").await;
    assert_eq!(refused["code"], "inbox_not_found", "{refused}");
    studio.server.finish().await;
}

#[tokio::test]
async fn another_workspace_hears_nothing() {
    let studio = Studio::open().await;
    let stranger = studio.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let mut stream = studio.server.stream(&stranger).await;
    stream.subscribe(json!({})).await;
    stream.send(json!({ "type": "subscribe", "inbox_ids": [studio.inbox.id.to_string()] })).await;
    assert_eq!(stream.expect("error").await["code"], "inbox_not_found");
    studio.mail("secret").await;
    let own = studio.server.inbox(&stranger).await;
    studio.server.deliver(&Letter::new("own", "text"), &own.address).await;
    assert_eq!(subject(&stream.expect("event").await), "own");
    studio.server.finish().await;
}

#[tokio::test]
async fn frames_that_are_not_understood_are_answered_and_bounded() {
    let studio = Studio::open().await;
    let mut stream = studio.server.stream(&studio.key).await;
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
    stream.say(Message::binary(vec![1, 2])).await;
    stream.expect("error").await;
    stream.send(json!({ "type": "ping" })).await;
    assert_eq!(stream.frame().await, json!({ "type": "pong" }));
    stream.subscribe(json!({})).await;
    for _ in 6..20 {
        stream.say(Message::text("{")).await;
        stream.expect("error").await;
    }
    stream.say(Message::text("{")).await;
    assert_eq!(stream.next().await, Next::End(Some(1008)));
    let mut stream = studio.server.stream(&studio.key).await;
    stream.say(Message::text("x".repeat(64 * 1024 + 1))).await;
    assert_eq!(stream.end().await, Some(1009));
    studio.server.finish().await;
}

#[tokio::test]
async fn a_paused_inbox_is_silent_until_it_is_resumed() {
    let studio = Studio::open().await;
    let mut stream = studio.server.stream(&studio.key).await;
    stream.subscribe(json!({})).await;
    let inbox = format!("/v1/inboxes/{}", studio.inbox.id);
    studio.api.post_empty(&format!("{inbox}/pause")).await.expect(200);
    studio.mail("held").await;
    let other = studio.server.inbox(&studio.key).await;
    studio.server.deliver(&Letter::new("not held", "text"), &other.address).await;
    assert_eq!(stream.expect("event").await["event"]["type"], "inbox.paused");
    assert_eq!(subject(&stream.expect("event").await), "not held");
    studio.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    let mut seen = [stream.expect("event").await, stream.expect("event").await];
    seen.sort_by_key(|frame| frame["event"]["type"].to_string());
    assert_eq!(seen[0]["event"]["type"], "inbox.resumed");
    assert_eq!(subject(&seen[1]), "held");
    studio.server.finish().await;
}

#[tokio::test]
async fn a_key_that_is_revoked_ends_its_streams_and_no_others() {
    let studio = Studio::open().await;
    let key = studio.server.key(&studio.key, "messages:read", Scope::Workspace).await;
    let (mut one, mut two) = (studio.server.stream(&key).await, studio.server.stream(&key).await);
    let mut other = studio.server.stream(&studio.key).await;
    one.subscribe(json!({})).await;
    other.subscribe(json!({})).await;
    studio.revoke(&key).await;
    assert_eq!((one.end().await, two.end().await), (Some(4001), Some(4001)));
    studio.mail("on").await;
    assert_eq!(subject(&other.expect("event").await), "on");
    studio.server.finish().await;
}

#[tokio::test]
async fn signs_of_life_go_both_ways() {
    let studio = Studio::open().await;
    let mut alive = studio.server.stream(&studio.key).await;
    let mut dead = studio.server.stream(&studio.key).await;
    for _ in 0..2 {
        studio.server.clock.advance(30_000);
        alive.ping().await;
        alive.send(json!({ "type": "ping" })).await;
        alive.expect("pong").await;
    }
    // Nothing was read there, and so nothing answered.
    assert_eq!(dead.end().await, Some(4000));
    alive.subscribe(json!({})).await;
    studio.server.finish().await;
}

#[tokio::test]
async fn nobody_is_counted_when_all_have_left() {
    let studio = Studio::open().await;
    for _ in 0..3 {
        let stream = studio.server.stream(&studio.key).await;
        assert_eq!(studio.server.app().streams.count(), 1);
        stream.close().await;
        while studio.server.app().streams.count() > 0 {
            tokio::task::yield_now().await;
        }
    }
    let mut stream = studio.server.stream(&studio.key).await;
    stream.subscribe(json!({})).await;
    studio.mail("once").await;
    assert_eq!(subject(&stream.expect("event").await), "once");
    stream.send(json!({ "type": "ping" })).await;
    stream.expect("pong").await;
    studio.server.finish().await;
}
