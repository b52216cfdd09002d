//! Generated tests of mail that violates the standards in ways that real mail programs do.

use super::super::*;

/// Returns every pair of two lists.
fn pairs<A: Copy, B: Copy>(left: &[A], right: &[B]) -> Vec<(A, B)> {
    left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b))).collect()
}

#[test]
fn folded_boundaries_and_file_names_are_read() {
    let folds = [" ", "\r\n ", "\r\n\t", " \r\n \t", "\n ", " (c)\r\n ", ""];
    for (before, after) in pairs(&folds, &folds) {
        for (boundary, name) in pairs(&["\"b_1\"", "b_1", "\"b_1 \""], &["\"My File.pdf\"", "My File.pdf"]) {
            let raw = format!(
                "Content-Type: multipart/mixed{before};{after}boundary{before}={after}{boundary}\r\n\r\n--b_1\r\n\r\nHello\r\n\
                 --b_1\r\nContent-Type: application/pdf\r\nContent-Disposition:{before}attachment;{after}filename{before}={after}{name}\r\n\r\nx\r\n--b_1--\r\n"
            );
            let parsed = parse(raw.as_bytes());
            assert_eq!(parsed.text.as_deref(), Some("Hello"), "{raw}");
            let names: Vec<Option<&str>> = parsed.attachments.iter().map(|file| file.filename.as_deref()).collect();
            assert_eq!(names, [Some("My File.pdf")], "{raw}");
        }
    }
}

#[test]
fn fields_folded_without_a_blank_are_read() {
    let raw = "Content-Type: multipart/mixed;\r\nboundary=\"b:1\"\r\n\r\n--b:1\r\n\r\nHello\r\n--b:1\r\n\
               Content-Type: application/pdf;\r\nname=\"a.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\naGk=\r\n--b:1--\r\n";
    let parsed = parse(raw.as_bytes());
    assert_eq!(parsed.text.as_deref(), Some("Hello"));
    assert_eq!(parsed.attachments[0].filename.as_deref(), Some("a.pdf"));
    assert_eq!(&*parsed.attachments[0].bytes, b"hi");
}

/// Headers of a text part, its text, and what follows: each header ends without an empty line.
#[test]
fn a_part_header_without_an_empty_line_does_not_empty_its_part() {
    let headers = [
        "Content-Type: text/plain\r\n",
        "Content-Type: text/plain;\r\n charset=utf-8\r\n",
        "Content-Type: text/plain;\r\ncharset=utf-8\r\n",
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit\r\n",
        "MIME-Version: 1.0\r\nX-Part: 1\r\nContent-Type: text/plain\r\n",
        "Date: today\r\nContent-Type: text/plain\r\n",
    ];
    let texts = [
        "Hello world",
        "Hello world\r\n\r\nSecond paragraph",
        "Note: this line has a colon\r\nand this one hasn't",
        "Grüße: ein Text\r\n\r\nFrom: nobody",
        "One\r\n two\r\n\tthree: 3",
        "> quoted: text\r\nreply",
    ];
    for (header, text) in pairs(&headers, &texts) {
        for (gap, end) in
            pairs(&["", "\r\n"], &["\r\n--b--\r\n", "\r\n--b\r\nContent-Type: text/x\r\n\r\nfile\r\n--b--\r\n", ""])
        {
            let raw = format!("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{header}{gap}{text}{end}");
            let parsed = parse(raw.as_bytes());
            assert_eq!(parsed.text, Some(text.replace("\r\n", "\n")), "{raw}");
            assert_eq!(parsed.attachments.len(), usize::from(end.contains("text/x")), "{raw}");
        }
    }
}

#[test]
fn a_delimiter_directly_below_a_header_begins_a_part() {
    let inner = "--i\r\nContent-Type: text/plain\r\n\r\nHello\r\n--i\r\nContent-Type: text/html\r\n\r\n<b>Hello</b>\r\n--i--\r\n";
    let kinds = [
        "Content-Type: multipart/alternative; boundary=i\r\n",
        "Content-Type: multipart/alternative;\r\n boundary=\"i\"\r\n",
        "Content-Type: multipart/alternative\r\n",
        "X-Part: 1\r\nContent-Type: multipart/alternative; boundary=i\r\n",
    ];
    for kind in kinds {
        for gap in ["", "\r\n", "Preamble\r\n", "\r\nPreamble\r\n"] {
            let nested = format!(
                "Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{kind}{gap}{inner}--b--\r\n"
            );
            let whole = format!("Subject: s\r\n{kind}{gap}{inner}");
            for raw in [nested, whole] {
                if kind.ends_with("alternative\r\n") && raw.starts_with("Subject: s\r\nX")
                    || gap == "Preamble\r\n" && !raw.contains("--b")
                {
                    continue;
                }
                let parsed = parse(raw.as_bytes());
                assert_eq!(parsed.text.as_deref(), Some("Hello"), "{raw}");
                assert_eq!(parsed.html.as_deref(), Some("<b>Hello</b>"), "{raw}");
            }
        }
    }
}

