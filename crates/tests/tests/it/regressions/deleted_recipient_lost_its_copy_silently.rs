//! A recipient that was accepted and then deleted before the end of the message lost its copy: the reply was 250, the
//! other copies were stored, and no error was reported.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

const MAIL: &str = "From: a@sender.example\r\nSubject: hello\r\n\r\nHello.\r\n";

#[tokio::test]
async fn the_message_is_deferred_for_all_and_the_retry_reports_the_deleted_recipient() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (yan, alice) = (server.inbox_named(&key, "yan").await, server.inbox_named(&key, "alice").await);
    let mut smtp = server.smtp().await;
    smtp.envelope("a@sender.example", &[&yan.address, &alice.address]).await;
    server.api(&key).delete(&format!("/v1/inboxes/{}", yan.id)).await.expect(204);
    smtp.data(MAIL).await.expect_enhanced(451, "4.3.0");
    assert_eq!(server.raw_messages(&key, &alice).await.len(), 0, "the deferred transaction stores nothing");

    smtp.line("MAIL FROM:<a@sender.example>").await.expect(250);
    smtp.line(&format!("RCPT TO:<{}>", yan.address)).await.expect_enhanced(550, "5.1.1");
    smtp.line(&format!("RCPT TO:<{}>", alice.address)).await.expect(250);
    smtp.data(MAIL).await.expect(250);
    assert_eq!(server.raw_messages(&key, &alice).await, [MAIL.as_bytes()]);
    server.finish().await;
}

#[tokio::test]
async fn a_message_without_remaining_recipients_is_rejected() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (yan, zoe) = (server.inbox_named(&key, "yan").await, server.inbox_named(&key, "zoe").await);
    let mut smtp = server.smtp().await;
    smtp.envelope("a@sender.example", &[&yan.address, &zoe.address]).await;
    for inbox in [&yan, &zoe] {
        server.api(&key).delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
    }
    smtp.data(MAIL).await.expect_enhanced(550, "5.1.1");
    server.finish().await;
}
