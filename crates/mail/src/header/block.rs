//! The header section of a message, split into fields in one place (RFC 5322 §2.1, §2.2, §3.6.8).
//!
//! Display, author, DKIM, DMARC, submission and limits all use this result, so they can't disagree about the fields:
//!
//! - The section ends at the first empty line. A message that begins with an empty line has no fields.
//! - A line that begins with a space or a tab continues the previous field, even if it contains only white space.
//! - The first line of a field contains its colon. White space before the colon isn't part of the name (RFC 5322 §4.5).
//! - Any other line isn't a field. It is skipped together with its continuation lines, and doesn't end the section.
//! - Constructs that mail software interprets differently are a [`HeaderFlaw`]. A message with a flaw has no author.

use super::{
    FIELD_NAME_BYTES_MAX, HEADER_FIELDS_MAX, HEADER_SECTION_BYTES_MAX, HeaderField, is_blank, line_end,
    without_line_end,
};
use std::ops::Range;

/// The reason a header section is ambiguous or too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum HeaderFlaw {
    /// An empty line precedes the first field: some software skips it, other software ends the header there.
    #[error("The message begins with an empty line instead of its header (RFC 5322 section 2.1)")]
    StartsEmpty,
    /// A NUL, or a CR without LF after it: mail software disagrees about where the line ends.
    #[error("The header must not contain NUL or a bare CR (RFC 5322 section 2.2)")]
    BareControl,
    /// A field name is longer than [`FIELD_NAME_BYTES_MAX`], including white space before the colon.
    #[error("A header field name must not be longer than {FIELD_NAME_BYTES_MAX} bytes")]
    NameTooLong,
    /// There are more than [`HEADER_FIELDS_MAX`] fields.
    #[error("The header must not have more than {HEADER_FIELDS_MAX} fields")]
    TooManyFields,
    /// The section is larger than [`HEADER_SECTION_BYTES_MAX`] bytes.
    #[error("The header must not be larger than {HEADER_SECTION_BYTES_MAX} bytes")]
    TooLarge,
}

/// A line of the header section with its continuation lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderEntry<'a> {
    /// The field, or `None` if the line isn't one.
    pub(crate) field: Option<HeaderField<'a>>,
    /// The byte range in the message, including line ends.
    pub(crate) range: Range<usize>,
}

/// The header section of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderBlock<'a> {
    raw: &'a [u8],
    entries: Vec<HeaderEntry<'a>>,
    end: usize,
    flaw: Option<HeaderFlaw>,
}

impl<'a> HeaderBlock<'a> {
    /// Splits the header of a message. Runs in linear time.
    pub(crate) fn cut(raw: &'a [u8]) -> Self {
        let end = section_end(raw);
        let mut entries = HeaderEntries {
            raw: &raw[..end.min(HEADER_SECTION_BYTES_MAX)],
            position: 0,
            fields_left: HEADER_FIELDS_MAX,
        };
        let all: Vec<HeaderEntry<'a>> = entries.by_ref().collect();
        let flaw = find_flaw(&raw[..end], &all, entries.position, starts_with_empty_line(raw));
        Self { raw, entries: all, end, flaw }
    }

    /// Returns the fields from top to bottom.
    pub(crate) fn fields(&self) -> impl DoubleEndedIterator<Item = &HeaderField<'a>> {
        self.entries.iter().filter_map(|entry| entry.field.as_ref())
    }

    /// Returns the fields of one name from top to bottom.
    pub(crate) fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = &HeaderField<'a>> {
        self.fields().filter(move |field| field.is(name))
    }

    /// Returns all lines of the section from top to bottom, including those that aren't fields.
    pub(crate) fn entries(&self) -> &[HeaderEntry<'a>] {
        &self.entries
    }

    /// Returns everything after the empty line that ends the section.
    pub(crate) fn body(&self) -> &'a [u8] {
        &self.raw[self.body_offset()..]
    }

    /// Returns the offset of the empty line that ends the section, or the length of the message if it has no empty
    /// line.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Returns the offset of the body.
    pub(crate) fn body_offset(&self) -> usize {
        if self.end == self.raw.len() { self.end } else { line_end(self.raw, self.end) }
    }

    /// Returns the first flaw.
    pub(crate) fn flaw(&self) -> Option<HeaderFlaw> {
        self.flaw
    }
}

/// Iterator over the entries of the section `raw`.
#[derive(Debug, Clone)]
pub(super) struct HeaderEntries<'a> {
    pub(super) raw: &'a [u8],
    pub(super) position: usize,
    pub(super) fields_left: usize,
}

impl<'a> Iterator for HeaderEntries<'a> {
    type Item = HeaderEntry<'a>;

    fn next(&mut self) -> Option<HeaderEntry<'a>> {
        let start = self.position;
        if start >= self.raw.len() {
            return None;
        }
        let first_end = line_end(self.raw, start);
        let line = &self.raw[start..first_end];
        if is_blank(line) {
            return None;
        }
        let name = field_name(line);
        if name.is_some() {
            // If there is one field too many, `position` stays before it, so that `find_flaw` detects the unread rest.
            self.fields_left = self.fields_left.checked_sub(1)?;
        }
        let mut end = first_end;
        while matches!(self.raw.get(end), Some(b' ' | b'\t')) {
            end = line_end(self.raw, end);
        }
        self.position = end;
        let field = name.map(|(name, colon)| HeaderField {
            name,
            value: without_line_end(&self.raw[start + colon + 1..end]),
            range: start..end,
        });
        Some(HeaderEntry { field, range: start..end })
    }
}

