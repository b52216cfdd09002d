//! Dialogues as scripts. `C:` is what the client sends, `S:` how the last line of the reply starts, `TLS` the
//! handshake, `M:` a received message (sender, recipients, content), and `END` that the server closes the connection.

use super::super::*;
use super::{ServerRun, config, drive};

/// Runs a script with several splits of the input and compares all results.
fn check(config: &SmtpServerConfig, script: &str) {
    let mut segments = vec![Vec::new()];
    let (mut replies, mut messages, mut end) = (Vec::new(), Vec::new(), false);
    for line in script.lines().map(str::trim_start) {
        match line.split_once(": ").unwrap_or((line.trim_end_matches(':'), "")) {
            ("C", text) => {
                let segment: &mut Vec<u8> = segments.last_mut().unwrap();
                segment.extend_from_slice(text.replace("\\n", "\n").as_bytes());
                segment.extend_from_slice(b"\r\n");
            }
            ("S", text) => replies.push(text),
            ("M", text) => messages.push(text.to_owned()),
            ("TLS", _) => segments.push(Vec::new()),
            ("END", _) => end = true,
            ("", _) => {}
            other => panic!("not a script line: {other:?}"),
        }
    }
    let segments: Vec<&[u8]> = segments.iter().map(Vec::as_slice).collect();
    for piece_bytes in [1, 3, 17, 1 << 20] {
        let result = drive(config.clone(), &segments, piece_bytes);
        let got = result.replies();
        let same = got.len() == replies.len() && got.iter().zip(&replies).all(|(a, b)| a.starts_with(b));
        assert!(same, "cut at {piece_bytes}: got {got:#?}, expected {replies:#?}");
        assert_eq!(message_lines(&result), messages, "cut at {piece_bytes}");
        assert_eq!(result.closed, end, "cut at {piece_bytes}: closed");
    }
}

fn message_lines(result: &ServerRun) -> Vec<String> {
    let format_message = |message: &InboundTransaction| {
        let from = message.mail_from.as_ref().map_or(String::new(), ToString::to_string);
        let to: Vec<String> = message.recipients.iter().map(ToString::to_string).collect();
        let data = String::from_utf8_lossy(&message.data).replace("\r\n", "|");
        format!("<{from}> <{}> {data}", to.join(","))
    };
    result.messages.iter().map(format_message).collect()
}

#[test]
fn a_plain_delivery() {
    check(
        &config(),
        "C: EHLO client.example
         S: 250 HELP
         C: MAIL FROM:<a@b.example> SIZE=100 BODY=8BITMIME
         S: 250 2.1.0
         C: RCPT TO:<x@c.example>
         S: 250 2.1.5
         C: RCPT TO:<unknown@c.example>
         S: 550 5.1.1
         C: RCPT TO:<@relay.example:y@c.example>
         S: 250 2.1.5
         C: DATA
         S: 354 End
         C: Subject: hi
         C:
         C: ..dot
         C: .
         S: 250 2.0.0 Stored
         M: <a@b.example> <x@c.example,y@c.example> Subject: hi||.dot|
         C: QUIT
         S: 221 2.0.0
         END",
    );
}

#[test]
fn the_null_sender_can_reach_postmaster_over_helo() {
    check(
        &config(),
        "C: HELO old
         S: 250 mx.example
         C: MAIL FROM:<> SIZE=5
         S: 555 5.5.4
         C: MAIL FROM:<>
         S: 250
         C: RCPT TO:<Postmaster>
         S: 250
         C: DATA
         S: 354
         C: .
         S: 250
         M: <> <Postmaster> ",
    );
}

#[test]
fn commands_in_the_wrong_order_are_refused() {
    check(
        &config(),
        "C: MAIL FROM:<a@b.example>
         S: 503 5.5.1
         C: LHLO c
         S: 500 5.5.1
         C: EHLO c
         S: 250
         C: RCPT TO:<x@c.example>
         S: 503 5.5.1
         C: DATA
         S: 503 5.5.1
         C: MAIL FROM:<a@b.example>
         S: 250
         C: MAIL FROM:<a@b.example>
         S: 503 5.5.1
         C: DATA
         S: 554 5.5.1
         C: RSET
         S: 250 2.0.0
         C: RCPT TO:<x@c.example>
         S: 503 5.5.1
         C: MAIL FROM:<a@b.example>
         S: 250
         C: EHLO again
         S: 250
         C: RCPT TO:<x@c.example>
         S: 503 5.5.1
         C: VRFY x
         S: 252 2
         C: EXPN x
         S: 502 5.5.1
         C: HELP
         S: 214 2.0.0
         C: NOOP
         S: 250 2.0.0
         C: STARTTLS now
         S: 501 5.5.4
         C: AUTH PLAIN
         S: 502 5.5.1
         C: NO\\nOP
         S: 500 5.5.2
         S: 500 5.5.1
         C: QUIT
         S: 221 2.0.0
         END",
    );
}

