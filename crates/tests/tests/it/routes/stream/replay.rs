//! Coming back: what was missed is replayed once, in order, as far as it reaches.

use posthouse_domain::{
    event::{EventKind, NewEvent},
    id::InboxId,
    time::{HOUR_MS, Time},
};
use posthouse_server::ports::Clock as _;
use posthouse_store::{Error, Tx, events};
use serde_json::json;

use super::{Studio, subject};

/// Appends that many events of an inbox; the ids in order.
async fn append(studio: &Studio, count: usize, inbox: InboxId) -> Vec<String> {
    let (workspace, at) = (studio.key.workspace, studio.server.clock.now());
    let ids = studio.server.app().clock.ids();
    let made: Vec<NewEvent> = (0..count)
        .map(|n| NewEvent {
            workspace,
            id: ids.next(),
            kind: EventKind::InboxPaused,
            inbox: Some(inbox),
            thread: None,
            message: None,
            detail_json: json!({ "n": n }).to_string(),
            at,
        })
        .collect();
    let stored = made.clone();
    let work =
        move |tx: &mut Tx| -> Result<(), Error> { stored.iter().try_for_each(|event| events::append(tx, event)) };
    studio.server.store().write(work).await.unwrap();
    made.iter().map(|event| event.id.to_string()).collect()
}

#[tokio::test]
async fn what_was_missed_comes_once_and_in_order_and_then_what_is_new() {
    let mut studio = Studio::open().await;
    let mut stream = studio.server.stream(&studio.key).await;
    stream.subscribe(json!({})).await;
    studio.mail("one").await;
    let first = stream.expect("event").await["event"]["id"].clone();
    studio.mail("two").await;
    studio.server.stop().await;
    assert_eq!(stream.end().await, Some(1001), "reconnect, resume");
    studio.server.run().await;
    studio.api = studio.server.api(&studio.key);
    studio.mail("three").await;
    let mut stream = studio.server.stream(&studio.key).await;
    let subscribed = stream.subscribe(json!({ "since": first })).await;
    assert_eq!(subscribed, json!({ "type": "subscribed", "replayed": 2 }));
    studio.mail("four").await;
    for expected in ["two", "three", "four"] {
        assert_eq!(subject(&stream.expect("event").await), expected);
    }
    stream.send(json!({ "type": "ping" })).await;
    stream.expect("pong").await;
    studio.server.finish().await;
}

#[tokio::test]
async fn a_replay_has_the_filters_of_its_subscription() {
    let studio = Studio::open().await;
    let other = studio.server.inbox(&studio.key).await;
    let first = append(&studio, 1, studio.inbox.id).await.remove(0);
    append(&studio, 3, other.id).await;
    let wanted = append(&studio, 2, studio.inbox.id).await;
    studio.mail("not of that type").await;
    let mut stream = studio.server.stream(&studio.key).await;
    let filters = json!({
        "since": first, "inbox_ids": [studio.inbox.id.to_string()], "event_types": ["inbox.paused"],
    });
    assert_eq!(stream.subscribe(filters).await["replayed"], 2);
    for id in wanted {
        assert_eq!(stream.expect("event").await["event"]["id"], id);
    }
    studio.server.finish().await;
}

#[tokio::test]
async fn at_most_a_thousand_events_of_the_last_hour_are_replayed() {
    let studio = Studio::open().await;
    let old = append(&studio, 2, studio.inbox.id).await;
    studio.server.clock.advance(HOUR_MS + 1);
    let mut stream = studio.server.stream(&studio.key).await;
    let nothing_newer = stream.subscribe(json!({ "since": old[1] })).await;
    assert_eq!(nothing_newer, json!({ "type": "subscribed", "replayed": 0 }));
    let too_old = stream.subscribe(json!({ "since": old[0] })).await;
    assert_eq!(too_old, json!({ "type": "subscribed", "replayed": 0, "replay_truncated": true }));
    let new = append(&studio, 1_000, studio.inbox.id).await;
    let mut stream = studio.server.stream(&studio.key).await;
    assert_eq!(stream.subscribe(json!({ "since": old[1] })).await, json!({ "type": "subscribed", "replayed": 1_000 }));
    for id in &new {
        assert_eq!(stream.expect("event").await["event"]["id"], *id);
    }
    let last = append(&studio, 1, studio.inbox.id).await;
    assert_eq!(stream.expect("event").await["event"]["id"], last[0], "what is new goes on behind the replay");
    let unknown = "0199e000-0000-7000-8000-000000000001";
    for since in [old[1].as_str(), unknown] {
        let mut stream = studio.server.stream(&studio.key).await;
        let subscribed = stream.subscribe(json!({ "since": since })).await;
        assert_eq!(subscribed, json!({ "type": "subscribed", "replayed": 1_000, "replay_truncated": true }));
        assert_eq!(stream.expect("event").await["event"]["id"], new[1], "the newest thousand");
    }
    assert!(studio.server.clock.now() > Time::default());
    studio.server.finish().await;
}

#[tokio::test]
async fn who_does_not_read_is_let_go_and_resumes() {
    let studio = Studio::open().await;
    let mut slow = studio.server.stream(&studio.key).await;
    slow.subscribe(json!({})).await;
    // More than the buffers of a connection hold.
    let text = "0123456789\n".repeat(100_000);
    for n in 0..14 {
        let letter = posthouse_tests::Letter::new(&format!("mail {n}"), &text);
        studio.server.deliver(&letter, &studio.inbox.address).await;
    }
    let gone = async {
        while studio.server.app().streams.count() > 0 {
            tokio::task::yield_now().await;
        }
    };
    studio.server.clock.go_on(300_000, gone).await;
    let (mut seen, mut last) = (0, json!(null));
    while let posthouse_tests::stream::Next::Frame(frame) = slow.next().await {
        assert_eq!(subject(&frame), format!("mail {seen}"));
        (seen, last) = (seen + 1, frame["event"]["id"].clone());
    }
    assert!((1..14).contains(&seen), "{seen}");
    let mut stream = studio.server.stream(&studio.key).await;
    assert_eq!(stream.subscribe(json!({ "since": last })).await["replayed"], 14 - seen);
    for n in seen..14 {
        assert_eq!(subject(&stream.expect("event").await), format!("mail {n}"));
    }
    studio.server.finish().await;
}
