//! Raw header values that aren't UTF-8: ISO-2022-JP, and the 8-bit character set of the body.

use encoding_rs::Encoding;

use crate::author::author;
use crate::parse::parse;

/// Labels of 8-bit character sets, and texts in them that no other set shares.
const SETS: [(&str, &str); 16] = [
    ("Shift_JIS", "会議の予定表ソ"),
    ("EUC-JP", "会議の予定表"),
    ("GB18030", "会议日程安排"),
    ("GBK", "会议日程安排"),
    ("GB2312", "会议日程安排"),
    ("Big5", "會議許功蓋"),
    ("EUC-KR", "회의 일정표"),
    ("windows-1251", "Повестка встречи"),
    ("KOI8-R", "Повестка встречи"),
    ("KOI8-U", "Порядок їжі"),
    ("iso-8859-5", "Повестка встречи"),
    ("iso-8859-2", "Žluťoučký kůň"),
    ("windows-1250", "Žluťoučký kůň"),
    ("iso-8859-7", "Ημερήσια διάταξη"),
    ("windows-1255", "סדר היום"),
    ("windows-1256", "جدول الأعمال"),
];

fn encoded(label: &str, text: &str) -> Vec<u8> {
    Encoding::for_label(label.as_bytes()).unwrap().encode(text).0.into_owned()
}

/// Returns a message with raw bytes in its headers and a declared character set.
fn message(subject: &[u8], name: &[u8], content_type: &str) -> Vec<u8> {
    [
        b"Subject: ",
        subject,
        b"\r\nFrom: \"",
        name,
        b"\" <ann@a.example>\r\nTo: \"",
        name,
        b"\" <bob@b.example>, cy@c.example\r\nContent-Type: ",
        content_type.as_bytes(),
        b"\r\n\r\nbody",
    ]
    .concat()
}

#[test]
fn raw_bytes_are_decoded_in_the_character_set_of_the_body() {
    let mut variants = 0;
    for (label, text) in SETS {
        let raw = encoded(label, text);
        for content_type in [
            format!("text/plain; charset={label}"),
            format!("text/html; charset=\"{}\"", label.to_lowercase()),
            format!("multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset={label}\r\n\r\nA"),
            format!(
                "multipart/alternative; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
                 A\r\n--x\r\nContent-Type: text/html; charset={label}\r\n\r\nA"
            ),
        ] {
            let subject = [b"Re: ", &raw[..], b"\r\n (2) ", &raw].concat();
            let mail = message(&subject, &raw, &content_type);
            let parsed = parse(&mail);
            assert_eq!(parsed.subject, Some(format!("Re: {text} (2) {text}")), "{content_type}");
            assert_eq!(parsed.headers.first("subject"), parsed.subject.as_deref());
            let to: Vec<&str> = parsed.to.iter().map(|entry| &*entry.header_form).collect();
            assert!(to[0].contains(text) && to[0].ends_with("<bob@b.example>") && to[1] == "cy@c.example", "{to:?}");
            // The address of the author doesn't depend on the character set.
            let of_header = author(&mail);
            assert_eq!(parsed.author.as_ref().map(|a| a.address()), of_header.as_ref().map(|a| a.address()));
            if let Ok(author) = parsed.author {
                assert_eq!(author.mailbox().name(), Some(text));
            }
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn raw_iso_2022_jp_is_decoded_without_a_label() {
    let mut variants = 0;
    for text in ["会議の予定表", "日本語", "カタカナ", "<あ>", "ア「イ」"] {
        let jis = encoded("iso-2022-jp", text);
        for content_type in ["text/plain", "text/plain; charset=iso-2022-jp", "text/plain; charset=utf-8"] {
            for (before, after) in [("", ""), ("Re: ", " (2)")] {
                let subject = [before.as_bytes(), &jis, after.as_bytes()].concat();
                let mail = message(&subject, &jis, content_type);
                let parsed = parse(&mail);
                let expected = format!("{before}{text}{after}");
                assert_eq!(parsed.subject, Some(expected), "{content_type}");
                let from = format!("\"{text}\" <ann@a.example>");
                assert_eq!(parsed.headers.first("from"), Some(&*from), "{content_type}");
                // A control character in From leaves the message without author.
                assert_eq!(parsed.author, author(&mail));
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn invalid_escape_sequences_stay_as_they_are() {
    let mut variants = 0;
    for escape in
        ["\x1b", "\x1b$", "\x1b$Z", "\x1b$B", "\x1b$B!", "\x1b$B\x7f\x7f", "\x1b[31m", "\x1b(Bx", "\x1b$B8l\x1b(Q"]
    {
        for before in ["", "Re: ", "=?utf-8?q?a?= "] {
            let subject = format!("{before}a{escape}b");
            let parsed_subject = parse(&message(subject.as_bytes(), b"A", "text/plain")).subject.unwrap();
            assert!(!parsed_subject.contains('\x1b') && parsed_subject.is_ascii(), "{parsed_subject:?}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn one_bad_byte_does_not_change_the_character_set() {
    let mut variants = 0;
    let charsets = ["utf-8", "us-ascii", "windows-1251", "Shift_JIS", "GB18030", "Big5", "KOI8-R", "iso-8859-1"];
    for text in ["Grüße aus Köln", "Привет, мир", "日本語の件名", "naïve café"] {
        for charset in charsets {
            for bad in [&b"\xff"[..], b"\xe3", b"\xc3"] {
                let at = text.len();
                let subject = [text.as_bytes(), bad, b" end"].concat();
                let content_type = format!("text/plain; charset={charset}");
                let parsed = parse(&message(&subject, b"A", &content_type)).subject.unwrap();
                assert_eq!(parsed, format!("{}\u{fffd} end", &text[..at]), "{charset}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_declared_character_set_never_changes_ascii() {
    let mut variants = 0;
    let ascii = "+AGE- a~{VP~}b <x@y.example>, \"q\" &AOk-";
    for label in
        ["utf-7", "hz-gb-2312", "iso-2022-kr", "utf-16", "utf-16le", "utf-32", "replacement", "unknown", "iso-2022-jp"]
    {
        for before in ["", "Re: ", "caf\u{e9} "] {
            let raw: Vec<u8> = format!("{before}{ascii}").chars().map(|c| u8::try_from(c).unwrap()).collect();
            let mail = message(&raw, b"A", &format!("text/plain; charset={label}"));
            assert_eq!(parse(&mail).subject, Some(format!("{before}{ascii}")), "{label}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}
