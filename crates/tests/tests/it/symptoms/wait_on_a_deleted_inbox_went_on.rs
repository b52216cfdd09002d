//! Who waited for mail or a code of an inbox that was deleted meanwhile waited on, and heard `null` at the end (contract §4.7).

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn the_waiting_hear_at_once_that_it_is_gone() {
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
        server.clock.waiting(3).await;
        api.delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
        for waiting in [message, code] {
            waiting.await.unwrap().expect(404).error("not_found");
        }
        server.clock.waiting(1).await;
        server.clock.advance(60_000);
        assert_eq!(beside.await.unwrap().expect(200).json, json!({ "data": null }));
    }
    server.finish().await;
}
