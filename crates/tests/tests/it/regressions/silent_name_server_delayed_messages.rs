//! A silent nameserver delayed every message. Now all lookups of a message share one time limit; then it is accepted
//! with temporary errors as authentication results.

use posthouse_app::{inbound::authenticate::DNS_TIMEOUT_MS, ports::Clock as _};
use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

#[tokio::test]
async fn a_message_is_accepted_within_the_limit_with_temporary_errors() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    server.dns.silence(true);

    let mut smtp = server.smtp().await;
    let started = server.clock.now();
    let raw = b"From: Dana <dana@elsewhere.example>\r\nSubject: Hi\r\n\r\nHello.\r\n";
    let to = [inbox.address.as_str()];
    let sent = smtp.mail("dana@elsewhere.example", &to, raw);
    server.clock.advance_until(4 * DNS_TIMEOUT_MS, sent).await.expect(250);
    let waited = server.clock.now().since_ms(started);
    assert_eq!(waited, DNS_TIMEOUT_MS, "one limit for all lookups of a message");

    let message = server.newest_message(&server.api(&key), &inbox.id.to_string()).await;
    let results = message["headers"]["authentication-results"].to_string();
    assert!(results.contains("spf=temperror") && results.contains("dmarc=temperror"), "{results}");
    smtp.quit().await;
    server.finish().await;
}
