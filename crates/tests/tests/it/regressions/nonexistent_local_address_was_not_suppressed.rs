//! A message to a nonexistent address of this server bounced, and the next one was accepted again.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn a_local_address_is_suppressed_until_its_inbox_exists() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let body = json!({ "to": "Nobody@agents.localhost", "subject": "Plan", "text": "Here." });
    let sent = api.post(&path, body.clone()).await.expect(202);
    let after = api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    assert_eq!(after["status"], "bounced");
    let refused = api.post(&path, body.clone()).await.error("recipient_suppressed");
    assert_eq!(refused["error"]["details"]["addresses"][0], "nobody@agents.localhost");
    server.inbox_named(&key, "nobody").await;
    api.post(&path, body).await.expect(202);
    server.finish().await;
}
