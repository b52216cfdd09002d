//! The events about drafts.

use posthouse_domain::time::HOUR_MS;
use serde_json::json;

use super::InboxFixture;

#[tokio::test]
async fn each_change_emits_an_event_with_the_draft_at_that_time() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    let made = fixture.log().await;
    assert_eq!(made[0]["data"]["draft"], fixture.get(&id).await.json, "complete while the draft is unchanged");
    assert_eq!(made[0]["data"]["inbox"]["address"], json!(fixture.inbox.address));
    fixture.patch(&id, json!({ "subject": "Other" })).await.expect(200);
    fixture.act(&id, "schedule", json!({ "send_at": fixture.ahead(HOUR_MS) })).await.expect(200);
    let sent = fixture.send(&id).await.expect(202);
    let log = fixture.log().await;
    let event_types: Vec<_> = log
        .iter()
        .map(|event| {
            let draft = &event["data"]["draft"];
            (event["type"].as_str().unwrap(), draft["status"].as_str().unwrap(), draft["subject"].as_str().unwrap())
        })
        .collect();
    let expected = [
        ("draft.created", "draft", "Plan"),
        ("draft.updated", "draft", "Other"),
        ("draft.updated", "scheduled", "Other"),
        ("draft.sent", "sent", "Other"),
    ];
    assert_eq!(event_types, expected);
    assert_eq!(log[0]["data"]["draft"]["text"], json!(null), "old content is not kept");
    assert_eq!(log[3]["data"]["draft"], sent["draft"]);
    assert_eq!(log[3]["data"]["message"]["id"], sent["message"]["id"]);
    assert_eq!(log[0]["data"].get("message"), None);
    fixture.close().await;
}

#[tokio::test]
async fn a_pause_does_not_hold_events_caused_by_callers() {
    let fixture = InboxFixture::open().await;
    fixture.pause().await;
    let id = fixture.complete().await;
    fixture.act(&id, "cancel", json!({})).await.expect(200);
    assert_eq!(fixture.event_types().await, ["draft.created", "draft.cancelled"]);
    fixture.close().await;
}
