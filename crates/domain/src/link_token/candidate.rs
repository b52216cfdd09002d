//! Whether a text can have a token at all. Most texts can't, and looking at one byte of twenty is cheaper than looking for
//! tokens. It says yes whenever in doubt. Pure, in linear time.
//!
//! A token has as many hexadecimal digits as its secret, with no other letter between them that a reader of one view of the
//! text sees ([`walk`]). So a text whose letters from G to Z are close to each other has none, except around signs that give
//! letters another meaning: references, escapes, and the names of authors before quoted lines.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3, memmem};

use super::{PREFIX, SECRET_DIGITS, walk};

/// Bytes before the sign of a quoted line in which the name of its author stands.
const INITIALS_BYTES_MAX: usize = 16;

/// The starts of codes with a letter of their own, as in `%u0070`.
const CODES: [&[u8]; 2] = [b"%u", b"%U"];

/// Returns whether a text may have a token: enough digits in a row, after a letter of its prefix or with something encoded.
pub(super) fn is_in(text: &[u8]) -> bool {
    if text.len() < PREFIX.len() + SECRET_DIGITS {
        return false;
    }
    // The letter of such a code would end a run. Hardly any text has one.
    if CODES.iter().any(|code| memmem::find(text, code).is_some()) {
        return true;
    }
    let mut search =
        Search { text, runs: [Run::default(); walk::VIEWS], sign: None, quote: None, line_end: 0, is_found: false };
    walk::parts(text, |range, views| {
        search.part(range, views);
        !search.is_found
    });
    search.is_found
}

/// Digits without another letter between them.
#[derive(Default, Clone, Copy)]
struct Run {
    /// All digits.
    digits: usize,
    /// The digits after the start of a token; `None` if none may start in the run or right before it.
    of_token: Option<usize>,
}

impl Run {
    /// Returns the run that continues this one.
    fn and(self, next: Self) -> Self {
        let of_token = self.of_token.map_or(next.of_token, |digits| Some(digits + next.digits));
        Self { digits: self.digits + next.digits, of_token }
    }

    fn may_be_token(self) -> bool {
        self.of_token.is_some_and(|digits| digits >= SECRET_DIGITS)
    }

    /// Notes that a token may start here.
    fn begin(&mut self) {
        self.of_token = self.of_token.or(Some(0));
    }

    /// Counts the digits of bytes in which no letter ends the run.
    fn count(&mut self, bytes: &[u8]) {
        for (at, &byte) in bytes.iter().enumerate() {
            let class = CLASSES[byte as usize];
            if class & DIGIT != 0 {
                self.digits += 1;
                self.of_token = self.of_token.map(|digits| digits + 1);
            }
            if class & ENCODED != 0 && may_be_encoded(byte, bytes.get(at + 1)) {
                self.begin();
            }
        }
    }
}

/// Returns whether a byte and the next one may begin an encoded T, the last letter before a secret: `%74`, `%2574`.
fn may_be_encoded(byte: u8, next: Option<&u8>) -> bool {
    !byte.is_ascii() || next.is_none_or(|next| matches!(next, b'7' | b'5' | b'2'))
}

/// What a part has: the run before its first letter that ends one, and the run after the last.
#[derive(Default)]
struct Part {
    first: Option<Run>,
    last: Run,
}

struct Search<'a> {
    text: &'a [u8],
    /// The run at the end of each view.
    runs: [Run; walk::VIEWS],
    /// Where the next sign is that gives letters another meaning, once it was looked for; the end of the text if it has no such sign.
    sign: Option<usize>,
    /// The same for `>`.
    quote: Option<usize>,
    /// The last end of a line that was looked for.
    line_end: usize,
    is_found: bool,
}

