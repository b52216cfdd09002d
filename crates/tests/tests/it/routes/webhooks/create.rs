//! `POST /v1/webhooks` and what it refuses.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_store::{Error, Tx, p, statements};
use posthouse_tests::TestServer;
use serde_json::json;

use super::World;

statements! {
    UNCLAIM = "UPDATE workspaces SET claim_status = 'unclaimed' WHERE id = $1";
}

#[tokio::test]
async fn a_webhook_has_the_members_of_the_contract_and_shows_its_secret_once() {
    let world = World::new().await;
    let made = world.webhook(json!({})).await;
    assert_eq!(made["url"], world.sink.url());
    let default = [
        "message.received",
        "message.sent",
        "message.delivered",
        "message.bounced",
        "message.complained",
        "message.enriched",
        "message.released",
    ];
    assert_eq!(made["events"], json!(default));
    assert_eq!((&made["inbox_ids"], &made["enabled"], &made["payload"]), (&json!(null), &json!(true), &json!("full")));
    assert_eq!((&made["headers"], &made["created_at"]), (&json!({}), &json!("2026-09-15T12:00:00.000Z")));
    let stats = json!({
        "deliveries_24h": 0, "failed_24h": 0, "error_rate_24h": 0.0, "last_success_at": null, "last_failure_at": null
    });
    assert_eq!(made["stats"], stats);
    let secret = made.text("secret");
    assert!(secret.starts_with("whsec_") && secret.len() == 6 + 44, "{secret}");
    assert_eq!(made.text("secret_hint"), format!("whsec_…{}", &secret[secret.len() - 4..]));
    let read = world.api.get(&format!("/v1/webhooks/{}", made.text("id"))).await.expect(200);
    let mut without = made.json.clone();
    without.as_object_mut().unwrap().shift_remove("secret");
    assert_eq!(read.json, without);
    let list = world.api.get("/v1/webhooks").await.expect(200);
    assert_eq!((list.data(), &list["next_cursor"]), (&[without][..], &json!(null)));
    assert!(!String::from_utf8_lossy(&list.bytes).contains(secret));
    world.server.finish().await;
}

#[tokio::test]
async fn what_is_given_is_kept_and_secrets_are_not_in_the_store_as_they_are() {
    let world = World::new().await;
    let made = world
        .webhook(json!({
            "events": ["inbox.paused", "message.received", "inbox.paused"],
            "inbox_ids": [world.inbox.id.to_string()],
            "secret": "topsecret-of-mine",
            "payload": "envelope",
            "headers": { "Authorization": "Bearer abc-of-mine", "X-Tenant": "7" },
        }))
        .await;
    assert_eq!(made["events"], json!(["inbox.paused", "message.received"]));
    assert_eq!(made["inbox_ids"], json!([world.inbox.id.to_string()]));
    assert_eq!((made.text("secret"), made.text("payload")), ("topsecret-of-mine", "envelope"));
    assert_eq!(made["headers"], json!({ "Authorization": "Bearer abc-of-mine", "X-Tenant": "7" }));
    let id = made.text("id").parse().unwrap();
    let workspace = world.key.workspace;
    let stored = world.server.store().read(move |tx| posthouse_store::webhooks::get(tx, workspace, id)).await;
    let stored = stored.unwrap().expect("it is stored");
    for sealed in [&stored.secret, &stored.headers] {
        let text = String::from_utf8_lossy(sealed);
        assert!(!text.contains("of-mine") && !text.contains("Tenant"), "{text}");
    }
    world.server.finish().await;
}

