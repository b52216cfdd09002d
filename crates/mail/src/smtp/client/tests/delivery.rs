//! MAIL, RCPT and DATA: the outcome of each recipient.

use super::*;

const BYE: &str = "C: QUIT\nS: 221 bye";
const TWO: [&str; 2] = ["b@y.example", "c@y.example"];
const GROUP: &str = "C: MAIL FROM:<a@x.example> SIZE=8\nC: RCPT TO:<b@y.example>\nC: RCPT TO:<c@y.example>\nC: DATA";
const TEXT: &str = "C: hello!\nC: .";

#[track_caller]
fn pipelined(script: &str, expected: &[&str]) {
    play(&config(TlsPolicy::Off), &[message(&TWO, "hello!\r\n")], &format!("{PIPELINED}\n{GROUP}\n{script}"), expected);
}

#[track_caller]
fn one_by_one(script: &str, expected: &[&str]) {
    play(
        &config(TlsPolicy::Off),
        &[message(&TWO, "hello!\r\n")],
        &format!("{PLAIN}\nC: MAIL FROM:<a@x.example>\n{script}"),
        expected,
    );
}

#[test]
fn delivered_to_all() {
    let expected = [
        "b@y.example Delivered 250 2.0.0 end_of_data: queued as 7",
        "c@y.example Delivered 250 2.0.0 end_of_data: queued as 7",
    ];
    pipelined(
        &format!("S: 250 ok\nS: 250 ok\nS: 251 will forward\nS: 354 go\n{TEXT}\nS: 250 2.0.0 queued as 7\n{BYE}"),
        &expected,
    );
    let script =
        "S: 250 ok\nC: RCPT TO:<b@y.example>\nS: 250 ok\nC: RCPT TO:<c@y.example>\nS: 252 may be\nC: DATA\nS: 354 go";
    one_by_one(&format!("{script}\n{TEXT}\nS: 250-2.0.0 queued\nS: 250 2.0.0 as 7\n{BYE}"), &expected);
}

#[test]
fn some_recipients_refused() {
    let expected =
        ["b@y.example Permanent 550 5.1.1 rcpt_to: no such user", "c@y.example Delivered 250 - end_of_data: ok"];
    pipelined(
        &format!("S: 250 ok\nS: 550 5.1.1 no such user\nS: 250 ok\nS: 354 go\n{TEXT}\nS: 250 ok\n{BYE}"),
        &expected,
    );
    let script = "S: 250 ok\nC: RCPT TO:<b@y.example>\nS: 550 5.1.1 no such user\nC: RCPT TO:<c@y.example>\nS: 250 ok\nC: DATA\nS: 354 go";
    one_by_one(&format!("{script}\n{TEXT}\nS: 250 ok\n{BYE}"), &expected);
}

#[test]
fn all_recipients_refused() {
    let expected = ["b@y.example Permanent 550 - rcpt_to: no", "c@y.example Temporary 450 4.2.1 rcpt_to: greylisted"];
    let refused = "S: 250 ok\nS: 550 no\nS: 450 4.2.1 greylisted";
    pipelined(&format!("{refused}\nS: 554 no valid recipients\n{BYE}"), &expected);
    // The server accepts DATA all the same: the client ends it without content.
    pipelined(&format!("{refused}\nS: 354 go\nC: .\nS: 554 no valid recipients\n{BYE}"), &expected);
    let script = "S: 250 ok\nC: RCPT TO:<b@y.example>\nS: 550 no\nC: RCPT TO:<c@y.example>\nS: 450 4.2.1 greylisted";
    one_by_one(&format!("{script}\n{BYE}"), &expected);
}

