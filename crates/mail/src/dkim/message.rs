//! A message as signatures see it: the header fields in order with their exact bytes, and the body.
//!
//! Never changes or copies the message. Lines may end in CRLF or a bare LF; canonicalization writes CRLF.

use crate::header::{HeaderBlock, HeaderFlaw};

/// One header field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignedField<'m> {
    /// Name as written, without trailing white space.
    pub(crate) name: &'m [u8],
    /// Everything between the colon and the final line end, including folds.
    pub(crate) value: &'m [u8],
    /// The whole field without its final line end.
    pub(crate) raw: &'m [u8],
}

impl SignedField<'_> {
    /// Returns true if the field has this name, ignoring case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// A message split at its empty line (RFC 5322 §2.1).
#[derive(Debug, Clone)]
pub(crate) struct SignedMessage<'m> {
    /// Header fields from the top.
    pub(crate) fields: Vec<SignedField<'m>>,
    /// Everything after the empty line.
    pub(crate) body: &'m [u8],
    /// Why no signature can be trusted: other parsers may read this header differently from ours.
    pub(crate) flaw: Option<HeaderFlaw>,
}

impl<'m> SignedMessage<'m> {
    /// Splits raw bytes with the header parser that the whole crate shares.
    pub(crate) fn split(raw: &'m [u8]) -> Self {
        Self::of(raw, &HeaderBlock::cut(raw))
    }

    /// Creates a message from a header that is already parsed.
    pub(crate) fn of(raw: &'m [u8], block: &HeaderBlock<'m>) -> Self {
        let field = |field: &crate::header::HeaderField<'m>| SignedField {
            name: field.name.as_bytes(),
            value: field.value,
            raw: without_line_end(&raw[field.range.clone()]),
        };
        Self { fields: block.fields().map(field).collect(), body: block.body(), flaw: block.flaw() }
    }

    /// Returns the fields of one name, from the top.
    pub(crate) fn named<'s>(&'s self, name: &'s str) -> impl DoubleEndedIterator<Item = &'s SignedField<'m>> {
        self.fields.iter().filter(move |field| field.is(name))
    }
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_body_keep_their_bytes() {
        let message = SignedMessage::split(b"A: 1\r\n 2\r\nno field\r\nB :x\n\r\nbody\r\n");
        let seen: Vec<_> = message.fields.iter().map(|f| (f.name, f.value, f.raw)).collect();
        let expected: Vec<(&[u8], &[u8], &[u8])> = vec![(b"A", b" 1\r\n 2", b"A: 1\r\n 2"), (b"B", b"x", b"B :x")];
        assert_eq!(seen, expected);
        assert_eq!(message.body, b"body\r\n");
    }

    #[test]
    fn a_message_may_lack_a_body_a_header_or_both() {
        for (raw, fields, body) in [
            (&b""[..], 0, &b""[..]),
            (b"\r\n", 0, b""),
            (b"\r\nx", 0, b"x"),
            (b"\r\n x", 0, b" x"),
            (b"A: 1", 1, b""),
            (b"A: 1\r\n", 1, b""),
            (b"A: 1\r\n\r\n", 1, b""),
            (b"A: 1\n\nx", 1, b"x"),
        ] {
            let message = SignedMessage::split(raw);
            assert_eq!((message.fields.len(), message.body), (fields, body), "{raw:?}");
        }
    }
}
