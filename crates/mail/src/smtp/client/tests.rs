//! The client against scripted servers. Scripts use the format of the dialogues in RFC 5321: `C:` is what the client
//! must write, `S:` what the server sends, `TLS` and `TLS FAILS` the handshake, and `LOST` a lost connection.
#![allow(clippy::unwrap_used)]

mod both_sides;
mod delivery;
mod opening;
mod random;

use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::address::Address;

/// The opening of most dialogues, with pipelining.
const PIPELINED: &str = "S: 220 mx ready\nC: EHLO me.example\nS: 250-mx\nS: 250-PIPELINING\nS: 250 SIZE 1000";

/// The same opening without extensions.
const PLAIN: &str = "S: 220 mx ready\nC: EHLO me.example\nS: 250 mx";

fn config(tls: TlsPolicy) -> ClientConfig {
    ClientConfig { ehlo_name: "me.example".into(), tls, auth: None }
}

fn with_login(tls: TlsPolicy) -> ClientConfig {
    ClientConfig { auth: Some(ClientCredentials { username: "user".into(), password: "secret".into() }), ..config(tls) }
}

fn message(recipients: &[&str], body: &str) -> OutboundMessage {
    OutboundMessage {
        mail_from: Some(Address::parse("a@x.example").unwrap()),
        recipients: recipients.iter().map(|text| Address::parse(text).unwrap()).collect(),
        body: Arc::from(body.as_bytes()),
        smtputf8: false,
    }
}

/// Formats the outcome of one recipient: address, result, codes, stage, text.
fn line_of(outcome: &RecipientOutcome) -> String {
    let code = outcome.smtp_code.map_or("-".to_owned(), |code| code.to_string());
    let enhanced = outcome.enhanced_code.as_deref().unwrap_or("-");
    let next = if outcome.try_next_host { " next-host" } else { "" };
    format!(
        "{} {:?} {code} {enhanced} {}{next}: {}",
        outcome.address,
        outcome.result,
        outcome.stage.as_str(),
        outcome.text
    )
}

fn line_of_failure(failure: &ConnectionFailure) -> String {
    let code = failure.code.map_or("-".to_owned(), |code| code.to_string());
    let permanent = if failure.permanent { " permanent" } else { "" };
    let without_tls = if failure.retry_without_tls { " retry-without-tls" } else { "" };
    format!("failed {code} {}{permanent}{without_tls}: {}", failure.stage.as_str(), failure.text)
}

/// Plays a script with the server's bytes split into pieces of `piece_bytes`. Returns one line per result.
fn play_in_pieces(
    config: &ClientConfig,
    messages: &[OutboundMessage],
    script: &str,
    piece_bytes: usize,
) -> Vec<String> {
    let mut session = ClientSession::new(config.clone());
    let mut script: VecDeque<&str> = script.lines().map(str::trim_start).filter(|line| !line.is_empty()).collect();
    let mut messages: VecDeque<OutboundMessage> = messages.to_vec().into();
    let (mut results, mut incoming) = (Vec::new(), Vec::new());
    loop {
        let step = session.step();
        if matches!(step, ClientStep::NeedInput | ClientStep::StartTls) && !incoming.is_empty() {
            let piece: Vec<u8> = incoming.drain(..piece_bytes.min(incoming.len())).collect();
            session.receive(&piece);
            continue;
        }
        match step {
            ClientStep::Write(bytes) => {
                for line in String::from_utf8(bytes).unwrap().split_inclusive("\r\n") {
                    let expected = script.pop_front().unwrap_or_default();
                    assert_eq!(
                        format!("C: {}", line.strip_suffix("\r\n").unwrap()),
                        expected,
                        "results so far: {results:?}"
                    );
                }
            }
            ClientStep::NeedInput if script.front() == Some(&"LOST") => {
                script.pop_front();
                session.connection_lost("the connection was reset");
            }
            ClientStep::NeedInput => {
                while let Some(line) = script.front().and_then(|line| line.strip_prefix("S: ")) {
                    incoming.extend_from_slice(line.as_bytes());
                    incoming.extend_from_slice(b"\r\n");
                    script.pop_front();
                }
                assert!(!incoming.is_empty(), "waits forever before {:?}; results so far: {results:?}", script.front());
            }
            ClientStep::StartTls => match script.pop_front() {
                Some("TLS") => session.tls_started(),
                Some("TLS FAILS") => session.tls_failed("bad certificate"),
                other => panic!("a handshake instead of {other:?}"),
            },
            ClientStep::Ready => match messages.pop_front() {
                Some(message) => session.send(message).unwrap(),
                None => session.quit(),
            },
            ClientStep::Done(outcomes) => results.extend(outcomes.iter().map(line_of)),
            ClientStep::Failed(failure) => results.push(line_of_failure(&failure)),
            ClientStep::Closed => break,
        }
    }
    assert!(script.is_empty(), "unplayed lines: {script:?}; results: {results:?}");
    results
}

/// Plays a script with the server's bytes split in several ways. The results must not differ.
#[track_caller]
fn play(config: &ClientConfig, messages: &[OutboundMessage], script: &str, expected: &[&str]) {
    for piece_bytes in [usize::MAX, 1, 2, 3, 5, 7, 11, 40] {
        assert_eq!(play_in_pieces(config, messages, script, piece_bytes), expected, "in pieces of {piece_bytes} bytes");
    }
}
