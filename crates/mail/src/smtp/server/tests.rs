//! Tests of the server session: a scripted caller, dialogues, smuggling, properties.
#![allow(clippy::unwrap_used)]

mod dialogues;
mod limits;
mod properties;
mod smuggling;

use super::super::reply::EnhancedStatusCode;
use super::*;

/// The results of one session.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerRun {
    /// Everything written, without the greeting.
    pub(super) written: String,
    pub(super) messages: Vec<InboundTransaction>,
    pub(super) logins: Vec<(String, String)>,
    pub(super) tls_starts: usize,
    pub(super) closed: bool,
}

impl ServerRun {
    /// Returns the last line of each reply.
    pub(super) fn replies(&self) -> Vec<&str> {
        let last = |line: &&str| line.as_bytes().get(3) == Some(&b' ');
        self.written.lines().filter(last).collect()
    }
}

pub(super) fn config() -> SmtpServerConfig {
    SmtpServerConfig { message_bytes_max: 10_000, recipients_max: 3, ..SmtpServerConfig::mail_exchanger("mx.example") }
}

/// Plays the caller. Each segment is what the client sends in plaintext or within one TLS session, split into pieces of
/// `piece_bytes`.
pub(super) fn drive(config: SmtpServerConfig, segments: &[&[u8]], piece_bytes: usize) -> ServerRun {
    let (mut session, greeting) = ServerSession::new(config);
    assert_eq!(greeting, b"220 mx.example ESMTP\r\n");
    let mut result = ServerRun::default();
    for (number, segment) in segments.iter().enumerate() {
        let mut pieces = segment.chunks(piece_bytes);
        while let Some(step) = play(&mut session, &mut result) {
            match step {
                ServerStep::StartTls => {
                    // Bytes that the client sent too early may arrive at any time before the handshake.
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
    result.closed = matches!(session.step(), ServerStep::Close);
    result
}

/// Answers steps until the session needs input or TLS (`Some`), or closes (`None`).
fn play(session: &mut ServerSession, result: &mut ServerRun) -> Option<ServerStep> {
    loop {
        match session.step() {
            step @ ServerStep::NeedInput => return Some(step),
            step @ ServerStep::StartTls => {
                result.tls_starts += 1;
                return Some(step);
            }
            ServerStep::Write(bytes) => result.written += std::str::from_utf8(&bytes).unwrap(),
            ServerStep::Sender(query) => {
                assert!(matches!(session.step(), ServerStep::Pending));
                session.sender(decide(query.mail_from.as_ref()));
            }
            ServerStep::Recipient(query) => session.recipient(decide(Some(&query.address))),
            ServerStep::Authenticate(login) => {
                let good = login.password == "secret";
                result.logins.push((login.user, login.password));
                session.authenticated(match good {
                    true => SessionDecision::Accept,
                    false => SessionDecision::Reject(replies::LOGIN_REFUSED),
                });
            }
            ServerStep::Message(transaction) => {
                result.messages.push(*transaction);
                session.finish(ServerReply::fixed(250, EnhancedStatusCode(2, 0, 0), "Stored"));
            }
            ServerStep::Pending => panic!("every question was answered"),
            ServerStep::Close => return None,
        }
    }
}

fn decide(address: Option<&EnvelopeAddress>) -> SessionDecision {
    match address.map(EnvelopeAddress::local) {
        Some("unknown") => {
            let code = EnhancedStatusCode(5, 1, 1);
            SessionDecision::Reject(ServerReply::fixed(550, code, "No such mailbox"))
        }
        Some("busy") => SessionDecision::Reject(ServerReply::fixed(451, EnhancedStatusCode(4, 3, 0), "Later")),
        _ => SessionDecision::Accept,
    }
}
