//! Tests of the parser with single messages and with hostile bytes.
#![allow(clippy::unwrap_used)]

use super::*;

mod charsets;
mod damaged;
mod people;
mod raw_headers;
mod unseparated;

fn lines(text: &str) -> Vec<u8> {
    text.trim_start().replace('\n', "\r\n").into_bytes()
}

#[test]
fn message_with_text_html_image_and_file_is_parsed() {
    let raw = lines(
        "
From: =?utf-8?Q?J=C3=B6rg?= <joerg@example.com>
To: a@x.example, \"B, C\" <b@x.example>
Subject: =?utf-8?B?R3LDvA==?=
 =?utf-8?B?w59l?=
Date: Fri, 15 Jan 2027 08:00:00 +0000
Message-ID: <m1@example.com>
References: <a@x> <b@x>
Content-Type: multipart/mixed; boundary=\"outer\"

preamble
--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe
--inner
Content-Type: multipart/related; boundary=rel

--rel
Content-Type: text/html; charset=utf-8

<p>Gruss <img src=cid:i1></p>
--rel
Content-Type: image/png
Content-ID: <i1>
Content-Transfer-Encoding: base64

AAEC
--rel--
--inner--
--outer
Content-Type: application/pdf; name=\"x.pdf\"
Content-Disposition: attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf
Content-Transfer-Encoding: base64

aGVsbG8=
--outer--
",
    );
    let parsed = parse(&raw);
    assert_eq!(parsed.subject.as_deref(), Some("Grüße"));
    assert_eq!(parsed.author.as_ref().map(ToString::to_string), Ok("Jörg <joerg@example.com>".to_owned()));
    assert_eq!(parsed.to[1].header_form, "\"B, C\" <b@x.example>");
    assert_eq!(parsed.date_ms, Some(1_800_000_000_000));
    assert_eq!(parsed.message_id.as_deref(), Some("<m1@example.com>"));
    assert_eq!(parsed.references, ["<a@x>", "<b@x>"]);
    assert_eq!(parsed.text.as_deref(), Some("Grüße"));
    assert_eq!(parsed.html.as_deref(), Some("<p>Gruss <img src=cid:i1></p>"));
    assert!(!parsed.text_from_html);
    let [image, pdf] = &parsed.attachments[..] else {
        panic!("two attachments expected: {:?}", parsed.attachments);
    };
    assert_eq!((&*image.content_type, image.inline, image.content_id.as_deref()), ("image/png", true, Some("i1")));
    assert_eq!(&*image.bytes, b"\x00\x01\x02");
    assert_eq!((pdf.filename.as_deref(), pdf.inline), (Some("résumé.pdf"), false));
    assert_eq!(&*pdf.bytes, b"hello");
}

#[test]
fn html_only_message_gets_a_text_body() {
    let raw = lines(
        "Subject: x\nContent-Type: text/html; charset=utf-8\n\n<p>Hi <a href=\"https://x.example/v\">go</a></p>\n",
    );
    let parsed = parse(&raw);
    assert_eq!(parsed.text.as_deref(), Some("Hi go <https://x.example/v>"));
    assert!(parsed.text_from_html && parsed.html.is_some());
    let empty_text = lines(
        "A: b\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n \n--b\nContent-Type: text/html\n\n<b>Read me</b>\n--b--\n",
    );
    let parsed = parse(&empty_text);
    assert_eq!((parsed.text.as_deref(), parsed.text_from_html), (Some("Read me"), true));
}

#[test]
fn calendar_parts_and_attached_messages_become_attachments() {
    let inner = "From: x@y.example\r\n\r\n--b2\r\ninner body";
    let raw = format!(
        "Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n\
         --c\r\n\r\nHello\r\n--c\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\n--c--\r\n\
         --b\r\nContent-Type: message/rfc822\r\n\r\n{inner}\r\n--b--\r\n"
    );
    let parsed = parse(raw.as_bytes());
    assert_eq!(parsed.text.as_deref(), Some("Hello"));
    let files: Vec<(&str, &[u8])> = parsed.attachments.iter().map(|file| (&*file.content_type, &*file.bytes)).collect();
    assert_eq!(files, [("text/calendar", &b"BEGIN:VCALENDAR"[..]), ("message/rfc822", inner.as_bytes())]);
    assert!(matches!(parsed.attachments[1].bytes, std::borrow::Cow::Borrowed(_)));
}

