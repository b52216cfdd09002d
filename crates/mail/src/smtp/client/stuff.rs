//! Wire format of `DATA` content: CRLF line ends, doubled leading dots, and a final lone dot (RFC 5321 §4.5.2).
//!
//! The output never contains a bare CR, a bare LF or a NUL, so that no receiver can find an end of the message that we
//! did not send (SMTP smuggling; RFC 5321 §2.3.8 forbids bare CR and LF).

use std::borrow::Cow;

/// The end of a message, also of an empty one.
const END: &[u8] = b".\r\n";

/// Converts a message into wire format piece by piece. The result does not depend on how the message is split.
#[derive(Debug, Clone)]
pub(super) struct DotStuffer {
    line_start: bool,
    /// The last byte was a CR. It is already written as CRLF, so a following LF is skipped.
    after_cr: bool,
}

impl DotStuffer {
    pub(super) fn new() -> Self {
        Self { line_start: true, after_cr: false }
    }

    /// Appends the wire format of `piece` to `out`: at most twice its length.
    pub(super) fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let mut rest = piece;
        while let Some(first) = rest.first() {
            let unchanged = if self.line_start && *first == b'.' { 0 } else { bytes_before_special(rest) };
            if unchanged > 0 {
                out.extend_from_slice(&rest[..unchanged]);
                (self.line_start, self.after_cr) = (false, false);
                rest = &rest[unchanged..];
                continue;
            }
            self.write_special(*first, out);
            rest = &rest[1..];
        }
    }

    /// Writes a CR, LF, NUL, or a dot at the start of a line.
    fn write_special(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            b'\r' => {
                out.extend_from_slice(b"\r\n");
                (self.line_start, self.after_cr) = (true, true);
            }
            b'\n' if self.after_cr => self.after_cr = false,
            b'\n' => {
                out.extend_from_slice(b"\r\n");
                self.line_start = true;
            }
            b'.' => {
                out.extend_from_slice(b"..");
                (self.line_start, self.after_cr) = (false, false);
            }
            // NUL is dropped, because some receivers do so too: a dot after it would then start a line.
            _ => {}
        }
    }

    /// Appends the end of the message.
    pub(super) fn finish(&self, out: &mut Vec<u8>) {
        if !self.line_start {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(END);
    }
}

/// Returns the number of leading bytes before the first CR, LF or NUL.
fn bytes_before_special(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0)).unwrap_or(bytes.len())
}

/// Returns `body` with CRLF line ends and without NUL: the bytes that are sent, apart from dot-stuffing. Call it before
/// signing a message (RFC 6376 §5.3). A body that is already clean is not copied.
#[must_use]
pub fn normalise_line_ends(body: &[u8]) -> Cow<'_, [u8]> {
    if is_clean(body) {
        return Cow::Borrowed(body);
    }
    let mut out = Vec::with_capacity(body.len() + body.len() / 16);
    let mut after_cr = false;
    for byte in body {
        match byte {
            b'\n' if after_cr => {}
            b'\r' | b'\n' => out.extend_from_slice(b"\r\n"),
            0 => continue,
            other => out.push(*other),
        }
        after_cr = *byte == b'\r';
    }
    Cow::Owned(out)
}

fn is_clean(body: &[u8]) -> bool {
    let mut rest = body;
    loop {
        let unchanged = bytes_before_special(rest);
        rest = match &rest[unchanged..] {
            [] => return true,
            [b'\r', b'\n', after @ ..] => after,
            _ => return false,
        };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stuffed(body: &[u8], piece_bytes: usize) -> Vec<u8> {
        let (mut stuffer, mut out) = (DotStuffer::new(), Vec::new());
        body.chunks(piece_bytes).for_each(|piece| stuffer.push(piece, &mut out));
        stuffer.finish(&mut out);
        out
    }

    /// Checks that even the most lenient receiver finds one end of the message only, at the very end.
    fn assert_one_end(body: &[u8]) {
        for piece_bytes in [1, 2, 3, usize::MAX] {
            let wire = stuffed(body, piece_bytes);
            assert!(is_clean(&wire), "{body:?} left as {wire:?}");
            let with_start = [b"\r\n", wire.as_slice()].concat();
            let ends = with_start.windows(5).filter(|window| window == b"\r\n.\r\n").count();
            assert!(ends == 1 && wire.ends_with(b".\r\n"), "{body:?} left as {wire:?}");
        }
    }

    #[test]
    fn bodies_are_stuffed() {
        for (body, wire) in [
            ("", ".\r\n"),
            ("a", "a\r\n.\r\n"),
            ("a\r\n", "a\r\n.\r\n"),
            ("a\r\n\r\n", "a\r\n\r\n.\r\n"),
            (".", "..\r\n.\r\n"),
            (".a\r\n..b\r\nc.d\r\n", "..a\r\n...b\r\nc.d\r\n.\r\n"),
            ("a\nb\rc\r\nd", "a\r\nb\r\nc\r\nd\r\n.\r\n"),
            ("a\n\r\nb", "a\r\n\r\nb\r\n.\r\n"),
            ("a\r", "a\r\n.\r\n"),
            ("a\0b", "ab\r\n.\r\n"),
            ("a\r\0\nb", "a\r\nb\r\n.\r\n"),
        ] {
            for piece_bytes in [1, 2, usize::MAX] {
                let out = stuffed(body.as_bytes(), piece_bytes);
                assert_eq!(String::from_utf8(out).unwrap(), wire, "{body:?} in pieces of {piece_bytes}");
            }
        }
    }

    #[test]
    fn no_smuggling_sequence_of_the_corpus_is_sent() {
        let Some(text) = crate::tests::corpus_text("smtp-end-of-data.json") else { return };
        let sequences: serde_json::Value = serde_json::from_str(&text).unwrap();
        for list in ["outbound", "inbound"] {
            let all = sequences[list].as_array().unwrap();
            assert!(all.len() >= 9);
            for sequence in all {
                let sequence = sequence.as_str().unwrap();
                assert_one_end(format!("Subject: x\r\n\r\nbody{sequence}MAIL FROM:<evil@example.com>\r\n").as_bytes());
                assert_one_end(sequence.as_bytes());
            }
        }
    }

    /// Returns what a receiver stores: without dot-stuffing and the final dot.
    fn unstuffed(wire: &[u8]) -> Vec<u8> {
        let body = wire.strip_suffix(END).unwrap();
        let mut out = Vec::new();
        for line in body.split_inclusive(|byte| *byte == b'\n') {
            out.extend_from_slice(line.strip_prefix(b".").unwrap_or(line));
        }
        out
    }

    proptest! {
        #[test]
        fn any_body_has_one_end_and_arrives_complete(
            body in prop::collection::vec(prop::sample::select(b"\r\n.\0a".to_vec()), 0..24),
        ) {
            assert_one_end(&body);
            let mut expected = normalise_line_ends(&body).into_owned();
            if !expected.is_empty() && !expected.ends_with(b"\n") {
                expected.extend_from_slice(b"\r\n");
            }
            prop_assert_eq!(unstuffed(&stuffed(&body, 5)), expected);
        }
    }
}
