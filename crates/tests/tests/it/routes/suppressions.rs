//! `/v1/suppressions` (decision 15).

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn what_is_suppressed_by_hand_is_refused_until_it_is_lifted() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let letter = json!({ "to": ["Bob <BOB+x@Remote.example>", "ann@remote.example"], "subject": "s", "text": "t" });

    let made = api.post("/v1/suppressions", json!({ "address": "bob+X@remote.EXAMPLE" })).await.expect(201);
    assert_eq!(made.text("address"), "bob+x@remote.example");
    assert_eq!(made.text("reason"), "manual");
    for member in ["detail", "message_id"] {
        assert!(made[member].is_null(), "{made}");
    }
    assert!(made.text("created_at").ends_with('Z'));
    let again = api.post("/v1/suppressions", json!({ "address": "bob+x@remote.example" })).await.expect(200);
    assert_eq!(again.json, made.json);

    let refused = api.post(&path, letter.clone()).await.error("recipient_suppressed");
    assert_eq!(refused["error"]["details"]["addresses"], json!(["bob+x@remote.example"]));
    api.delete("/v1/suppressions/bob%2Bx%40remote.example").await.expect(204);
    api.delete("/v1/suppressions/bob%2Bx%40remote.example").await.error("not_found");
    api.delete("/v1/suppressions/no-address").await.error("not_found");
    api.post(&path, letter).await.expect(202);
    server.settle().await;
    server.finish().await;
}

#[tokio::test]
async fn a_bounce_suppresses_with_its_reason_and_filters_narrow() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let nobody = format!("nobody@{}", inbox.address.split('@').nth(1).unwrap());
    let letter = json!({ "to": [nobody], "subject": "s", "text": "t" });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), letter).await.expect(202);
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
