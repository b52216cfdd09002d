//! Keys whose characters are apart, with blanks, line ends or signs between them.

use std::sync::LazyLock;

use super::keys::{FORMATS, SERVICE_KEY_LENGTH, is_beginning, is_example, is_service_key};
use super::{FINDINGS_MAX, Finding, SecretKind};
use crate::words::position;

/// Signs between two characters of a key in pieces.
const APART_MAX: usize = 12;
/// Changes between letters and digits that random characters have.
const CHANGES_MIN: u32 = 4;
/// Characters of the longest key in pieces.
const PIECES_MAX: usize = 76;
/// Characters of a prefix by which a key is recognized first. Words begin with shorter prefixes, too.
const PREFIX_MIN: usize = 4;
/// Characters of the checksum of a key of this service.
const CHECKSUM_LENGTH: usize = 6;
/// Characters of the first line of a private key.
const LINE_MAX: usize = 64;

/// Finds keys in pieces. Dashes and dots are signs of some formats, so that they are left out or not.
pub(super) fn find(text: &str, found: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    let mut rows = [Row::new(bytes, false), Row::new(bytes, true)];
    let (mut at, mut before) = (0, b' ');
    while at < bytes.len() && found.len() < FINDINGS_MAX {
        let byte = bytes[at];
        // Encoded files have every combination of letters somewhere within a word.
        let is_start = byte.is_ascii_alphabetic() && !before.is_ascii_alphanumeric();
        if is_start && let Some(finding) = rows.iter_mut().find_map(|row| row.key_at(at)) {
            at = finding.end;
            found.push(finding);
        } else {
            at += 1;
        }
        before = bytes[at - 1];
    }
}

/// The characters of a text that may be of keys, of which those from a place on are kept that a key can have.
struct Row<'a> {
    bytes: &'a [u8],
    /// Whether dashes and dots are left out.
    is_strict: bool,
    kept: Vec<Piece>,
    /// The number of the first piece that may be the beginning of a key.
    next: usize,
    /// Where the pieces that aren't kept yet begin.
    end: usize,
    /// How many characters of [`PRIVATE_KEY`] the last pieces are.
    named: usize,
}

/// Pieces that are kept before the first that is needed.
const PASSED_MAX: usize = 1_024;

struct Piece {
    at: u32,
    /// How often, up to here, letters follow digits and digits follow letters.
    changes: u32,
    /// How often, up to here, more signs are between two than a key has.
    gaps: u32,
    /// How often, up to here, [`PRIVATE_KEY`] ends; wraps.
    names: u16,
    byte: u8,
}

impl<'a> Row<'a> {
    const fn new(bytes: &'a [u8], is_strict: bool) -> Self {
        Self { bytes, is_strict, kept: Vec::new(), next: 0, end: 0, named: 0 }
    }

    /// Returns the key in pieces that begins there. Places must ascend.
    fn key_at(&mut self, start: usize) -> Option<Finding> {
        if !self.may_begin(start) {
            return None;
        }
        self.move_to(start);
        let rest = &self.kept[self.next..];
        let (kind, length) = key(&rest[..rest.len().min(PIECES_MAX)], self.is_strict)?;
        Some(Finding { kind, start, end: rest[length - 1].at as usize + 1 })
    }

    /// Returns whether the next characters are those of a prefix.
    fn may_begin(&self, start: usize) -> bool {
        let mut pieces = Pieces { bytes: self.bytes, at: start, is_strict: self.is_strict };
        let mut next = || pieces.next().map(|(byte, _)| byte);
        let (Some(first), Some(second)) = (next(), next()) else { return false };
        if !is_beginning(first, second) {
            return false;
        }
        match [first, second] {
            [b'p', b'h'] => next() == Some(b'_'),
            [b'B', b'E'] => next() == Some(b'G'),
            _ => {
                let (Some(third), Some(fourth)) = (next(), next()) else { return false };
                let first = u32::from_be_bytes([first, second, third, fourth]);
                LONG_FORMATS[usize::from(self.is_strict)].find(first).is_some()
            }
        }
    }

    /// Keeps the pieces that a key that begins there can have.
    fn move_to(&mut self, start: usize) {
        if start >= self.end {
            self.kept.clear();
            (self.next, self.end, self.named) = (0, start, 0);
        }
        while self.kept.get(self.next).is_some_and(|piece| (piece.at as usize) < start) {
            self.next += 1;
        }
        if self.next > PASSED_MAX {
            self.kept.drain(..self.next);
            self.next = 0;
        }
        while self.kept.len() - self.next < PIECES_MAX && self.end < self.bytes.len() {
            self.keep_next();
        }
    }

    fn keep_next(&mut self) {
        let (at, byte) = (self.end, self.bytes[self.end]);
        self.end += 1;
        if !is_kept(byte, self.is_strict) {
            return;
        }
        let (gaps, changes) = self.kept.last().map_or((0, 0), |last| {
            let is_gap = at - last.at as usize > APART_MAX;
            let is_change = last.byte.is_ascii_digit() != byte.is_ascii_digit();
            (last.gaps + u32::from(is_gap), last.changes + u32::from(is_change))
        });
        self.named = match PRIVATE_KEY.get(self.named) {
            Some(wanted) if *wanted == byte => self.named + 1,
            _ => usize::from(byte == PRIVATE_KEY[0]),
        };
        let names = self.kept.last().map_or(0, |last| last.names);
        let names = names.wrapping_add(u16::from(self.named == PRIVATE_KEY.len()));
        self.kept.push(Piece { at: position(at), changes, gaps, names, byte });
    }
}

