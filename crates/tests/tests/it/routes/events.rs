//! `GET /v1/events`: filters and visibility.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{TestMessage, TestServer, http::Api};

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
async fn an_unknown_type_gets_a_suggestion() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    let reply = api.get("/v1/events?types=message.recieved").await.invalid_fields(&["types"]);
    let problem = reply["error"]["details"]["fields"][0]["problem"].as_str().unwrap_or_default();
    assert!(problem.contains("did you mean message.received?"), "{reply}");
    server.finish().await;
}
