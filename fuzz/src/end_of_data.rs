//! Compares the parser of message data with a simple model of RFC 5321 §4.1.1.4: only CRLF.CRLF ends the data, dots are
//! unstuffed, and bare CR or LF make it invalid.

use posthouse_mail::smtp::dot::{ContentFlaw, ContentFraming, ContentLimits, ContentReader};

/// Large enough that the size doesn't matter.
const LIMITS: ContentLimits = ContentLimits { bytes_max: 1 << 30, bytes_expected: 0 };

/// The first byte determines the size of the pieces; the rest is the input after DATA.
pub fn run(data: &[u8]) {
    let [cut, input @ ..] = data else {
        return;
    };
    let mut content = ContentReader::new(ContentFraming::Dotted, LIMITS);
    let mut used = 0;
    let mut ended = false;
    for piece in input.chunks(usize::from(*cut).max(1)) {
        let progress = content.feed(piece);
        used += progress.consumed;
        ended = progress.ended;
        if ended {
            break;
        }
    }
    let end = end_of(input);
    assert_eq!(ended, end.is_some(), "the end of the data differs");
    let Some(end) = end else {
        return;
    };
    assert_eq!(used, end, "the number of consumed bytes differs");
    let lines = &input[..end - b".\r\n".len()];
    match content.finish() {
        Ok(data) => {
            assert!(!has_bare_line_break(lines), "a bare line break was accepted");
            assert_eq!(data, unstuff(lines), "the content differs");
        }
        Err(ContentFlaw::BareLineBreak) => assert!(has_bare_line_break(lines), "a valid message was rejected"),
        Err(ContentFlaw::HeaderLineTooLong | ContentFlaw::HeaderTooLarge) => {
            assert!(lines.len() > 60_000, "a short message was rejected")
        }
        Err(ContentFlaw::TooLarge) => panic!("no input is too large"),
    }
}

/// Returns the number of bytes up to and including CRLF.CRLF. Its first CRLF may be the one that ended the command.
fn end_of(input: &[u8]) -> Option<usize> {
    if input.starts_with(b".\r\n") {
        return Some(3);
    }
    let found = input.windows(5).position(|window| window == b"\r\n.\r\n");
    found.map(|at| at + 5)
}

fn has_bare_line_break(lines: &[u8]) -> bool {
    lines.iter().enumerate().any(|(at, byte)| match byte {
        b'\n' => at == 0 || lines[at - 1] != b'\r',
        b'\r' => lines.get(at + 1) != Some(&b'\n'),
        _ => false,
    })
}

/// Removes the dot at the start of each line. Only correct if every LF follows a CR.
fn unstuff(lines: &[u8]) -> Vec<u8> {
    let each = lines.split_inclusive(|&byte| byte == b'\n');
    each.flat_map(|line| line.strip_prefix(b".").unwrap_or(line)).copied().collect()
}