/// The name in the first line of a private key. No character but the first is the same as the first.
const PRIVATE_KEY: &[u8] = b"PRIVATEKEY";

/// A format whose prefix is long enough.
struct Format {
    prefix: &'static str,
    /// The fewest characters behind it.
    fewest: usize,
    is_capital: bool,
}

struct Formats {
    /// The first characters of each as a number, in ascending order.
    firsts: Vec<u32>,
    all: Vec<Format>,
}

impl Formats {
    fn new(is_strict: bool) -> Self {
        let long = FORMATS.iter().filter(|(prefix, ..)| prefix.len() >= PREFIX_MIN && prefix != &"key-");
        let first = |format: &Format| {
            let signs = format.prefix.bytes().filter(|byte| is_kept(*byte, is_strict));
            signs.take(PREFIX_MIN).fold(0, |all, byte| all << 8 | u32::from(byte))
        };
        let format = |(prefix, fewest, _): &(&'static str, usize, usize)| {
            let is_capital = prefix.bytes().all(|byte| byte.is_ascii_uppercase());
            Format { prefix, fewest: *fewest, is_capital }
        };
        let mut all: Vec<Format> = long.map(format).collect();
        all.sort_by_key(first);
        Self { firsts: all.iter().map(first).collect(), all }
    }

    /// Returns the format with these first characters, of which there is at most one.
    fn find(&self, first: u32) -> Option<&Format> {
        self.firsts.binary_search(&first).ok().map(|at| &self.all[at])
    }
}

/// The formats as they are, and without dashes and dots.
static LONG_FORMATS: LazyLock<[Formats; 2]> = LazyLock::new(|| [false, true].map(Formats::new));

const fn is_kept(byte: u8, is_strict: bool) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !is_strict && matches!(byte, b'-' | b'.')
}

/// The characters that may be of one key, with their places: the next is at most a few signs away.
struct Pieces<'a> {
    bytes: &'a [u8],
    at: usize,
    is_strict: bool,
}

impl Iterator for Pieces<'_> {
    type Item = (u8, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.at..(self.at + APART_MAX).min(self.bytes.len()))?;
        let place = self.at + rest.iter().position(|byte| is_kept(*byte, self.is_strict))?;
        self.at = place + 1;
        Some((self.bytes[place], place))
    }
}

/// Returns the key at the start of a row, and its length.
fn key(row: &[Piece], is_strict: bool) -> Option<(SecretKind, usize)> {
    let is_near = |last: &Piece| last.gaps == row[0].gaps;
    match row[0].byte {
        b'p' => {
            let whole = row.get(..SERVICE_KEY_LENGTH).filter(|whole| is_near(&whole[SERVICE_KEY_LENGTH - 1]))?;
            if !whole[SERVICE_KEY_LENGTH - CHECKSUM_LENGTH..].iter().all(|piece| piece.byte.is_ascii_alphanumeric()) {
                return None;
            }
            let (key, length) = text::<SERVICE_KEY_LENGTH>(whole);
            let is_key = key.strip_prefix(b"ph_").is_some_and(is_service_key);
            is_key.then_some((SecretKind::ServiceKey, length))
        }
        b'B' if begins(row, "BEGIN", is_strict).is_some() => {
            let line = &row[..row.len().min(LINE_MAX)];
            line.last().filter(|last| last.names != row[0].names)?;
            let end = line.iter().position(|piece| piece.names != row[0].names)? + 1;
            is_near(&row[end - 1]).then_some((SecretKind::PrivateKey, end))
        }
        _ => {
            let first = row.get(..PREFIX_MIN)?.iter().fold(0, |all, piece| all << 8 | u32::from(piece.byte));
            let format = LONG_FORMATS[usize::from(is_strict)].find(first)?;
            let length = begins(row, format.prefix, is_strict)?;
            let rest = row.get(length..length + format.fewest)?;
            let (begin, end) = (&rest[0], &rest[format.fewest - 1]);
            let is_random = is_near(end)
                && end.changes - begin.changes >= CHANGES_MIN - u32::from(format.is_capital)
                && (!format.is_capital || !rest.iter().any(|piece| piece.byte.is_ascii_lowercase()));
            let rest = || rest.iter().map(|piece| char::from(piece.byte)).collect::<String>();
            (is_random && !is_example(&rest())).then_some((SecretKind::SecretKey, length + format.fewest))
        }
    }
}

/// Returns the first characters of a row, and how many there are.
fn text<const MAX: usize>(row: &[Piece]) -> ([u8; MAX], usize) {
    let mut text = [0; MAX];
    text.iter_mut().zip(row).for_each(|(byte, piece)| *byte = piece.byte);
    (text, row.len().min(MAX))
}

/// Returns the length of a prefix if a row begins with it.
fn begins(row: &[Piece], prefix: &str, is_strict: bool) -> Option<usize> {
    let mut length = 0;
    for wanted in prefix.bytes().filter(|byte| is_kept(*byte, is_strict)) {
        if row.get(length).is_none_or(|piece| piece.byte != wanted) {
            return None;
        }
        length += 1;
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_differ_in_their_first_characters() {
        for formats in LONG_FORMATS.iter() {
            let firsts = &formats.firsts;
            assert!(firsts.is_sorted_by(|one, next| one < next) && firsts.len() > 20, "{firsts:?}");
        }
    }
}