#[test]
fn extensions_are_announced() {
    let result = drive(config(), &[b"EHLO c\r\n"], 100);
    let expected = "250-mx.example\r\n250-PIPELINING\r\n250-SIZE 10000\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n\
        250-SMTPUTF8\r\n250-CHUNKING\r\n250-LIMITS RCPTMAX=3 MAILMAX=1000\r\n250-STARTTLS\r\n250 HELP\r\n";
    assert_eq!(result.written, expected);
    let submission = SmtpServerConfig { tls: TlsMode::Active, ..SmtpServerConfig::submission("mx.example") };
    let result = drive(submission, &[b"EHLO c\r\n"], 100);
    assert!(result.written.contains("250-AUTH PLAIN LOGIN\r\n"));
    assert!(!result.written.contains("STARTTLS"));
}

#[test]
fn refused_senders_and_recipients_get_their_reply() {
    check(
        &config(),
        "C: EHLO c
         S: 250
         C: MAIL FROM:<unknown@b.example>
         S: 550 5.1.1
         C: MAIL FROM:<ä@b.example>
         S: 553 5.6.7
         C: MAIL FROM:<a@b.example>
         S: 250
         C: RCPT TO:<ä@c.example>
         S: 553 5.6.7
         C: RCPT TO:<unknown@c.example>
         S: 550 5.1.1
         C: RCPT TO:<busy@c.example>
         S: 451 4.3.0
         C: DATA
         S: 554 5.5.1
         C: RSET
         S: 250
         C: MAIL FROM:<ä@b.example> SMTPUTF8
         S: 250
         C: RCPT TO:<ä@bücher.example>
         S: 250
         C: RCPT TO:<\"quoted local\"@[192.0.2.1]>
         S: 250
         C: RCPT TO:<three@c.example>
         S: 250
         C: RCPT TO:<four@c.example>
         S: 452 4.5.3
         C: DATA
         S: 354
         C: .
         S: 250
         M: <ä@b.example> <ä@bücher.example,\"quoted local\"@[192.0.2.1],three@c.example> ",
    );
}

#[test]
fn declared_and_actual_sizes_are_limited() {
    let line = "x".repeat(98);
    let script = |lines: usize, reply: &str| {
        let body = format!("C: {line}\n").repeat(lines);
        format!(
            "C: EHLO c\nS: 250\nC: MAIL FROM:<a@b.example> SIZE=10001\nS: 552 5.3.4\n\
             C: MAIL FROM:<a@b.example> SIZE=10000\nS: 250\nC: RCPT TO:<x@c.example>\nS: 250\n\
             C: DATA\nS: 354\n{body}C: .\nS: {reply}\nC: QUIT\nS: 221\nEND\n"
        )
    };
    let message = format!("M: <a@b.example> <x@c.example> {}", format!("{line}|").repeat(100));
    check(&config(), &(script(100, "250 2.0.0") + &message));
    check(&config(), &script(101, "552 5.3.4"));
}

#[test]
fn chunks_are_accepted_in_valid_order_only() {
    check(
        &config(),
        "C: EHLO c
         S: 250
         C: BDAT 4
         C: ab
         S: 503 5.5.1
         C: MAIL FROM:<a@b.example>
         S: 250
         C: RCPT TO:<x@c.example>
         S: 250
         C: BDAT 3
         C: .
         S: 250 2.0.0 3 octets received
         C: BDAT 0
         S: 250 2.0.0 0 octets received
         C: DATA
         S: 503 5.5.1
         C: RCPT TO:<y@c.example>
         S: 503 5.5.1
         C: BDAT 9 LAST
         C: QUIT
         C: .
         C: RSET
         S: 250 2.0.0 Stored
         S: 250 2.0.0 OK
         M: <a@b.example> <x@c.example> .|QUIT|.|
         C: MAIL FROM:<>
         S: 250
         C: BDAT 2 LAST
         C:
         S: 554 5.5.1
         C: BDAT nonsense
         S: 501 5.5.4
         END",
    );
}

