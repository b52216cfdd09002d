//! Splits a `From` value into addresses in angle brackets, words with an `@`, and display text (RFC 5322 §3.2, §3.4).
//!
//! Encoded words are kept as they are: decoding them could produce an address (RFC 2047 §5).

use std::borrow::Cow;

use super::AuthorError;
use crate::address::AddressError;

/// The components of a `From` value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FromValue<'v> {
    /// The only address, not yet validated, without comments (RFC 5322 §A.5).
    pub(super) address: Cow<'v, [u8]>,
    /// The display text without quotes and escapes, or the comments if the display text is empty.
    pub(super) display: Vec<u8>,
    /// Pieces of display text and comments that contain an `@` outside quotes and encoded words.
    pub(super) named: Vec<&'v [u8]>,
}

/// Maximum number of unclosed quotes and parentheses. Detecting each one requires reading the rest of the value, so the
/// limit keeps the total time linear.
const UNCLOSED_MAX: usize = 16;

#[derive(Default)]
struct FromScanner<'v> {
    /// Number of unclosed quotes and parentheses so far.
    unclosed: usize,
    /// The contents of angle brackets, without comments.
    bracketed: Vec<Cow<'v, [u8]>>,
    /// Words with an `@` outside quotes, encoded words, brackets and comments.
    bare: Vec<&'v [u8]>,
    comments: Vec<&'v [u8]>,
    /// Display text, without bare addresses.
    text: Vec<u8>,
    /// Where the name of a group ends in the display text, if this is a group: after the first colon outside quotes.
    group_end: Option<usize>,
}

/// Scans an unfolded value. The value must not contain control characters.
pub(super) fn scan(value: &[u8]) -> Result<FromValue<'_>, AuthorError> {
    let mut scan = FromScanner::default();
    let mut at = 0;
    while at < value.len() {
        at = scan.scan_token(value, at)?;
        if scan.unclosed > UNCLOSED_MAX {
            return Err(AuthorError::InvalidAddress(AddressError::Quotes));
        }
    }
    scan.finish()
}

