//! Many large mails at once filled the memory: together they may hold a bounded number of bytes. Who goes over it is sent
//! away and tries again later; small mail goes on.

use posthouse_domain::plan::Plan;
use posthouse_server::config::CONTENT_BYTES_MAX;
use posthouse_tests::{Options, TestServer, smtp::SmtpClient};

/// The bound of this test, in bytes; that of the product is 1 GiB.
const BOUND: u64 = 1024 * 1024;

/// A session that is in the middle of a mail of about that size.
async fn half_a_mail(server: &TestServer, to: &str, bytes: usize) -> SmtpClient {
    let mut smtp = server.smtp().await;
    smtp.envelope("a@remote.example", &[to]).await;
    smtp.line("DATA").await.expect(354);
    let line = format!("{}\r\n", "x".repeat(510));
    smtp.send(b"From: a@b.example\r\nSubject: large\r\n\r\n").await;
    smtp.send(line.repeat(bytes / 512).as_bytes()).await;
    smtp
}

#[tokio::test]
async fn the_session_that_goes_over_the_bound_is_sent_away_and_small_mail_goes_on() {
    assert_eq!(CONTENT_BYTES_MAX, 1024 * 1024 * 1024);
    let server = TestServer::start(Options::default().configure(|c| c.smtp.content_bytes_max = BOUND)).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;

    let mut over = half_a_mail(&server, &inbox.address, 1_500 * 1024).await;
    over.reply().await.says(421, "4.3.2");

    let mut large = half_a_mail(&server, &inbox.address, 900 * 1024).await;
    server.deliver_raw(b"From: a@b.example\r\nSubject: small\r\n\r\nx\r\n", &[&inbox.address]).await.expect(250);
    large.send(b".\r\n").await;
    large.reply().await.expect(250);
    let mut small = half_a_mail(&server, &inbox.address, 100 * 1024).await;
    small.send(b".\r\n").await;
    small.reply().await.expect(250);
    large.quit().await;
    small.quit().await;
    server.finish().await;
}