#[test]
fn character_sets_with_unusual_labels_are_decoded() {
    let table: &[(&str, &[u8], &str)] = &[
        ("text/plain; charset=utf-8", "é".as_bytes(), "é"),
        ("text/plain", "é".as_bytes(), "é"),
        ("text/plain", b"\xe9\x80", "é€"),
        ("text/plain; charset=us-ascii", "é".as_bytes(), "é"),
        ("text/plain; charset=nonsense", b"\xe9", "é"),
        ("text/plain; charset=utf-8", b"a\xffb", "a\u{fffd}b"),
        ("text/plain; charset=koi8-r", b"\xd0\xd2\xc9", "при"),
        ("text/plain; charset=\"Shift_JIS\"", b"\x83n", "ハ"),
        ("text/plain; charset=gb2312", b"\xc4\xe3\xba\xc3", "你好"),
        ("text/plain; charset=iso-2022-jp", b"\x1b$B%O\x1b(B", "ハ"),
        ("text/plain; charset=utf-7", b"+AOk-", "é"),
        ("text/html", b"<meta charset=\"windows-1251\">\xcf", "П"),
    ];
    for (media_type, body, text) in table {
        let mut raw = format!("Content-Type: {media_type}\r\n\r\n").into_bytes();
        raw.extend_from_slice(body);
        assert_eq!(parse(&raw).text.as_deref(), Some(*text), "{media_type}");
    }
}

#[test]
fn multipart_without_a_boundary_parameter_is_split() {
    let two = "--=_b.1\n\nHello\n--=_b.1\nContent-Type: text/x\n\nfile\n--=_b.1--\n";
    let long = format!("--{}\n\nHello\n", "b".repeat(71));
    let table: &[(&str, &str, &str, usize)] = &[
        ("multipart/mixed", two, "Hello", 1),
        ("multipart/mixed; boundary=\"\"", two, "Hello", 1),
        ("multipart/mixed; boundary=", &format!("This is MIME.\n--\n{two}"), "Hello", 1),
        ("multipart/mixed", "--b\nHello\n--b--\n", "Hello", 0),
        ("multipart/mixed", "Hello\n", "Hello\n", 0),
        ("multipart/mixed", "", "", 0),
        ("multipart/mixed", "Hello\n--\nJohn\n--John\nDoe\n", "Hello\n--\nJohn\n--John\nDoe\n", 0),
        (
            "multipart/mixed",
            "Hi\n-----Original Message-----\nFrom: x\n",
            "Hi\n-----Original Message-----\nFrom: x\n",
            0,
        ),
        ("multipart/mixed", "Hi\n-------\n\nx", "Hi\n-------\n\nx", 0),
        ("multipart/mixed", &long, &long, 0),
        ("multipart/mixed; boundary=a", "Hello\n--b\n\nx\n", "Hello\n--b\n\nx\n", 0),
        // The delimiter of the outer multipart must not be used for the inner one.
        (
            "multipart/mixed; boundary=o",
            "--o\nContent-Type: multipart/alternative\n\nHello\n--o\nContent-Type: text/x\n\nfile\n--o--\n",
            "Hello",
            1,
        ),
        (
            "multipart/mixed",
            "--o\nContent-Type: multipart/mixed\n\n--i\n\nHello\n--i--\n--o\nContent-Type: text/x\n\nfile\n--o--\n",
            "Hello",
            1,
        ),
    ];
    for (kind, body, text, files) in table {
        let raw = lines(&format!("Subject: s\nContent-Type: {kind}\n\n{body}"));
        let parsed = parse(&raw);
        assert_eq!((parsed.text.as_deref(), parsed.attachments.len()), (Some(*text), *files), "{kind} {body}");
    }
}

