//! The events of drafts (contract §11.5).

use posthouse_domain::time::HOUR_MS;
use serde_json::json;

use super::Desk;

#[tokio::test]
async fn each_change_is_told_with_the_draft_as_it_was() {
    let desk = Desk::open().await;
    let id = desk.complete().await;
    let made = desk.log().await;
    assert_eq!(made[0]["data"]["draft"], desk.get(&id).await.json, "whole while it is the same");
    assert_eq!(made[0]["data"]["inbox"]["address"], json!(desk.inbox.address));
    desk.patch(&id, json!({ "subject": "Other" })).await.expect(200);
    desk.act(&id, "schedule", json!({ "send_at": desk.ahead(HOUR_MS) })).await.expect(200);
    let sent = desk.send(&id).await.expect(202);
    let log = desk.log().await;
    let told: Vec<_> = log
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
    assert_eq!(told, expected);
    assert_eq!(log[0]["data"]["draft"]["text"], json!(null), "old words are not kept");
    assert_eq!(log[3]["data"]["draft"], sent["draft"]);
    assert_eq!(log[3]["data"]["message"]["id"], sent["message"]["id"]);
    assert_eq!(log[0]["data"].get("message"), None);
    desk.close().await;
}

#[tokio::test]
async fn a_pause_does_not_hold_back_what_callers_do() {
    let desk = Desk::open().await;
    desk.pause().await;
    let id = desk.complete().await;
    desk.act(&id, "cancel", json!({})).await.expect(200);
    assert_eq!(desk.told().await, ["draft.created", "draft.cancelled"]);
    desk.close().await;
}
