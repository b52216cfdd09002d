//! A message as signatures see it: header fields in order with their exact bytes, and the body.
//!
//! Never changes or copies the message. Lines may end in CRLF or in a bare LF; canonicalisation writes CRLF.

/// Most header fields kept. No signature counts in a message with more: a field beyond them could be the one shown.
pub(crate) const FIELDS_MAX: usize = 2000;

/// Most From fields kept beyond [`FIELDS_MAX`], so that an author cannot hide behind many other fields.
const LATE_AUTHORS_MAX: usize = 100;

/// One header field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field<'m> {
    /// Name as written, without trailing white space.
    pub(crate) name: &'m [u8],
    /// Everything between the colon and the final line end, folds included.
    pub(crate) value: &'m [u8],
    /// The whole field without its final line end.
    pub(crate) raw: &'m [u8],
}

impl Field<'_> {
    /// True when the field has this name, in any case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// A message split at its empty line (RFC 5322 §2.1).
#[derive(Debug, Clone)]
pub(crate) struct Message<'m> {
    /// Header fields from the top.
    pub(crate) fields: Vec<Field<'m>>,
    /// Everything after the empty line.
    pub(crate) body: &'m [u8],
    /// True when the header has more fields than were kept.
    pub(crate) is_cut: bool,
}

impl<'m> Message<'m> {
    /// Splits raw bytes. Lines of the header that are no field are skipped.
    pub(crate) fn split(raw: &'m [u8]) -> Self {
        let mut fields: Vec<Field<'m>> = Vec::new();
        let mut is_cut = false;
        let mut start = 0;
        loop {
            let end = field_end(raw, start);
            let whole = raw.get(start..end).unwrap_or_default();
            let text = without_line_end(whole);
            if text.is_empty() {
                // The empty line, or the end of the message.
                let body = raw.get(end..).unwrap_or_default();
                return Self { fields, body, is_cut };
            }
            if let Some(field) = split_field(text) {
                is_cut |= fields.len() >= FIELDS_MAX;
                if !is_cut || (field.is("From") && fields.len() < FIELDS_MAX + LATE_AUTHORS_MAX) {
                    fields.push(field);
                }
            }
            start = end;
        }
    }

    /// The fields of one name from the top.
    pub(crate) fn named<'s>(&'s self, name: &'s str) -> impl DoubleEndedIterator<Item = &'s Field<'m>> {
        self.fields.iter().filter(move |field| field.is(name))
    }
}

/// End of the field (with its folded lines) that begins at `start`, behind its line end.
fn field_end(raw: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        let rest = raw.get(at..).unwrap_or_default();
        let Some(line) = rest.iter().position(|b| *b == b'\n') else {
            return raw.len();
        };
        let first_is_empty = at == start && without_line_end(rest.get(..=line).unwrap_or_default()).is_empty();
        at += line + 1;
        if first_is_empty || !matches!(raw.get(at), Some(b' ' | b'\t')) {
            return at;
        }
    }
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn split_field(raw: &[u8]) -> Option<Field<'_>> {
    let colon = raw.iter().position(|b| *b == b':')?;
    let name = raw.get(..colon)?.trim_ascii_end();
    if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    Some(Field { name, value: raw.get(colon + 1..)?, raw })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_body_keep_their_bytes() {
        let message = Message::split(b"A: 1\r\n 2\r\nno field\r\nB :x\n\r\nbody\r\n");
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
            let message = Message::split(raw);
            assert_eq!((message.fields.len(), message.body), (fields, body), "{raw:?}");
        }
    }
}