#[test]
fn extended_file_names_take_precedence_over_fallback_names() {
    let table: &[(&str, &str, &str)] = &[
        ("", "filename=\"fb3.pdf\"; filename*=UTF-8''%C3%B6.pdf", "ö.pdf"),
        ("", "filename*=UTF-8''%C3%B6.pdf; filename=\"fb3.pdf\"", "ö.pdf"),
        ("", "FileName=a.pdf;\r\n\tFILENAME*=\"iso-8859-1'de'%F6.pdf\"", "ö.pdf"),
        ("", "filename=\"a; filename*=UTF-8''b\"", "a; filename*=UTF-8''b"),
        ("", "filename=a.pdf; filename*=", "a.pdf"),
        ("", "filename=a.pdf; filename*x=b.pdf", "a.pdf"),
        ("", "filename*=%C3%B6.pdf", "ö.pdf"),
        ("", "filename*=nonsense''%F6%zz.pdf", "ö%zz.pdf"),
        ("", "filename=a.pdf; filename*1*=%B6; filename*0*=UTF-8''%C3; filename*2=.p%64f", "ö.p%64f"),
        ("", "filename=a.pdf; filename*0=\"one \"; filename*1=\"two.pdf\"", "one two.pdf"),
        ("", "filename*0=x; filename*1=y; filename*=UTF-8''z.pdf", "z.pdf"),
        ("", "filename*0=\"=?utf-8?Q?=C3\"; filename*1=\"=B6?=.pdf\"", "ö.pdf"),
        ("name=\"fb.pdf\"; name*=UTF-8''%C3%B6.pdf", "", "ö.pdf"),
        ("name*0*=UTF-8''%C3%B6; name*1=.pdf; name=fb.pdf", "", "ö.pdf"),
        ("name*=UTF-8''n.pdf", "filename=f.pdf", "f.pdf"),
        ("", "filename=\"\u{fc}.pdf\"", "ü.pdf"),
        ("name=\"\u{fc}.pdf\"", "", "ü.pdf"),
        ("", "filename=\"=?iso-8859-1?Q?\u{f6}_=FC.pdf?=\"", "ö ü.pdf"),
    ];
    for (parameters, disposition, name) in table {
        let raw = format!(
            "Content-Type: application/pdf; {parameters}\r\nContent-Disposition: attachment; {disposition}\r\n\r\nx"
        );
        // Raw Latin-1 bytes, as sent by mailers without MIME support.
        let raw: Vec<u8> = raw.chars().map(|c| u8::try_from(c).unwrap()).collect();
        let parsed = parse(&raw);
        assert_eq!(parsed.attachments[0].filename.as_deref(), Some(*name), "{parameters} {disposition}");
    }
}

#[test]
fn names_in_rare_character_sets_are_decoded() {
    let word = "=?iso-2022-kr?B?GyQpQw5HUTFbDw==?=";
    let raw = format!(
        "To: {word} <a@x.example>, =?win-1251?Q?=2C=CF?=\r\n =?utf-8?Q?=C3=BC?= <b@x.example>\r\n\
         Content-Type: text/x; name=\"{word}.txt\"\r\n\r\n"
    );
    let parsed = parse(raw.as_bytes());
    let to: Vec<&str> = parsed.to.iter().map(|party| &*party.header_form).collect();
    assert_eq!(to, ["한글 <a@x.example>", "\",Пü\" <b@x.example>"]);
    assert_eq!(parsed.attachments[0].filename.as_deref(), Some("한글.txt"));
    let spread = format!("To: {}{}?=", "=?cp949?Q?".repeat(20_000), " ".repeat(50_000));
    assert!(parse(spread.as_bytes()).to.len() <= MAILBOXES_MAX);
}

