//! `POST /v1/emergency-stop`. Its effects are tested in `scenarios/workspace_states`.

use posthouse_app::{ports::Clock as _, workspaces::stop};
use posthouse_domain::{
    actor::{Actor, ActorKind},
    auth::Scope,
    plan::Plan,
};
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn a_stop_is_announced_once_and_ended_by_an_operator() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    server.clock.advance(1_000);
    let stopped = api.post("/v1/emergency-stop", json!({ "reason": "It writes nonsense." })).await.expect(200);
    let at = "2026-09-15T12:00:01.000Z";
    let org = json!({
        "id": key.workspace.to_string(), "name": "Test workspace", "emergency_stopped_at": at,
        "emergency_stop_reason": "It writes nonsense.",
    });
    assert_eq!(stopped.json, json!({ "org": org }));
    let inbox = server.inbox(&key).await;
    let body = json!({ "to": inbox.address, "subject": "Plan", "text": "Here." });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.error("workspace_stopped");
    server.clock.advance(1_000);
    let again = api.post("/v1/emergency-stop", json!({ "reason": "Other." })).await.expect(200);
    assert_eq!(again.json, stopped.json, "a second stop changes nothing");
    let account = api.get("/v1/account").await.expect(200);
    assert_eq!(account["workspace"]["emergency_stopped_at"], at);
    assert_eq!(account["workspace"]["emergency_stop_reason"], "It writes nonsense.");
    let (id, ids, now) = (key.workspace, server.clock.ids(), server.clock.now());
    let owner = Actor { kind: ActorKind::Operator, id: None, label: "the owner".to_owned() };
    for _ in 0..2 {
        let (owner, ids) = (owner.clone(), ids.clone());
        server.store().write(move |tx| stop::resume(tx, id, &owner, &ids, now)).await.unwrap();
    }
    let log = api.get("/v1/events").await.expect(200);
    let events: Vec<_> = log.data().iter().map(|event| (event["type"].clone(), event["data"].clone())).collect();
    let actor = json!({ "type": "api_key", "id": key.id.to_string(), "label": "first key" });
    let running = json!({
        "id": key.workspace.to_string(), "name": "Test workspace", "emergency_stopped_at": null,
        "emergency_stop_reason": null,
    });
    let by = json!({ "type": "operator", "id": null, "label": "the owner" });
    let expected = [
        (json!("workspace.stopped"), json!({ "workspace": org, "reason": "It writes nonsense.", "actor": actor })),
        (json!("workspace.resumed"), json!({ "workspace": running, "stopped_at": at, "actor": by })),
    ];
    assert_eq!(events, expected);
    assert_eq!(api.get("/v1/account").await.expect(200)["workspace"]["emergency_stopped_at"], json!(null));
    server.finish().await;
}

#[tokio::test]
async fn a_reason_is_optional_and_bounded_and_the_key_must_be_org_wide() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    api.post("/v1/emergency-stop", json!({ "reason": "x".repeat(501) })).await.invalid_fields(&["reason"]);
    api.post("/v1/emergency-stop", json!({ "why": "x" })).await.invalid_fields(&["why"]);
    let narrow = server.key(&key, "full", Scope::Workspace).await;
    server.api(&narrow).post_empty("/v1/emergency-stop").await.error("forbidden");
    let stopped = api.post_empty("/v1/emergency-stop").await.expect(200);
    assert_eq!(stopped["org"]["emergency_stop_reason"], json!(null));
    server.finish().await;
}
