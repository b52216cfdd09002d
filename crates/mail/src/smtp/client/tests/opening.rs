//! Greeting, EHLO, STARTTLS and AUTH.

use super::*;

const BYE: &str = "C: QUIT\nS: 221 bye";

#[test]
fn greetings_are_accepted_or_end_the_connection() {
    for (script, expected) in [
        ("S: 554 5.7.1 go away", "failed 554 greeting permanent: go away"),
        ("S: 421 4.3.2 busy", "failed 421 greeting: busy"),
        ("S: 450 later", "failed 450 greeting: later"),
        ("S: 354 what", "failed - greeting: the server sent an unexpected 354 reply"),
        ("S: SSH-2.0-OpenSSH_9.9", "failed - greeting: the server sent a line that is not an SMTP reply"),
        ("S: 220-mx\nS: 250 mx", "failed - greeting: the server sent a reply with different codes on its lines"),
        ("LOST", "failed - greeting: the connection was reset"),
    ] {
        play(&config(TlsPolicy::Off), &[], script, &[expected]);
    }
}

#[test]
fn ehlo_falls_back_to_helo() {
    let greeting = "S: 220-mx\nS: 220 ready\nC: EHLO me.example";
    for (tls, script, expected) in [
        (TlsPolicy::Off, format!("S: 250 mx\n{BYE}"), None),
        (TlsPolicy::Off, format!("S: 502 what\nC: HELO me.example\nS: 250 mx\n{BYE}"), None),
        (TlsPolicy::Opportunistic, format!("S: 500 what\nC: HELO me.example\nS: 250 mx\n{BYE}"), None),
        (TlsPolicy::Off, "S: 502 what\nC: HELO me.example\nS: 550 no".into(), Some("failed 550 ehlo permanent: no")),
        (TlsPolicy::Required, "S: 502 what".into(), Some("failed 502 ehlo permanent: what")),
        (TlsPolicy::Off, "S: 451 later".into(), Some("failed 451 ehlo: later")),
        (TlsPolicy::Off, "S: 421 closing".into(), Some("failed 421 ehlo: closing")),
        (TlsPolicy::Off, "LOST".into(), Some("failed - ehlo: the connection was reset")),
    ] {
        play(&config(tls), &[], &format!("{greeting}\n{script}"), expected.as_slice());
    }
}

#[test]
fn starttls_by_policy() {
    let opening = "S: 220 mx\nC: EHLO me.example";
    let offered = "S: 250-mx\nS: 250 STARTTLS";
    let again = "TLS\nC: EHLO me.example\nS: 250 mx";
    for (tls, script, expected) in [
        (TlsPolicy::Opportunistic, format!("{offered}\nC: STARTTLS\nS: 220 go\n{again}\n{BYE}"), None),
        (TlsPolicy::Required, format!("{offered}\nC: STARTTLS\nS: 220 go\n{again}\n{BYE}"), None),
        (TlsPolicy::Off, format!("{offered}\n{BYE}"), None),
        (TlsPolicy::Implicit, format!("{offered}\n{BYE}"), None),
        (TlsPolicy::Opportunistic, format!("S: 250 mx\n{BYE}"), None),
        (TlsPolicy::Opportunistic, format!("{offered}\nC: STARTTLS\nS: 454 4.7.0 not now\n{BYE}"), None),
        (
            TlsPolicy::Required,
            format!("{offered}\nC: STARTTLS\nS: 454 4.7.0 not now"),
            Some("failed 454 starttls: not now"),
        ),
        (TlsPolicy::Required, "S: 250 mx".into(), Some("failed - starttls: the server does not offer TLS")),
        (
            TlsPolicy::Opportunistic,
            format!("{offered}\nC: STARTTLS\nS: 220 go\nTLS FAILS"),
            Some("failed - starttls retry-without-tls: bad certificate"),
        ),
        (
            TlsPolicy::Required,
            format!("{offered}\nC: STARTTLS\nS: 220 go\nTLS FAILS"),
            Some("failed - starttls: bad certificate"),
        ),
    ] {
        play(&config(tls), &[], &format!("{opening}\n{script}"), expected.as_slice());
    }
}

/// Replies sent in plaintext after the reply to STARTTLS must never be processed inside TLS (RFC 3207 §6).
#[test]
fn replies_injected_after_starttls_end_the_connection() {
    let opening = "S: 220 mx\nC: EHLO me.example\nS: 250-mx\nS: 250 STARTTLS\nC: STARTTLS\nS: 220 go";
    for tls in [TlsPolicy::Opportunistic, TlsPolicy::Required] {
        let script = format!("{opening}\nS: 250 injected");
        play(&config(tls), &[], &script, &["failed - starttls: the server sent data before a reply was due"]);
    }
    let mut session = ClientSession::new(config(TlsPolicy::Opportunistic));
    session.receive(b"220 mx\r\n");
    assert_eq!(session.step(), ClientStep::Write(b"EHLO me.example\r\n".to_vec()));
    session.receive(b"250-mx\r\n250 STARTTLS\r\n");
    assert_eq!(session.step(), ClientStep::Write(b"STARTTLS\r\n".to_vec()));
    session.receive(b"220 go\r\n25");
    let ClientStep::Failed(failure) = session.step() else { panic!("a partial reply was accepted") };
    assert_eq!(line_of_failure(&failure), "failed - starttls: the server sent data before a reply was due");
    session.tls_started();
    assert_eq!(session.step(), ClientStep::Closed);
}

