//! Every state of a draft with every operation.

use posthouse_app::ports::Clock as _;
use posthouse_domain::time::HOUR_MS;
use posthouse_tests::server::ServerOptions;
use serde_json::json;

use super::InboxFixture;

/// The states that a caller can see. `sending` only exists inside one transaction.
const STATES: [&str; 5] = ["draft", "scheduled", "sent", "failed", "cancelled"];

/// The operations and the state after each of [`STATES`], or `None` if rejected.
const TABLE: &[(&str, [Option<&str>; 5])] = &[
    ("edit", [Some("draft"), Some("scheduled"), None, None, None]),
    ("rewrite", [Some("draft"), Some("draft"), None, None, None]),
    ("unschedule", [Some("draft"), Some("draft"), None, None, None]),
    ("edit and schedule", [Some("scheduled"), Some("scheduled"), None, None, None]),
    ("schedule", [Some("scheduled"), Some("scheduled"), None, Some("scheduled"), None]),
    ("send", [Some("sent"), Some("sent"), None, Some("sent"), None]),
    ("send back", [Some("draft"), Some("draft"), None, Some("draft"), None]),
    ("take back", [Some("draft"), Some("scheduled"), None, Some("failed"), None]),
    ("cancel", [Some("cancelled"), Some("cancelled"), None, Some("cancelled"), None]),
    ("wait", [Some("draft"), Some("sent"), Some("sent"), Some("failed"), Some("cancelled")]),
    ("delete", [Some("gone"), Some("gone"), Some("gone"), Some("gone"), Some("gone")]),
];

/// Creates a complete draft in this state.
async fn in_state(fixture: &InboxFixture, state: &str) -> String {
    let (mut body, nobody) =
        (fixture.complete_body(), format!("nobody{}@agents.localhost", fixture.server.clock.now().millis()));
    if matches!(state, "scheduled" | "failed") {
        body["send_at"] = json!(fixture.ahead(HOUR_MS));
    }
    if state == "failed" {
        body["to"] = json!(nobody);
    }
    let id = fixture.draft(body).await.text("id").to_owned();
    match state {
        "sent" => drop(fixture.send(&id).await.expect(202)),
        "cancelled" => drop(fixture.act(&id, "cancel", json!({})).await.expect(200)),
        "failed" => {
            // A suppression makes it fail when due, and is removed again.
            let first = json!({ "to": nobody, "subject": "Plan", "text": "Bounces." });
            let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
            fixture.api.post(&path, first).await.expect(202);
            fixture.server.advance(HOUR_MS).await;
            let workspace = fixture.key.workspace;
            let lift =
                move |tx: &mut posthouse_store::Tx| posthouse_store::suppressions::remove(tx, workspace, &nobody);
            assert!(fixture.server.store().write(lift).await.unwrap());
        }
        _ => {}
    }
    assert_eq!(fixture.get(&id).await["status"], state);
    id
}

async fn perform(fixture: &InboxFixture, id: &str, what: &str) -> Option<String> {
    let later = fixture.ahead(2 * HOUR_MS);
    let reply = match what {
        "edit" => fixture.patch(id, json!({ "labels": ["new"] })).await,
        "rewrite" => fixture.patch(id, json!({ "text": "New." })).await,
        "unschedule" => fixture.patch(id, json!({ "send_at": null })).await,
        "edit and schedule" => fixture.patch(id, json!({ "text": "New.", "send_at": later })).await,
        "schedule" => fixture.act(id, "schedule", json!({ "send_at": later })).await,
        "send" => fixture.send(id).await,
        "cancel" => fixture.act(id, "cancel", json!({})).await,
        "send back" => fixture.act(id, "send-back", json!({ "note": "Shorter, please." })).await,
        "take back" => fixture.api.delete(&fixture.path(&format!("/{id}/send-back"))).await,
        "wait" => {
            fixture.server.advance(3 * HOUR_MS).await;
            fixture.get(id).await
        }
        _ => fixture.api.delete(&fixture.path(&format!("/{id}"))).await,
    };
    match reply.status {
        204 => {
            fixture.api.get(&fixture.path(&format!("/{id}"))).await.error("not_found");
            Some("gone".to_owned())
        }
        409 => {
            let state = fixture.get(id).await["status"].clone();
            assert_eq!(reply.error("draft_not_editable")["error"]["details"]["status"], state);
            None
        }
        _ => {
            assert!(reply.status < 300, "{reply}");
            Some(fixture.get(id).await.text("status").to_owned())
        }
    }
}

#[tokio::test]
async fn every_operation_has_its_expected_result_in_every_state() {
    for (at, state) in STATES.iter().enumerate() {
        let fixture = InboxFixture::with(ServerOptions::default()).await;
        for (what, expected) in TABLE {
            let id = in_state(&fixture, state).await;
            let after = perform(&fixture, &id, what).await;
            assert_eq!(after.as_deref(), expected[at], "{what} from {state}");
        }
        fixture.close().await;
    }
}