#[test]
fn quoted_local_parts_belong_to_the_address() {
    let table: &[(&str, &[&str])] = &[
        ("\"a b\"@ext.test", &["\"a b\"@ext.test"]),
        ("<\"a b\"@ext.test>", &["\"a b\"@ext.test"]),
        ("Bob <\"a b\"@ext.test>", &["Bob <\"a b\"@ext.test>"]),
        ("\"Bob\" <\"a b\"@ext.test>, \"c\r\n d\"@ext.test", &["Bob <\"a b\"@ext.test>", "\"c d\"@ext.test"]),
        ("\"a\\\"b\\\\\"@ext.test", &["\"a\\\"b\\\\\"@ext.test"]),
        ("\"a,b@c\"@ext.test (note),x@y.example", &["note <\"a,b@c\"@ext.test>", "x@y.example"]),
        ("\"john.doe\"@ext.test", &["john.doe@ext.test"]),
        ("Team: \"a b\"@ext.test;", &["\"a b\"@ext.test"]),
        ("(\"a b\"@c.test) x@y.example", &["\"\\\"a b\\\"@c.test\" <x@y.example>"]),
        // A display name never becomes an address.
        ("\"Bob\" <@ext.test>", &["Bob <@ext.test>"]),
        ("\"a\" \"b@c\" <x@y.example>", &["\"ab@c\" <x@y.example>"]),
    ];
    for (field, expected) in table {
        let raw = format!("To: {field}\r\n\r\n");
        let parsed = parse(raw.as_bytes());
        let forms: Vec<&str> = parsed.to.iter().map(|party| &*party.header_form).collect();
        assert_eq!(forms, *expected, "{field}");
    }
    let unclosed = format!("To: {}\r\n\r\n", "\"@x (<".repeat(20_000));
    assert!(parse(unclosed.as_bytes()).to.len() <= MAILBOXES_MAX);
}

#[test]
fn raw_latin_1_in_names_and_subjects_is_decoded() {
    let parsed = parse(b"From: \"J\xf6rg\" <j@x.example>\r\nSubject: \xf6\r\n\r\n");
    let author = parsed.author.as_ref().map(ToString::to_string);
    assert_eq!((author, parsed.subject.as_deref()), (Ok("Jörg <j@x.example>".to_owned()), Some("ö")));
}

#[test]
fn file_names_lose_folders_and_direction_marks() {
    let table: &[(&str, Option<&str>)] = &[
        ("report.pdf", Some("report.pdf")),
        ("../../etc/passwd", Some("passwd")),
        ("C:\\Temp\\x.doc", Some("x.doc")),
        ("a/", Some("a")),
        ("..", None),
        ("/", None),
        ("a\u{0}b\r\n.txt", Some("ab.txt")),
        ("\u{202e}gpj.exe", Some("gpj.exe")),
        ("  ", None),
    ];
    for (stated, safe) in table {
        assert_eq!(safe_filename(stated).as_deref(), *safe, "{stated:?}");
    }
    let long = safe_filename(&format!("{}.pdf", "é".repeat(400))).unwrap();
    assert!(long.len() <= FILENAME_BYTES_MAX && long.ends_with(".pdf"));
}

#[test]
fn malformed_headers_are_parsed_leniently() {
    let none = parse(b"");
    assert_eq!((none.subject, none.text.as_deref()), (None, Some("")));
    assert_eq!(parse(b"just text\r\nmore").text.as_deref(), Some("just text\nmore"));
    let starts_empty = parse(b"\r\n\r\nSubject: late\r\n\r\nx");
    assert_eq!(
        (starts_empty.subject, starts_empty.headers.len()),
        (None, 0),
        "everything after the empty line is body"
    );
    let twice = parse(b"Subject: one\nSubject: two\nTo: a@x.example\nTo: b@x.example\nDate: nonsense\n\nx");
    assert_eq!((twice.subject.as_deref(), twice.to.len(), twice.date_ms), (Some("one"), 2, None));
    let group =
        parse(b"To: undisclosed-recipients:;\nCc: Team: a@x.example, B <b@x.example>;\nSender: not an address\n\n");
    assert_eq!((group.to.len(), group.cc.len()), (0, 2));
    let sender = group.sender.expect("a sender");
    assert_eq!((sender.mailbox, &*sender.header_form), (None, "not an address"));
    assert_eq!(date_ms(b"Thu, 31 Dec 2026 23:59:60 GMT"), Some(1_798_761_599_000));
    assert_eq!(date_ms(b"15 Jan 2027 03:00:00 -0500 (EST)"), Some(1_800_000_000_000));
}

