//! Some who send mail for others use host names with underscores in the return path: their mail was refused for good.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

#[tokio::test]
async fn mail_from_a_domain_with_an_underscore_comes_in() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    smtp.envelope("bounce@em_1.sender.example", &[&inbox.address]).await;
    let reply = smtp.data("From: a@sender.example\r\nSubject: x\r\n\r\nx\r\n").await;
    assert!(server.trace_of(&key, reply.id()).await.starts_with("Return-Path: <bounce@em_1.sender.example>\r\n"));
    server.finish().await;
}
