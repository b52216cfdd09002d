//! The end of subscriptions by webhook.

use posthouse_domain::{auth::Scope, time::HOUR_MS};
use posthouse_tests::WebhookReply;
use serde_json::{Value, json};

use super::{EventsFixture, data_without_fix};

/// The most subscriptions of a workspace.
const SUBSCRIPTIONS_MAX: usize = 200;

#[tokio::test]
async fn a_subscription_that_nobody_renews_ends_and_begins_again_at_the_cursor() {
    let fixture = EventsFixture::new().await;
    let first = fixture.subscribe(json!({ "ttlMs": HOUR_MS })).await;
    fixture.mail("one").await;
    fixture.server.settle().await;
    let cursor = fixture.sink.occurrences()[0].json()["cursor"].clone();
    fixture.server.advance(HOUR_MS).await;
    fixture.mail("while it was over").await;
    fixture.server.settle().await;
    assert_eq!(fixture.delivered(), ["one"]);
    assert_eq!(fixture.sink.posts().len(), 2, "an end without renewal isn't announced");
    let again = fixture.subscribe(json!({ "cursor": cursor })).await;
    assert_eq!((&again["id"], &again["truncated"], again.get("deliveryStatus")), (&first["id"], &json!(false), None));
    assert_eq!(fixture.sink.posts().last().unwrap().json()["type"], "verification", "the URL is confirmed again");
    fixture.server.settle().await;
    assert_eq!(fixture.delivered(), ["one", "while it was over"], "nothing is lost");
    fixture.server.finish().await;
}

#[tokio::test]
async fn unsubscribing_ends_deliveries_and_can_be_repeated() {
    let fixture = EventsFixture::new().await;
    fixture.subscribe(json!({})).await;
    let kept = json!({ "payload": "envelope" });
    fixture.subscribe(json!({ "arguments": kept })).await;
    let params = json!({ "name": "message.received", "delivery": { "url": fixture.sink.url() } });
    for _ in 0..2 {
        fixture.mcp.result("events/unsubscribe", params.clone()).await;
    }
    fixture.mail("one").await;
    fixture.server.settle().await;
    let events: Vec<Value> = fixture.sink.occurrences().iter().map(|post| post.json()).collect();
    assert_eq!(events.len(), 1, "the other subscription goes on");
    assert!(events[0]["data"].get("message").is_none());
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_key_of_another_cannot_end_a_subscription() {
    let fixture = EventsFixture::new().await;
    fixture.subscribe(json!({})).await;
    let other = fixture.server.key(&fixture.key, "messages:read", Scope::Org).await;
    let params = json!({ "name": "message.received", "delivery": { "url": fixture.sink.url() } });
    fixture.server.mcp(&other).result("events/unsubscribe", params).await;
    fixture.mail("one").await;
    fixture.server.settle().await;
    assert_eq!(fixture.delivered(), ["one"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn status_410_ends_a_subscription_and_413_only_the_event() {
    let fixture = EventsFixture::new().await;
    fixture.subscribe(json!({})).await;
    fixture.sink.next(WebhookReply::Status(413, String::new()));
    fixture.mail("too large").await;
    fixture.server.settle().await;
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.delivered(), ["too large"], "it isn't repeated");
    fixture.mail("next").await;
    fixture.server.settle().await;
    fixture.sink.next(WebhookReply::Status(410, String::new()));
    fixture.mail("gone").await;
    fixture.server.settle().await;
    fixture.mail("after").await;
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.delivered(), ["too large", "next", "gone"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_revoked_key_ends_its_subscriptions_with_a_signed_notice() {
    let fixture = EventsFixture::new().await;
    let key = fixture.server.key(&fixture.key, "messages:read", Scope::Org).await;
    let mcp = fixture.server.mcp(&key);
    let granted = mcp.result("events/subscribe", fixture.webhook(json!({}))).await;
    fixture.mail("one").await;
    fixture.server.settle().await;
    fixture.revoke(&key).await;
    fixture.mail("two").await;
    fixture.server.settle().await;
    assert_eq!(fixture.delivered(), ["one"]);
    let posts = fixture.sink.posts();
    let notice = posts.last().unwrap();
    assert_eq!((notice.json()["type"].as_str(), &notice.json()["error"]["code"]), (Some("terminated"), &json!(-32012)));
    assert!(notice.json()["error"]["data"]["fix"].is_string(), "{}", notice.json());
    assert_eq!(notice.header("x-mcp-subscription-id"), granted["id"].as_str());
    assert!(notice.header("webhook-id").is_some_and(|id| id.starts_with("msg_terminated_")));
    let signature = crate::routes::webhooks::standard_signature(super::SECRET, notice);
    assert_eq!(notice.header("webhook-signature"), Some(signature.as_str()));
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.sink.posts().len(), posts.len(), "it is sent once");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_workspace_has_a_bounded_number_of_subscriptions() {
    let fixture = EventsFixture::new().await;
    let catalog = fixture.mcp.result("events/list", json!({})).await;
    let names: Vec<&str> =
        catalog["events"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    let inboxes =
        [None, Some(fixture.inbox.id.to_string()), Some(fixture.server.inbox(&fixture.key).await.id.to_string())];
    let payloads = [None, Some("full"), Some("envelope")];
    let form = |inbox: &Option<String>, payload: &Option<&str>| json!({ "inbox_id": inbox, "payload": payload });
    let forms: Vec<Value> =
        inboxes.iter().flat_map(|inbox| payloads.iter().map(move |payload| form(inbox, payload))).collect();
    let mut all =
        names.iter().flat_map(|name| forms.iter().map(move |form| json!({ "name": name, "arguments": form })));
    for params in all.by_ref().take(SUBSCRIPTIONS_MAX) {
        fixture.subscribe(params).await;
    }
    let one_more = all.next().expect("more kinds of subscriptions than fit");
    let error = fixture.mcp.error("events/subscribe", fixture.webhook(one_more.clone()), -32013).await;
    assert_eq!(data_without_fix(&error), json!({ "limit": "subscriptions", "max": SUBSCRIPTIONS_MAX }));
    let end = json!({ "name": names[0], "arguments": {}, "delivery": { "url": fixture.sink.url() } });
    fixture.mcp.result("events/unsubscribe", end).await;
    fixture.subscribe(one_more).await;
    fixture.api.post("/v1/webhooks", json!({ "url": fixture.sink.url() })).await.expect(201);
    fixture.server.finish().await;
}