/// Returns the name of a field line and the offset of its colon. Returns `None` if the line isn't a field or if its
/// name is too long, which is a flaw.
pub(crate) fn field_name(line: &[u8]) -> Option<(&str, usize)> {
    let (name, colon) = split_name(line)?;
    (colon <= FIELD_NAME_BYTES_MAX).then_some((name, colon))
}

fn split_name(line: &[u8]) -> Option<(&str, usize)> {
    let colon = memchr::memchr(b':', line)?;
    let blanks = line[..colon].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let name = &line[..colon - blanks];
    let valid = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    let name = std::str::from_utf8(name).ok().filter(|_| valid)?;
    Some((name, colon))
}

/// Returns the offset of the empty line that ends the header section, or the length of `raw` if it has no empty line.
pub(super) fn section_end(raw: &[u8]) -> usize {
    let mut position = 0;
    while position < raw.len() {
        let end = line_end(raw, position);
        if is_blank(&raw[position..end]) {
            return position;
        }
        position = end;
    }
    raw.len()
}

fn starts_with_empty_line(raw: &[u8]) -> bool {
    raw.starts_with(b"\n") || raw.starts_with(b"\r\n")
}

fn find_flaw(section: &[u8], entries: &[HeaderEntry<'_>], read: usize, starts_empty: bool) -> Option<HeaderFlaw> {
    if starts_empty {
        return Some(HeaderFlaw::StartsEmpty);
    }
    if section.len() > HEADER_SECTION_BYTES_MAX {
        return Some(HeaderFlaw::TooLarge);
    }
    if read < section.len() {
        return Some(HeaderFlaw::TooManyFields);
    }
    let is_long = |entry: &&HeaderEntry<'_>| {
        let line = &section[entry.range.start..line_end(section, entry.range.start)];
        entry.field.is_none() && split_name(line).is_some()
    };
    if entries.iter().find(is_long).is_some() {
        return Some(HeaderFlaw::NameTooLong);
    }
    let has_bare_control = memchr::memchr2_iter(b'\0', b'\r', section)
        .any(|at| section[at] == b'\0' || section.get(at + 1) != Some(&b'\n'));
    has_bare_control.then_some(HeaderFlaw::BareControl)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(raw: &[u8]) -> Vec<String> {
        HeaderBlock::cut(raw).fields().map(|field| field.name.to_owned()).collect()
    }

    #[test]
    fn fields_and_body_are_split_at_the_first_empty_line() {
        let cases: [(&[u8], &[&str], &[u8]); 12] = [
            (b"", &[], b""),
            (b"\r\nx", &[], b"x"),
            (b"\nA: 1\n\nx", &[], b"A: 1\n\nx"),
            (b"A: 1", &["A"], b""),
            (b"A: 1\r\n", &["A"], b""),
            (b"A: 1\r\n\r\n", &["A"], b""),
            (b"A: 1\n\nx", &["A"], b"x"),
            (b"A: 1\r\n \r\n\t\r\nB: 2\r\n\r\nx", &["A", "B"], b"x"),
            (b" A: 1\r\nB : 2\r\nno field\r\n C: 3\r\nD\r\n : 4\r\n\r\n", &["B"], b""),
            (b"\xc3\xa4: 1\r\nB C: 2\r\n: 3\r\nD:\r\n\r\n", &["D"], b""),
            (b"From me Sun\r\n>From: x\r\nF:y", &[">From", "F"], b""),
            (b"A\x0c: 1\r\nB \t: 2\r\n", &["B"], b""),
        ];
        for (raw, expected, body) in cases {
            assert_eq!(names(raw), expected, "{raw:?}");
            assert_eq!(HeaderBlock::cut(raw).body(), body, "{raw:?}");
        }
    }

    #[test]
    fn header_flaws_are_detected() {
        let fields = |count: usize| "A: b\r\n".repeat(count);
        let name = |length: usize| format!("{}: x\r\n", "n".repeat(length));
        let padded = |blanks: usize| format!("A{}: x\r\n", " ".repeat(blanks));
        let large = |bytes: usize| format!("A: {}\r\n", "x".repeat(bytes - 5));
        let table: [(String, Option<HeaderFlaw>); 16] = [
            ("A: b\r\n\r\n".into(), None),
            (String::new(), None),
            ("\r\nA: b\r\n".into(), Some(HeaderFlaw::StartsEmpty)),
            ("\nA: b\n".into(), Some(HeaderFlaw::StartsEmpty)),
            ("A: \0\r\n".into(), Some(HeaderFlaw::BareControl)),
            ("A: b\rC: d\r\n".into(), Some(HeaderFlaw::BareControl)),
            ("A: b\r\r\n".into(), Some(HeaderFlaw::BareControl)),
            ("A: b\r\n\r\n\0\r".into(), None),
            (fields(HEADER_FIELDS_MAX), None),
            (fields(HEADER_FIELDS_MAX + 1), Some(HeaderFlaw::TooManyFields)),
            (name(FIELD_NAME_BYTES_MAX), None),
            (name(FIELD_NAME_BYTES_MAX + 1), Some(HeaderFlaw::NameTooLong)),
            (padded(FIELD_NAME_BYTES_MAX - 1), None),
            (padded(FIELD_NAME_BYTES_MAX), Some(HeaderFlaw::NameTooLong)),
            (large(HEADER_SECTION_BYTES_MAX), None),
            (large(HEADER_SECTION_BYTES_MAX + 1), Some(HeaderFlaw::TooLarge)),
        ];
        for (raw, expected) in table {
            assert_eq!(HeaderBlock::cut(raw.as_bytes()).flaw(), expected, "{:?}", raw.get(..40));
        }
        let prose = format!("{} and so on: this is no field\r\nA: b\r\n", "word ".repeat(60));
        assert_eq!(HeaderBlock::cut(prose.as_bytes()).flaw(), None, "prose has no name that could be too long");
    }
}
