//! `POST …/messages/dry-run` and `?dry_run=true`: return the decision and store nothing.

use posthouse_domain::{OutboundPolicy, auth::Scope};
use serde_json::json;

use super::{InboxFixture, inbox, send_body};

#[tokio::test]
async fn a_dry_run_returns_the_decision_without_sending() {
    let fixture = InboxFixture::open().await;
    inbox(&fixture.server, &fixture.key, "friend").await;
    let body = json!({ "to": ["friend@agents.localhost", "dana@elsewhere.example"], "subject": "x", "text": "y" });
    for path in ["?dry_run=true", "/send?dry_run=true", "/dry-run"] {
        let decision = fixture.api.idempotent("k").post(&fixture.messages(path), body.clone()).await.expect(200);
        assert_eq!((&decision["status"], &decision["allowed"]), (&json!("would_send"), &json!(true)));
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

/// Requests, and the status of their decision or the code of their error.
const DECISIONS: &[(&str, &str, &str)] = &[
    ("ann@other.example", "x", "would_send"),
    ("sender@agents.localhost", "x", "would_send"),
    ("blocked@other.example", "x", "would_refuse"),
    ("suppressed@other.example", "x", "would_refuse"),
    ("ann@other.example", "The key is sk_live_4eC39HqLyjWDarjtT1zdp7dc.", "would_wait"),
    ("nobody", "x", "invalid_request"),
    ("@nobody/nobody", "x", "agent_not_found"),
    ("ann@other.example", "", "invalid_request"),
];

#[tokio::test]
async fn the_path_and_the_parameter_of_a_dry_run_decide_alike() {
    let fixture = InboxFixture::open().await;
    fixture.set_outbound_policy(OutboundPolicy::Hold).await;
    let entry = json!({ "direction": "send", "kind": "block", "pattern": "blocked@other.example" });
    fixture.api.post("/v1/lists", entry).await.expect(201);
    fixture.api.post("/v1/suppressions", json!({ "address": "suppressed@other.example" })).await.expect(201);
    for paused in [false, true] {
        if paused {
            fixture.api.post_empty(&format!("/v1/inboxes/{}/pause", fixture.inbox.id)).await.expect(200);
        }
        for (to, text, expected) in DECISIONS {
            let body = json!({ "to": to, "subject": "s", "text": text });
            let by_path = fixture.post("/dry-run", body.clone()).await;
            let by_parameter = fixture.post("?dry_run=true", body).await;
            assert_eq!(by_path.status, by_parameter.status, "{to}: {by_path}");
            if by_path.status == 200 {
                assert_eq!(by_path.json, by_parameter.json, "{to}");
                let status = &by_path["status"];
                assert!(*status == *expected || paused && *status == "would_refuse", "{to}: {by_path}");
                assert_eq!(by_path["allowed"], *status == "would_send", "{to}: {by_path}");
                assert!(!paused || by_path["allowed"] == false, "{to}: {by_path}");
            } else {
                by_path.error(expected);
                by_parameter.error(expected);
            }
        }
    }
    assert_eq!(fixture.newest_message(&fixture.inbox).await, json!(null), "nothing is stored");
    let reader = fixture.server.key(&fixture.key, "messages:read", Scope::Workspace).await;
    let path = fixture.messages("/dry-run");
    fixture.server.api(&reader).post(&path, send_body("a@b.example")).await.error("insufficient_permissions");
    let unknown = "/v1/inboxes/00000000-0000-7000-8000-000000000000/messages/dry-run";
    fixture.api.post(unknown, send_body("a@b.example")).await.error("not_found");
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
