//! When escalations are sent: the limit per hour, digests and quiet hours, over restarts and crashes.

use posthouse_app::escalation::transmit;
use posthouse_domain::time::{HOUR_MS, MINUTE_MS};
use serde_json::{Value, json};

use super::{OnCallFixture, field, text};

#[tokio::test]
async fn the_limit_per_hour_holds_over_restarts_and_the_rest_is_one_digest() {
    let mut fixture = OnCallFixture::with_pat().await;
    fixture.set(json!({ "max_per_hour": 2 })).await;
    fixture.server.advance(10 * MINUTE_MS).await;
    for subject in ["One", "Two", "Three"] {
        fixture.escalate(subject).await;
    }
    assert_eq!(fixture.escalations().len(), 2);
    fixture.server.restart().await;
    fixture.escalate("Four").await;
    fixture.server.advance(50 * MINUTE_MS).await;
    assert_eq!(fixture.escalations().len(), 2, "a full hour came, but the mails are not an hour old");
    fixture.server.advance(10 * MINUTE_MS).await;
    let mails = fixture.escalations();
    assert_eq!(mails.len(), 3);
    let subject = format!("2 escalations: {}", fixture.inbox.address);
    assert_eq!(field(&mails[2].data, "Subject"), Some(subject.as_str()));
    let body = text(&mails[2].data);
    assert!(body.contains("Subject: Three\n") && body.contains("Subject: Four\n"), "{body}");
    let events = fixture.events().await;
    let shown: Vec<(&Value, usize)> =
        events.iter().map(|event| (&event["mode"], event["items"].as_array().unwrap().len())).collect();
    let (immediate, digest) = (json!("immediate"), json!("digest"));
    assert_eq!(shown, [(&immediate, 1), (&immediate, 1), (&digest, 2)]);
    assert_eq!((&events[2]["trigger"], &events[2]["message_id"]), (&json!("needs_human"), &Value::Null));
    fixture.close().await;
}

#[tokio::test]
async fn digests_go_out_hourly() {
    let fixture = OnCallFixture::with_pat().await;
    fixture.set(json!({ "delivery": "digest" })).await;
    fixture.escalate("One").await;
    fixture.server.advance(20 * MINUTE_MS).await;
    fixture.escalate("Two").await;
    assert_eq!(fixture.escalations().len(), 0);
    fixture.server.advance(40 * MINUTE_MS).await;
    let mails = fixture.escalations();
    assert_eq!(mails.len(), 1);
    assert!(text(&mails[0].data).contains("Subject: One\n"), "{}", mails[0].data);
    fixture.escalate("Three").await;
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.escalations().len(), 2);
    assert_eq!(fixture.events().await[1]["mode"], "digest");
    fixture.close().await;
}

#[tokio::test]
async fn escalations_in_quiet_hours_go_out_at_the_end() {
    let fixture = OnCallFixture::with_pat().await;
    // The clock shows 12:00 in London plus an hour of summer time.
    fixture.set(json!({ "quiet_hours": { "start": "12:30", "end": "08:00", "timezone": "Europe/London" } })).await;
    fixture.escalate("One").await;
    fixture.escalate("Two").await;
    assert_eq!(fixture.escalations().len(), 0);
    fixture.server.advance(18 * HOUR_MS + 59 * MINUTE_MS).await;
    assert_eq!(fixture.escalations().len(), 0);
    fixture.server.advance(MINUTE_MS).await;
    assert_eq!(fixture.escalations().len(), 2, "07:00 UTC is 08:00 in London");
    // A change of the settings applies to what waits.
    fixture.server.advance(10 * HOUR_MS).await;
    fixture.escalate("Three").await;
    assert_eq!(fixture.escalations().len(), 2);
    fixture.set(json!({ "quiet_hours": null })).await;
    fixture.server.settle().await;
    assert_eq!(fixture.escalations().len(), 3);
    fixture.close().await;
}

#[tokio::test]
async fn concurrent_workers_send_each_escalation_once_within_the_limit() {
    let fixture = OnCallFixture::with_pat().await;
    fixture.set(json!({ "max_per_hour": 2 })).await;
    let mut ids = Vec::new();
    for subject in ["One", "Two", "Three", "Four"] {
        ids.push(fixture.receive(subject).await["id"].clone());
    }
    let batch = json!({ "ids": ids, "add_labels": ["ai:needs-human"] });
    fixture.api.post("/v1/messages/batch-update", batch).await.expect(200);
    let (app, workspace) = (&fixture.server.service(), fixture.key.workspace);
    let run = || transmit::run(app, workspace);
    let results = tokio::join!(run(), run(), run(), run());
    for result in [results.0, results.1, results.2, results.3] {
        result.unwrap_or_else(|refusal| panic!("{refusal}"));
    }
    fixture.server.settle().await;
    assert_eq!(fixture.escalations().len(), 2);
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.escalations().len(), 3);
    let events = fixture.events().await;
    let items = events.iter().flat_map(|event| event["items"].as_array().unwrap());
    let mut escalated: Vec<&Value> = items.map(|item| &item["message_id"]).collect();
    escalated.sort_by_key(|id| id.as_str());
    ids.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    assert_eq!(escalated, ids.iter().collect::<Vec<_>>());
    fixture.close().await;
}

#[tokio::test]
async fn a_crash_loses_nothing_and_repeats_nothing() {
    for units in 1..=6 {
        let mut fixture = OnCallFixture::with_pat().await;
        let message = fixture.receive("Hello").await;
        let path = format!("/v1/messages/{}", message["id"].as_str().unwrap());
        fixture.api.patch(&path, json!({ "add_labels": ["ai:needs-human"] })).await.expect(200);
        let breakpoint = fixture.server.break_after(units);
        tokio::select! {
            paused = breakpoint.hit() => drop(paused),
            () = fixture.server.settle() => {}
        }
        fixture.server.crash().await;
        // The leases of the killed process end.
        fixture.server.advance(2 * MINUTE_MS).await;
        fixture.server.advance(HOUR_MS).await;
        assert_eq!(fixture.events().await.len(), 1, "after {units} units");
        fixture.close().await;
    }
}