#[tokio::test]
async fn every_problem_of_a_body_is_said_at_once() {
    let world = World::new().await;
    let post = |body| world.api.post("/v1/webhooks", body);
    post(json!({})).await.invalid_fields(&["url"]);
    post(json!({ "url": 7, "events": [], "inbox_ids": ["x"], "secret": "", "payload": "half", "headers": [], "name": "x" }))
        .await
        .invalid_fields(&["url", "events", "inbox_ids[0]", "secret", "payload", "headers", "name"]);
    let reply = post(json!({ "url": world.sink.url(), "events": ["message.recieved"] })).await;
    let problem = reply["error"]["details"]["fields"][0]["problem"].as_str().unwrap_or_default().to_owned();
    assert!(problem.contains("did you mean message.received?"), "{reply}");
    reply.invalid_fields(&["events[0]"]);
    let headers = json!({
        "X-Service-Signature": "x", "Webhook-Id": "x", "Content-Type": "text/plain", "Host": "x", "Content-Length": "1",
        "X-Split": "a\r\nX-Evil: 1", "X Bad": "x", "X-Fine": "y", "x-fine": "z", "X-Number": 7,
    });
    post(json!({ "url": world.sink.url(), "headers": headers })).await.invalid_fields(&[
        "headers.X-Service-Signature",
        "headers.Webhook-Id",
        "headers.Content-Type",
        "headers.Host",
        "headers.Content-Length",
        "headers.X-Split",
        "headers.X Bad",
        "headers.x-fine",
        "headers.X-Number",
    ]);
    let many: serde_json::Map<String, serde_json::Value> = (0..21).map(|n| (format!("X-{n}"), json!("x"))).collect();
    post(json!({ "url": world.sink.url(), "headers": many })).await.invalid_fields(&["headers"]);
    world.server.finish().await;
}

#[tokio::test]
async fn inboxes_must_be_ones_that_the_caller_sees() {
    let world = World::new().await;
    let other = world.server.workspace(Plan::Team).await;
    let foreign = world.server.inbox(&other).await.id.to_string();
    let gone = world.server.inbox(&world.key).await.id.to_string();
    world.api.delete(&format!("/v1/inboxes/{gone}")).await.expect(204);
    for id in [foreign, gone] {
        let body = json!({ "url": world.sink.url(), "inbox_ids": [world.inbox.id.to_string(), id] });
        world.api.post("/v1/webhooks", body).await.error("not_found");
    }
    world.server.finish().await;
}

#[tokio::test]
async fn a_key_of_one_inbox_manages_no_webhooks_and_other_workspaces_have_none_of_ours() {
    let world = World::new().await;
    let made = world.webhook(json!({})).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    let narrow = world.server.api(&world.server.key(&world.key, "full", Scope::Inbox(world.inbox.id)).await);
    narrow.get("/v1/webhooks").await.error("forbidden");
    narrow.post("/v1/webhooks", json!({ "url": world.sink.url() })).await.error("forbidden");
    narrow.get(&path).await.error("forbidden");
    let other = world.server.api(&world.server.workspace(Plan::Team).await);
    assert_eq!(other.get("/v1/webhooks").await.expect(200).data(), &[] as &[serde_json::Value]);
    other.get(&path).await.error("not_found");
    other.patch(&path, json!({ "enabled": false })).await.error("not_found");
    other.delete(&path).await.error("not_found");
    other.get(&format!("{path}/deliveries")).await.error("not_found");
    other.post_empty(&format!("{path}/test")).await.error("not_found");
    other.post_empty(&format!("{path}/rotate-secret")).await.error("not_found");
    world.api.get("/v1/webhooks/not-an-id").await.error("not_found");
    world.server.finish().await;
}

#[tokio::test]
async fn an_unclaimed_workspace_has_no_webhooks() {
    let world = World::new().await;
    let workspace = world.key.workspace;
    let unclaim = move |tx: &mut Tx| -> Result<u64, Error> { tx.exec(&UNCLAIM, p![workspace]) };
    world.server.store().write(unclaim).await.unwrap();
    world.api.post("/v1/webhooks", json!({ "url": world.sink.url() })).await.error("unclaimed_workspace");
    world.server.finish().await;
}

#[tokio::test]
async fn a_workspace_has_a_bounded_number_of_webhooks() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    for n in 0..200 {
        api.post("/v1/webhooks", json!({ "url": format!("https://example.com/{n}") })).await.expect(201);
    }
    api.post("/v1/webhooks", json!({ "url": "https://example.com/more" })).await.error("plan_limit_webhooks");
    server.finish().await;
}
