//! Takes a From value apart: addresses in angle brackets, words with an `@`, display text (RFC 5322 §3.2, §3.4).
//!
//! Never decodes: encoded words are passed over as they stand, because no address may come out of one (RFC 2047 §5).

use super::NoAuthor;
use crate::address::AddressError;

/// What a From value holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found<'v> {
    /// The only address, not checked yet.
    pub(super) address: &'v [u8],
    /// The display text, quotes and escapes taken away; comments where there is nothing else.
    pub(super) display: Vec<u8>,
    /// Pieces of display text and comments that hold an `@` outside of quotes and encoded words.
    pub(super) named: Vec<&'v [u8]>,
}

/// Most quotes and parentheses of one value that are not closed: to find that out, the rest of the value is read.
const UNCLOSED_MAX: usize = 16;

#[derive(Default)]
struct Scan<'v> {
    /// Quotes and parentheses met so far that are not closed.
    unclosed: usize,
    /// What stands in angle brackets.
    bracketed: Vec<&'v [u8]>,
    /// Words with an `@` outside of quotes and encoded words, brackets and comments.
    bare: Vec<&'v [u8]>,
    comments: Vec<&'v [u8]>,
    /// Display text, without bare addresses.
    text: Vec<u8>,
}

/// Reads an unfolded value without control characters.
pub(super) fn scan(value: &[u8]) -> Result<Found<'_>, NoAuthor> {
    let mut scan = Scan::default();
    let mut at = 0;
    while at < value.len() {
        at = scan.token(value, at)?;
        if scan.unclosed > UNCLOSED_MAX {
            return Err(NoAuthor::InvalidAddress(AddressError::Quotes));
        }
    }
    scan.finish()
}

impl<'v> Scan<'v> {
    /// Reads the token at `at` and returns the offset behind it.
    fn token(&mut self, value: &'v [u8], at: usize) -> Result<usize, NoAuthor> {
        match value[at] {
            b'<' => {
                let close = angle_length(&value[at..]).ok_or(NoAuthor::InvalidAddress(AddressError::Brackets))?;
                let inner = value[at + 1..at + close - 1].trim_ascii();
                self.text.push(b' ');
                if !inner.contains(&b'@') {
                    // Display text, where other brackets hold an address: `Acme <News> <news@acme.example>`.
                    self.text.extend_from_slice(inner);
                    self.text.push(b' ');
                }
                self.bracketed.push(inner);
                return Ok(at + close);
            }
            b'(' => {
                if let Some(length) = comment_length(&value[at..]) {
                    self.comments.push(&value[at + 1..at + length - 1]);
                    self.text.push(b' ');
                    return Ok(at + length);
                }
                self.unclosed += 1;
            }
            byte if is_separator(byte) => {
                self.text.push(byte);
                return Ok(at + 1);
            }
            _ => {}
        }
        Ok(self.word(value, at))
    }

    /// Reads a run of characters up to a separator, bracket or comment. Quoted strings and encoded words are parts of it.
    fn word(&mut self, value: &'v [u8], start: usize) -> usize {
        let mut at = start;
        let mut has_at = false;
        let mut text = Vec::new();
        while at < value.len() && self.unclosed <= UNCLOSED_MAX {
            let rest = &value[at..];
            match rest[0] {
                b'"' => match quoted_length(rest) {
                    Some(length) => {
                        unescape(&rest[1..length - 1], &mut text);
                        at += length;
                        continue;
                    }
                    None => {
                        self.unclosed += 1;
                        text.push(b'"');
                    }
                },
                b'<' => break,
                // What is not closed is found out, and counted, where the next word begins.
                b'(' if at > start => break,
                byte if is_separator(byte) => break,
                b'=' => match encoded_word_length(rest) {
                    Some(length) => {
                        text.extend_from_slice(&rest[..length]);
                        at += length;
                        continue;
                    }
                    None => text.push(b'='),
                },
                byte => {
                    has_at |= byte == b'@';
                    text.push(byte);
                }
            }
            at += 1;
        }
        if has_at {
            self.bare.push(&value[start..at]);
        } else {
            self.text.append(&mut text);
        }
        at
    }

    fn finish(self) -> Result<Found<'v>, NoAuthor> {
        let Self { mut bracketed, bare, comments, mut text, .. } = self;
        if bracketed.iter().any(|inner| inner.contains(&b'@')) {
            bracketed.retain(|inner| inner.contains(&b'@'));
        }
        let in_comments = comments.iter().copied().filter(|comment| comment.contains(&b'@'));
        let (address, named): (&[u8], Vec<&[u8]>) = match (&bracketed[..], &bare[..]) {
            ([], []) => return Err(NoAuthor::NoAddress),
            ([b""], []) => return Err(NoAuthor::NoAddress),
            ([one], named) => {
                // A name such as `news@acme.example` is display text here.
                let mut shown = named.join(&b' ');
                shown.push(b' ');
                text.splice(0..0, shown);
                (one, named.iter().copied().chain(in_comments).collect())
            }
            // Obsolete syntax allows blanks and comments around the dots of an address (RFC 5322 §4.4), so a word that begins
            // or ends with one may be a part of it.
            ([], [_]) if has_dotted_edge(&text) => return Err(NoAuthor::InvalidAddress(AddressError::Dots)),
            ([], [one]) => (one, in_comments.collect()),
            _ => return Err(NoAuthor::SeveralAddresses),
        };
        let mut display = without_separators(&text).to_vec();
        if display.is_empty() {
            display = comments.join(&b' ');
        }
        Ok(Found { address, display, named })
    }
}

/// White space, and what separates the members of a list or a group.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b';')
}

/// Whether a word of the text begins or ends with a dot.
fn has_dotted_edge(text: &[u8]) -> bool {
    text.split(|byte| is_separator(*byte)).any(|word| word.starts_with(b".") || word.ends_with(b"."))
}

/// The text without separators at its ends.
fn without_separators(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_separator(*byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_separator(*byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// Length of the quoted string at the start; `None` when it is not closed.
fn quoted_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Length of the comment at the start, nested ones included; `None` when it is not closed.
fn comment_length(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Length of the angle brackets at the start, quoted strings inside passed over; `None` when they are not closed.
fn angle_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'"' => at += quoted_length(&text[at..])?,
            b'>' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Length of the encoded word at the start (RFC 2047 §2, §5): nothing in it that has a meaning in an address field.
fn encoded_word_length(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"=?")?;
    let charset = memchr::memchr(b'?', inner)?;
    let [encoding, b'?', encoded @ ..] = inner.get(charset + 1..)? else { return None };
    let length = memchr::memchr(b'?', encoded)?;
    let is_plain = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_graphic() && !b"()<>,;:\\\"".contains(byte));
    let is_word = charset > 0
        && b"bBqQ".contains(encoding)
        && encoded.get(length + 1) == Some(&b'=')
        && is_plain(&inner[..charset])
        && is_plain(&encoded[..length]);
    is_word.then_some(2 + charset + 3 + length + 2)
}

fn unescape(content: &[u8], out: &mut Vec<u8>) {
    let mut bytes = content.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => out.extend(bytes.next()),
            other => out.push(*other),
        }
    }
}
