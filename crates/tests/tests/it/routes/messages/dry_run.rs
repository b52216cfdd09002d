//! `POST …/messages?dry_run=true`: returns the decision and stores nothing.

use serde_json::json;

use super::{InboxFixture, inbox, send_body};

#[tokio::test]
async fn a_dry_run_returns_the_decision_without_sending() {
    let fixture = InboxFixture::open().await;
    inbox(&fixture.server, &fixture.key, "friend").await;
    let body = json!({ "to": ["friend@agents.localhost", "dana@elsewhere.example"], "subject": "x", "text": "y" });
    for path in ["?dry_run=true", "/send?dry_run=true"] {
        let decision = fixture.api.idempotent("k").post(&fixture.messages(path), body.clone()).await.expect(200);
        assert_eq!(decision["allowed"], true);
        assert_eq!(decision["refusal"], json!(null));
        let recipients = json!([
            { "address": "friend@agents.localhost", "origin": "directory", "message_id": null, "channel": "agent",
                "suppressed": false, "blocked": false },
            { "address": "dana@elsewhere.example", "origin": "caller", "message_id": null, "channel": "email",
                "suppressed": false, "blocked": false },
        ]);
        assert_eq!(decision["recipients"], recipients);
        assert!(decision["message_size_bytes"].as_u64().unwrap() > 200);
        assert_eq!(decision["limits_left"]["emails_per_month"], 500_000);
    }
    assert_eq!(fixture.newest_message(&fixture.inbox).await, json!(null), "nothing is stored");
    fixture.post("?dry_run=true", send_body("nobody")).await.error("invalid_request");
    fixture.post("?dry_run=maybe", send_body("a@b.example")).await.invalid_fields(&["dry_run"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_dry_run_of_a_forward_sends_nothing() {
    let fixture = InboxFixture::open().await;
    let mail = "From: Dana <dana@elsewhere.example>\nTo: x\nSubject: Lamps\nMessage-ID: <a@b.example>\n\nWhen?\n";
    let original = fixture.receive_at(&fixture.inbox, mail).await;
    let path = format!("/{original}/forward?dry_run=true");
    let decision = fixture.post(&path, json!({ "to": "ann@other.example" })).await.expect(200);
    assert_eq!((&decision["allowed"], &decision["refusal"]), (&json!(true), &json!(null)));
    assert_eq!(decision["recipients"][0]["address"], "ann@other.example");
    assert_eq!(fixture.newest_message(&fixture.inbox).await["id"], json!(original), "nothing is sent");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_dry_run_of_a_reply_names_its_computed_recipients() {
    let fixture = InboxFixture::open().await;
    let mail = "From: Dana <dana@elsewhere.example>\nTo: x\nSubject: Lamps\nMessage-ID: <a@b.example>\n\nWhen?\n";
    let original = fixture.receive_at(&fixture.inbox, mail).await;
    let path = format!("/{original}/reply?dry_run=true");
    let decision = fixture.post(&path, json!({ "text": "On Thursday." })).await.expect(200);
    assert_eq!((&decision["allowed"], &decision["refusal"]), (&json!(true), &json!(null)));
    assert_eq!(decision["recipients"][0]["address"], "dana@elsewhere.example");
    fixture.api.post_empty(&format!("/v1/inboxes/{}/pause", fixture.inbox.id)).await.expect(200);
    let refused = fixture.post(&path, json!({ "text": "On Thursday." })).await.expect(200);
    assert_eq!((&refused["allowed"], &refused["refusal"]["code"]), (&json!(false), &json!("inbox_paused")));
    assert_eq!(fixture.newest_message(&fixture.inbox).await["id"], json!(original), "nothing is sent");
    fixture.server.finish().await;
}
