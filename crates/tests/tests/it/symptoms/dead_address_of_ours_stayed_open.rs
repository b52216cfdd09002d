//! Mail to an address of this server that does not exist bounced for good, and the next one was accepted all the same
//! (API document, Errors: `recipient_suppressed`).

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn it_is_shut_until_there_is_such_an_inbox() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let letter = json!({ "to": "Nobody@agents.localhost", "subject": "Plan", "text": "Here." });
    let sent = api.post(&path, letter.clone()).await.expect(202);
    let after = api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    assert_eq!(after["status"], "bounced");
    let refused = api.post(&path, letter.clone()).await.error("recipient_suppressed");
    assert_eq!(refused["error"]["details"]["addresses"][0], "nobody@agents.localhost");
    server.inbox_named(&key, "nobody").await;
    api.post(&path, letter).await.expect(202);
    server.finish().await;
}
