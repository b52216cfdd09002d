//! Idempotency keys were one namespace of a workspace, so that two agents with keys of their inboxes collided.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn each_inbox_has_idempotency_keys_of_its_own() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let mut sent = Vec::new();
    for name in ["one", "two"] {
        let inbox = server.inbox_named(&key, name).await;
        let own = server.key(&key, "full", Scope::Inbox(inbox.id)).await;
        let twin = server.key(&key, "full", Scope::Inbox(inbox.id)).await;
        let body = json!({ "to": "a@b.example", "subject": name, "text": "Hi" });
        let path = format!("/v1/inboxes/{}/messages", inbox.id);
        let first = server.api(&own).idempotent("same").post(&path, body.clone()).await.expect(202);
        let again = server.api(&twin).idempotent("same").post(&path, body.clone()).await.expect(202);
        assert_eq!(first["id"], again["id"], "keys of one inbox share them");
        let whole = server.api(&key).idempotent("same").post(&path, body).await;
        // A key of the workspace has those of the workspace, which the other inbox's message used up.
        if sent.is_empty() {
            whole.expect(202)
        } else {
            whole.error("idempotency_key_reused")
        };
        sent.push(first["id"].clone());
    }
    assert_ne!(sent[0], sent[1]);
    server.allow().queued();
    server.settle().await;
    server.finish().await;
}
