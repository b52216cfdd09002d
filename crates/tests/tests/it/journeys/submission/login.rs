//! AUTH: who may, how, and what happens to who may not (RFC 4954, RFC 8314).

use posthouse_domain::{auth::Scope, time::MINUTE_MS};
use posthouse_server::config::Network;
use posthouse_store::tls::Trust;
use posthouse_tests::{
    server::Options,
    smtp::{HELO, SmtpClient, base64_of},
};

use super::{Desk, letter, office, office_with};

#[tokio::test]
async fn plain_and_login_with_and_without_an_initial_response() {
    let office = office().await;
    let (user, password) = (&office.inbox.address, &office.key.secret);
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
        let mut session = office.session().await;
        for (line, code) in dialogue {
            session.line(line).await.expect(*code);
        }
        session.line(&format!("AUTH PLAIN {plain}")).await.says(503, "5.5.1");
        session.line(&format!("MAIL FROM:<{user}>")).await.says(250, "2.1.0");
        session.quit().await;
    }
    let mut session = office.session().await;
    for user in ["SAM@Agents.Localhost", " sam@agents.localhost "] {
        session.log_in(user, password).await.says(235, "2.7.0");
        session = office.session().await;
    }
    office.server.finish().await;
}

#[tokio::test]
async fn only_a_key_that_may_send_from_the_inbox_fits() {
    let office = office().await;
    let other = office.server.inbox_named(&office.key, "other").await;
    let stranger = office.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let key = |permissions, scope| office.server.key(&office.key, permissions, scope);
    let reader = key("read_only", Scope::Workspace).await;
    let mut wrong = office.key.secret.clone();
    wrong.replace_range(5..6, if wrong.as_bytes()[5] == b'x' { "y" } else { "x" });
    let own = office.inbox.address.as_str();
    let refused = [
        (own, wrong.as_str(), "Bad user"),
        (own, "password", "Bad user"),
        (own, stranger.secret.as_str(), "Bad user"),
        (own, reader.secret.as_str(), "The API key lacks the permission messages:send."),
        ("nobody@agents.localhost", office.key.secret.as_str(), "Bad user"),
        ("sam", office.key.secret.as_str(), "Bad user"),
    ];
    for (user, password, why) in refused {
        let reply = office.session().await.log_in(user, password).await.says(535, "5.7.8");
        assert!(reply.lines[0][6..].starts_with(why), "{reply}");
    }
    let sender = key("send_only", Scope::Inbox(office.inbox.id)).await;
    office.session().await.log_in(own, &sender.secret).await.says(235, "2.7.0");
    office.session().await.log_in(&other.address, &sender.secret).await.says(535, "5.7.8");
    office.session().await.log_in(&other.address, &office.key.secret).await.says(235, "2.7.0");
    let log: Vec<String> = office.server.log.lines().iter().map(ToString::to_string).collect();
    assert!(!log.iter().any(|line| line.contains(&wrong) || line.contains(&sender.secret)), "no secret is logged");
    office.server.finish().await;
}

#[tokio::test]
async fn without_a_login_nothing_is_taken() {
    let office = office().await;
    let mut session = office.session().await;
    session.line("MAIL FROM:<sam@agents.localhost>").await.says(530, "5.7.0");
    session.line("AUTH CRAM-MD5").await.says(504, "5.5.4");
    session.line("AUTH PLAIN").await.expect(334);
    session.line("*").await.says(501, "5.7.0");
    session.line("AUTH PLAIN !").await.says(501, "5.5.2");
    session.line("DATA").await.says(503, "5.5.1");
    office.server.finish().await;
}

#[tokio::test]
async fn failed_logins_end_the_session_and_then_hold_the_client_off() {
    let office = office().await;
    let own = office.inbox.address.as_str();
    for _ in 0..10 {
        let mut session = office.session().await;
        for _ in 0..3 {
            session.log_in(own, "guess").await.says(535, "5.7.8");
        }
        session.reply().await.says(421, "4.7.0");
        assert_eq!(session.reply_or_end().await, None);
    }
    let mut session = office.session().await;
    session.log_in(own, &office.key.secret).await.says(454, "4.7.0");
    office.server.clock.advance(10 * MINUTE_MS);
    office.logged_in().await.quit().await;
    office.server.finish().await;
}

/// A server to which the session's client is not on loopback.
async fn afar() -> (Desk, SmtpClient) {
    let options = Options::default().configure(|config| {
        config.submission.proxy_protocol_from = vec![Network { address: [127, 0, 0, 0].into(), prefix_bits: 8 }];
    });
    let office = office_with(options).await;
    let mut session = SmtpClient::connect(office.server.submission_address()).await;
    session.send(b"PROXY TCP4 192.0.2.7 198.51.100.1 56324 587\r\n").await;
    session.reply().await.expect(220);
    (office, session)
}

#[tokio::test]
async fn from_afar_a_password_is_taken_under_tls_alone() {
    let (office, mut session) = afar().await;
    let offered = session.line(&format!("EHLO {HELO}")).await.expect(250);
    assert!(offered.offers("STARTTLS") && !offered.offers("AUTH"), "{offered}");
    session.log_in(&office.inbox.address, &office.key.secret).await.says(538, "5.7.11");
    session.line("MAIL FROM:<sam@agents.localhost>").await.says(530, "5.7.0");
    session.line("STARTTLS").await.expect(220);
    let mut session = session.handshake(&Trust::Anybody).await.expect("a TLS handshake");
    let offered = session.line(&format!("EHLO {HELO}")).await.expect(250);
    assert!(offered.offers("AUTH") && !offered.offers("STARTTLS"), "{offered}");
    session.log_in(&office.inbox.address, &office.key.secret).await.says(235, "2.7.0");
    let reply = session.mail("sam@agents.localhost", &["sam@agents.localhost"], letter("x").as_bytes()).await;
    reply.says(250, "2.0.0");
    session.quit().await;
    office.server.finish().await;
}

#[tokio::test]
async fn a_login_in_clear_is_forgotten_under_tls() {
    let office = office().await;
    let mut session = office.logged_in().await.starttls().await;
    session.line("MAIL FROM:<sam@agents.localhost>").await.says(530, "5.7.0");
    session.log_in(&office.inbox.address, &office.key.secret).await.says(235, "2.7.0");
    session.quit().await;
    office.server.finish().await;
}

#[tokio::test]
async fn tls_from_the_first_byte() {
    let options = Options::default().configure(|config| {
        config.submission.listen_tls = vec![([127, 0, 0, 1], 0).into()];
    });
    let office = office_with(options).await;
    let address = office.server.config().submission.listen_tls[0];
    let mut session = SmtpClient::connect(address).await.handshake(&Trust::Anybody).await.expect("a TLS handshake");
    session.reply().await.expect(220);
    let offered = session.line(&format!("EHLO {HELO}")).await.expect(250);
    assert!(offered.offers("AUTH") && !offered.offers("STARTTLS"), "{offered}");
    session.log_in(&office.inbox.address, &office.key.secret).await.says(235, "2.7.0");
    session.mail("sam@agents.localhost", &["sam@agents.localhost"], letter("x").as_bytes()).await.says(250, "2.0.0");
    session.quit().await;
    office.server.finish().await;
}
