//! `POST …/messages?dry_run=true`: the decision, and nothing stored (decision 14).

use serde_json::json;

use super::{Desk, inbox, letter};

#[tokio::test]
async fn a_dry_run_says_what_would_become_of_the_message() {
    let desk = Desk::open().await;
    inbox(&desk.server, &desk.key, "friend").await;
    let body = json!({ "to": ["friend@agents.localhost", "dana@elsewhere.example"], "subject": "x", "text": "y" });
    for path in ["?dry_run=true", "/send?dry_run=true"] {
        let decision = desk.api.idempotent("k").post(&desk.messages(path), body.clone()).await.expect(200);
        assert_eq!(decision["allowed"], true);
        assert_eq!(decision["refusal"], json!(null));
        let recipients = json!([
            { "address": "friend@agents.localhost", "channel": "agent", "suppressed": false, "blocked": false },
            { "address": "dana@elsewhere.example", "channel": "email", "suppressed": false, "blocked": false },
        ]);
        assert_eq!(decision["recipients"], recipients);
        assert!(decision["message_size_bytes"].as_u64().unwrap() > 200);
        assert_eq!(decision["limits_left"]["emails_per_month"], 500_000);
    }
    assert_eq!(desk.newest(&desk.inbox).await, json!(null), "nothing is stored");
    desk.post("?dry_run=true", letter("nobody")).await.error("invalid_request");
    desk.post("?dry_run=maybe", letter("a@b.example")).await.invalid_fields(&["dry_run"]);
    desk.server.finish().await;
}
