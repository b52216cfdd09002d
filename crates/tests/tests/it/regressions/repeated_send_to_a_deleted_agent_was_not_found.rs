//! A send was repeated with its idempotency key after what it named was gone, and got 404 in place of the first response.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestMessage;
use serde_json::json;

use crate::{inbox_fixture::InboxFixture, routes::directory::Agent};

#[tokio::test]
async fn the_first_response_is_repeated() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.workspace(Plan::Team).await;
    let agent = Agent::of(fixture.server.api(&other), "helper").await;
    agent.list(&fixture.server, "Helper").await;
    agent.handle("acme", "helper").await;
    fixture.server.settle().await;
    fixture.server.deliver(&TestMessage::new("Plan", "text"), &fixture.inbox.address).await;
    let received = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    let base = format!("/v1/inboxes/{}", fixture.inbox.id);
    let message = format!("{base}/messages/{}", received["id"].as_str().unwrap());
    let send = json!({ "to": ["@acme/helper"], "subject": "s", "text": "t" });
    let requests = [
        (format!("{base}/messages"), send.clone(), 202),
        (format!("{base}/drafts"), send, 201),
        (format!("{message}/reply"), json!({ "text": "t" }), 202),
        (format!("{message}/forward"), json!({ "to": ["x@remote.example"] }), 202),
    ];
    let mut first = Vec::new();
    for (path, body, status) in &requests {
        first.push(fixture.api.idempotent(path).post(path, body.clone()).await.expect(*status).json);
    }
    fixture.server.settle().await;
    agent.api.delete(&format!("/v1/inboxes/{}", agent.id)).await.expect(204);
    fixture.api.delete(&format!("/v1/threads/{}", received["thread_id"].as_str().unwrap())).await.expect(200);
    for ((path, body, status), first) in requests.iter().zip(first) {
        let again = fixture.api.idempotent(path).post(path, body.clone()).await;
        assert_eq!(again.expect(*status).json, first, "{path}");
        let fresh = format!("fresh-{path}");
        fixture.api.idempotent(&fresh).post(path, body.clone()).await.expect(404);
    }
    fixture.close().await;
}
