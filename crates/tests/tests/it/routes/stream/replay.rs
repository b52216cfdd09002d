//! Resuming: missed events are replayed once, in order, within the limits.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{
    event::{EventKind, NewEvent},
    id::InboxId,
    time::{HOUR_MS, Time},
};
use posthouse_store::{Error, Tx, events};
use serde_json::json;

use super::{StreamFixture, subject};

/// Appends `count` events of an inbox and returns their ids in order.
async fn append(fixture: &StreamFixture, count: usize, inbox: InboxId) -> Vec<String> {
    let (workspace, at) = (fixture.key.workspace, fixture.server.clock.now());
    let ids = fixture.server.service().clock.ids();
    let made: Vec<NewEvent> = (0..count)
        .map(|n| {
            NewEvent::new(EventKind::InboxPaused, workspace, ids.next(), at)
                .in_inbox(inbox)
                .with_detail(json!({ "n": n }).to_string())
        })
        .collect();
    let stored = made.clone();
    let work =
        move |tx: &mut Tx| -> Result<(), Error> { stored.iter().try_for_each(|event| events::append(tx, event)) };
    fixture.server.store().write(work).await.unwrap();
    made.iter().map(|event| event.id.to_string()).collect()
}

#[tokio::test]
async fn missed_events_are_replayed_once_and_in_order_before_new_ones() {
    let mut fixture = StreamFixture::open().await;
    let mut stream = fixture.server.stream(&fixture.key).await;
    stream.subscribe(json!({})).await;
    fixture.mail("one").await;
    let first = stream.expect("event").await["event"]["id"].clone();
    fixture.mail("two").await;
    fixture.server.stop().await;
    assert_eq!(stream.end().await, Some(1001), "the client should reconnect");
    fixture.server.run().await;
    fixture.api = fixture.server.api(&fixture.key);
    fixture.mail("three").await;
    let mut stream = fixture.server.stream(&fixture.key).await;
    let subscribed = stream.subscribe(json!({ "since": first })).await;
    assert_eq!(subscribed, json!({ "type": "subscribed", "replayed": 2 }));
    fixture.mail("four").await;
    for expected in ["two", "three", "four"] {
        assert_eq!(subject(&stream.expect("event").await), expected);
    }
    stream.send(json!({ "type": "ping" })).await;
    stream.expect("pong").await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_replay_applies_the_filters_of_the_subscription() {
    let fixture = StreamFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let first = append(&fixture, 1, fixture.inbox.id).await.remove(0);
    append(&fixture, 3, other.id).await;
    let wanted = append(&fixture, 2, fixture.inbox.id).await;
    fixture.mail("not of that type").await;
    let mut stream = fixture.server.stream(&fixture.key).await;
    let filters = json!({
        "since": first, "inbox_ids": [fixture.inbox.id.to_string()], "event_types": ["inbox.paused"],
    });
    assert_eq!(stream.subscribe(filters).await["replayed"], 2);
    for id in wanted {
        assert_eq!(stream.expect("event").await["event"]["id"], id);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn at_most_a_thousand_events_of_the_last_hour_are_replayed() {
    let fixture = StreamFixture::open().await;
    let old = append(&fixture, 2, fixture.inbox.id).await;
    fixture.server.clock.advance(HOUR_MS + 1);
    let mut stream = fixture.server.stream(&fixture.key).await;
    let nothing_newer = stream.subscribe(json!({ "since": old[1] })).await;
    assert_eq!(nothing_newer, json!({ "type": "subscribed", "replayed": 0 }));
    let too_old = stream.subscribe(json!({ "since": old[0] })).await;
    assert_eq!(too_old, json!({ "type": "subscribed", "replayed": 0, "replay_truncated": true }));
    let new = append(&fixture, 1_000, fixture.inbox.id).await;
    let mut stream = fixture.server.stream(&fixture.key).await;
    assert_eq!(stream.subscribe(json!({ "since": old[1] })).await, json!({ "type": "subscribed", "replayed": 1_000 }));
    for id in &new {
        assert_eq!(stream.expect("event").await["event"]["id"], *id);
    }
    let last = append(&fixture, 1, fixture.inbox.id).await;
    assert_eq!(stream.expect("event").await["event"]["id"], last[0], "new events follow the replay");
    let unknown = "0199e000-0000-7000-8000-000000000001";
    for since in [old[1].as_str(), unknown] {
        let mut stream = fixture.server.stream(&fixture.key).await;
        let subscribed = stream.subscribe(json!({ "since": since })).await;
        assert_eq!(subscribed, json!({ "type": "subscribed", "replayed": 1_000, "replay_truncated": true }));
        assert_eq!(stream.expect("event").await["event"]["id"], new[1], "the newest thousand");
    }
    assert!(fixture.server.clock.now() > Time::default());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected_and_can_resume() {
    let fixture = StreamFixture::open().await;
    let mut slow = fixture.server.stream(&fixture.key).await;
    slow.subscribe(json!({})).await;
    // More than the buffers of a connection.
    let text = "0123456789\n".repeat(100_000);
    for n in 0..14 {
        let message = posthouse_tests::TestMessage::new(&format!("mail {n}"), &text);
        fixture.server.deliver(&message, &fixture.inbox.address).await;
    }
    let gone = async {
        while fixture.server.service().subscriptions.count() > 0 {
            tokio::task::yield_now().await;
        }
    };
    fixture.server.clock.advance_until(300_000, gone).await;
    let (mut seen, mut last) = (0, json!(null));
    while let posthouse_tests::stream::StreamItem::Frame(frame) = slow.next().await {
        assert_eq!(subject(&frame), format!("mail {seen}"));
        (seen, last) = (seen + 1, frame["event"]["id"].clone());
    }
    assert!((1..14).contains(&seen), "{seen}");
    let mut stream = fixture.server.stream(&fixture.key).await;
    assert_eq!(stream.subscribe(json!({ "since": last })).await["replayed"], 14 - seen);
    for n in seen..14 {
        assert_eq!(subject(&stream.expect("event").await), format!("mail {n}"));
    }
    fixture.server.finish().await;
}
