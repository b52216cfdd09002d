//! `HELP` named AUTH on the listener for inbound mail, which doesn't offer it (RFC 5321 §4.1.1.8).

use posthouse_tests::TestServer;

#[tokio::test]
async fn help_names_auth_only_where_it_is_offered() {
    let server = TestServer::plain().await;
    let mut smtp = server.smtp().await;
    let offered = smtp.line("EHLO client.example").await.to_string();
    let help = smtp.line("HELP").await.to_string();
    assert!(help.starts_with("214 2.0.0 ") && help.contains("STARTTLS"), "{help}");
    assert_eq!(help.contains("AUTH"), offered.contains("AUTH"), "{offered}{help}");
    smtp.quit().await;
    server.finish().await;
}
