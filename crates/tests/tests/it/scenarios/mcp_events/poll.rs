//! `events/poll`.

use posthouse_app::jobs::reconcile;
use posthouse_domain::time::{DAY_MS, HOUR_MS};
use serde_json::{Value, json};

use super::{EventsFixture, polled};

/// Lets the retention of the log pass.
async fn forget(fixture: &EventsFixture) {
    fixture.server.clock.advance(31 * DAY_MS);
    reconcile::run(fixture.server.service()).await.unwrap();
}

#[tokio::test]
async fn a_client_resumes_at_its_cursor_and_drains_in_steps() {
    let fixture = EventsFixture::new().await;
    let start = fixture.poll(&Value::Null).await;
    assert_eq!((&start["events"], &start["truncated"], &start["hasMore"]), (&json!([]), &json!(false), &json!(false)));
    assert!(start["nextPollMs"].as_i64().is_some_and(|ms| ms >= 1_000));
    for n in 0..5 {
        fixture.mail(&format!("{n}")).await;
    }
    let mut cursor = start["cursor"].clone();
    let mut seen = Vec::new();
    loop {
        let params = json!({ "name": "message.received", "cursor": cursor, "maxEvents": 2 });
        let page = fixture.mcp.result("events/poll", params).await;
        assert_eq!(page["truncated"], false);
        seen.extend(polled(&page));
        cursor = page["cursor"].clone();
        if page["hasMore"] == false {
            break;
        }
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4"]);
    assert_eq!(polled(&fixture.poll(&cursor).await), Vec::<String>::new(), "nothing comes twice");
    fixture.mail("later").await;
    assert_eq!(polled(&fixture.poll(&cursor).await), ["later"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_cursor_passes_over_events_of_other_types() {
    let fixture = EventsFixture::new().await;
    let start = fixture.poll(&Value::Null).await["cursor"].clone();
    let path = format!("/v1/inboxes/{}", fixture.inbox.id);
    fixture.api.post_empty(&format!("{path}/pause")).await.expect(200);
    let after = fixture.poll(&start).await;
    assert_eq!(polled(&after), Vec::<String>::new());
    assert_ne!(after["cursor"], start, "the position moves in quiet times");
    let paused = fixture.mcp.result("events/poll", json!({ "name": "inbox.paused", "cursor": start })).await;
    assert_eq!(paused["events"][0]["name"], "inbox.paused");
    assert_eq!(paused["cursor"], after["cursor"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_cursor_that_the_log_has_lost_is_truncated() {
    let fixture = EventsFixture::new().await;
    fixture.mail("first").await;
    let page = fixture.mcp.result("events/poll", json!({ "name": "message.received", "cursor": null })).await;
    let old = page["cursor"].clone();
    forget(&fixture).await;
    fixture.mail("second").await;
    let page = fixture.poll(&old).await;
    assert_eq!((&page["truncated"], polled(&page)), (&json!(true), vec!["second".to_owned()]));
    let foreign = json!("0197f3c4-5b1e-7c3a-9d2f-1a2b3c4d5e6f");
    let page = fixture.poll(&foreign).await;
    assert_eq!((&page["truncated"], polled(&page)), (&json!(true), vec!["second".to_owned()]));
    let page = fixture.poll(&page["cursor"]).await;
    assert_eq!(page["truncated"], false, "the fresh cursor is whole");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_cursor_of_an_empty_log_works() {
    let fixture = EventsFixture::new().await;
    fixture.mail("forgotten").await;
    forget(&fixture).await;
    assert!(fixture.api.get("/v1/events").await.expect(200).data().is_empty());
    let start = fixture.poll(&Value::Null).await;
    assert!(start["cursor"].is_string(), "{start}");
    fixture.mail("first").await;
    let page = fixture.poll(&start["cursor"]).await;
    assert_eq!((&page["truncated"], polled(&page)), (&json!(false), vec!["first".to_owned()]));
    fixture.server.finish().await;
}

#[tokio::test]
async fn older_events_than_a_client_wants_are_left_out() {
    let fixture = EventsFixture::new().await;
    let start = fixture.poll(&Value::Null).await["cursor"].clone();
    for subject in ["old", "older than an hour"] {
        fixture.mail(subject).await;
    }
    fixture.server.advance(2 * HOUR_MS).await;
    fixture.mail("new").await;
    let page = |age: i64| {
        let params = json!({ "name": "message.received", "cursor": start, "maxAgeMs": age });
        fixture.mcp.result("events/poll", params)
    };
    let recent = page(HOUR_MS).await;
    assert_eq!((&recent["truncated"], polled(&recent)), (&json!(true), vec!["new".to_owned()]));
    let whole = page(3 * HOUR_MS).await;
    assert_eq!((&whole["truncated"], polled(&whole).len()), (&json!(false), 3));
    fixture.server.finish().await;
}
