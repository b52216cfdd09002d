//! Round trips of built mail, and what a builder must refuse.
#![allow(clippy::unwrap_used)]

use super::*;

fn mailbox(text: &str) -> Mailbox {
    Mailbox::parse(text).unwrap()
}

fn plain<'a>(from: &'a Mailbox, to: &'a [Mailbox]) -> Outgoing<'a> {
    Outgoing {
        message_id: "<0190@agents.example>",
        date_ms: 1_800_000_000_000,
        from,
        to,
        cc: &[],
        reply_to: &[],
        subject: "Hello",
        text: Some("Hi\nthere\n"),
        html: None,
        attachments: &[],
        in_reply_to: None,
        references: &[],
        extra: &[],
    }
}

/// Every line ends in CRLF, none is longer than 998 bytes, nothing but ASCII unless announced.
fn assert_wire_form(built: &Built) {
    let raw = &built.raw;
    assert!(raw.ends_with(b"\r\n"));
    for (index, &byte) in raw.iter().enumerate() {
        assert!(
            byte != b'\n' || raw[index - 1] == b'\r',
            "bare LF at {index}"
        );
        assert!(
            byte != b'\r' || raw.get(index + 1) == Some(&b'\n'),
            "bare CR at {index}"
        );
        assert!(byte != 0, "NUL at {index}");
        assert!(
            built.needs_smtputf8 || byte.is_ascii(),
            "raw 8-bit at {index}"
        );
    }
    assert!(
        raw.split(|&byte| byte == b'\n')
            .all(|line| line.len() <= 999)
    );
}

#[test]
fn a_simple_mail_is_plain_and_complete() {
    let (from, to) = (
        mailbox("Bot <bot@agents.example>"),
        [mailbox("dana@example.com")],
    );
    let built = build(&plain(&from, &to)).unwrap();
    assert_wire_form(&built);
    let text = String::from_utf8(built.raw).unwrap();
    for line in [
        "From: \"Bot\" <bot@agents.example>\r\n",
        "To: <dana@example.com>\r\n",
        "Subject: Hello\r\n",
        "Date: Fri, 15 Jan 2027 08:00:00 +0000\r\n",
        "Message-ID: <0190@agents.example>\r\n",
        "\r\n\r\nHi\r\nthere\r\n",
    ] {
        assert!(text.contains(line), "{line:?} in {text}");
    }
    assert!(!built.needs_smtputf8);
}
