//! Every limit of a session, and the ways a shell ends one.

use super::super::*;
use super::{Outcome, config, drive};

fn run(config: ServerConfig, input: &str) -> Outcome {
    let whole = drive(config.clone(), &[input.as_bytes()], input.len());
    let cut = drive(config, &[input.as_bytes()], 5);
    assert_eq!(whole, cut);
    whole
}

fn last(outcome: &Outcome) -> &str {
    outcome.replies().last().copied().unwrap_or_default()
}

const MAIL: &str = "MAIL FROM:<a@b.example>\r\nRCPT TO:<x@c.example>\r\n";

#[test]
fn too_many_errors_end_the_session() {
    let outcome = run(config(), &"FOO\r\n".repeat(50));
    assert_eq!(outcome.replies().len(), 21);
    assert_eq!(last(&outcome), "421 4.7.0 mx.example Too many errors");
    assert!(outcome.closed);
    let unknown = format!("EHLO c\r\n{MAIL}{}", "RCPT TO:<unknown@c.example>\r\n".repeat(50));
    assert!(run(config(), &unknown).closed, "guessing of addresses");
}

#[test]
fn commands_that_lead_nowhere_end_the_session() {
    let outcome = run(config(), &"NOOP\r\n".repeat(200));
    assert_eq!(outcome.replies().len(), 101);
    assert!(last(&outcome).starts_with("421 4.7.0"));
    let chunks = format!("EHLO c\r\n{MAIL}{}", "BDAT 0\r\n".repeat(200));
    assert!(run(config(), &chunks).closed, "empty chunks");
}

#[test]
fn a_session_that_delivers_may_go_on_until_its_last_message() {
    let few = ServerConfig { commands_idle_max: 4, messages_max: 3, ..config() };
    let outcome = run(few, &format!("EHLO c\r\n{}", format!("{MAIL}DATA\r\n.\r\nRSET\r\n").repeat(4)));
    assert_eq!(outcome.messages.len(), 3);
    assert!(last(&outcome).starts_with("421 4.7.0"));
}

#[test]
fn recipients_above_the_limit_are_no_errors_but_do_not_go_on_for_ever() {
    let over = |count: usize| format!("EHLO c\r\n{MAIL}{}", "RCPT TO:<y@c.example>\r\n".repeat(count));
    let outcome = run(config(), &over(500));
    assert!(last(&outcome).starts_with("452 4.5.3") && !outcome.closed);
    assert!(run(config(), &over(1010)).closed);
}

#[test]
fn over_long_lines_are_refused_and_endless_ones_end_the_session() {
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
fn browsers_are_sent_away() {
    let outcome = run(config(), "POST / HTTP/1.1\r\nHost: mx\r\n\r\nEHLO c\r\n");
    assert_eq!(outcome.replies().len(), 1);
    assert!(outcome.closed && last(&outcome).starts_with("554"));
}

#[test]
fn endless_content_takes_no_memory_and_ends_the_session() {
    let (mut session, _) = ServerSession::new(config());
    session.receive(format!("EHLO c\r\n{MAIL}DATA\r\n").as_bytes());
    let block = b"a line of an endless message\r\n".repeat(4096);
    for _ in 0..1000 {
        match session.step() {
            Step::NeedInput => session.receive(&block),
            Step::Write(_) => {}
            Step::Sender(_) => session.sender(Verdict::Accept),
            Step::Recipient(_) => session.recipient(Verdict::Accept),
            Step::Close => return,
            step => panic!("{step:?}"),
        }
        assert!(session.input_room() >= INPUT_BYTES_MAX - block.len());
    }
    panic!("the session goes on");
}

#[test]
fn pipelined_commands_are_answered_in_one_write() {
    let (mut session, _) = ServerSession::new(config());
    session.receive(format!("EHLO c\r\n{MAIL}{MAIL}DATA\r\n").as_bytes());
    let mut writes = 0;
    loop {
        match session.step() {
            Step::NeedInput => break,
            Step::Write(_) => writes += 1,
            Step::Sender(_) => session.sender(Verdict::Accept),
            Step::Recipient(_) => session.recipient(Verdict::Accept),
            step => panic!("{step:?}"),
        }
    }
    assert_eq!(writes, 1);
}

#[test]
fn a_farewell_ends_the_session_with_its_reason() {
    let table = [
        (Farewell::TimedOut, "421 4.4.2 mx.example Timeout\r\n"),
        (Farewell::ShuttingDown, "421 4.3.2 mx.example Shutting down\r\n"),
        (Farewell::Overloaded, "421 4.3.2 mx.example Too busy, try again later\r\n"),
        (Farewell::TooManyConnections, "421 4.7.0 mx.example Too many connections\r\n"),
    ];
    for (why, line) in table {
        let (mut session, _) = ServerSession::new(config());
        session.receive(b"NOOP\r\n");
        assert_eq!(session.farewell(why), line.as_bytes());
        session.receive(b"NOOP\r\n");
        assert!(matches!(session.step(), Step::Close));
        assert_eq!(session.farewell(why), b"");
    }
}

#[test]
fn answers_without_a_question_do_nothing() {
    let (mut session, _) = ServerSession::new(config());
    session.sender(Verdict::Accept);
    session.recipient(Verdict::Accept);
    session.authenticated(Verdict::Accept);
    session.finish(replies::OK);
    session.tls_started();
    assert!(session.is_idle());
    assert!(matches!(session.step(), Step::NeedInput));
    session.receive(b"EHLO c\r\nMAIL FROM:<>\r\n");
    assert!(matches!(session.step(), Step::Sender(_)));
    session.recipient(Verdict::Accept);
    session.finish(replies::OK);
    assert!(matches!(session.step(), Step::Pending));
    assert!(!session.is_idle());
}
