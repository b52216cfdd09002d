//! The sender against scripted servers. A script is the dialogue as RFC 5321 prints it: `C:` what must be written, `S:` what
//! the server says, `TLS` and `TLS FAILS` for the handshake, `LOST` for a connection that is gone.
#![allow(clippy::unwrap_used)]

mod both_sides;
mod delivery;
mod opening;
mod random;

use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::address::Address;

/// The opening of most dialogues here: with pipelining.
const PIPELINED: &str = "S: 220 mx ready\nC: EHLO me.example\nS: 250-mx\nS: 250-PIPELINING\nS: 250 SIZE 1000";

/// The same without any extension.
const PLAIN: &str = "S: 220 mx ready\nC: EHLO me.example\nS: 250 mx";

fn config(tls: Tls) -> Config {
    Config { ehlo_name: "me.example".into(), tls, auth: None }
}

fn with_login(tls: Tls) -> Config {
    Config { auth: Some(Credentials { username: "user".into(), password: "secret".into() }), ..config(tls) }
}

fn message(recipients: &[&str], body: &str) -> Message {
    Message {
        mail_from: Some(Address::parse("a@x.example").unwrap()),
        recipients: recipients.iter().map(|text| Address::parse(text).unwrap()).collect(),
        body: Arc::from(body.as_bytes()),
        smtputf8: false,
    }
}

/// One recipient's outcome as a line: address, result, codes, stage, text.
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

/// Plays a script with the server's bytes cut into pieces of `piece_bytes`; what came of it, line by line.
fn play_in_pieces(config: &Config, messages: &[Message], script: &str, piece_bytes: usize) -> Vec<String> {
    let mut session = ClientSession::new(config.clone());
    let mut script: VecDeque<&str> = script.lines().map(str::trim_start).filter(|line| !line.is_empty()).collect();
    let mut messages: VecDeque<Message> = messages.to_vec().into();
    let (mut results, mut incoming) = (Vec::new(), Vec::new());
    loop {
        let step = session.step();
        if matches!(step, Step::NeedInput | Step::StartTls) && !incoming.is_empty() {
            let piece: Vec<u8> = incoming.drain(..piece_bytes.min(incoming.len())).collect();
            session.receive(&piece);
            continue;
        }
        match step {
            Step::Write(bytes) => {
                for line in String::from_utf8(bytes).unwrap().split_inclusive("\r\n") {
                    let wanted = script.pop_front().unwrap_or_default();
                    assert_eq!(
                        format!("C: {}", line.strip_suffix("\r\n").unwrap()),
                        wanted,
                        "results so far: {results:?}"
                    );
                }
            }
            Step::NeedInput if script.front() == Some(&"LOST") => {
                script.pop_front();
                session.lost("the connection was reset");
            }
            Step::NeedInput => {
                while let Some(line) = script.front().and_then(|line| line.strip_prefix("S: ")) {
                    incoming.extend_from_slice(line.as_bytes());
                    incoming.extend_from_slice(b"\r\n");
                    script.pop_front();
                }
                assert!(
                    !incoming.is_empty(),
                    "waits for ever before {:?}; results so far: {results:?}",
                    script.front()
                );
            }
            Step::StartTls => match script.pop_front() {
                Some("TLS") => session.tls_started(),
                Some("TLS FAILS") => session.tls_failed("bad certificate"),
                other => panic!("a handshake instead of {other:?}"),
            },
            Step::Ready => match messages.pop_front() {
                Some(message) => session.send(message).unwrap(),
                None => session.quit(),
            },
            Step::Done(outcomes) => results.extend(outcomes.iter().map(line_of)),
            Step::Failed(failure) => results.push(line_of_failure(&failure)),
            Step::Closed => break,
        }
    }
    assert!(script.is_empty(), "left of the script: {script:?}; results: {results:?}");
    results
}

/// Plays a script with the server's bytes cut in many ways, which must not matter.
#[track_caller]
fn play(config: &Config, messages: &[Message], script: &str, wanted: &[&str]) {
    for piece_bytes in [usize::MAX, 1, 2, 3, 5, 7, 11, 40] {
        assert_eq!(play_in_pieces(config, messages, script, piece_bytes), wanted, "in pieces of {piece_bytes} bytes");
    }
}
