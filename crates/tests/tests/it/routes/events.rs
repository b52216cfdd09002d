//! `GET /v1/events`: filters and visibility.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{TestMessage, TestServer, http::Api};
use serde_json::Value;

use crate::inbox_fixture::InboxFixture;

/// Returns types and inboxes of the listed events, oldest first.
async fn list(api: &Api, query: &str) -> Vec<(String, String)> {
    let reply = api.get(&format!("/v1/events{query}")).await.expect(200);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    reply.data().iter().map(|event| (text(&event["type"]), text(&event["data"]["inbox"]["id"]))).collect()
}

#[tokio::test]
async fn the_log_is_filtered_by_types_inbox_and_key() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let (one, two) = (server.inbox(&key).await, server.inbox(&key).await);
    server.deliver(&TestMessage::new("a", "text"), &one.address).await;
    server.deliver(&TestMessage::new("b", "text"), &two.address).await;
    api.post_empty(&format!("/v1/inboxes/{}/pause", one.id)).await.expect(200);
    let (first, second) = (one.id.to_string(), two.id.to_string());
    let received = |inbox: &str| ("message.received".to_owned(), inbox.to_owned());
    let paused = ("inbox.paused".to_owned(), first.clone());
    assert_eq!(list(&api, "").await, [received(&first), received(&second), paused.clone()]);
    assert_eq!(list(&api, "?types=message.received").await, [received(&first), received(&second)]);
    assert_eq!(list(&api, &format!("?inbox_id={first}")).await, [received(&first), paused.clone()]);
    let narrow = server.api(&server.key(&key, "messages:read", Scope::Inbox(one.id)).await);
    assert_eq!(list(&narrow, "").await, [received(&first), paused.clone()]);
    assert_eq!(list(&narrow, "?types=inbox.paused,draft.sent").await, [paused]);
    narrow.get(&format!("/v1/events?inbox_id={second}")).await.error("not_found");
    let other = server.api(&server.workspace(Plan::Team).await);
    assert_eq!(list(&other, "").await, []);
    other.get(&format!("/v1/events?inbox_id={first}")).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn the_log_is_read_from_its_newest_event() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    for subject in ["a", "b", "c", "d", "e"] {
        fixture.server.deliver(&TestMessage::new(subject, "text"), &fixture.inbox.address).await;
        fixture.server.deliver(&TestMessage::new("other", "text"), &other.address).await;
    }
    let ids = async |query: String| -> (Vec<String>, Value) {
        let reply = fixture.api.get(&format!("/v1/events?{query}")).await.expect(200);
        let ids = reply.data().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
        (ids, reply["next_cursor"].clone())
    };
    for filter in [String::new(), format!("inbox_id={}&", fixture.inbox.id), "types=message.received&".to_owned()] {
        let (mut oldest_first, _) = ids(format!("{filter}limit=100")).await;
        oldest_first.reverse();
        let (mut found, mut cursor) = ids(format!("{filter}order=desc&limit=2")).await;
        while let Some(next) = cursor.as_str() {
            let (more, following) = ids(format!("{filter}order=desc&limit=2&cursor={next}")).await;
            found.extend(more);
            cursor = following;
        }
        assert_eq!(found, oldest_first, "{filter}");
    }
    let (all, _) = ids("order=desc".to_owned()).await;
    fixture.api.get(&format!("/v1/events?order=desc&after={}", all[1])).await.invalid_fields(&["after"]);
    fixture.api.get("/v1/events?order=newest").await.invalid_fields(&["order"]);
    let one = fixture.api.get(&format!("/v1/events/{}", all[0])).await.expect(200);
    assert_eq!((one.text("id"), &one["data"]["message"]["subject"]), (all[0].as_str(), &Value::from("other")));
    let narrow = fixture.server.key(&fixture.key, "messages:read", Scope::Inbox(fixture.inbox.id)).await;
    fixture.server.api(&narrow).get(&format!("/v1/events/{}", all[0])).await.error("not_found");
    fixture.api.get(&format!("/v1/events/{}", other.id)).await.error("not_found");
    fixture.close().await;
}

#[tokio::test]
async fn an_unknown_type_gets_a_suggestion() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    let reply = api.get("/v1/events?types=message.recieved").await.invalid_fields(&["types"]);
    let problem = reply["error"]["details"]["fields"][0]["problem"].as_str().unwrap_or_default();
    assert!(problem.contains("did you mean message.received?"), "{reply}");
    server.finish().await;
}
