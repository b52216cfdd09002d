//! Tests of the content reader: tables, limits, and independence from how the input is split.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

const LIMITS: ContentLimits = ContentLimits { bytes_max: 1_000_000, bytes_expected: 0 };

/// Feeds `input` in pieces of `size`. Returns the content, the bytes consumed, and whether it ended.
fn read(framing: ContentFraming, input: &[u8], size: usize) -> (Result<Vec<u8>, ContentFlaw>, usize, bool) {
    let mut content = ContentReader::new(framing, LIMITS);
    let mut used = 0;
    for piece in input.chunks(size) {
        let progress = content.feed(piece);
        used += progress.consumed;
        if progress.ended {
            return (content.finish(), used, true);
        }
    }
    (content.finish(), used, false)
}

#[test]
fn only_crlf_dot_crlf_ends_content_and_only_doubled_dots_are_unstuffed() {
    let ok = |text: &str| Ok(text.as_bytes().to_vec());
    let bare = Err(ContentFlaw::BareLineBreak);
    type Row = (&'static str, Result<Vec<u8>, ContentFlaw>, bool);
    let table: &[Row] = &[
        (".\r\n", ok(""), true),
        ("a\r\n.\r\n", ok("a\r\n"), true),
        ("..\r\n.\r\n", ok(".\r\n"), true),
        (".a\r\n...\r\n.\r\n", ok("a\r\n..\r\n"), true),
        ("a.\r\n.\r\n", ok("a.\r\n"), true),
        ("a\0\r\n\0.\r\n.\r\n", ok("a\0\r\n\0.\r\n"), true),
        ("a\n.\r\n", bare.clone(), false),
        ("a\r\n.\n", bare.clone(), false),
        ("a\r\n.\r\r\n", bare.clone(), false),
        ("a\r\n.\r\r\n.\r\n", bare.clone(), true),
        ("a\r.\r\n.\r\n", bare.clone(), true),
        ("\r", bare, false),
        ("a\r\n.", ok("a\r\n"), false),
    ];
    for (input, content, ended) in table {
        for size in 1..=input.len() {
            let (got, used, end) = read(ContentFraming::Dotted, input.as_bytes(), size);
            assert_eq!((&got, end), (content, *ended), "{input:?} in pieces of {size}");
            assert_eq!(used, input.len(), "{input:?} in pieces of {size}");
        }
    }
}

#[test]
fn bytes_after_the_end_are_not_consumed() {
    let (content, used, ended) = read(ContentFraming::Dotted, b"a\r\n.\r\nQUIT\r\n", 100);
    assert_eq!((content, used, ended), (Ok(b"a\r\n".to_vec()), 6, true));
}

#[test]
fn dots_in_counted_content_are_unchanged() {
    let (content, _, ended) = read(ContentFraming::Counted, b".\r\n..\r\nx", 2);
    assert_eq!((content, ended), (Ok(b".\r\n..\r\nx".to_vec()), false));
}

#[test]
fn limits_are_exact() {
    let line = |bytes: u64| format!("A: b\r\n{}\r\n\r\n.\r\n", "x".repeat(bytes as usize)).into_bytes();
    let header = |bytes: u64| {
        let lines = "x".repeat(62) + "\r\n";
        let mut text = lines.repeat(bytes as usize / 64);
        text.truncate(bytes as usize - 4);
        (text + "\r\n\r\n.\r\n").into_bytes()
    };
    for size in [1, 7, 1 << 20] {
        let flaw = |input: &[u8]| read(ContentFraming::Dotted, input, size).0.err();
        assert_eq!(flaw(&line(HEADER_LINE_BYTES_MAX)), None);
        assert_eq!(flaw(&line(HEADER_LINE_BYTES_MAX + 1)), Some(ContentFlaw::HeaderLineTooLong));
        assert_eq!(flaw(&header(HEADER_BYTES_MAX)), None);
        assert_eq!(flaw(&header(HEADER_BYTES_MAX + 64)), Some(ContentFlaw::HeaderTooLarge));
    }
}

/// Lines of every length around the limit of header lines, at every place of a body, with every kind of start.
#[test]
fn long_lines_of_a_body_are_accepted_unchanged() {
    let limit = usize::try_from(HEADER_LINE_BYTES_MAX).unwrap();
    for length in [limit - 1, limit, limit + 1, 2 * limit, 9 * limit] {
        for (start, stuffed) in [("x", "x"), (".", ".."), (".x", "..x"), ("\0", "\0")] {
            for (before, after) in [("", ""), ("first\r\n", "last\r\n")] {
                let text = "a \u{e4}=.".repeat(length / 6);
                let whole = |start: &str| format!("A: b\r\n\r\n{before}{start}{text}\r\n{after}").into_bytes();
                let mut wire = whole(stuffed);
                wire.extend_from_slice(b".\r\nQUIT\r\n");
                for size in [4093, wire.len()] {
                    let (content, used, ended) = read(ContentFraming::Dotted, &wire, size);
                    assert_eq!((content.as_deref(), ended), (Ok(&*whole(start)), true), "{length} {start:?}");
                    assert_eq!(used, wire.len() - b"QUIT\r\n".len());
                }
                let (content, ..) = read(ContentFraming::Counted, &whole(start), 4093);
                assert_eq!(content.as_deref(), Ok(&*whole(start)));
            }
        }
    }
    let unended = format!("A: b\r\n{}", "x".repeat(limit + 1));
    assert_eq!(read(ContentFraming::Dotted, unended.as_bytes(), 999).0, Err(ContentFlaw::HeaderLineTooLong));
}

#[test]
fn no_other_line_break_ends_content_inside_a_long_line() {
    let long = "x".repeat(2 * usize::try_from(HEADER_LINE_BYTES_MAX).unwrap());
    for end in
        ["\n.\n", "\n.\r\n", "\r.\r\n", "\r\n.\n", "\r\n.\r", "\r.\r", "\r\n\0.\r\n", "\r\n.\r\r\n", "\r\n .\r\n"]
    {
        let input = format!("A: b\r\n\r\n{long}{end}{long}");
        for size in [1021, input.len()] {
            let (_, used, ended) = read(ContentFraming::Dotted, input.as_bytes(), size);
            assert_eq!((used, ended), (input.len(), false), "{end:?}");
        }
    }
}

#[test]
fn the_size_excludes_stuffed_dots() {
    for (input, flaw) in [("..1\r\n.\r\n", None), ("..12\r\n.\r\n", Some(ContentFlaw::TooLarge))] {
        let limits = ContentLimits { bytes_max: 4, bytes_expected: u64::MAX };
        let mut content = ContentReader::new(ContentFraming::Dotted, limits);
        assert!(content.data.capacity() as u64 <= CONTENT_RESERVE_BYTES_MAX);
        assert!(content.feed(input.as_bytes()).ended);
        assert_eq!(content.finish().err(), flaw);
    }
}

#[test]
fn rejected_content_frees_its_memory() {
    let mut content = ContentReader::new(ContentFraming::Dotted, LIMITS);
    content.feed(&b"a line of text\r\n".repeat(1000));
    content.feed(b"bare\n");
    content.feed(&b"a line of text\r\n".repeat(1000));
    assert_eq!(content.data.capacity(), 0);
    assert_eq!(content.bytes(), 32_005);
}

fn tricky() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"\r\n"[..],
        b"\r",
        b"\n",
        b".",
        b"a",
        b"\0",
        b"..",
        b"\r\n.",
        b"\r\n.\r\n",
        b"text",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn splitting_the_input_does_not_change_the_result(input in tricky(), size in 1_usize..8) {
        for framing in [ContentFraming::Dotted, ContentFraming::Counted] {
            let whole = read(framing, &input, input.len().max(1));
            prop_assert_eq!(&read(framing, &input, size), &whole);
        }
    }

    #[test]
    fn stuffed_dots_are_removed(body in "([.a-z ]{0,5}\r\n){0,20}") {
        let mut stuffed = Vec::new();
        for line in body.split_inclusive('\n') {
            if line.starts_with('.') {
                stuffed.push(b'.');
            }
            stuffed.extend_from_slice(line.as_bytes());
        }
        stuffed.extend_from_slice(b".\r\n");
        let (content, used, ended) = read(ContentFraming::Dotted, &stuffed, 3);
        prop_assert_eq!((content, used, ended), (Ok(body.into_bytes()), stuffed.len(), true));
    }
}