/// Each input would cost a parser with lookahead quadratic time, or a recursive parser its stack.
#[test]
fn hostile_structure_is_parsed_in_linear_time_with_bounded_depth() {
    let head = "Content-Type: multipart/mixed; boundary=a\r\n\r\n";
    let deep: String = (0..5_000)
        .map(|level| format!("Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n"))
        .collect();
    let parsed = parse(deep.as_bytes());
    assert!(parsed.limits_hit);
    let absent: String =
        (0..20_000).map(|n| format!("--a\r\nContent-Type: multipart/mixed; boundary=z{n}\r\n\r\n")).collect();
    let unnamed: String = (0..20_000).map(|n| format!("--u{n}\r\nContent-Type: multipart/mixed\r\n\r\n")).collect();
    let unnamed = format!("Content-Type: multipart/mixed\r\n\r\n{unnamed}");
    let aside = format!("{head}{}{}", "--a\r\nContent-Type: multipart/x\r\n\r\n".repeat(900), "--\r\n".repeat(50_000));
    let many = format!("{head}{}", "--a\r\n\r\nx\r\n".repeat(50_000));
    let messages = "Content-Type: message/rfc822\r\n\r\n".repeat(20_000);
    let encoded = format!("Content-Transfer-Encoding: base64\r\n\r\n{}", "=".repeat(300_000));
    let people = format!("To: {}\r\n\r\n", "a@x.example, ".repeat(20_000));
    let parameters = format!("Content-Type: text/plain{}\r\n\r\n", "; a*1*=utf-8''x".repeat(20_000));
    for raw in [format!("{head}{absent}"), unnamed, aside, many, messages, encoded, people, parameters] {
        let parsed = parse(raw.as_bytes());
        assert!(parsed.attachments.len() <= PARTS_MAX);
        assert!(parsed.to.len() <= MAILBOXES_MAX);
    }
}

/// Returns a message whose attachment has this encoding and body.
fn with_attachment(encoding: &str, body: &str) -> Vec<u8> {
    let head = "From: a@x.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n";
    let part = format!("Content-Disposition: attachment\nContent-Transfer-Encoding: {encoding}\n\n{body}\n--b--\n");
    lines(&format!("{head}{part}"))
}

#[test]
fn an_attachment_has_a_decoder_only_if_it_decodes_to_the_same_bytes() {
    let table = [
        ("base64", "aGVsbG8gd29ybGQ=", true),
        ("base64", "aGVsbG8g\nd29ybGQ", true),
        ("7bit", "hello world", true),
        ("binary", "hello\nworld", true),
        ("quoted-printable", "hello=20world", false),
    ];
    for (encoding, body, has_decoder) in table {
        let raw = with_attachment(encoding, body);
        let parsed = parse(&raw);
        let attachment = &parsed.attachments[0];
        let decoder = attachment.decoder(&raw);
        assert_eq!(decoder.is_some(), has_decoder, "{encoding}: {body}");
        let Some(mut decoder) = decoder else { continue };
        let mut decoded = decoder.decode(&raw[attachment.encoded.clone()]).into_owned();
        decoded.extend(decoder.finish());
        assert_eq!(decoded, &*attachment.bytes);
    }
    // Data after the padding: whatever the lenient decoder makes of it, the pieces agree or there is no decoder.
    for body in ["aGk=aGk=", "a", "====", "aGVs*bG8=", "aGVsbG9"] {
        let raw = with_attachment("base64", body);
        let parsed = parse(&raw);
        let attachment = &parsed.attachments[0];
        if let Some(mut decoder) = attachment.decoder(&raw) {
            let mut decoded = decoder.decode(&raw[attachment.encoded.clone()]).into_owned();
            decoded.extend(decoder.finish());
            assert_eq!(decoded, &*attachment.bytes, "{body}");
        }
    }
}
