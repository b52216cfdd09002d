//! Tests of the receiving session: a scripted shell, dialogues, smuggling, properties.
#![allow(clippy::unwrap_used)]

mod dialogues;
mod limits;
mod properties;
mod smuggling;

use super::super::reply::EnhancedCode;
use super::*;

/// What one session did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Everything written, the greeting left out.
    pub(super) written: String,
    pub(super) messages: Vec<Transaction>,
    pub(super) logins: Vec<(String, String)>,
    pub(super) tls_starts: usize,
    pub(super) closed: bool,
}

impl Outcome {
    /// The last line of each reply.
    pub(super) fn replies(&self) -> Vec<&str> {
        let last = |line: &&str| line.as_bytes().get(3) == Some(&b' ');
        self.written.lines().filter(last).collect()
    }
}

pub(super) fn config() -> ServerConfig {
    ServerConfig { message_bytes_max: 10_000, recipients_max: 3, ..ServerConfig::mail_exchanger("mx.example") }
}

/// Plays the shell. Each segment is what the client sends in clear or under one TLS session; it is cut into pieces
/// of `piece_bytes`.
pub(super) fn drive(config: ServerConfig, segments: &[&[u8]], piece_bytes: usize) -> Outcome {
    let (mut session, greeting) = ServerSession::new(config);
    assert_eq!(greeting, b"220 mx.example ESMTP\r\n");
    let mut outcome = Outcome::default();
    for (number, segment) in segments.iter().enumerate() {
        let mut pieces = segment.chunks(piece_bytes);
        while let Some(step) = play(&mut session, &mut outcome) {
            match step {
                Step::StartTls => {
                    // What the client sent too early may come in at any time before the handshake.
                    pieces.by_ref().for_each(|piece| session.receive(piece));
                    if number + 1 < segments.len() {
                        session.tls_started();
                    }
                    break;
                }
                _ => match pieces.next() {
                    Some(piece) => session.receive(piece),
                    None => break,
                },
            }
        }
    }
    outcome.closed = matches!(session.step(), Step::Close);
    outcome
}

/// Answers questions until the session wants input or TLS (`Some`), or closes (`None`).
fn play(session: &mut ServerSession, outcome: &mut Outcome) -> Option<Step> {
    loop {
        match session.step() {
            step @ Step::NeedInput => return Some(step),
            step @ Step::StartTls => {
                outcome.tls_starts += 1;
                return Some(step);
            }
            Step::Write(bytes) => outcome.written += std::str::from_utf8(&bytes).unwrap(),
            Step::Sender(query) => {
                assert!(matches!(session.step(), Step::Pending));
                session.sender(judge(query.mail_from.as_ref()));
            }
            Step::Recipient(query) => session.recipient(judge(Some(&query.address))),
            Step::Authenticate(login) => {
                let good = login.password == "secret";
                outcome.logins.push((login.user, login.password));
                session.authenticated(match good {
                    true => Verdict::Accept,
                    false => Verdict::Reject(replies::LOGIN_REFUSED),
                });
            }
            Step::Message(transaction) => {
                outcome.messages.push(*transaction);
                session.finish(Reply::fixed(250, EnhancedCode(2, 0, 0), "Stored"));
            }
            Step::Pending => panic!("every question was answered"),
            Step::Close => return None,
        }
    }
}

fn judge(address: Option<&EnvelopeAddress>) -> Verdict {
    match address.map(EnvelopeAddress::local) {
        Some("unknown") => {
            let code = EnhancedCode(5, 1, 1);
            Verdict::Reject(Reply::fixed(550, code, "No such mailbox"))
        }
        Some("busy") => Verdict::Reject(Reply::fixed(451, EnhancedCode(4, 3, 0), "Later")),
        _ => Verdict::Accept,
    }
}
