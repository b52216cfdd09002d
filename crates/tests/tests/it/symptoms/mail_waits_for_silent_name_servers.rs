//! A name server that says nothing held every mail up: now one mail waits for all its questions together a bounded time,
//! is accepted, and its checks are shown as undecided.

use posthouse_domain::plan::Plan;
use posthouse_server::{app::authenticate::GATHERING_MS_MAX, ports::Clock as _};
use posthouse_tests::TestServer;

#[tokio::test]
async fn a_mail_is_accepted_within_the_limit_and_its_checks_are_temporary_errors() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    server.dns.silence(true);

    let mut smtp = server.smtp().await;
    let began = server.clock.now();
    let raw = b"From: Dana <dana@elsewhere.example>\r\nSubject: Hi\r\n\r\nHello.\r\n";
    let to = [inbox.address.as_str()];
    let sent = smtp.mail("dana@elsewhere.example", &to, raw);
    server.clock.go_on(4 * GATHERING_MS_MAX, sent).await.expect(250);
    let waited = server.clock.now().since_ms(began);
    assert_eq!(waited, GATHERING_MS_MAX, "one limit for all questions of a mail");

    let message = server.newest(&server.api(&key), &inbox.id.to_string()).await;
    let results = message["headers"]["authentication-results"].to_string();
    assert!(results.contains("spf=temperror") && results.contains("dmarc=temperror"), "{results}");
    smtp.quit().await;
    server.finish().await;
}
