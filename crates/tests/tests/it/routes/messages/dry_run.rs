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