impl Search<'_> {
    /// Reads a part of the text, which is in these views.
    fn part(&mut self, range: Range<usize>, views: u8) {
        let mut part = Part::default();
        let mut at = range.start;
        let end = range.end - usize::from(self.is_tag_of_one_line(&range));
        while at < end {
            let special = self.next_special(at).min(end);
            let near = special.saturating_sub(INITIALS_BYTES_MAX).clamp(at, end);
            self.plain(if special == end { at..end } else { at..near }, &mut part);
            if special == end {
                break;
            }
            let after = special + meaning_bytes(&self.text[special..end]);
            part.last.begin();
            part.last.count(&self.text[near..after]);
            at = after;
        }
        self.is_found |= part.last.may_be_token();
        let mut rest = views;
        while rest != 0 {
            let view = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let first = self.runs[view].and(part.first.unwrap_or(part.last));
            self.is_found |= first.may_be_token();
            self.runs[view] = if part.first.is_some() { part.last } else { first };
        }
    }

    /// Returns whether a part is a tag whose end isn't the sign of a quoted line.
    fn is_tag_of_one_line(&mut self, range: &Range<usize>) -> bool {
        if self.text[range.start] != b'<' || self.text[range.end - 1] != b'>' {
            return false;
        }
        if self.line_end < range.start {
            let rest = &self.text[range.start..];
            self.line_end = range.start + memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        }
        self.line_end >= range.end
    }

    /// Reads bytes in which each letter is one.
    fn plain(&mut self, range: Range<usize>, part: &mut Part) {
        let bytes = &self.text[range];
        let Some(first) = bytes.iter().position(|byte| is_end(*byte)) else { return part.last.count(bytes) };
        part.last.count(&bytes[..first]);
        self.is_found |= part.last.may_be_token();
        part.first = part.first.or(Some(part.last));
        let last = self.last_end(bytes, first);
        part.last = after(bytes[last]);
        part.last.count(&bytes[last + 1..]);
    }

    /// Returns the last letter that ends a run, and looks at the runs between it and the first one.
    fn last_end(&mut self, bytes: &[u8], first: usize) -> usize {
        let mut at = first;
        while let Some(window) = bytes.get(at + 1..at + 1 + SECRET_DIGITS) {
            let Some(next) = window.iter().rposition(|byte| is_end(*byte)) else {
                let quiet = &bytes[at + 1..];
                let Some(next) = quiet.iter().position(|byte| is_end(*byte)) else { return at };
                let mut run = after(bytes[at]);
                run.count(&quiet[..next]);
                self.is_found |= run.may_be_token();
                at += 1 + next;
                continue;
            };
            at += 1 + next;
        }
        bytes[at + 1..].iter().rposition(|byte| is_end(*byte)).map_or(at, |last| at + 1 + last)
    }

    /// Returns where the next sign is that gives letters another meaning.
    fn next_special(&mut self, from: usize) -> usize {
        let find = |known: Option<usize>, find: fn(&[u8]) -> Option<usize>| match known {
            Some(at) if at >= from => at,
            _ => find(&self.text[from..]).map_or(self.text.len(), |at| from + at),
        };
        let sign = find(self.sign, |rest| memchr3(b'&', b'\\', b'|', rest));
        let quote = find(self.quote, |rest| memchr(b'>', rest));
        (self.sign, self.quote) = (Some(sign), Some(quote));
        sign.min(quote)
    }
}

/// Returns the run that begins after a letter.
fn after(letter: u8) -> Run {
    let is_of_prefix = PREFIX.as_bytes().contains(&letter.to_ascii_lowercase());
    Run { digits: 0, of_token: is_of_prefix.then_some(0) }
}

/// Returns the bytes of a sign and of the letters that it gives another meaning.
fn meaning_bytes(text: &[u8]) -> usize {
    let word = |from: usize| {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
        from + text[from..].iter().take_while(is_part).count()
    };
    match text[0] {
        b'\\' => 1 + usize::from(text.get(1).is_some_and(u8::is_ascii_alphabetic)),
        b'&' => {
            // The sign of a reference may be a reference itself: `&amp;shy;`.
            let mut end = 1;
            while text[end..].starts_with(b"amp;") {
                end += 4;
            }
            word(end)
        }
        _ => 1,
    }
}

/// A hexadecimal digit, or the start of a character that may be another form of one.
const DIGIT: u8 = 1;
/// A letter that ends a run.
const END: u8 = 2;
/// What may be the start of an encoded letter.
const ENCODED: u8 = 4;

/// What each byte may be.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' => DIGIT,
            b'g'..=b'z' | b'G'..=b'Z' => END,
            b'%' | b'=' => ENCODED,
            // The first bytes of raised, lowered, circled, wide and mathematical letters in UTF-8.
            0xc2 | 0xca | 0xcb | 0xe1 | 0xe2 | 0xef | 0xf0 => DIGIT | ENCODED,
            _ => 0,
        };
        if byte == u8::MAX {
            return classes;
        }
        byte += 1;
    }
}

fn is_end(byte: u8) -> bool {
    CLASSES[byte as usize] & END != 0
}
