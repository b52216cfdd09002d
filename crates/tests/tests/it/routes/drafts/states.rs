//! Every state against everything that can be done to a draft (contract §5.2).

use posthouse_domain::time::HOUR_MS;
use posthouse_server::ports::Clock as _;
use posthouse_tests::server::Options;
use serde_json::json;

use super::Desk;

/// The states that a caller can meet; `sending` lasts as long as one transaction.
const STATES: [&str; 5] = ["draft", "scheduled", "sent", "failed", "cancelled"];

/// What can be done, and the state after it for each of [`STATES`]; nothing where it is refused.
const TABLE: &[(&str, [Option<&str>; 5])] = &[
    ("edit", [Some("draft"), Some("scheduled"), None, None, None]),
    ("rewrite", [Some("draft"), Some("draft"), None, None, None]),
    ("unschedule", [Some("draft"), Some("draft"), None, None, None]),
    ("edit and schedule", [Some("scheduled"), Some("scheduled"), None, None, None]),
    ("schedule", [Some("scheduled"), Some("scheduled"), None, Some("scheduled"), None]),
    ("send", [Some("sent"), Some("sent"), None, Some("sent"), None]),
    ("cancel", [Some("cancelled"), Some("cancelled"), None, Some("cancelled"), None]),
    ("wait", [Some("draft"), Some("sent"), Some("sent"), Some("failed"), Some("cancelled")]),
    ("delete", [Some("gone"), Some("gone"), Some("gone"), Some("gone"), Some("gone")]),
];

/// A draft in that state, complete again.
async fn in_state(desk: &Desk, state: &str) -> String {
    let (mut body, nobody) = (desk.letter(), format!("nobody{}@agents.localhost", desk.server.clock.now().millis()));
    if matches!(state, "scheduled" | "failed") {
        body["send_at"] = json!(desk.ahead(HOUR_MS));
    }
    if state == "failed" {
        body["to"] = json!(nobody);
    }
    let id = desk.draft(body).await.text("id").to_owned();
    match state {
        "sent" => drop(desk.send(&id).await.expect(202)),
        "cancelled" => drop(desk.act(&id, "cancel", json!({})).await.expect(200)),
        "failed" => {
            // A suppression refuses it at its time, and is lifted again.
            let first = json!({ "to": nobody, "subject": "Plan", "text": "Bounces." });
            let path = format!("/v1/inboxes/{}/messages", desk.inbox.id);
            desk.api.post(&path, first).await.expect(202);
            desk.server.advance(HOUR_MS).await;
            let workspace = desk.key.workspace;
            let lift =
                move |tx: &mut posthouse_store::Tx| posthouse_store::suppressions::remove(tx, workspace, &nobody);
            assert!(desk.server.store().write(lift).await.unwrap());
        }
        _ => {}
    }
    assert_eq!(desk.get(&id).await["status"], state);
    id
}

async fn take(desk: &Desk, id: &str, what: &str) -> Option<String> {
    let later = desk.ahead(2 * HOUR_MS);
    let reply = match what {
        "edit" => desk.patch(id, json!({ "labels": ["new"] })).await,
        "rewrite" => desk.patch(id, json!({ "text": "New." })).await,
        "unschedule" => desk.patch(id, json!({ "send_at": null })).await,
        "edit and schedule" => desk.patch(id, json!({ "text": "New.", "send_at": later })).await,
        "schedule" => desk.act(id, "schedule", json!({ "send_at": later })).await,
        "send" => desk.send(id).await,
        "cancel" => desk.act(id, "cancel", json!({})).await,
        "wait" => {
            desk.server.advance(3 * HOUR_MS).await;
            desk.get(id).await
        }
        _ => desk.api.delete(&desk.path(&format!("/{id}"))).await,
    };
    match reply.status {
        204 => {
            desk.api.get(&desk.path(&format!("/{id}"))).await.error("not_found");
            Some("gone".to_owned())
        }
        409 => {
            let state = desk.get(id).await["status"].clone();
            assert_eq!(reply.error("draft_not_editable")["error"]["details"]["status"], state);
            None
        }
        _ => {
            assert!(reply.status < 300, "{reply}");
            Some(desk.get(id).await.text("status").to_owned())
        }
    }
}

#[tokio::test]
async fn every_step_from_every_state() {
    for (at, state) in STATES.iter().enumerate() {
        let desk = Desk::with(Options::default()).await;
        for (what, expected) in TABLE {
            let id = in_state(&desk, state).await;
            let after = take(&desk, &id, what).await;
            assert_eq!(after.as_deref(), expected[at], "{what} from {state}");
        }
        desk.close().await;
    }
}
