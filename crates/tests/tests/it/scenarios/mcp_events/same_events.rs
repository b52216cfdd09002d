//! The same events with the same ids on every way.

use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use super::{EventsFixture, subject};

/// Number of messages.
const MESSAGES: usize = 5;
/// The most bytes of a delivery.
const BYTES_MAX: usize = 256 * 1024;

#[tokio::test]
async fn an_event_has_one_id_and_the_same_data_on_every_way() {
    let fixture = EventsFixture::new().await;
    let url = format!("{}&api", fixture.sink.url());
    fixture.api.post("/v1/webhooks", json!({ "url": url, "events": ["message.received"] })).await.expect(201);
    fixture.subscribe(json!({})).await;
    let start = fixture.poll(&Value::Null).await["cursor"].clone();
    let mut socket = fixture.server.stream(&fixture.key).await;
    socket.subscribe(json!({ "event_types": ["message.received"] })).await;
    let mut push = fixture.mcp.stream(json!({ "name": "message.received" })).await;
    push.expect("active").await;
    for n in 0..MESSAGES {
        fixture.mail(&format!("number {n}")).await;
    }
    fixture.server.settle().await;
    let log = fixture.api.get("/v1/events?types=message.received").await.expect(200);
    let polled = fixture.poll(&start).await;
    let (by_api, by_mcp): (Vec<_>, Vec<_>) =
        fixture.sink.posts().into_iter().partition(|post| post.line.contains("&api"));
    let mut by_mcp: Vec<Value> =
        by_mcp.iter().map(|post| post.json()).filter(|event| event["eventId"].is_string()).collect();
    by_mcp.sort_by_key(subject);
    for (n, event) in log.data().iter().enumerate() {
        let frame = socket.expect("event").await;
        let pushed = push.expect("event").await;
        let hooked = by_api.iter().map(|post| post.json()).find(|one| subject(one) == subject(event)).unwrap();
        assert_eq!((&frame["event"], &hooked), (event, event));
        for occurrence in [&polled["events"][n], &pushed, &by_mcp[n]] {
            assert_eq!((&occurrence["eventId"], &occurrence["name"]), (&event["id"], &event["type"]));
            assert_eq!((&occurrence["timestamp"], &occurrence["data"]), (&event["created_at"], &event["data"]));
        }
        assert_eq!(pushed["cursor"], event["id"], "the position after the event");
    }
    assert_eq!((log.data().len(), by_mcp.len()), (MESSAGES, MESSAGES));
    assert!(polled["events"][0].get("cursor").is_none(), "a poll has one cursor for all");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_large_event_comes_without_bodies() {
    let fixture = EventsFixture::new().await;
    fixture.subscribe(json!({})).await;
    let start = fixture.poll(&Value::Null).await["cursor"].clone();
    let mut push = fixture.mcp.stream(json!({ "name": "message.received" })).await;
    push.expect("active").await;
    let text = "A line of a long text.\r\n".repeat(20_000);
    fixture.server.deliver(&TestMessage::new("large", &text), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let (polled, pushed) = (fixture.poll(&start).await["events"][0].clone(), push.expect("event").await);
    let posts = fixture.sink.occurrences();
    for event in [&polled, &pushed, &posts[0].json()] {
        let message = &event["data"]["message"];
        assert_eq!((&message["subject"], &message["text"]), (&json!("large"), &Value::Null));
        assert!(event.to_string().len() <= BYTES_MAX);
        assert!(message["extracted_text"].as_str().is_some_and(|text| text.chars().count() <= 200), "{message}");
    }
    assert!(posts[0].body.len() <= BYTES_MAX);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_envelope_has_no_content_on_any_way() {
    let fixture = EventsFixture::new().await;
    let arguments = json!({ "payload": "envelope", "inbox_id": fixture.inbox.id.to_string() });
    fixture.subscribe(json!({ "arguments": arguments })).await;
    let params = json!({ "name": "message.received", "arguments": arguments });
    let mut push = fixture.mcp.stream(params.clone()).await;
    let start = push.expect("active").await["cursor"].clone();
    let other = fixture.server.inbox(&fixture.key).await;
    fixture.server.deliver(&TestMessage::new("elsewhere", "text"), &other.address).await;
    fixture.mail("here").await;
    fixture.server.settle().await;
    let mut after = params;
    after["cursor"] = start;
    let polled = fixture.mcp.result("events/poll", after).await;
    let posts = fixture.sink.occurrences();
    assert_eq!((polled["events"].as_array().unwrap().len(), posts.len()), (1, 1));
    for event in [&polled["events"][0], &push.expect("event").await, &posts[0].json()] {
        assert_eq!((&event["data"]["subject"], event["data"].get("message")), (&json!("here"), None));
    }
    fixture.server.finish().await;
}
