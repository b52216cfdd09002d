//! Clients that send nothing, too little, too many errors, or at the wrong time get a 421 and delay no other client
//! (RFC 5321 §3.8, §4.5.3.2).

use posthouse_app::ports::Clock as _;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, smtp::TestSmtpClient};

#[tokio::test]
async fn a_silent_client_gets_a_421_and_is_disconnected() {
    let server = TestServer::plain().await;
    let mut smtp = server.smtp().await;
    server.clock.advance_until(600_000, smtp.reply()).await.expect_enhanced(421, "4.4.2");
    smtp.expect_end().await;
    server.finish().await;
}

#[tokio::test]
async fn a_client_that_stops_within_a_message_is_disconnected_and_stores_nothing() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    smtp.line("DATA").await.expect(354);
    smtp.send("From: a@b.example\r\nSubject: x\r\n\r\nhalf").await;
    server.clock.advance_until(800_000, smtp.reply()).await.expect_enhanced(421, "4.4.2");
    assert!(server.raw_messages(&key, &inbox).await.is_empty());
    server.finish().await;
}

#[tokio::test]
async fn too_many_connections_of_a_client_are_rejected() {
    let options = ServerOptions::default().configure(|config| {
        config.smtp.connections_max = 2;
        config.smtp.connections_per_client_max = 1;
    });
    let server = TestServer::start(options).await;
    let first = server.smtp().await;
    let mut second = TestSmtpClient::connect(server.smtp_address()).await;
    second.reply().await.expect_enhanced(421, "4.7.0");
    second.expect_end().await;
    first.quit().await;
    server.finish().await;
}

#[tokio::test]
async fn too_many_connections_in_total_are_rejected() {
    let options = ServerOptions::default().configure(|config| config.smtp.connections_max = 1);
    let server = TestServer::start(options).await;
    let first = server.smtp().await;
    let mut second = TestSmtpClient::connect(server.smtp_address()).await;
    second.reply().await.expect_enhanced(421, "4.3.2");
    second.expect_end().await;
    drop(first);
    server.finish().await;
}

#[tokio::test]
async fn a_stopping_server_disconnects_idle_clients_and_finishes_messages() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let (mut idle, mut busy) = (server.smtp().await, server.smtp().await);
    busy.envelope("a@b.example", &[&inbox.address]).await;
    busy.line("DATA").await.expect(354);
    server.service().lifecycle.drain();
    idle.reply().await.expect_enhanced(421, "4.3.2");
    busy.send("From: a@b.example\r\nSubject: x\r\n\r\nend\r\n.\r\n").await;
    busy.reply().await.expect(250);
    busy.reply().await.expect_enhanced(421, "4.3.2");
    busy.expect_end().await;
    server.restart().await;
    assert_eq!(server.raw_messages(&key, &inbox).await, [b"From: a@b.example\r\nSubject: x\r\n\r\nend\r\n"]);
    server.finish().await;
}

#[tokio::test]
async fn a_stopping_server_waits_only_a_limited_time_for_a_message() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut busy = server.smtp().await;
    busy.envelope("a@b.example", &[&inbox.address]).await;
    busy.line("DATA").await.expect(354);
    server.service().lifecycle.drain();
    let end = server.clock.now().plus_ms(5_000);
    while server.clock.next_deadline().is_none_or(|deadline| deadline > end) {
        tokio::task::yield_now().await;
    }
    server.clock.advance(5_000);
    busy.reply().await.expect_enhanced(421, "4.3.2");
    server.restart().await;
    assert!(server.raw_messages(&key, &inbox).await.is_empty());
    server.finish().await;
}

#[tokio::test]
async fn too_many_errors_end_the_session() {
    let server = TestServer::plain().await;
    let mut smtp = server.smtp().await;
    smtp.send("NONSENSE\r\n".repeat(30)).await;
    let mut last = None;
    while let Some(reply) = smtp.reply_or_end().await {
        last = Some(reply);
    }
    last.expect("errors are answered").expect_enhanced(421, "4.7.0");
    server.finish().await;
}

#[tokio::test]
async fn a_dns_outage_rejects_no_message() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    server.dns.fail_all(true);
    let mut smtp = server.smtp().await;
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    smtp.data("From: a@b.example\r\n\r\n").await.expect(250);
    smtp.quit().await;
    server.finish().await;
}