#[test]
fn extensions_from_plaintext_are_discarded_inside_tls() {
    let script = "S: 220 mx\nC: EHLO me.example\nS: 250-mx\nS: 250-SIZE 10\nS: 250-PIPELINING\nS: 250 STARTTLS\nC: STARTTLS\nS: 220 go
        TLS\nC: EHLO me.example\nS: 250 mx\nC: MAIL FROM:<a@x.example>\nS: 250 ok\nC: RCPT TO:<b@y.example>\nS: 550 no\nC: QUIT\nS: 221 bye";
    let expected = ["b@y.example Permanent 550 - rcpt_to: no"];
    play(&config(TlsPolicy::Required), &[message(&["b@y.example"], "longer than ten bytes")], script, &expected);
}

#[test]
fn logins() {
    // "\0user\0secret", "user" and "secret" in base64.
    let (plain, user, secret) = ("AHVzZXIAc2VjcmV0", "dXNlcg==", "c2VjcmV0");
    let opening = "S: 220 mx\nC: EHLO me.example\nS: 250-mx";
    for (tls, script, expected) in [
        (TlsPolicy::Off, format!("S: 250 AUTH LOGIN PLAIN\nC: AUTH PLAIN {plain}\nS: 235 ok\n{BYE}"), None),
        (
            TlsPolicy::Implicit,
            format!(
                "S: 250 auth=login\nC: AUTH LOGIN\nS: 334 VXNlcg==\nC: {user}\nS: 334 UGFzcw==\nC: {secret}\nS: 235 ok\n{BYE}"
            ),
            None,
        ),
        (
            TlsPolicy::Required,
            format!(
                "S: 250 STARTTLS\nC: STARTTLS\nS: 220 go\nTLS\nC: EHLO me.example\nS: 250-mx\nS: 250 AUTH PLAIN\nC: AUTH PLAIN {plain}\nS: 235 ok\n{BYE}"
            ),
            None,
        ),
        (
            TlsPolicy::Off,
            format!("S: 250 AUTH PLAIN\nC: AUTH PLAIN {plain}\nS: 535 5.7.8 wrong password"),
            Some("failed 535 auth permanent: wrong password"),
        ),
        (
            TlsPolicy::Off,
            format!("S: 250 AUTH PLAIN\nC: AUTH PLAIN {plain}\nS: 454 4.7.0 later"),
            Some("failed 454 auth: later"),
        ),
        (
            TlsPolicy::Off,
            format!("S: 250 AUTH PLAIN\nC: AUTH PLAIN {plain}\nS: 334 more"),
            Some("failed - auth: the server sent an unexpected 334 reply"),
        ),
        (
            TlsPolicy::Off,
            "S: 250 AUTH CRAM-MD5".into(),
            Some("failed - auth: the server offers neither AUTH PLAIN nor AUTH LOGIN"),
        ),
        (
            TlsPolicy::Opportunistic,
            "S: 250 AUTH PLAIN".into(),
            Some("failed - auth: the server does not offer TLS, and the password is not sent in plaintext"),
        ),
        (
            TlsPolicy::Opportunistic,
            "S: 250 STARTTLS\nC: STARTTLS\nS: 220 go\nTLS FAILS".into(),
            Some("failed - starttls: bad certificate"),
        ),
    ] {
        play(&with_login(tls), &[], &format!("{opening}\n{script}"), expected.as_slice());
    }
}

#[test]
fn a_long_password_is_sent_after_the_challenge() {
    let mut config = with_login(TlsPolicy::Off);
    let password = "p".repeat(400);
    let answer = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, format!("\0user\0{password}"));
    config.auth = Some(ClientCredentials { username: "user".into(), password });
    let script = format!(
        "S: 220 mx\nC: EHLO me.example\nS: 250-mx\nS: 250 AUTH PLAIN\nC: AUTH PLAIN\nS: 334 \nC: {answer}\nS: 235 ok\n{BYE}"
    );
    play(&config, &[], &script, &[]);
}

#[test]
fn passwords_are_not_shown() {
    let shown = format!("{:?}", with_login(TlsPolicy::Off));
    assert!(shown.contains("user") && !shown.contains("secret"), "{shown}");
}

#[test]
fn the_ehlo_name_cannot_end_the_command() {
    let mut config = config(TlsPolicy::Off);
    config.ehlo_name = "me.example\r\nMAIL FROM:<>".into();
    let mut session = ClientSession::new(config);
    session.receive(b"220 mx\r\n");
    assert_eq!(session.step(), ClientStep::Write(b"EHLO me.exampleMAILFROM:\r\n".to_vec()));
}

#[test]
fn messages_are_accepted_only_when_ready() {
    let mut session = ClientSession::new(config(TlsPolicy::Off));
    assert_eq!(session.send(message(&["b@y.example"], "x")), Err(NotReadyError));
    assert_eq!(session.deadline_ms(), GREETING_TIMEOUT_MS);
    session.quit();
    assert_eq!(session.step(), ClientStep::Closed);
}
