//! `POST /v1/webhooks`.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_store::{Error, Tx, p, statements};
use posthouse_tests::TestServer;
use serde_json::json;

use super::WebhookFixture;

statements! {
    UNCLAIM = "UPDATE workspaces SET claim_status = 'unclaimed' WHERE id = $1";
}

#[tokio::test]
async fn a_new_webhook_has_every_member_and_shows_its_secret_once() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    assert_eq!(made["url"], fixture.sink.url());
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
    let read = fixture.api.get(&format!("/v1/webhooks/{}", made.text("id"))).await.expect(200);
    let mut without = made.json.clone();
    without.as_object_mut().unwrap().shift_remove("secret");
    assert_eq!(read.json, without);
    let list = fixture.api.get("/v1/webhooks").await.expect(200);
    assert_eq!((list.data(), &list["next_cursor"]), (&[without][..], &json!(null)));
    assert!(!String::from_utf8_lossy(&list.bytes).contains(secret));
    fixture.server.finish().await;
}

#[tokio::test]
async fn given_values_are_kept_and_secrets_are_encrypted_in_the_store() {
    let fixture = WebhookFixture::new().await;
    let made = fixture
        .webhook(json!({
            "events": ["inbox.paused", "message.received", "inbox.paused"],
            "inbox_ids": [fixture.inbox.id.to_string()],
            "secret": "topsecret-of-mine",
            "payload": "envelope",
            "headers": { "Authorization": "Bearer abc-of-mine", "X-Tenant": "7" },
        }))
        .await;
    assert_eq!(made["events"], json!(["inbox.paused", "message.received"]));
    assert_eq!(made["inbox_ids"], json!([fixture.inbox.id.to_string()]));
    assert_eq!((made.text("secret"), made.text("payload")), ("topsecret-of-mine", "envelope"));
    assert_eq!(made["headers"], json!({ "Authorization": "Bearer abc-of-mine", "X-Tenant": "7" }));
    let id = made.text("id").parse().unwrap();
    let workspace = fixture.key.workspace;
    let stored = fixture.server.store().read(move |tx| posthouse_store::webhooks::get(tx, workspace, id)).await;
    let stored = stored.unwrap().expect("it is stored");
    for sealed in [&stored.secret, &stored.headers] {
        let text = String::from_utf8_lossy(sealed);
        assert!(!text.contains("of-mine") && !text.contains("Tenant"), "{text}");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn all_problems_of_a_body_are_reported_at_once() {
    let fixture = WebhookFixture::new().await;
    let post = |body| fixture.api.post("/v1/webhooks", body);
    post(json!({})).await.invalid_fields(&["url"]);
    post(json!({ "url": 7, "events": [], "inbox_ids": ["x"], "secret": "", "payload": "half", "headers": [], "name": "x" }))
        .await
        .invalid_fields(&["url", "events", "inbox_ids[0]", "secret", "payload", "headers", "name"]);
    let reply = post(json!({ "url": fixture.sink.url(), "events": ["message.recieved"] })).await;
    let problem = reply["error"]["details"]["fields"][0]["problem"].as_str().unwrap_or_default().to_owned();
    assert!(problem.contains("did you mean message.received?"), "{reply}");
    reply.invalid_fields(&["events[0]"]);
    let headers = json!({
        "X-Service-Signature": "x", "Webhook-Id": "x", "Content-Type": "text/plain", "Host": "x", "Content-Length": "1",
        "X-Split": "a\r\nX-Evil: 1", "X Bad": "x", "X-Fine": "y", "x-fine": "z", "X-Number": 7,
    });
    post(json!({ "url": fixture.sink.url(), "headers": headers })).await.invalid_fields(&[
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
    post(json!({ "url": fixture.sink.url(), "headers": many })).await.invalid_fields(&["headers"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn inboxes_must_be_visible_to_the_caller() {
    let fixture = WebhookFixture::new().await;
    let other = fixture.server.workspace(Plan::Team).await;
    let foreign = fixture.server.inbox(&other).await.id.to_string();
    let gone = fixture.server.inbox(&fixture.key).await.id.to_string();
    fixture.api.delete(&format!("/v1/inboxes/{gone}")).await.expect(204);
    for id in [foreign, gone] {
        let body = json!({ "url": fixture.sink.url(), "inbox_ids": [fixture.inbox.id.to_string(), id] });
        fixture.api.post("/v1/webhooks", body).await.error("not_found");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn inbox_keys_and_other_workspaces_cannot_access_webhooks() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "full", Scope::Inbox(fixture.inbox.id)).await);
    narrow.get("/v1/webhooks").await.error("forbidden");
    narrow.post("/v1/webhooks", json!({ "url": fixture.sink.url() })).await.error("forbidden");
    narrow.get(&path).await.error("forbidden");
    let other = fixture.server.api(&fixture.server.workspace(Plan::Team).await);
    assert_eq!(other.get("/v1/webhooks").await.expect(200).data(), &[] as &[serde_json::Value]);
    other.get(&path).await.error("not_found");
    other.patch(&path, json!({ "enabled": false })).await.error("not_found");
    other.delete(&path).await.error("not_found");
    other.get(&format!("{path}/deliveries")).await.error("not_found");
    other.post_empty(&format!("{path}/test")).await.error("not_found");
    other.post_empty(&format!("{path}/rotate-secret")).await.error("not_found");
    fixture.api.get("/v1/webhooks/not-an-id").await.error("not_found");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_unclaimed_workspace_cannot_create_webhooks() {
    let fixture = WebhookFixture::new().await;
    let workspace = fixture.key.workspace;
    let unclaim = move |tx: &mut Tx| -> Result<u64, Error> { tx.exec(&UNCLAIM, p![workspace]) };
    fixture.server.store().write(unclaim).await.unwrap();
    fixture.api.post("/v1/webhooks", json!({ "url": fixture.sink.url() })).await.error("unclaimed_workspace");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_number_of_webhooks_is_limited() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    for n in 0..200 {
        api.post("/v1/webhooks", json!({ "url": format!("https://example.com/{n}") })).await.expect(201);
    }
    api.post("/v1/webhooks", json!({ "url": "https://example.com/more" })).await.error("plan_limit_webhooks");
    server.finish().await;
}
