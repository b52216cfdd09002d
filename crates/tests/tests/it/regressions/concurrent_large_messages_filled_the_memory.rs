//! Many large messages at once filled the memory. Now their total size is limited: a session above the limit is
//! deferred, and small messages are still accepted.

use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, smtp::TestSmtpClient};

/// The limit in this test, in bytes. The default is 1 GiB.
const LIMIT: u64 = 1024 * 1024;

/// Opens a session in the middle of a message of about this size.
async fn start_message(server: &TestServer, to: &str, bytes: usize) -> TestSmtpClient {
    let mut smtp = server.smtp().await;
    smtp.envelope("a@remote.example", &[to]).await;
    smtp.line("DATA").await.expect(354);
    let line = format!("{}\r\n", "x".repeat(510));
    smtp.send(b"From: a@b.example\r\nSubject: large\r\n\r\n").await;
    smtp.send(line.repeat(bytes / 512).as_bytes()).await;
    smtp
}

#[tokio::test]
async fn a_session_above_the_memory_limit_is_deferred_and_small_messages_are_accepted() {
    let server = TestServer::start(ServerOptions::default().configure(|c| c.limits.smtp_content_bytes = LIMIT)).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;

    let mut over = start_message(&server, &inbox.address, 1_500 * 1024).await;
    let reply = over.reply().await.expect_enhanced(421, "4.3.2");
    let limit = "(limits.smtp_content_bytes is 1048576), try again in 60 seconds";
    assert!(reply.lines[0].contains(limit), "{reply}");

    let mut large = start_message(&server, &inbox.address, 900 * 1024).await;
    server.deliver_raw(b"From: a@b.example\r\nSubject: small\r\n\r\nx\r\n", &[&inbox.address]).await.expect(250);
    large.send(b".\r\n").await;
    large.reply().await.expect(250);
    let mut small = start_message(&server, &inbox.address, 100 * 1024).await;
    small.send(b".\r\n").await;
    small.reply().await.expect(250);
    large.quit().await;
    small.quit().await;
    server.finish().await;
}