#[test]
fn a_message_without_an_empty_line_keeps_its_text() {
    for text in ["Hello world", "Hello\r\nworld", "Hello\r\n and more"] {
        let parsed_raw = format!("From: a@x.example\r\nSubject: s\r\n{text}");
        let parsed = parse(parsed_raw.as_bytes());
        assert_eq!(parsed.text, Some(text.replace("\r\n", "\n")), "{parsed_raw}");
        assert_eq!(parsed.subject.as_deref(), Some("s"));
    }
}

/// Words of several languages whose characters take two, three and four bytes.
const WORDS: [&str; 6] = ["Grüße an Jörg", "Привет мир", "日本語の件名", "🎉 Feier 🎉", "naïve café", "Ελληνικά"];

#[test]
fn a_bad_byte_damages_only_itself() {
    for word in WORDS {
        let good: Vec<char> = word.chars().collect();
        for at in 0..=good.len() {
            for bad in [&b"\xff"[..], b"\xc3", b"\xe2\x82", b"\xa0"] {
                let (head, tail): (String, String) = (good[..at].iter().collect(), good[at..].iter().collect());
                let bytes = [head.as_bytes(), bad, tail.as_bytes()].concat();
                let expected = format!("{head}\u{fffd}{tail}");
                let text = |raw: &[&[u8]]| raw.concat();
                let raw = text(&[
                    b"Subject: ",
                    &bytes,
                    b"\r\nFrom: \"",
                    &bytes,
                    b"\" <a@x.example>\r\nTo: \"",
                    &bytes,
                    b"\" <b@x.example>\r\n\
                    Content-Type: text/plain; charset=utf-8\r\n\r\n",
                    &bytes,
                ]);
                let parsed = parse(&raw);
                assert_eq!(parsed.subject.as_deref(), Some(&*expected), "{bytes:?}");
                assert_eq!(parsed.text.as_deref(), Some(&*expected), "{bytes:?}");
                assert!(parsed.to[0].header_form.contains(&expected), "{:?}", parsed.to);
                let author = parsed.author.as_ref().map(ToString::to_string).unwrap_or_default();
                assert!(author.contains(&expected), "{author}");
                let unlabeled = text(&[b"Subject: s\r\n\r\n", &bytes]);
                assert_eq!(parse(&unlabeled).text.as_deref(), Some(&*expected), "{bytes:?}");
            }
        }
    }
}

#[test]
fn text_of_another_character_set_is_still_decoded_as_a_whole() {
    for word in [
        "Grüße an Jörg",
        "naïve café",
        "Ça va? Où êtes-vous?",
        "Señor Muñoz",
        "Smørrebrød på bordet",
        "“Zitat” – für Öl",
    ] {
        let (bytes, _, unmappable) = encoding_rs::WINDOWS_1252.encode(word);
        assert!(!unmappable);
        let raw = [b"Subject: ", &*bytes, b"\r\nTo: ", &*bytes, b" <b@x.example>\r\n\r\n", &*bytes].concat();
        let parsed = parse(&raw);
        assert_eq!((parsed.subject.as_deref(), parsed.text.as_deref()), (Some(word), Some(word)));
    }
}

#[test]
fn long_lines_of_a_body_are_parsed_whole() {
    let long = "word <b>and</b> =C3=BC ".repeat(200_000);
    for (kind, encoding) in pairs(&["text/plain", "text/html"], &["7bit", "quoted-printable", "base64"]) {
        let raw = format!("Subject: s\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{long}");
        let parsed = parse(raw.as_bytes());
        let whole = if kind == "text/html" { parsed.html } else { parsed.text };
        assert!(encoding == "base64" || whole.is_some_and(|text| text.len() > long.len() / 2), "{kind} {encoding}");
    }
}
