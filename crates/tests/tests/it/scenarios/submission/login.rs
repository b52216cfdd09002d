//! AUTH: which credentials are accepted, and what happens after failures (RFC 4954, RFC 8314).

use posthouse_app::settings::network::Network;
use posthouse_domain::{auth::Scope, time::MINUTE_MS};
use posthouse_store::tls::CertificateTrust;
use posthouse_tests::{
    server::ServerOptions,
    smtp::{HELO, TestSmtpClient, base64_of},
};

use super::{InboxFixture, fixture, fixture_with, raw_message};

#[tokio::test]
async fn auth_plain_and_login_work_with_and_without_an_initial_response() {
    let fixture = fixture().await;
    let (user, password) = (&fixture.inbox.address, &fixture.key.secret);
    let plain = base64_of(&format!("\0{user}\0{password}"));
    let named = base64_of(&format!("{user}\0{user}\0{password}"));
    let (user64, password64) = (base64_of(user), base64_of(password));
    let dialogues: [&[(&str, u16)]; 5] = [
        &[(&format!("AUTH PLAIN {plain}"), 235)],
        &[(&format!("auth plain {named}"), 235)],
        &[("AUTH PLAIN", 334), (&plain, 235)],
        &[("AUTH LOGIN", 334), (&user64, 334), (&password64, 235)],
        &[(&format!("AUTH LOGIN {user64}"), 334), (&password64, 235)],
    ];
    for dialogue in dialogues {
        let mut session = fixture.session().await;
        for (line, code) in dialogue {
            session.line(line).await.expect(*code);
        }
        session.line(&format!("AUTH PLAIN {plain}")).await.expect_enhanced(503, "5.5.1");
        session.line(&format!("MAIL FROM:<{user}>")).await.expect_enhanced(250, "2.1.0");
        session.quit().await;
    }
    let mut session = fixture.session().await;
    for user in ["SAM@Agents.Localhost", " sam@agents.localhost "] {
        session.log_in(user, password).await.expect_enhanced(235, "2.7.0");
        session = fixture.session().await;
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn only_a_key_that_may_send_from_the_inbox_is_accepted() {
    let fixture = fixture().await;
    let other = fixture.server.inbox_named(&fixture.key, "other").await;
    let stranger = fixture.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let key = |permissions, scope| fixture.server.key(&fixture.key, permissions, scope);
    let reader = key("read_only", Scope::Workspace).await;
    let mut wrong = fixture.key.secret.clone();
    wrong.replace_range(5..6, if wrong.as_bytes()[5] == b'x' { "y" } else { "x" });
    let own = fixture.inbox.address.as_str();
    let refused = [
        (own, wrong.as_str(), "Bad user"),
        (own, "password", "Bad user"),
        (own, stranger.secret.as_str(), "Bad user"),
        (own, reader.secret.as_str(), "The API key lacks the permission `messages:send`."),
        ("nobody@agents.localhost", fixture.key.secret.as_str(), "Bad user"),
        ("sam", fixture.key.secret.as_str(), "Bad user"),
    ];
    for (user, password, why) in refused {
        let reply = fixture.session().await.log_in(user, password).await.expect_enhanced(535, "5.7.8");
        assert!(reply.lines[0][6..].starts_with(why), "{reply}");
    }
    let sender = key("send_only", Scope::Inbox(fixture.inbox.id)).await;
    fixture.session().await.log_in(own, &sender.secret).await.expect_enhanced(235, "2.7.0");
    fixture.session().await.log_in(&other.address, &sender.secret).await.expect_enhanced(535, "5.7.8");
    fixture.session().await.log_in(&other.address, &fixture.key.secret).await.expect_enhanced(235, "2.7.0");
    let log: Vec<String> = fixture.server.log.lines().iter().map(ToString::to_string).collect();
    assert!(!log.iter().any(|line| line.contains(&wrong) || line.contains(&sender.secret)), "no secret is logged");
    fixture.server.finish().await;
}

#[tokio::test]
async fn nothing_is_accepted_without_authentication() {
    let fixture = fixture().await;
    let mut session = fixture.session().await;
    session.line("MAIL FROM:<sam@agents.localhost>").await.expect_enhanced(530, "5.7.0");
    session.line("AUTH CRAM-MD5").await.expect_enhanced(504, "5.5.4");
    session.line("AUTH PLAIN").await.expect(334);
    session.line("*").await.expect_enhanced(501, "5.7.0");
    session.line("AUTH PLAIN !").await.expect_enhanced(501, "5.5.2");
    session.line("DATA").await.expect_enhanced(503, "5.5.1");
    fixture.server.finish().await;
}

#[tokio::test]
async fn failed_logins_end_the_session_and_then_block_the_client() {
    let fixture = fixture().await;
    let own = fixture.inbox.address.as_str();
    for _ in 0..10 {
        let mut session = fixture.session().await;
        for _ in 0..3 {
            session.log_in(own, "guess").await.expect_enhanced(535, "5.7.8");
        }
        session.reply().await.expect_enhanced(421, "4.7.0");
        assert_eq!(session.reply_or_end().await, None);
    }
    let mut session = fixture.session().await;
    session.log_in(own, &fixture.key.secret).await.expect_enhanced(454, "4.7.0");
    fixture.server.clock.advance(10 * MINUTE_MS);
    fixture.authenticated_session().await.quit().await;
    fixture.server.finish().await;
}

/// Starts a server and a session whose client is not on loopback.
async fn remote_session() -> (InboxFixture, TestSmtpClient) {
    let options = ServerOptions::default().configure(|config| {
        config.smtp.submission_proxy_protocol_from = vec![Network { address: [127, 0, 0, 0].into(), prefix_bits: 8 }];
    });
    let fixture = fixture_with(options).await;
    let mut session = TestSmtpClient::connect(fixture.server.submission_address()).await;
    session.send(b"PROXY TCP4 192.0.2.7 198.51.100.1 56324 587\r\n").await;
    session.reply().await.expect(220);
    (fixture, session)
}

#[tokio::test]
async fn remote_clients_need_tls_for_a_password() {
    let (fixture, mut session) = remote_session().await;
    let offered = session.line(&format!("EHLO {HELO}")).await.expect(250);
    assert!(offered.offers("STARTTLS") && !offered.offers("AUTH"), "{offered}");
    session.log_in(&fixture.inbox.address, &fixture.key.secret).await.expect_enhanced(538, "5.7.11");
    session.line("MAIL FROM:<sam@agents.localhost>").await.expect_enhanced(530, "5.7.0");
    session.line("STARTTLS").await.expect(220);
    let mut session = session.handshake(&CertificateTrust::AnyCertificate).await.expect("a TLS handshake");
    let offered = session.line(&format!("EHLO {HELO}")).await.expect(250);
    assert!(offered.offers("AUTH") && !offered.offers("STARTTLS"), "{offered}");
    session.log_in(&fixture.inbox.address, &fixture.key.secret).await.expect_enhanced(235, "2.7.0");
    let reply = session.mail("sam@agents.localhost", &["sam@agents.localhost"], raw_message("x").as_bytes()).await;
    reply.expect_enhanced(250, "2.0.0");
    session.quit().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn starttls_discards_an_earlier_authentication() {
    let fixture = fixture().await;
    let mut session = fixture.authenticated_session().await.starttls().await;
    session.line("MAIL FROM:<sam@agents.localhost>").await.expect_enhanced(530, "5.7.0");
    session.log_in(&fixture.inbox.address, &fixture.key.secret).await.expect_enhanced(235, "2.7.0");
    session.quit().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn implicit_tls_works() {
    let options = ServerOptions::default().configure(|config| {
        config.listen.submission_tls = vec![([127, 0, 0, 1], 0).into()];
    });
    let fixture = fixture_with(options).await;
    let address = fixture.server.config().listen.submission_tls[0];
    let mut session = TestSmtpClient::connect(address)
        .await
        .handshake(&CertificateTrust::AnyCertificate)
        .await
        .expect("a TLS handshake");
    session.reply().await.expect(220);
    let offered = session.line(&format!("EHLO {HELO}")).await.expect(250);
    assert!(offered.offers("AUTH") && !offered.offers("STARTTLS"), "{offered}");
    session.log_in(&fixture.inbox.address, &fixture.key.secret).await.expect_enhanced(235, "2.7.0");
    session
        .mail("sam@agents.localhost", &["sam@agents.localhost"], raw_message("x").as_bytes())
        .await
        .expect_enhanced(250, "2.0.0");
    session.quit().await;
    fixture.server.finish().await;
}
