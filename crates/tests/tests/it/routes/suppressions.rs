//! `/v1/suppressions`.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{TestServer, server::ServerOptions};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_manual_suppression_blocks_sends_until_it_is_deleted() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let body = json!({ "to": ["Bob <BOB+x@Remote.example>", "ann@remote.example"], "subject": "s", "text": "t" });

    let made = api.post("/v1/suppressions", json!({ "address": "bob+X@remote.EXAMPLE" })).await.expect(201);
    assert_eq!(made.text("address"), "bob+x@remote.example");
    assert_eq!(made.text("reason"), "manual");
    for member in ["detail", "message_id"] {
        assert!(made[member].is_null(), "{made}");
    }
    assert!(made.text("created_at").ends_with('Z'));
    let again = api.post("/v1/suppressions", json!({ "address": "bob+x@remote.example" })).await.expect(200);
    assert_eq!(again.json, made.json);

    let refused = api.post(&path, body.clone()).await.error("recipient_suppressed");
    assert_eq!(refused["error"]["details"]["addresses"], json!(["bob+x@remote.example"]));
    api.delete("/v1/suppressions/bob%2Bx%40remote.example").await.expect(204);
    api.delete("/v1/suppressions/bob%2Bx%40remote.example").await.error("not_found");
    api.delete("/v1/suppressions/no-address").await.error("not_found");
    api.post(&path, body).await.expect(202);
    server.settle().await;
    server.finish().await;
}

#[tokio::test]
async fn a_bounce_suppresses_the_address_and_the_list_can_be_filtered() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let nobody = format!("nobody@{}", inbox.address.split('@').nth(1).unwrap());
    let body = json!({ "to": [nobody], "subject": "s", "text": "t" });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    server.clock.advance(1);
    api.post("/v1/suppressions", json!({ "address": "by_hand@remote.example" })).await.expect(201);

    let all = api.get("/v1/suppressions").await.expect(200);
    let addresses: Vec<&str> = all.data().iter().map(|s| s["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, ["by_hand@remote.example", &nobody], "{all}");
    assert_eq!(all.data()[1]["reason"], "bounce");
    assert_eq!(all.data()[1]["message_id"], sent["id"]);
    assert!(all.data()[1]["detail"].is_string(), "{all}");
    for (query, count) in [
        ("q=NOBODY", 1),
        ("q=y_h", 1),
        ("q=yxh", 0),
        ("q=%25", 0),
        ("reason=bounce", 1),
        ("reason=complaint", 0),
        ("reason=manual&q=remote", 1),
    ] {
        assert_eq!(api.get(&format!("/v1/suppressions?{query}")).await.expect(200).data().len(), count, "{query}");
    }
    api.get("/v1/suppressions?reason=spam").await.invalid_fields(&["reason"]);
    api.get(&format!("/v1/suppressions?q={}", "x".repeat(201))).await.invalid_fields(&["q"]);
    api.post("/v1/suppressions", json!({ "address": "no address", "why": 1 }))
        .await
        .invalid_fields(&["address", "why"]);
    api.post("/v1/suppressions", json!({})).await.invalid_fields(&["address"]);

    let other = server.workspace(Plan::Team).await;
    assert!(server.api(&other).get("/v1/suppressions").await.expect(200).data().is_empty());
    let narrow = server.api(&server.key(&key, "contacts:read,contacts:write", Scope::Inbox(inbox.id)).await);
    narrow.get("/v1/suppressions").await.expect(200);
    narrow.post("/v1/suppressions", json!({ "address": "x@y.example" })).await.error("forbidden");
    server.finish().await;
}

/// Returns the complaint that a mail provider sends when its user reports spam (RFC 5965).
fn complaint(about: &str) -> String {
    format!(
        "From: feedback@x.example\r\nSubject: Complaint\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=\"b\"\r\n\r\n\
         --b\r\n\r\nA complaint.\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\n\
         Feedback-Type: abuse\r\nVersion: 1\r\n\r\n\
         --b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {about}\r\n\r\n--b--\r\n"
    )
}

#[tokio::test]
async fn every_sending_route_rejects_a_recipient_that_complained() {
    let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(capture).await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let path = format!("/v1/inboxes/{}", inbox.id);
    let body = json!({ "to": "Bob <Bob@x.example>", "subject": "s", "text": "t" });
    let first = api.post(&format!("{path}/messages"), body.clone()).await.expect(202);
    let draft = api.post(&format!("{path}/drafts"), body.clone()).await.expect(201).text("id").to_owned();
    server.settle().await;
    let outbox = api.get("/dev/outbox").await.expect(200);
    let return_path = outbox.data()[0]["envelope"]["from"].as_str().unwrap().replace('+', "%2B");
    let report = complaint(first.text("rfc_message_id"));
    let inject = format!("/dev/inbound?to={return_path}&from=");
    server.anonymous().raw(Method::POST, &inject, "message/rfc822", report).await.expect(201);

    let list = api.get("/v1/suppressions?reason=complaint").await.expect(200);
    assert_eq!(list.data().len(), 1, "{list}");
    let suppression = &list.data()[0];
    assert_eq!((&suppression["address"], &suppression["message_id"]), (&json!("bob@x.example"), &first["id"]));
    for (below, body) in [
        ("/messages".to_owned(), body.clone()),
        ("/messages/send".to_owned(), body),
        (format!("/messages/{}/forward", first.text("id")), json!({ "to": "a@x.example", "bcc": "BOB@X.example" })),
        (format!("/drafts/{draft}/send"), json!({})),
    ] {
        let refused = api.post(&format!("{path}{below}"), body).await.error("recipient_suppressed");
        assert_eq!(refused["error"]["details"]["addresses"], json!(["bob@x.example"]), "{below}");
    }
    let other = server.inbox(&key).await;
    let body = json!({ "to": ["bob@x.example"], "subject": "s", "text": "t" });
    api.post(&format!("/v1/inboxes/{}/messages", other.id), body).await.error("recipient_suppressed");
    server.finish().await;
}
