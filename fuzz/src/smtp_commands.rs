//! A whole receiving session over any bytes (RFC 5321): cutting them differently changes nothing, replies are
//! well-formed, and what is buffered stays bounded.

use posthouse_mail::smtp::reply::{EnhancedCode, REPLY_LINE_BYTES_MAX, Reply};
use posthouse_mail::smtp::server::{AuthOffer, ServerConfig, ServerSession, Step, Transaction, Verdict};

/// The first byte says how the session is configured, the second how the rest is cut; the rest is what a client sends.
pub fn run(data: &[u8]) {
    let [choice, cut, input @ ..] = data else {
        return;
    };
    let whole = drive(*choice, input, input.len().max(1));
    let pieces = drive(*choice, input, usize::from(*cut).max(1));
    assert_eq!(whole, pieces, "the cut changes the session");
    for line in whole.0.split_inclusive(|&byte| byte == b'\n') {
        assert!(line.len() <= REPLY_LINE_BYTES_MAX && line.ends_with(b"\r\n") && line.is_ascii());
        assert!(line[..3].iter().all(u8::is_ascii_digit), "a reply begins with its code");
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

/// What was written, and the messages handed out.
fn drive(choice: u8, input: &[u8], piece_bytes: usize) -> (Vec<u8>, Vec<Transaction>) {
    let config = ServerConfig {
        message_bytes_max: 500,
        recipients_max: 3,
        auth: if choice & 1 == 0 { AuthOffer::Never } else { AuthOffer::Always },
        ..ServerConfig::mail_exchanger("mx.example")
    };
    let verdict = |yes: bool| match yes {
        true => Verdict::Accept,
        false => Verdict::Reject(Reply::fixed(550, EnhancedCode(5, 1, 1), "No")),
    };
    let (mut session, mut written) = ServerSession::new(config);
    let mut messages = Vec::new();
    let mut pieces = input.chunks(piece_bytes);
    loop {
        match session.step() {
            Step::NeedInput => match pieces.next() {
                Some(piece) => session.receive(piece),
                None => break,
            },
            Step::Write(bytes) => written.extend(bytes),
            // The handshake never comes: the rest is dropped however it is cut.
            Step::StartTls | Step::Close => break,
            Step::Sender(query) => session.sender(verdict(query.helo != "refused")),
            Step::Recipient(query) => session.recipient(verdict(query.address.local() != "unknown")),
            Step::Authenticate(login) => session.authenticated(verdict(login.user == login.password)),
            Step::Message(message) => {
                messages.push(*message);
                session.finish(Reply::fixed(250, EnhancedCode(2, 0, 0), "Stored"));
            }
            Step::Pending => panic!("every question was answered"),
        }
    }
    (written, messages)
}
