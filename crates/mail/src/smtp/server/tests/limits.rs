//! The limits of a session, and how the caller ends one.

use super::super::*;
use super::{EnhancedStatusCode, ServerRun, config, drive};

fn run(config: SmtpServerConfig, input: &str) -> ServerRun {
    let whole = drive(config.clone(), &[input.as_bytes()], input.len());
    let cut = drive(config, &[input.as_bytes()], 5);
    assert_eq!(whole, cut);
    whole
}

fn last(result: &ServerRun) -> &str {
    result.replies().last().copied().unwrap_or_default()
}

const MAIL: &str = "MAIL FROM:<a@b.example>\r\nRCPT TO:<x@c.example>\r\n";

#[test]
fn too_many_errors_end_the_session() {
    let result = run(config(), &"FOO\r\n".repeat(50));
    assert_eq!(result.replies().len(), 21);
    assert_eq!(last(&result), "421 4.7.0 mx.example Too many errors (20 in a session), reconnect to go on");
    assert!(result.closed);
    let unknown = format!("EHLO c\r\n{MAIL}{}", "RCPT TO:<unknown@c.example>\r\n".repeat(50));
    assert!(run(config(), &unknown).closed, "address guessing");
}

#[test]
fn too_many_commands_without_a_message_end_the_session() {
    let result = run(config(), &"NOOP\r\n".repeat(200));
    assert_eq!(result.replies().len(), 101);
    assert!(last(&result).starts_with("421 4.7.0"));
    let chunks = format!("EHLO c\r\n{MAIL}{}", "BDAT 0\r\n".repeat(200));
    assert!(run(config(), &chunks).closed, "empty chunks");
}

#[test]
fn a_session_that_delivers_may_continue_until_its_last_message() {
    let few = SmtpServerConfig { commands_idle_max: 4, messages_max: 3, ..config() };
    let result = run(few, &format!("EHLO c\r\n{}", format!("{MAIL}DATA\r\n.\r\nRSET\r\n").repeat(4)));
    assert_eq!(result.messages.len(), 3);
    assert!(last(&result).starts_with("421 4.7.0"));
}

#[test]
fn recipients_above_the_limit_are_not_errors_but_are_limited() {
    let over = |count: usize| format!("EHLO c\r\n{MAIL}{}", "RCPT TO:<y@c.example>\r\n".repeat(count));
    let result = run(config(), &over(500));
    assert!(last(&result).starts_with("452 4.5.3") && !result.closed);
    assert!(run(config(), &over(1010)).closed);
}

#[test]
fn overlong_lines_are_refused_and_endless_ones_end_the_session() {
    let line = |bytes: usize| format!("NOOP {}\r\nNOOP\r\n", "x".repeat(bytes));
    let replies = |bytes| run(config(), &line(bytes)).replies().join("|");
    for bytes in [506, 5_000, 20_000] {
        assert_eq!(replies(bytes), "500 5.5.2 Line too long|250 2.0.0 OK");
    }
    assert_eq!(replies(505), "250 2.0.0 OK|250 2.0.0 OK");
    let endless = run(config(), &line(100_000));
    assert_eq!(endless.replies(), ["500 5.5.2 Line too long"]);
    assert!(endless.closed);
}

#[test]
fn http_clients_are_disconnected() {
    let result = run(config(), "POST / HTTP/1.1\r\nHost: mx\r\n\r\nEHLO c\r\n");
    assert_eq!(result.replies().len(), 1);
    assert!(result.closed && last(&result).starts_with("554"));
}

#[test]
fn endless_content_uses_no_memory_and_ends_the_session() {
    let (mut session, _) = ServerSession::new(config());
    session.receive(format!("EHLO c\r\n{MAIL}DATA\r\n").as_bytes());
    let block = b"a line of an endless message\r\n".repeat(4096);
    for _ in 0..1000 {
        match session.step() {
            ServerStep::NeedInput => session.receive(&block),
            ServerStep::Write(_) => {}
            ServerStep::Sender(_) => session.sender(SessionDecision::Accept),
            ServerStep::Recipient(_) => session.recipient(SessionDecision::Accept),
            ServerStep::Close => return,
            step => panic!("{step:?}"),
        }
        assert!(session.input_capacity() >= INPUT_BYTES_MAX - block.len());
    }
    panic!("the session did not end");
}

#[test]
fn pipelined_commands_are_answered_in_one_write() {
    let (mut session, _) = ServerSession::new(config());
    session.receive(format!("EHLO c\r\n{MAIL}{MAIL}DATA\r\n").as_bytes());
    let mut writes = 0;
    loop {
        match session.step() {
            ServerStep::NeedInput => break,
            ServerStep::Write(_) => writes += 1,
            ServerStep::Sender(_) => session.sender(SessionDecision::Accept),
            ServerStep::Recipient(_) => session.recipient(SessionDecision::Accept),
            step => panic!("{step:?}"),
        }
    }
    assert_eq!(writes, 1);
}

#[test]
fn a_farewell_ends_the_session_with_its_reason() {
    let limit = ServerReply::new(421, EnhancedStatusCode(4, 7, 0), "Too many (x is 2)");
    let table = [
        (DisconnectReason::TimedOut, "421 4.4.2 mx.example Timeout\r\n"),
        (DisconnectReason::ShuttingDown, "421 4.3.2 mx.example Shutting down\r\n"),
        (DisconnectReason::Limit(limit), "421 4.7.0 mx.example Too many (x is 2)\r\n"),
    ];
    for (reason, line) in table {
        let (mut session, _) = ServerSession::new(config());
        session.receive(b"NOOP\r\n");
        assert_eq!(session.disconnect(reason.clone()), line.as_bytes());
        session.receive(b"NOOP\r\n");
        assert!(matches!(session.step(), ServerStep::Close));
        assert_eq!(session.disconnect(reason), b"");
    }
}

#[test]
fn answers_to_other_steps_have_no_effect() {
    let (mut session, _) = ServerSession::new(config());
    session.sender(SessionDecision::Accept);
    session.recipient(SessionDecision::Accept);
    session.authenticated(SessionDecision::Accept);
    session.finish(replies::OK);
    session.tls_started();
    assert!(session.is_idle());
    assert!(matches!(session.step(), ServerStep::NeedInput));
    session.receive(b"EHLO c\r\nMAIL FROM:<>\r\n");
    assert!(matches!(session.step(), ServerStep::Sender(_)));
    session.recipient(SessionDecision::Accept);
    session.finish(replies::OK);
    assert!(matches!(session.step(), ServerStep::Pending));
    assert!(!session.is_idle());
}

#[test]
fn a_recipient_rejected_with_421_ends_the_session() {
    let (mut session, _) = ServerSession::new(config());
    session.receive(b"EHLO c\r\nMAIL FROM:<>\r\nRCPT TO:<x@c.example>\r\nNOOP\r\n");
    assert!(matches!(session.step(), ServerStep::Sender(_)));
    session.sender(SessionDecision::Accept);
    assert!(matches!(session.step(), ServerStep::Recipient(_)));
    session.recipient(SessionDecision::Reject(ServerReply::fixed(421, EnhancedStatusCode(4, 7, 0), "Too many")));
    let ServerStep::Write(bytes) = session.step() else { panic!("the replies are written first") };
    assert!(bytes.ends_with(b"421 4.7.0 mx.example Too many\r\n"), "{}", String::from_utf8_lossy(&bytes));
    assert!(matches!(session.step(), ServerStep::Close));
}