impl<'v> FromScanner<'v> {
    /// Consumes the token at `at` and returns the offset after it.
    fn scan_token(&mut self, value: &'v [u8], at: usize) -> Result<usize, AuthorError> {
        match value[at] {
            b'<' => {
                let close = angle_length(&value[at..]).ok_or(AuthorError::InvalidAddress(AddressError::Brackets))?;
                let inner = self.without_comments(value[at + 1..at + close - 1].trim_ascii());
                self.text.push(b' ');
                if !inner.contains(&b'@') {
                    // Display text if other brackets contain an address: `Acme <News> <news@acme.example>`.
                    self.text.extend_from_slice(&inner);
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
        Ok(self.scan_word(value, at))
    }

    /// Returns an address in angle brackets without its comments and the blanks around them. The comments are kept with
    /// the others, so that none of them can contain another address.
    fn without_comments(&mut self, inner: &'v [u8]) -> Cow<'v, [u8]> {
        if !inner.contains(&b'(') || !inner.contains(&b'@') {
            return Cow::Borrowed(inner);
        }
        let mut out = Vec::with_capacity(inner.len());
        let mut at = 0;
        while at < inner.len() {
            let rest = &inner[at..];
            let (length, is_comment) = match rest[0] {
                b'"' => (quoted_length(rest).unwrap_or(1), false),
                b'(' => match comment_length(rest) {
                    Some(length) => (length, true),
                    None => (1, false),
                },
                _ => (1, false),
            };
            if is_comment {
                self.comments.push(&rest[1..length - 1]);
                out.truncate(out.trim_ascii_end().len());
                at += length + rest[length..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                // A comment joins no two words to one.
                let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| !b"@.<>".contains(byte));
                if is_part(out.last()) && is_part(inner.get(at)) && inner.get(at) != Some(&b'(') {
                    out.push(b' ');
                }
            } else {
                self.unclosed += usize::from(rest[0] == b'(');
                out.extend_from_slice(&rest[..length]);
                at += length;
            }
            if self.unclosed > UNCLOSED_MAX {
                break;
            }
        }
        Cow::Owned(out)
    }

    /// Consumes a word: a run of characters up to a separator, bracket or comment, including quoted strings and encoded
    /// words.
    fn scan_word(&mut self, value: &'v [u8], start: usize) -> usize {
        let mut at = start;
        let mut has_at = false;
        let (mut text, mut colon) = (Vec::new(), None);
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
                // `scan_token` detects and counts an unclosed parenthesis at the start of the next word.
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
                    if byte == b':' {
                        colon.get_or_insert(text.len());
                    }
                }
            }
            at += 1;
        }
        if has_at {
            self.bare.push(&value[start..at]);
        } else {
            self.group_end = self.group_end.or(colon.map(|colon| self.text.len() + colon));
            self.text.append(&mut text);
        }
        at
    }

    fn finish(self) -> Result<FromValue<'v>, AuthorError> {
        let Self { mut bracketed, bare, comments, mut text, group_end, .. } = self;
        // The name of a group (RFC 5322 §3.4) isn't that of its member.
        if let Some(end) = group_end.filter(|_| text.trim_ascii_end().ends_with(b";")) {
            text.drain(..end);
        }
        if bracketed.iter().any(|inner| inner.contains(&b'@')) {
            bracketed.retain(|inner| inner.contains(&b'@'));
        }
        let in_comments = comments.iter().copied().filter(|comment| comment.contains(&b'@'));
        let (address, named): (Cow<'v, [u8]>, Vec<&[u8]>) = match (&bracketed[..], &bare[..]) {
            ([], []) => return Err(AuthorError::NoAddress),
            ([empty], []) if empty.is_empty() => return Err(AuthorError::NoAddress),
            ([one], named) => {
                // A name such as `news@acme.example` is display text here.
                let mut shown = named.join(&b' ');
                shown.push(b' ');
                text.splice(0..0, shown);
                (one.clone(), named.iter().copied().chain(in_comments).collect())
            }
            // The obsolete syntax allows white space and comments around the dots of an address (RFC 5322 §4.4), so a
            // word that begins or ends with a dot may be part of the address.
            ([], [_]) if has_dotted_edge(&text) => return Err(AuthorError::InvalidAddress(AddressError::Dots)),
            ([], [one]) => (Cow::Borrowed(*one), in_comments.collect()),
            _ => return Err(AuthorError::SeveralAddresses),
        };
        // A bracket that was closed twice is no name.
        let mut display = without_separators(&text).to_vec();
        if !display.contains(&b'<') {
            let end = display.iter().rposition(|byte| !matches!(byte, b'>' | b' ')).map_or(0, |last| last + 1);
            display.truncate(end);
        }
        if display == b"." {
            display.clear();
        }
        if display.is_empty() {
            display = comments.join(&b' ');
        }
        Ok(FromValue { address, display, named })
    }
}

/// Returns whether the byte is white space or separates the members of a list or group.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b';')
}

/// Returns whether a word of the text begins or ends with a dot.
fn has_dotted_edge(text: &[u8]) -> bool {
    text.split(|byte| is_separator(*byte)).any(|word| word.starts_with(b".") || word.ends_with(b"."))
}

/// Trims separators.
fn without_separators(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_separator(*byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_separator(*byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// Returns the length of the quoted string at the start, or `None` if it isn't closed.
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

/// Returns the length of the comment at the start, including nested comments, or `None` if it isn't closed.
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

/// Returns the length of the angle brackets at the start, or `None` if they aren't closed. A `>` inside a quoted string
/// doesn't close them.
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

/// Returns the length of the encoded word at the start (RFC 2047 §2, §5). An encoded word that contains a special
/// character of address fields doesn't count.
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