#[test]
fn sender_refused() {
    let expected = ["b@y.example Permanent 550 5.7.1 mail_from: no", "c@y.example Permanent 550 5.7.1 mail_from: no"];
    pipelined(&format!("S: 550 5.7.1 no\nS: 503 what\nS: 503 what\nS: 503 what\n{BYE}"), &expected);
    pipelined(&format!("S: 550 5.7.1 no\nS: 250 ok\nS: 250 ok\nS: 354 go\nC: .\nS: 250 ok\n{BYE}"), &expected);
    one_by_one(&format!("S: 550 5.7.1 no\n{BYE}"), &expected);
    one_by_one(
        &format!("S: 451 4.3.0 later\n{BYE}"),
        &expected
            .map(|line| line.replace("Permanent 550 5.7.1", "Temporary 451 4.3.0").replace("no", "later"))
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn content_refused_at_data_and_after_it() {
    let both = |end: &str| TWO.map(|address| format!("{address} {end}"));
    for (script, end) in [
        ("S: 451 4.3.0 later".to_owned(), "Temporary 451 4.3.0 data: later"),
        ("S: 554 5.6.0 no".to_owned(), "Permanent 554 5.6.0 data: no"),
        (format!("S: 354 go\n{TEXT}\nS: 550 5.7.1 spam"), "Permanent 550 5.7.1 end_of_data: spam"),
        (format!("S: 354 go\n{TEXT}\nS: 452 4.2.2 full"), "Temporary 452 4.2.2 end_of_data: full"),
    ] {
        let expected = both(end);
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        pipelined(&format!("S: 250 ok\nS: 250 ok\nS: 250 ok\n{script}\n{BYE}"), &expected);
    }
}

/// Closes the connection at each stage. Recipients with an outcome keep it. The others are tried at another host,
/// unless the connection ends between the final dot and its reply.
#[test]
fn connections_that_end_midway() {
    let both = |end: &str| TWO.map(|address| format!("{address} {end}")).to_vec();
    let refused = "b@y.example Permanent 550 - rcpt_to: no".to_owned();
    for (script, mut expected, failure) in [
        (
            "LOST".to_owned(),
            both("Temporary - - mail_from next-host: the connection was reset"),
            "failed - mail_from: the connection was reset",
        ),
        (
            "S: 421 4.3.2 bye".to_owned(),
            both("Temporary 421 4.3.2 mail_from next-host: bye"),
            "failed 421 mail_from: bye",
        ),
        (
            "S: 250 ok\nS: 550 no\nS: 421 bye".to_owned(),
            vec![refused.clone(), "c@y.example Temporary 421 - rcpt_to next-host: bye".into()],
            "failed 421 rcpt_to: bye",
        ),
        (
            "S: 250 ok\nS: 250 ok\nS: 250 ok\nLOST".to_owned(),
            both("Temporary - - data next-host: the connection was reset"),
            "failed - data: the connection was reset",
        ),
        (
            "S: 250 ok\nS: 250 ok\nS: 250 ok\nS: 250 no 354".to_owned(),
            both("Temporary - - data next-host: the server sent an unexpected 250 reply"),
            "failed - data: the server sent an unexpected 250 reply",
        ),
        (
            format!("S: 250 ok\nS: 550 no\nS: 250 ok\nS: 354 go\n{TEXT}\nLOST"),
            vec![refused.clone(), "c@y.example Temporary - - end_of_data: the connection was reset".into()],
            "failed - end_of_data: the connection was reset",
        ),
        (
            format!("S: 250 ok\nS: 550 no\nS: 250 ok\nS: 354 go\n{TEXT}\nS: 421 4.3.2 bye"),
            vec![refused.clone(), "c@y.example Temporary 421 4.3.2 end_of_data next-host: bye".into()],
            "failed 421 end_of_data: bye",
        ),
        (
            "S: 250 ok\nS: what".to_owned(),
            both("Temporary - - rcpt_to next-host: the server sent a line that is not an SMTP reply"),
            "failed - rcpt_to: the server sent a line that is not an SMTP reply",
        ),
    ] {
        expected.push(failure.to_owned());
        pipelined(&script, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn a_refusal_while_content_is_sent_is_processed() {
    let mut session = ClientSession::new(config(TlsPolicy::Off));
    let body = "x".repeat(3 * BODY_PIECE_BYTES);
    for reply in ["220 mx\r\n", "250-mx\r\n250 PIPELINING\r\n"] {
        session.receive(reply.as_bytes());
        assert!(matches!(session.step(), ClientStep::Write(_) | ClientStep::Ready));
    }
    session.send(message(&["b@y.example"], &body)).unwrap();
    assert!(matches!(session.step(), ClientStep::Write(_)));
    session.receive(b"250 ok\r\n250 ok\r\n354 go\r\n");
    let ClientStep::Write(first) = session.step() else { panic!("no text") };
    assert_eq!((first.len(), session.deadline_ms()), (BODY_PIECE_BYTES, DATA_PIECE_TIMEOUT_MS));
    session.receive(b"552 5.3.4 too much\r\n");
    session.connection_lost("broken pipe");
    let ClientStep::Done(outcomes) = session.step() else { panic!("no outcome") };
    assert_eq!(line_of(&outcomes[0]), "b@y.example Permanent 552 5.3.4 data: too much");
    assert!(matches!(session.step(), ClientStep::Failed(_)));
    assert_eq!(session.step(), ClientStep::Closed);
}

#[test]
fn too_many_recipients_is_temporary() {
    for (reply, expected) in [
        ("552 too many recipients", "b@y.example Temporary 552 - rcpt_to: too many recipients"),
        ("552 5.5.3 too many recipients", "b@y.example Temporary 552 5.5.3 rcpt_to: too many recipients"),
        ("552 5.2.2 mailbox full", "b@y.example Permanent 552 5.2.2 rcpt_to: mailbox full"),
        ("452 4.5.3 too many recipients", "b@y.example Temporary 452 4.5.3 rcpt_to: too many recipients"),
    ] {
        let script =
            format!("{PLAIN}\nC: MAIL FROM:<a@x.example>\nS: 250 ok\nC: RCPT TO:<b@y.example>\nS: {reply}\n{BYE}");
        play(&config(TlsPolicy::Off), &[message(&["b@y.example"], "x")], &script, &[expected]);
    }
}

#[test]
fn a_second_message_is_preceded_by_a_reset_only_if_needed() {
    let messages = [message(&["b@y.example"], "1"), message(&["c@y.example"], "2")];
    let envelope =
        |address: &str| format!("C: MAIL FROM:<a@x.example> SIZE=1\nC: RCPT TO:<{address}>\nC: DATA\nS: 250 ok");
    let (first, second) = (envelope("b@y.example"), envelope("c@y.example"));
    let accepted = "S: 250 ok\nS: 354 go";
    let done = "c@y.example Delivered 250 - end_of_data: ok";
    play(
        &config(TlsPolicy::Off),
        &messages,
        &format!(
            "{PIPELINED}\n{first}\n{accepted}\nC: 1\nC: .\nS: 250 ok\n{second}\n{accepted}\nC: 2\nC: .\nS: 250 ok\n{BYE}"
        ),
        &["b@y.example Delivered 250 - end_of_data: ok", done],
    );
    let refused = "S: 550 no\nS: 554 nobody";
    play(
        &config(TlsPolicy::Off),
        &messages,
        &format!(
            "{PIPELINED}\n{first}\n{refused}\nC: RSET\nS: 250 ok\n{second}\n{accepted}\nC: 2\nC: .\nS: 250 ok\n{BYE}"
        ),
        &["b@y.example Permanent 550 - rcpt_to: no", done],
    );
    play(
        &config(TlsPolicy::Off),
        &messages,
        &format!("{PIPELINED}\n{first}\n{refused}\nC: RSET\nS: 421 bye"),
        &[
            "b@y.example Permanent 550 - rcpt_to: no",
            "c@y.example Temporary 421 - rset next-host: bye",
            "failed 421 rset: bye",
        ],
    );
}

/// An extra reply would be mistaken for the reply to the next command, and a refusal for an acceptance.
#[test]
fn an_unsolicited_reply_ends_the_connection() {
    let script = format!(
        "{PIPELINED}\nC: MAIL FROM:<a@x.example> SIZE=1\nC: RCPT TO:<b@y.example>\nC: DATA\nS: 250 ok\nS: 250 ok\nS: 354 go\nC: 1\nC: .\nS: 250 ok\nS: 250 extra"
    );
    let messages = [message(&["b@y.example"], "1")];
    let expected =
        ["b@y.example Delivered 250 - end_of_data: ok", "failed - idle: the server sent data before a reply was due"];
    assert_eq!(play_in_pieces(&config(TlsPolicy::Off), &messages, &script, usize::MAX), expected);
}

#[test]
fn messages_that_the_server_does_not_support_are_not_sent() {
    let offer = |extension: &str| format!("S: 220 mx\nC: EHLO me.example\nS: 250-mx\nS: 250 {extension}");
    let utf8_header = OutboundMessage { smtputf8: true, ..message(&["b@y.example"], "Subject: Grüße\r\n\r\n") };
    let utf8_sender =
        OutboundMessage { mail_from: Some(Address::parse("ä@x.example").unwrap()), ..message(&["b@y.example"], "x") };
    let idn = message(&["b@bücher.example"], "x");
    let body = |from: &str, to: &str| format!("C: MAIL FROM:<{from}\nS: 250 ok\nC: RCPT TO:<{to}>\nS: 550 no\n{BYE}");
    for (extension, message, script, expected) in [
        (
            "X",
            utf8_header.clone(),
            BYE.into(),
            "b@y.example Permanent - 5.6.9 local: the server does not support non-ASCII header fields (SMTPUTF8)",
        ),
        (
            "X",
            utf8_sender.clone(),
            BYE.into(),
            "b@y.example Permanent - 5.6.7 local: the server does not support non-ASCII addresses (SMTPUTF8)",
        ),
        (
            "X",
            message(&["ü@y.example"], "x"),
            BYE.into(),
            "ü@y.example Permanent - 5.6.7 local: the server does not support non-ASCII addresses (SMTPUTF8)",
        ),
        (
            "X",
            message(&["b@y.example"], "ü"),
            BYE.into(),
            "b@y.example Permanent - 5.6.3 local: the server does not support 8-bit content (8BITMIME)",
        ),
        (
            "SIZE 2",
            message(&["b@y.example"], "xyz"),
            BYE.into(),
            "b@y.example Permanent - 5.3.4 local: the message has 3 bytes; the server accepts at most 2",
        ),
        (
            "SIZE 0",
            message(&["b@y.example"], "xyz"),
            body("a@x.example> SIZE=3", "b@y.example"),
            "b@y.example Permanent 550 - rcpt_to: no",
        ),
        ("X", idn, body("a@x.example>", "b@xn--bcher-kva.example"), "b@bücher.example Permanent 550 - rcpt_to: no"),
        (
            "8BITMIME\nS: 250 SMTPUTF8",
            utf8_sender,
            body("ä@x.example> SMTPUTF8", "b@y.example"),
            "b@y.example Permanent 550 - rcpt_to: no",
        ),
        (
            "8BITMIME\nS: 250 SMTPUTF8",
            utf8_header,
            body("a@x.example> BODY=8BITMIME SMTPUTF8", "b@y.example"),
            "b@y.example Permanent 550 - rcpt_to: no",
        ),
        (
            "8BITMIME",
            message(&["b@y.example"], "ü"),
            body("a@x.example> BODY=8BITMIME", "b@y.example"),
            "b@y.example Permanent 550 - rcpt_to: no",
        ),
    ] {
        let opening = offer(extension).replace("S: 250 8BITMIME\n", "S: 250-8BITMIME\n");
        play(&config(TlsPolicy::Off), &[message], &format!("{opening}\n{script}"), &[expected]);
    }
}

#[test]
fn a_non_ascii_recipient_does_not_affect_the_others() {
    let script = format!(
        "{PLAIN}\nC: MAIL FROM:<>\nS: 250 ok\nC: RCPT TO:<c@y.example>\nS: 250 ok\nC: DATA\nS: 354 go\nC: x\nC: .\nS: 250 ok\n{BYE}"
    );
    let message = OutboundMessage { mail_from: None, ..message(&["ü@y.example", "c@y.example"], "x") };
    let expected = [
        "ü@y.example Permanent - 5.6.7 local: the server does not support non-ASCII addresses (SMTPUTF8)",
        "c@y.example Delivered 250 - end_of_data: ok",
    ];
    play(&config(TlsPolicy::Off), &[message], &script, &expected);
}

#[test]
fn bare_line_ends_and_dots_are_converted() {
    let script = format!(
        "{PLAIN}\nC: MAIL FROM:<a@x.example>\nS: 250 ok\nC: RCPT TO:<b@y.example>\nS: 250 ok\nC: DATA\nS: 354 go\nC: a\nC: ..\nC: MAIL FROM:<e@v.example>\nC: ..b\nC: .\nS: 250 ok\n{BYE}"
    );
    let messages = [message(&["b@y.example"], "a\n.\nMAIL FROM:<e@v.example>\r.b")];
    play(&config(TlsPolicy::Off), &messages, &script, &["b@y.example Delivered 250 - end_of_data: ok"]);
}

#[test]
fn pipelined_groups_are_limited_in_size() {
    let recipients: Vec<String> = (0..150).map(|index| format!("r{index}@y.example")).collect();
    let rcpt = |range: std::ops::Range<usize>| {
        recipients[range].iter().map(|address| format!("C: RCPT TO:<{address}>\n")).collect::<String>()
    };
    let script = format!(
        "{PIPELINED}\nC: MAIL FROM:<a@x.example> SIZE=1\n{}{}{}C: DATA\n{}S: 354 go\nC: x\nC: .\nS: 250 ok\n{BYE}",
        rcpt(0..PIPELINED_COMMANDS_MAX - 1),
        "S: 250 ok\n".repeat(PIPELINED_COMMANDS_MAX),
        rcpt(PIPELINED_COMMANDS_MAX - 1..150),
        "S: 250 ok\n".repeat(151 - PIPELINED_COMMANDS_MAX),
    );
    let all: Vec<&str> = recipients.iter().map(String::as_str).collect();
    let results = play_in_pieces(&config(TlsPolicy::Off), &[message(&all, "x")], &script, 13);
    assert!(results.len() == 150 && results.iter().all(|line| line.contains("Delivered")));
}

#[test]
fn a_message_without_recipients_is_finished_immediately() {
    play(&config(TlsPolicy::Off), &[message(&[], "x")], &format!("{PLAIN}\n{BYE}"), &[]);
}
