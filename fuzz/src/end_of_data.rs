//! The reader of message content against a plain model of RFC 5321 §4.1.1.4: only CRLF.CRLF ends, dots are unstuffed,
//! bare CR and LF spoil.

use posthouse_mail::smtp::dot::{Content, ContentLimits, Flaw, Framing};

/// Large enough that size plays no part here.
const LIMITS: ContentLimits = ContentLimits { bytes_max: 1 << 30, bytes_expected: 0 };

/// The first byte says how the rest is cut; the rest is what follows DATA.
pub fn run(data: &[u8]) {
    let [cut, input @ ..] = data else {
        return;
    };
    let mut content = Content::new(Framing::Dotted, LIMITS);
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
    assert_eq!(ended, end.is_some(), "the end of data");
    let Some(end) = end else {
        return;
    };
    assert_eq!(used, end, "what follows the end");
    let lines = &input[..end - b".\r\n".len()];
    match content.finish() {
        Ok(data) => {
            assert!(!is_spoiled(lines), "a bare line break was accepted");
            assert_eq!(data, unstuff(lines), "the content");
        }
        Err(Flaw::BareLineBreak) => assert!(is_spoiled(lines), "a good message was refused"),
        Err(Flaw::LineTooLong | Flaw::HeaderTooLarge) => assert!(lines.len() > 60_000, "a short message was refused"),
        Err(Flaw::TooLarge) => panic!("nothing here is too large"),
    }
}

/// Bytes up to and including CRLF.CRLF, the CRLF of the command before counting as its first one.
fn end_of(input: &[u8]) -> Option<usize> {
    if input.starts_with(b".\r\n") {
        return Some(3);
    }
    let found = input.windows(5).position(|window| window == b"\r\n.\r\n");
    found.map(|at| at + 5)
}

fn is_spoiled(lines: &[u8]) -> bool {
    lines.iter().enumerate().any(|(at, byte)| match byte {
        b'\n' => at == 0 || lines[at - 1] != b'\r',
        b'\r' => lines.get(at + 1) != Some(&b'\n'),
        _ => false,
    })
}

/// Drops the dot at the start of each line. Only right where every LF follows a CR.
fn unstuff(lines: &[u8]) -> Vec<u8> {
    let each = lines.split_inclusive(|&byte| byte == b'\n');
    each.flat_map(|line| line.strip_prefix(b".").unwrap_or(line)).copied().collect()
}
