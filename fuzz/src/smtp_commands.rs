//! Fuzzes a complete receiving session (RFC 5321): splitting the input differently changes nothing, replies are
//! well-formed, and the buffer is bounded.

use posthouse_mail::smtp::reply::{EnhancedStatusCode, REPLY_LINE_BYTES_MAX, ServerReply};
use posthouse_mail::smtp::server::{
    AuthMode, InboundTransaction, ServerSession, ServerStep, SessionDecision, SmtpServerConfig,
};

/// The first byte selects the configuration, the second the size of the pieces; the rest is the client's input.
pub fn run(data: &[u8]) {
    let [choice, piece_bytes, input @ ..] = data else {
        return;
    };
    let whole = run_session(*choice, input, input.len().max(1));
    let pieces = run_session(*choice, input, usize::from(*piece_bytes).max(1));
    assert_eq!(whole, pieces, "splitting the input changed the session");
    for line in whole.0.split_inclusive(|&byte| byte == b'\n') {
        assert!(line.len() <= REPLY_LINE_BYTES_MAX && line.ends_with(b"\r\n") && line.is_ascii());
        assert!(line[..3].iter().all(u8::is_ascii_digit), "a reply starts with its code");
    }
    for message in &whole.1 {
        let bare = message.data.iter().enumerate().any(|(at, byte)| match byte {
            b'\n' => at == 0 || message.data[at - 1] != b'\r',
            b'\r' => message.data.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        assert!(!bare, "a bare line break was accepted");
        assert!(!message.recipients.is_empty(), "a message without recipients");
    }
}

/// Runs a session and returns the bytes written and the accepted messages.
fn run_session(choice: u8, input: &[u8], piece_bytes: usize) -> (Vec<u8>, Vec<InboundTransaction>) {
    let config = SmtpServerConfig {
        message_bytes_max: 500,
        recipients_max: 3,
        auth: if choice & 1 == 0 { AuthMode::Never } else { AuthMode::Always },
        ..SmtpServerConfig::mail_exchanger("mx.example")
    };
    let verdict = |yes: bool| match yes {
        true => SessionDecision::Accept,
        false => SessionDecision::Reject(ServerReply::fixed(550, EnhancedStatusCode(5, 1, 1), "No")),
    };
    let (mut session, mut written) = ServerSession::new(config);
    let mut messages = Vec::new();
    let mut pieces = input.chunks(piece_bytes);
    loop {
        match session.step() {
            ServerStep::NeedInput => match pieces.next() {
                Some(piece) => session.receive(piece),
                None => break,
            },
            ServerStep::Write(bytes) => written.extend(bytes),
            // There is no TLS handshake, so the rest of the input is ignored.
            ServerStep::StartTls | ServerStep::Close => break,
            ServerStep::Sender(query) => session.sender(verdict(query.helo != "refused")),
            ServerStep::Recipient(query) => session.recipient(verdict(query.address.local() != "unknown")),
            ServerStep::Authenticate(login) => session.authenticated(verdict(login.user == login.password)),
            ServerStep::Message(message) => {
                messages.push(*message);
                session.finish(ServerReply::fixed(250, EnhancedStatusCode(2, 0, 0), "Stored"));
            }
            ServerStep::Pending => panic!("the session is pending although every query was answered"),
        }
    }
    (written, messages)
}
