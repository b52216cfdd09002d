//! Waits for messages or codes of an inbox that was deleted meanwhile continued and returned `null` at the end.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn waits_on_a_deleted_inbox_end_at_once() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    for body in [json!({}), json!({ "ttl_seconds": 600 })] {
        let inbox = server.inbox_with(&key, body).await;
        let other = server.inbox(&key).await;
        let wait = |id: String, route: &'static str| {
            let api = api.clone();
            tokio::spawn(async move { api.get(&format!("/v1/inboxes/{id}/{route}?timeout=60")).await })
        };
        let message = wait(inbox.id.to_string(), "messages/wait");
        let code = wait(inbox.id.to_string(), "verification");
        let beside = wait(other.id.to_string(), "verification");
        server.clock.wait_for_sleepers(3).await;
        api.delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
        for wait_task in [message, code] {
            wait_task.await.unwrap().expect(404).error("not_found");
        }
        server.clock.wait_for_sleepers(1).await;
        server.clock.advance(60_000);
        assert_eq!(beside.await.unwrap().expect(200).json, json!({ "data": null }));
    }
    server.finish().await;
}
