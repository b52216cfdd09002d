//! Round trips of built messages, and values that the builder must reject.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::address::Address;
use crate::parse::parse;

/// Longest line of a mail, in bytes without its end (RFC 5322 §2.1.1).
const LINE_MAX: usize = 998;

fn mailbox(text: &str) -> Mailbox {
    Mailbox::parse(text).unwrap()
}

fn plain<'a>(from: &'a Mailbox, to: &'a [Mailbox]) -> MimeMessage<'a> {
    MimeMessage {
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

/// Checks that every line ends in CRLF and has at most 998 bytes, and that only announced messages contain non-ASCII.
fn assert_wire_form(built: &BuiltMessage) {
    let raw = &built.raw;
    assert!(raw.ends_with(b"\r\n"));
    for (index, &byte) in raw.iter().enumerate() {
        assert!(byte != b'\n' || raw[index - 1] == b'\r', "bare LF at {index}");
        assert!(byte != b'\r' || raw.get(index + 1) == Some(&b'\n'), "bare CR at {index}");
        assert!(byte != 0, "NUL at {index}");
        assert!(built.needs_smtputf8 || byte.is_ascii(), "raw 8-bit at {index}");
    }
    assert!(raw.split(|&byte| byte == b'\n').all(|line| line.len() <= 999));
}

#[test]
fn a_simple_message_is_plain_and_complete() {
    let (from, to) = (mailbox("Bot <bot@agents.example>"), [mailbox("dana@example.com")]);
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

#[test]
fn values_that_could_start_another_field_are_rejected() {
    let (from, to) = (mailbox("bot@agents.example"), [mailbox("dana@example.com")]);
    let mail = plain(&from, &to);
    for bad in ["a\r\nBcc: x@y", "a\nb", "a\rb", "a\0b", "a\u{85}b"] {
        let refused = |mail: &MimeMessage<'_>| assert!(build(mail).is_err(), "{bad:?}");
        refused(&MimeMessage { subject: bad, ..mail.clone() });
        refused(&MimeMessage { message_id: bad, ..mail.clone() });
        refused(&MimeMessage { extra: &[("X-A", bad)], ..mail.clone() });
        refused(&MimeMessage { extra: &[(bad, "x")], ..mail.clone() });
        let file = MimeFile { filename: bad, content_type: "text/plain", bytes: b"", content_id: None };
        refused(&MimeMessage { attachments: std::slice::from_ref(&file), ..mail.clone() });
        let file = MimeFile { filename: "a", content_type: bad, ..file };
        refused(&MimeMessage { attachments: std::slice::from_ref(&file), ..mail.clone() });
        let file = MimeFile { filename: "a", content_type: "a/b", content_id: Some(bad), ..file };
        refused(&MimeMessage { attachments: &[file], ..mail.clone() });
        assert!(prepend(&[("Received", bad)], b"").is_err());
        // IDs from received mail are cleaned instead of rejected.
        let built = build(&MimeMessage { in_reply_to: Some(bad), ..mail.clone() }).unwrap();
        assert_wire_form(&built);
        assert!(parse(&built.raw).bcc.is_empty());
    }
    let own = build(&MimeMessage { extra: &[("bCC", "x@y.example")], ..mail });
    assert_eq!(own, Err(MimeBuildError::OwnField { name: "bCC".to_owned() }));
}

#[test]
fn a_file_with_a_multipart_type_is_rejected() {
    let (from, to) = (mailbox("bot@agents.example"), [mailbox("dana@example.com")]);
    for content_type in ["multipart/mixed", "text", "", "a/b/c", "te xt/plain", "/", "MULTIPART/x; boundary=y"] {
        let file = MimeFile { filename: "a", content_type, bytes: b"x", content_id: None };
        let mail = MimeMessage { attachments: std::slice::from_ref(&file), ..plain(&from, &to) };
        assert!(matches!(build(&mail), Err(MimeBuildError::ContentType { .. })), "{content_type}");
    }
}

/// Sends one file. Returns the raw message, and the media type and bytes of the parsed file.
fn sent_file(content_type: &str, bytes: &[u8]) -> (String, String, Vec<u8>) {
    let (from, to) = (mailbox("bot@agents.example"), [mailbox("dana@example.com")]);
    let file = MimeFile { filename: "note.eml", content_type, bytes, content_id: None };
    let built = build(&MimeMessage { attachments: &[file], ..plain(&from, &to) }).unwrap();
    assert_wire_form(&built);
    let written = String::from_utf8(built.raw.clone()).unwrap();
    let parsed = parse(&built.raw);
    let [arrived] = &parsed.attachments[..] else { panic!("one file expected in {written}") };
    assert_eq!(arrived.filename.as_deref(), Some("note.eml"));
    assert_eq!(parsed.text.as_deref().map(str::trim), Some("Hi\nthere"));
    (written, arrived.content_type.clone(), arrived.bytes.to_vec())
}

#[test]
fn an_attached_message_is_sent_unencoded_or_as_octet_stream() {
    let mail = "From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n.\r\n..x\r\nFrom me\r\n--b--\r\n";
    let long = format!("A: b\r\n\r\n{}", "x".repeat(LINE_MAX + 1));
    let longest = format!("A: b\r\n\r\n{}", "x".repeat(LINE_MAX));
    let plain: &[(&str, &str)] = &[
        ("message/rfc822", mail),
        ("Message/RFC822; charset=us-ascii", mail),
        ("message/delivery-status", "Status: 5.1.1\r\n"),
        ("message/rfc822", &longest),
        ("message/rfc822", ""),
    ];
    for (content_type, bytes) in plain {
        let (written, kind, read) = sent_file(content_type, bytes.as_bytes());
        assert!(
            written.contains("\r\nContent-Transfer-Encoding: 7bit\r\n") && !written.contains("base64"),
            "{written}"
        );
        let essence = content_type.split(';').next().unwrap();
        assert_eq!((kind, read), (essence.to_ascii_lowercase(), bytes.as_bytes().to_vec()));
    }
    let encoded: &[(&str, &[u8], &str)] = &[
        ("message/rfc822", "Subject: é\r\n\r\n".as_bytes(), "application/octet-stream"),
        ("message/rfc822", b"A: b\r\n\r\n\0", "application/octet-stream"),
        ("message/rfc822", b"A: b\r\n\r\nx\ry\r\n", "application/octet-stream"),
        ("message/rfc822", b"A: b\n\nx\r\ny\n", "application/octet-stream"),
        ("message/rfc822; x=y", b"A: b\r", "application/octet-stream"),
        ("message/partial", long.as_bytes(), "application/octet-stream"),
        ("message/global", "Subject: é\r\n\r\n".as_bytes(), "message/global"),
    ];
    for (content_type, bytes, kind) in encoded {
        let (written, arrived, read) = sent_file(content_type, bytes);
        assert!(written.contains(&format!("Content-Type: {kind}\r\n")), "{written}");
        assert_eq!((&*arrived, &*read), (*kind, *bytes));
        assert!(written.contains("Content-Transfer-Encoding: base64\r\n"), "{written}");
    }
}

#[test]
fn an_encoded_message_without_a_name_gets_one() {
    let (from, to) = (mailbox("bot@agents.example"), [mailbox("dana@example.com")]);
    let file = MimeFile {
        filename: "",
        content_type: "message/rfc822",
        bytes: "Subject: é\r\n\r\n".as_bytes(),
        content_id: None,
    };
    let raw = build(&MimeMessage { attachments: &[file], ..plain(&from, &to) }).unwrap().raw;
    assert_eq!(parse(&raw).attachments[0].filename.as_deref(), Some("message.eml"));
}

#[test]
fn an_attached_message_that_contains_the_boundary_does_not_end_its_part() {
    let (from, to) = (mailbox("bot@agents.example"), [mailbox("dana@example.com")]);
    let built = |bytes: &[u8]| {
        let file = MimeFile { filename: "a.eml", content_type: " Message/rfc822", bytes, content_id: None };
        build(&MimeMessage { attachments: &[file], ..plain(&from, &to) }).unwrap().raw
    };
    let first = String::from_utf8(built(b"A: b\r\n")).unwrap();
    let boundary = first.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap();
    let trap = format!("A: b\r\n\r\nbefore\r\n--{boundary}--\r\nafter\r\n");
    let raw = built(trap.as_bytes());
    assert_eq!(parse(&raw).attachments.len(), 1);
    assert_eq!(&*parse(&raw).attachments[0].bytes, trap.as_bytes());
}

#[test]
fn only_addresses_with_a_non_ascii_local_part_need_smtputf8() {
    let from = mailbox("bot@agents.example");
    for (to, needed) in [("dana@bücher.example", false), ("jörg@example.com", true), ("Jörg <j@example.com>", false)]
    {
        let to = [mailbox(to)];
        let built = build(&plain(&from, &to)).unwrap();
        assert_eq!(built.needs_smtputf8, needed, "{to:?}");
        assert_wire_form(&built);
        assert_eq!(parse(&built.raw).to[0].mailbox.as_ref(), Some(&to[0]));
    }
}

#[test]
fn a_message_with_only_hidden_recipients_has_a_to_field() {
    let from = mailbox("bot@agents.example");
    let built = build(&plain(&from, &[])).unwrap();
    assert!(String::from_utf8(built.raw).unwrap().contains("\r\nTo: undisclosed-recipients:;\r\n"));
}

#[test]
fn a_body_that_contains_the_boundary_does_not_end_its_part() {
    let (from, to) = (mailbox("bot@agents.example"), [mailbox("dana@example.com")]);
    let mail = MimeMessage { html: Some("<p>x</p>"), ..plain(&from, &to) };
    let first = build(&mail).unwrap();
    let parts = String::from_utf8(first.raw.clone()).unwrap();
    let boundary = parts.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let trap = format!("before\n--{boundary}--\nafter\n");
    let built = build(&MimeMessage { text: Some(&trap), ..mail.clone() }).unwrap();
    assert_eq!(parse(&built.raw).text.as_deref().map(str::trim), Some(trap.trim()));
    assert_eq!(build(&mail).unwrap(), first, "the same message gives the same bytes");
}

#[test]
fn prepending_does_not_change_the_message() {
    let raw = b"A: b\n\nbare \n lines \xff";
    let long = format!("by mx.example {}", "word ".repeat(60));
    let out = prepend(&[("Return-Path", "<>"), ("Received", &long)], raw).unwrap();
    assert!(out.starts_with(b"Return-Path: <>\r\nReceived: by mx.example"));
    assert!(out.ends_with(raw));
    let head = &out[..out.len() - raw.len()];
    assert!(head.split(|&byte| byte == b'\n').all(|line| line.len() <= 80));
    assert_eq!(parse(&out).headers.first("received"), Some(long.trim()));
}

#[test]
fn a_reply_keeps_a_quoted_message_id_unchanged() {
    let (from, to) = (mailbox("bot@agents.example"), [mailbox("dana@example.com")]);
    let received = parse(b"Message-ID: <\"weird q\"@x.test>\r\nReferences: <a@x>\r\n <\"weird\r\n r\"@x.test>\r\n\r\n");
    let id = received.message_id.unwrap();
    let parent = crate::thread::ThreadParent { references: &received.references, in_reply_to: None, message_id: &id };
    let references = crate::thread::reply_references(&parent);
    let mail = MimeMessage { in_reply_to: Some(&id), references: &references, ..plain(&from, &to) };
    let built = build(&mail).unwrap();
    assert_wire_form(&built);
    let text = String::from_utf8(built.raw.clone()).unwrap();
    assert!(text.contains("\r\nIn-Reply-To: <\"weird q\"@x.test>\r\n"), "{text}");
    assert_eq!(parse(&built.raw).in_reply_to.as_ref(), Some(&id));
    assert_eq!(parse(&built.raw).references, ["<a@x>", "<\"weird r\"@x.test>", &id]);
}

#[test]
fn an_invitation_keeps_its_method_over_folded_lines() {
    let padding = "word ".repeat(50);
    let content_type =
        format!("text/calendar; method=REQUEST; charset=\"utf-8\"; x-padding=\"{padding}\"; component=VEVENT");
    let (written, kind, _) = sent_file(&content_type, b"BEGIN:VCALENDAR");
    let unfolded = written.replace("\r\n ", " ").replace("  ", " ");
    let expected = content_type.replace("\"utf-8\"", "utf-8").replace("  ", " ");
    assert!(unfolded.contains(&format!("Content-Type: {expected}\r\n")), "{written}");
    assert_eq!(kind, "text/calendar");
}

#[test]
fn a_name_that_looks_encoded_is_shown_as_it_is() {
    for name in [
        "=?utf-8?q?ceo=40bank.example?=",
        "a =?x",
        "Ünï =?utf-8?b?eA==?= with more text than fits in one word of base64",
    ] {
        let odd = Mailbox::new(Some(name), Address::parse("a@b.example").unwrap()).unwrap();
        let list = [mailbox("Ann <c@d.example>"), odd.clone(), mailbox("e@f.example")];
        let mut raw = b"".to_vec();
        field::write_mailboxes("To", &list, &mut raw);
        let text = String::from_utf8(raw.clone()).unwrap();
        assert!(!text.contains(name) && !text.contains('"') && text.lines().all(|line| line.len() <= 78), "{text}");
        raw.extend_from_slice(b"\r\n");
        let parsed = crate::parse::parse(&raw);
        let names: Vec<_> = parsed.to.iter().map(|party| party.mailbox.as_ref().unwrap().clone()).collect();
        assert_eq!(names, list, "{text}");
    }
}

/// Many readers decode an encoded word with a blank in its text (RFC 2047 §2 forbids the blank).
#[test]
fn a_subject_that_looks_encoded_is_shown_as_it_is() {
    let (from, to) = (mailbox("a@x.example"), [mailbox("b@x.example")]);
    for subject in
        ["=?_?q? ?=", "=?utf-8?q?a b?=", "x =?utf-8?B?eA== eA==?= y", "=?utf-8?q?a?= b", "=?a?q?", "agent=?1"]
    {
        let built = build(&MimeMessage { subject, ..plain(&from, &to) }).unwrap();
        assert_wire_form(&built);
        assert_eq!(parse(&built.raw).subject.as_deref(), Some(subject));
    }
}

/// A line was folded between two blanks of a name, and one of them was lost.
#[test]
fn a_name_keeps_its_blanks_wherever_its_line_is_folded() {
    for before in 1..90 {
        let name = format!("{}  B. Bell", "a".repeat(before));
        let mailbox = Mailbox::cleaned(Some(&name), Address::parse("b@x.example").unwrap());
        let mut field = Vec::new();
        super::field::address_field("To", &mailbox, &mut field);
        let shown = String::from_utf8_lossy(&field).into_owned();
        field.extend_from_slice(b"\r\nx");
        let parsed = parse(&field);
        assert_eq!(parsed.to[0].mailbox.as_ref(), Some(&mailbox), "{shown}");
    }
}

fn a_mailbox() -> impl Strategy<Value = Mailbox> {
    // Readers take quotes and brackets around a name for decoration.
    let is_decorated =
        |name: &str| name.trim().starts_with(['\'', '‘']) || name.trim().ends_with('>') || name.trim() == ".";
    let name = "[\\PC]{0,30}".prop_filter("a decorated name", move |name| !is_decorated(name));
    let name = prop::option::of(name);
    (name, "[a-z0-9]{1,10}", prop::bool::ANY).prop_map(|(name, local, foreign)| {
        let domain = if foreign { "bücher.example" } else { "x.example" };
        Mailbox::cleaned(name.as_deref(), Address::parse(&format!("{local}@{domain}")).unwrap())
    })
}

fn lf(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    text.trim_end_matches('\n').to_owned()
}

proptest! {
    #[test]
    fn a_built_message_can_be_parsed_back(
        people in proptest::collection::vec(a_mailbox(), 1..6),
        subject in prop_oneof!["[\\PC]{0,120}", "[ a-z=?_]{0,100}", "[a-z]{0,1200}"],
        text in prop::option::of("[\\PC\r\n\t]{0,300}"),
        html in prop::option::of("[a-zé<>&\n ]{0,300}"),
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        filename in "[a-zA-Z0-9é€\"'%*;= _.()\\-]{0,120}",
        content_id in prop::option::of("[a-z0-9]{1,20}@x"),
    ) {
        let file = MimeFile {
            filename: &filename,
            content_type: "text/csv; charset=utf-8",
            bytes: &bytes,
            content_id: content_id.as_deref(),
        };
        let references = ["<a@x>".to_owned(), "<b@x>".to_owned()];
        let mail = MimeMessage {
            message_id: "<0190@agents.example>",
            date_ms: 1_800_000_000_000,
            from: &people[0],
            to: &people[1..],
            cc: &people[..people.len() / 2],
            reply_to: &people[..1],
            subject: &subject,
            text: text.as_deref(),
            html: html.as_deref(),
            attachments: &[file],
            in_reply_to: Some("b@x"),
            references: &references,
            extra: &[("Auto-Submitted", "auto-replied"), ("Agent-Disclosure", "ein Ägent; x=1")],
        };
        let built = build(&mail).unwrap();
        assert_wire_form(&built);
        let parsed = parse(&built.raw);
        let mailboxes = |parties: &[crate::parse::AddressEntry]| -> Vec<Mailbox> {
            parties.iter().filter_map(|party| party.mailbox.clone()).collect()
        };
        prop_assert_eq!(parsed.subject.unwrap_or_default(), subject.trim());
        // The parser drops a display name that contains an address, so only the address is compared.
        prop_assert_eq!(parsed.author.as_ref().map(|author| author.address()), Ok(people[0].address()));
        prop_assert_eq!(&mailboxes(&parsed.to)[..], &people[1..]);
        prop_assert_eq!(&mailboxes(&parsed.cc)[..], &people[..people.len() / 2]);
        prop_assert_eq!(parsed.message_id.as_deref(), Some("<0190@agents.example>"));
        prop_assert_eq!(parsed.in_reply_to.as_deref(), Some("<b@x>"));
        prop_assert_eq!(parsed.references, references);
        prop_assert_eq!(parsed.date_ms, Some(1_800_000_000_000));
        prop_assert_eq!(parsed.headers.first("agent-disclosure"), Some("ein Ägent; x=1"));
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            prop_assert_eq!(lf(&parsed.text.unwrap_or_default()), lf(&text));
        }
        prop_assert_eq!(parsed.html.as_deref().map(lf), html.as_deref().map(lf));
        prop_assert_eq!(parsed.attachments.len(), 1);
        prop_assert_eq!(&*parsed.attachments[0].bytes, &bytes[..]);
        prop_assert_eq!(&*parsed.attachments[0].content_type, "text/csv");
        prop_assert_eq!(parsed.attachments[0].filename.clone(), crate::parse::safe_filename(&filename));
    }
}
