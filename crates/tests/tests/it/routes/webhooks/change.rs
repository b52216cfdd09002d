//! `PATCH` and `DELETE /v1/webhooks/{id}`.

use posthouse_tests::TestMessage;
use serde_json::json;

use super::WebhookFixture;

#[tokio::test]
async fn a_change_only_affects_the_named_fields() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({ "headers": { "X-A": "1" }, "inbox_ids": [fixture.inbox.id.to_string()] })).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    let changed =
        fixture.api.patch(&path, json!({ "events": ["inbox.paused"], "payload": "envelope" })).await.expect(200);
    assert_eq!((&changed["events"], &changed["payload"]), (&json!(["inbox.paused"]), &json!("envelope")));
    for member in ["url", "inbox_ids", "headers", "enabled", "secret_hint", "created_at"] {
        assert_eq!(changed[member], made[member], "{member}");
    }
    assert!(changed.json.get("secret").is_none(), "{changed}");
    let body =
        json!({ "inbox_ids": null, "headers": { "X-B": "2" }, "url": "https://example.com/other", "events": null });
    let changed = fixture.api.patch(&path, body).await.expect(200);
    assert_eq!((&changed["inbox_ids"], &changed["headers"]), (&json!(null), &json!({ "X-B": "2" })));
    assert_eq!(
        (changed.text("url"), &changed["events"]),
        ("https://example.com/other", &json!(made["events"].as_array()))
    );
    assert_eq!(fixture.api.patch(&path, json!({ "headers": null })).await.expect(200)["headers"], json!({}));
    assert_eq!(fixture.api.get(&path).await.expect(200)["url"], "https://example.com/other");
    fixture.api.patch(&path, json!({ "secret": "x" })).await.invalid_fields(&["secret"]);
    fixture.api.patch(&path, json!({ "events": ["message.nothing.at.all"] })).await.invalid_fields(&["events[0]"]);
    fixture.api.patch(&path, json!({ "url": "ftp://example.com/" })).await.error("invalid_webhook_url");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_disabled_webhook_gets_nothing_and_an_enabled_one_only_later_events() {
    let fixture = WebhookFixture::new().await;
    let path = format!("/v1/webhooks/{}", fixture.webhook(json!({})).await.text("id"));
    fixture.api.patch(&path, json!({ "enabled": false })).await.expect(200);
    fixture.server.deliver(&TestMessage::new("while disabled", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    assert_eq!(fixture.sink.posts().len(), 0);
    fixture.api.patch(&path, json!({ "enabled": true })).await.expect(200);
    fixture.server.deliver(&TestMessage::new("enabled again", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let posts = fixture.sink.posts();
    assert_eq!(posts.len(), 1);
    assert_eq!(posts[0].json()["data"]["message"]["subject"], "enabled again");
    fixture.server.finish().await;
}

#[tokio::test]
async fn disabling_a_webhook_ends_its_retries() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    fixture.sink.always(posthouse_tests::WebhookReply::Status(500, String::new()));
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    fixture.api.patch(&format!("/v1/webhooks/{}", made.text("id")), json!({ "enabled": false })).await.expect(200);
    fixture.server.advance(24 * 3_600_000).await;
    let attempts = fixture.attempts(&made).await;
    assert_eq!(attempts.len(), 1);
    assert_eq!((&attempts[0]["status"], &attempts[0]["next_attempt_at"]), (&json!("failed"), &json!(null)));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_deleted_webhook_is_gone_with_its_deliveries() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    fixture.api.post_empty(&format!("{path}/test")).await.expect(202);
    fixture.server.settle().await;
    fixture.api.delete(&path).await.expect(204);
    fixture.api.get(&path).await.error("not_found");
    fixture.api.delete(&path).await.error("not_found");
    fixture.api.get(&format!("{path}/deliveries")).await.error("not_found");
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    assert_eq!(fixture.sink.posts().len(), 1, "only the test");
    let left = fixture.server.store().read(|tx| posthouse_store::webhook_deliveries::next_webhook(tx, None));
    assert_eq!(left.await.unwrap(), None);
    fixture.server.finish().await;
}
