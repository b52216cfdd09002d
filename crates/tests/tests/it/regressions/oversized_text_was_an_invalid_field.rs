//! A text larger than any message was rejected as an invalid field instead of an oversized message.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn an_oversized_text_is_rejected_as_an_oversized_message() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let text = "x".repeat(27 * 1024 * 1024);
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let body = json!({ "to": "a@b.example", "subject": "Plan", "text": text });
    server.api(&key).post(&path, body).await.error("message_too_large");
    server.finish().await;
}
