//! A client gets what its key sees.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use super::{EventsFixture, data_without_fix, polled, subject};

#[tokio::test]
async fn inboxes_of_others_are_not_found() {
    let fixture = EventsFixture::new().await;
    let other = fixture.server.workspace(Plan::Team).await;
    let foreign = fixture.server.inbox(&other).await;
    let own = fixture.server.key(&fixture.key, "messages:read", Scope::Inbox(fixture.inbox.id)).await;
    let sibling = fixture.server.inbox(&fixture.key).await;
    for (mcp, inbox) in [(&fixture.mcp, &foreign), (&fixture.server.mcp(&own), &sibling)] {
        let arguments = json!({ "inbox_id": inbox.id.to_string() });
        let params = json!({ "name": "message.received", "arguments": arguments });
        for method in ["events/poll", "events/stream"] {
            let error = mcp.error(method, params.clone(), -32011).await;
            assert_eq!(data_without_fix(&error), json!({ "kind": "inbox" }), "{error}");
        }
        mcp.error("events/subscribe", fixture.webhook(json!({ "arguments": arguments })), -32011).await;
    }
    assert!(fixture.sink.posts().is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_key_of_one_inbox_gets_the_events_of_that_inbox() {
    let fixture = EventsFixture::new().await;
    let key = fixture.server.key(&fixture.key, "messages:read", Scope::Inbox(fixture.inbox.id)).await;
    let mcp = fixture.server.mcp(&key);
    mcp.result("events/subscribe", fixture.webhook(json!({}))).await;
    let mut push = mcp.stream(json!({ "name": "message.received" })).await;
    let start = push.expect("active").await["cursor"].clone();
    let sibling = fixture.server.inbox(&fixture.key).await;
    fixture.server.deliver(&TestMessage::new("sibling", "text"), &sibling.address).await;
    fixture.mail("own").await;
    fixture.server.settle().await;
    assert_eq!(subject(&push.expect("event").await), "own");
    let page = mcp.result("events/poll", json!({ "name": "message.received", "cursor": start })).await;
    assert_eq!((polled(&page), fixture.delivered()), (vec!["own".to_owned()], vec!["own".to_owned()]));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_workspace_gets_nothing_of_another() {
    let fixture = EventsFixture::new().await;
    let other = fixture.server.workspace(Plan::Team).await;
    let mcp = fixture.server.mcp(&other);
    mcp.result("events/subscribe", fixture.webhook(json!({}))).await;
    let start = mcp.result("events/poll", json!({ "name": "message.received" })).await["cursor"].clone();
    fixture.mail("of the first").await;
    fixture.server.settle().await;
    let theirs = fixture.poll(&Value::Null).await["cursor"].clone();
    assert!(fixture.delivered().is_empty());
    for cursor in [start, theirs] {
        let page = mcp.result("events/poll", json!({ "name": "message.received", "cursor": cursor })).await;
        assert_eq!(page["events"], json!([]));
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_key_needs_the_permission_to_read_messages() {
    let fixture = EventsFixture::new().await;
    let key = fixture.server.key(&fixture.key, "inboxes:read", Scope::Org).await;
    let mcp = fixture.server.mcp(&key);
    let params = json!({ "name": "message.received" });
    for method in ["events/poll", "events/stream"] {
        let error = mcp.error(method, params.clone(), -32012).await;
        assert!(error["message"].as_str().is_some_and(|text| text.contains("messages:read")), "{error}");
    }
    mcp.error("events/subscribe", fixture.webhook(json!({})), -32012).await;
    assert!(fixture.sink.posts().is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn subscriptions_are_no_webhooks_of_the_api() {
    let fixture = EventsFixture::new().await;
    let id = fixture.subscribe(json!({})).await["id"].as_str().unwrap().replace("sub_", "");
    assert!(fixture.api.get("/v1/webhooks").await.expect(200).data().is_empty());
    for path in [format!("/v1/webhooks/{id}"), format!("/v1/webhooks/{id}/deliveries")] {
        fixture.api.get(&path).await.error("not_found");
    }
    let path = format!("/v1/webhooks/{id}");
    fixture.api.patch(&path, json!({ "enabled": false })).await.error("not_found");
    fixture.api.post_empty(&format!("{path}/test")).await.error("not_found");
    fixture.api.post(&format!("{path}/rotate-secret"), json!({})).await.error("not_found");
    fixture.api.delete(&path).await.error("not_found");
    fixture.mail("still").await;
    fixture.server.settle().await;
    assert_eq!(fixture.delivered(), ["still"]);
    fixture.server.finish().await;
}
