//! Some mail providers use host names with underscores in the return path. Their messages were rejected.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

#[tokio::test]
async fn a_message_from_a_domain_with_an_underscore_is_received() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    smtp.envelope("bounce@em_1.sender.example", &[&inbox.address]).await;
    let reply = smtp.data("From: a@sender.example\r\nSubject: x\r\n\r\nx\r\n").await;
    assert!(server.trace_fields(&key, reply.id()).await.starts_with("Return-Path: <bounce@em_1.sender.example>\r\n"));
    server.finish().await;
}
