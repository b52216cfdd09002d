//! `PATCH` and `DELETE /v1/webhooks/{id}`.

use posthouse_tests::Letter;
use serde_json::json;

use super::World;

#[tokio::test]
async fn what_is_named_changes_and_the_rest_stays() {
    let world = World::new().await;
    let made = world.webhook(json!({ "headers": { "X-A": "1" }, "inbox_ids": [world.inbox.id.to_string()] })).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    let changed =
        world.api.patch(&path, json!({ "events": ["inbox.paused"], "payload": "envelope" })).await.expect(200);
    assert_eq!((&changed["events"], &changed["payload"]), (&json!(["inbox.paused"]), &json!("envelope")));
    for member in ["url", "inbox_ids", "headers", "enabled", "secret_hint", "created_at"] {
        assert_eq!(changed[member], made[member], "{member}");
    }
    assert!(changed.json.get("secret").is_none(), "{changed}");
    let body =
        json!({ "inbox_ids": null, "headers": { "X-B": "2" }, "url": "https://example.com/other", "events": null });
    let changed = world.api.patch(&path, body).await.expect(200);
    assert_eq!((&changed["inbox_ids"], &changed["headers"]), (&json!(null), &json!({ "X-B": "2" })));
    assert_eq!(
        (changed.text("url"), &changed["events"]),
        ("https://example.com/other", &json!(made["events"].as_array()))
    );
    assert_eq!(world.api.patch(&path, json!({ "headers": null })).await.expect(200)["headers"], json!({}));
    assert_eq!(world.api.get(&path).await.expect(200)["url"], "https://example.com/other");
    world.api.patch(&path, json!({ "secret": "x" })).await.invalid_fields(&["secret"]);
    world.api.patch(&path, json!({ "events": ["message.nothing.at.all"] })).await.invalid_fields(&["events[0]"]);
    world.api.patch(&path, json!({ "url": "ftp://example.com/" })).await.error("invalid_webhook_url");
    world.server.finish().await;
}

#[tokio::test]
async fn a_disabled_webhook_gets_nothing_and_an_enabled_one_goes_on_from_then() {
    let world = World::new().await;
    let path = format!("/v1/webhooks/{}", world.webhook(json!({})).await.text("id"));
    world.api.patch(&path, json!({ "enabled": false })).await.expect(200);
    world.server.deliver(&Letter::new("while disabled", "text"), &world.inbox.address).await;
    world.server.settle().await;
    assert_eq!(world.sink.posts().len(), 0);
    world.api.patch(&path, json!({ "enabled": true })).await.expect(200);
    world.server.deliver(&Letter::new("enabled again", "text"), &world.inbox.address).await;
    world.server.settle().await;
    let posts = world.sink.posts();
    assert_eq!(posts.len(), 1);
    assert_eq!(posts[0].json()["data"]["message"]["subject"], "enabled again");
    world.server.finish().await;
}

#[tokio::test]
async fn disabling_ends_what_was_to_be_tried_again() {
    let world = World::new().await;
    let made = world.webhook(json!({})).await;
    world.sink.always(posthouse_tests::Say::Status(500, String::new()));
    world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
    world.server.settle().await;
    world.api.patch(&format!("/v1/webhooks/{}", made.text("id")), json!({ "enabled": false })).await.expect(200);
    world.server.advance(24 * 3_600_000).await;
    let attempts = world.attempts(&made).await;
    assert_eq!(attempts.len(), 1);
    assert_eq!((&attempts[0]["status"], &attempts[0]["next_attempt_at"]), (&json!("failed"), &json!(null)));
    world.server.finish().await;
}

#[tokio::test]
async fn a_deleted_webhook_is_gone_with_its_deliveries() {
    let world = World::new().await;
    let made = world.webhook(json!({})).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    world.api.post_empty(&format!("{path}/test")).await.expect(202);
    world.server.settle().await;
    world.api.delete(&path).await.expect(204);
    world.api.get(&path).await.error("not_found");
    world.api.delete(&path).await.error("not_found");
    world.api.get(&format!("{path}/deliveries")).await.error("not_found");
    world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
    world.server.settle().await;
    assert_eq!(world.sink.posts().len(), 1, "the test alone");
    let left = world
        .server
        .store()
        .read(|tx| posthouse_store::webhook_deliveries::next_webhook(tx, (uuid::Uuid::nil(), uuid::Uuid::nil())));
    assert_eq!(left.await.unwrap(), None);
    world.server.finish().await;
}