#[test]
fn oversized_and_invalid_chunks_are_read_and_discarded() {
    let huge = "x".repeat(9_998);
    let script = format!(
        "C: EHLO c\nS: 250\nC: MAIL FROM:<a@b.example>\nS: 250\nC: RCPT TO:<x@c.example>\nS: 250\n\
         C: BDAT 10000\nC: {huge}\nS: 250\nC: BDAT 6\nC: QUIT\nS: 552 5.3.4\nC: BDAT 6 LAST\nC: QUIT\nS: 503 5.5.1\n\
         C: MAIL FROM:<a@b.example>\nS: 250\nC: RCPT TO:<x@c.example>\nS: 250\n\
         C: BDAT 4\nC: a\\n\nS: 550 5.6.0\nC: NOOP\nS: 250\n\
         C: MAIL FROM:<a@b.example>\nS: 250\nC: RCPT TO:<x@c.example>\nS: 250\n\
         C: BDAT 99999999999 LAST\nS: 552 5.3.4\nEND\n"
    );
    check(&config(), &script);
}

#[test]
fn tls_discards_all_state_and_early_input() {
    check(
        &config(),
        "C: EHLO c
         S: 250
         C: MAIL FROM:<a@b.example>
         S: 250
         C: STARTTLS
         S: 220 2.0.0
         C: EHLO injected
         C: MAIL FROM:<injected@b.example>
         TLS
         C: MAIL FROM:<a@b.example>
         S: 503 5.5.1
         C: EHLO c
         S: 250
         C: STARTTLS
         S: 503 5.5.1
         C: QUIT
         S: 221
         END",
    );
    let without = SmtpServerConfig { tls: TlsMode::Unavailable, ..config() };
    check(&without, "C: EHLO c\nS: 250\nC: STARTTLS\nS: 502 5.5.1");
}

#[test]
fn logins_succeed_or_get_the_right_reply() {
    let submission = SmtpServerConfig { auth: AuthMode::OverTls, logins_failed_max: 2, ..config() };
    // AGFkYQBzZWNyZXQ= is NUL ada NUL secret; YWRh is ada; c2VjcmV0 is secret; bm8= is no.
    check(
        &submission,
        "C: EHLO c
         S: 250
         C: AUTH PLAIN AGFkYQBzZWNyZXQ=
         S: 538 5.7.11
         C: MAIL FROM:<a@b.example>
         S: 530 5.7.0
         C: STARTTLS
         S: 220
         TLS
         C: HELO c
         S: 250
         C: AUTH PLAIN AGFkYQBzZWNyZXQ=
         S: 503 5.5.1
         C: EHLO c
         S: 250
         C: AUTH CRAM-MD5
         S: 504 5.5.4
         C: AUTH PLAIN
         S: 334
         C: *
         S: 501 5.7.0
         C: AUTH PLAIN %%%
         S: 501 5.5.2
         C: AUTH PLAIN YWRh
         S: 501 5.5.2
         C: AUTH LOGIN
         S: 334 VXNlcm5hbWU6
         C: YWRh
         S: 334 UGFzc3dvcmQ6
         C: bm8=
         S: 535 5.7.8
         C: AUTH PLAIN
         S: 334
         C: AGFkYQBzZWNyZXQ=
         S: 235 2.7.0
         C: AUTH PLAIN AGFkYQBzZWNyZXQ=
         S: 503 5.5.1
         C: MAIL FROM:<a@b.example> AUTH=<>
         S: 250",
    );
    // Ym9iAGFkYQBzZWNyZXQ= is bob NUL ada NUL secret: ada acting for bob.
    let plain = SmtpServerConfig { auth: AuthMode::Always, logins_failed_max: 3, ..config() };
    check(
        &plain,
        "C: EHLO c
         S: 250
         C: AUTH LOGIN YWRh
         S: 334 UGFzc3dvcmQ6
         C: bm8=
         S: 535 5.7.8
         C: AUTH PLAIN =
         S: 501 5.5.2
         C: AUTH PLAIN Ym9iAGFkYQBzZWNyZXQ=
         S: 535 5.7.8
         C: AUTH LOGIN =
         S: 334 UGFzc3dvcmQ6
         C: c2VjcmV0
         S: 535 5.7.8
         S: 421 4.7.0
         END",
    );
}
