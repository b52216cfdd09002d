//! Clients that say nothing, too little, too often, or at the wrong time: each is told 421 and nobody else waits for it
//! (RFC 5321 §3.8, §4.5.3.2).

use posthouse_domain::plan::Plan;
use posthouse_server::ports::Clock as _;
use posthouse_tests::{Options, TestServer, smtp::SmtpClient};

#[tokio::test]
async fn a_silent_client_is_told_so_and_let_go() {
    let server = TestServer::plain().await;
    let mut smtp = server.smtp().await;
    server.clock.go_on(600_000, smtp.reply()).await.says(421, "4.4.2");
    smtp.expect_end().await;
    server.finish().await;
}

#[tokio::test]
async fn a_client_that_stops_inside_a_message_is_let_go_and_stores_nothing() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    smtp.line("DATA").await.expect(354);
    smtp.send("From: a@b.example\r\nSubject: x\r\n\r\nhalf").await;
    server.clock.go_on(800_000, smtp.reply()).await.says(421, "4.4.2");
    assert!(server.raw_mails(&key, &inbox).await.is_empty());
    server.finish().await;
}

#[tokio::test]
async fn more_connections_than_places_are_turned_away() {
    let options = Options::default().configure(|config| {
        config.smtp.connections_max = 2;
        config.smtp.connections_per_client_max = 1;
    });
    let server = TestServer::start(options).await;
    let first = server.smtp().await;
    let mut second = SmtpClient::connect(server.smtp_address()).await;
    second.reply().await.says(421, "4.7.0");
    second.expect_end().await;
    first.quit().await;
    server.finish().await;
}

#[tokio::test]
async fn a_full_house_says_so() {
    let options = Options::default().configure(|config| config.smtp.connections_max = 1);
    let server = TestServer::start(options).await;
    let first = server.smtp().await;
    let mut second = SmtpClient::connect(server.smtp_address()).await;
    second.reply().await.says(421, "4.3.2");
    second.expect_end().await;
    drop(first);
    server.finish().await;
}

#[tokio::test]
async fn a_stopping_server_takes_leave_of_idle_clients_and_lets_a_message_end() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let (mut idle, mut busy) = (server.smtp().await, server.smtp().await);
    busy.envelope("a@b.example", &[&inbox.address]).await;
    busy.line("DATA").await.expect(354);
    server.app().life.drain();
    idle.reply().await.says(421, "4.3.2");
    busy.send("From: a@b.example\r\nSubject: x\r\n\r\nend\r\n.\r\n").await;
    busy.reply().await.expect(250);
    busy.reply().await.says(421, "4.3.2");
    busy.expect_end().await;
    server.restart().await;
    assert_eq!(server.raw_mails(&key, &inbox).await, [b"From: a@b.example\r\nSubject: x\r\n\r\nend\r\n"]);
    server.finish().await;
}

#[tokio::test]
async fn a_stopping_server_does_not_wait_for_ever_for_the_end_of_a_message() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut busy = server.smtp().await;
    busy.envelope("a@b.example", &[&inbox.address]).await;
    busy.line("DATA").await.expect(354);
    server.app().life.drain();
    let end = server.clock.now().plus_ms(5_000);
    while server.clock.next_deadline().is_none_or(|deadline| deadline > end) {
        tokio::task::yield_now().await;
    }
    server.clock.advance(5_000);
    busy.reply().await.says(421, "4.3.2");
    server.restart().await;
    assert!(server.raw_mails(&key, &inbox).await.is_empty());
    server.finish().await;
}

#[tokio::test]
async fn errors_without_end_end_the_session() {
    let server = TestServer::plain().await;
    let mut smtp = server.smtp().await;
    smtp.send("NONSENSE\r\n".repeat(30)).await;
    let mut last = None;
    while let Some(reply) = smtp.reply_or_end().await {
        last = Some(reply);
    }
    last.expect("errors are answered").says(421, "4.7.0");
    server.finish().await;
}

#[tokio::test]
async fn dns_that_is_down_refuses_no_mail() {
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
