//! Dialogues as scripts: `C:` what the client sends, `S:` how the last line of the reply begins, `TLS` the handshake,
//! `M:` a message that was handed out (sender, recipients, content), `END` that the server closed.

use super::super::*;
use super::{Outcome, config, drive};

/// Runs a script in several cuts and compares everything it states.
fn check(config: &ServerConfig, script: &str) {
    let mut segments = vec![Vec::new()];
    let (mut replies, mut messages, mut end) = (Vec::new(), Vec::new(), false);
    for line in script.lines().map(str::trim_start) {
        match line
            .split_once(": ")
            .unwrap_or((line.trim_end_matches(':'), ""))
        {
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
        let outcome = drive(config.clone(), &segments, piece_bytes);
        let got = outcome.replies();
        let same =
            got.len() == replies.len() && got.iter().zip(&replies).all(|(a, b)| a.starts_with(b));
        assert!(
            same,
            "cut at {piece_bytes}: got {got:#?}, expected {replies:#?}"
        );
        assert_eq!(told(&outcome), messages, "cut at {piece_bytes}");
        assert_eq!(outcome.closed, end, "cut at {piece_bytes}: closed");
    }
}

fn told(outcome: &Outcome) -> Vec<String> {
    let tell = |message: &Transaction| {
        let from = message
            .mail_from
            .as_ref()
            .map_or(String::new(), ToString::to_string);
        let to: Vec<String> = message.recipients.iter().map(ToString::to_string).collect();
        let data = String::from_utf8_lossy(&message.data).replace("\r\n", "|");
        format!("<{from}> <{}> {data}", to.join(","))
    };
    outcome.messages.iter().map(tell).collect()
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
fn the_null_sender_writes_to_postmaster_over_helo() {
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
