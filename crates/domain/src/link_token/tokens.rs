//! Finds the tokens in the symbols of a text. No letter of the prefix is a digit, so each view needs only the one token
//! that may have begun, and no symbol is read twice. Pure.

use std::ops::Range;

use super::{CHECK_DIGITS, PREFIX, SECRET_DIGITS, TOKEN_CHARS, check_digits, is_digit, symbol::Symbol, walk};

/// The letters of a token before its check digits.
const SECRET_END: usize = PREFIX.len() + SECRET_DIGITS;
/// Letters among the digits of a secret without check digits: a row of numbers isn't one.
const LETTERS_MIN: usize = 2;
/// The longest name of an author before the sign of a quote, in bytes: `AB> `.
const INITIALS_BYTES_MAX: usize = 10;

/// A token in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) secret: String,
}

/// Returns the tokens of a text. They overlap where views differ.
pub(super) fn find(text: &str) -> Vec<Found> {
    let mut finder = Finder::default();
    walk::walk(text, &mut finder);
    finder.end();
    finder.found
}

/// Returns how many bytes are looked at to find the tokens of a text.
#[cfg(test)]
pub(super) fn cost(text: &str) -> usize {
    walk::walk(text, &mut Finder::default())
}

/// Returns whether a text has a token.
pub(super) fn is_in(text: &str) -> bool {
    let mut finder = Finder { is_first_enough: true, ..Finder::default() };
    walk::walk(text, &mut finder);
    finder.end();
    !finder.found.is_empty()
}

/// Finds tokens in all views: with and without the names of authors before quoted lines.
#[derive(Default)]
struct Finder {
    begun: [Begun; 2 * walk::VIEWS],
    /// How many of them have begun.
    active: usize,
    /// Where the name of an author before a quoted line ends.
    initials_end: usize,
    checked: Checked,
    found: Vec<Found>,
    is_first_enough: bool,
}

impl walk::Reader for Finder {
    fn is_idle(&self) -> bool {
        self.active == 0
    }

    fn is_done(&self) -> bool {
        self.is_first_enough && !self.found.is_empty()
    }

    fn read(&mut self, seen: &walk::Seen<'_>) {
        let mut active = 0;
        let is_initial = seen.range.start < self.initials_end;
        for (index, begun) in self.begun.iter_mut().enumerate() {
            let is_passed = is_initial && index >= walk::VIEWS;
            if seen.is_in(index % walk::VIEWS) && !is_passed {
                let ended = begun.read(seen.symbol, &seen.range, &mut self.checked);
                push(&mut self.found, ended);
            }
            active += usize::from(begun.count > 0);
        }
        self.active = active;
        if active > 0 && seen.symbol == Symbol::Break {
            self.initials_end = seen.range.end + initials(seen.rest);
        }
    }
}

impl Finder {
    fn end(&mut self) {
        for begun in &mut self.begun {
            push(&mut self.found, begun.end());
        }
    }
}

/// Adds a token that other views may have found before.
fn push(all: &mut Vec<Found>, found: Option<Found>) {
    let Some(found) = found else { return };
    if !all.iter().rev().take(2 * walk::VIEWS).any(|other| *other == found) {
        all.push(found);
    }
}

/// Returns the length of the name of an author before a quoted line, with its sign.
fn initials(line: &str) -> usize {
    let line = line.as_bytes();
    let blank = line.iter().take(3).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let name = line[blank..].iter().take(INITIALS_BYTES_MAX + 1).take_while(is_name).count();
    let rest = &line[blank + name..];
    let signs: [&[u8]; 6] = [b">", b" >", b"|", b" |", b"&gt;", b"&#62;"];
    let sign = signs.into_iter().find(|sign| rest.starts_with(sign));
    sign.filter(|_| (1..=INITIALS_BYTES_MAX).contains(&name)).map_or(0, |sign| blank + name + sign.len())
}

/// The check digits of the last secret: all views find the same token.
#[derive(Default)]
struct Checked {
    secret: String,
    digits: String,
}

impl Checked {
    fn is_right(&mut self, secret: &str, check: &str) -> bool {
        if self.secret != secret {
            secret.clone_into(&mut self.secret);
            self.digits = check_digits(secret);
        }
        self.digits == check
    }
}

/// A token that may have begun in a view.
#[derive(Clone, Copy)]
struct Begun {
    /// How many of its letters were read.
    count: usize,
    letters: [u8; TOKEN_CHARS],
    start: usize,
    /// The end of the last letter.
    end: usize,
    /// The end without check digits that don't follow at once.
    close_end: usize,
    /// Whether there was punctuation that no quoting program adds.
    is_loose: bool,
    /// Whether there is such punctuation since the last letter, unless the line ends.
    is_marked: bool,
    /// Whether nothing but punctuation was on the line until now.
    is_line_start: bool,
    /// Whether something stands between the prefix and the secret.
    is_split: bool,
    /// Whether something was read since the last letter.
    is_apart: bool,
}

impl Default for Begun {
    fn default() -> Self {
        Self {
            count: 0,
            letters: [0; TOKEN_CHARS],
            start: 0,
            end: 0,
            close_end: 0,
            is_loose: false,
            is_marked: false,
            is_line_start: false,
            is_split: false,
            is_apart: false,
        }
    }
}

impl Begun {
    /// Reads the next symbol. Returns the token that ends at or before it.
    fn read(&mut self, symbol: Symbol, range: &Range<usize>, checked: &mut Checked) -> Option<Found> {
        match symbol {
            Symbol::Letter(letter) => self.letter(letter, range, checked),
            Symbol::Other => self.end(),
            _ if self.count == 0 => None,
            Symbol::Invisible => {
                // What can't be seen belongs to the letter before it.
                self.end = range.end;
                None
            }
            Symbol::Break => {
                (self.is_apart, self.is_line_start, self.is_marked) = (true, true, false);
                None
            }
            Symbol::Gap => {
                self.is_apart = true;
                None
            }
            Symbol::Mark => {
                self.is_apart = true;
                self.is_marked |= !self.is_line_start;
                None
            }
        }
    }

    fn letter(&mut self, letter: u8, range: &Range<usize>, checked: &mut Checked) -> Option<Found> {
        let is_next = match PREFIX.as_bytes().get(self.count) {
            Some(expected) => letter == *expected,
            None => is_digit(letter),
        };
        if !is_next {
            let ended = self.end();
            if letter == PREFIX.as_bytes()[0] {
                *self = Self { start: range.start, ..Self::default() };
                self.add(letter, range);
            }
            return ended;
        }
        if self.count == 0 {
            self.start = range.start;
        } else {
            self.is_apart |= self.end != range.start;
        }
        self.add(letter, range);
        if self.count < TOKEN_CHARS {
            return None;
        }
        let secret = self.text(PREFIX.len()..SECRET_END);
        if !checked.is_right(&secret, &self.text(SECRET_END..TOKEN_CHARS)) {
            return self.end();
        }
        let range = self.start..self.end;
        *self = Self::default();
        Some(Found { range, secret })
    }

    fn add(&mut self, letter: u8, range: &Range<usize>) {
        self.is_loose |= self.is_marked;
        self.is_split |= self.is_apart && self.count == PREFIX.len();
        if self.count < SECRET_END || !self.is_apart && self.close_end == self.end {
            self.close_end = range.end;
        }
        self.letters[self.count] = letter;
        self.count += 1;
        self.end = range.end;
        (self.is_marked, self.is_line_start, self.is_apart) = (false, false, false);
    }

    /// Ends what has begun. Returns it if it is a token without its check digits, which anybody could add.
    fn end(&mut self) -> Option<Found> {
        let begun = std::mem::take(self);
        if begun.count < SECRET_END || begun.is_loose || begun.is_split {
            return None;
        }
        let secret = begun.text(PREFIX.len()..SECRET_END);
        let letters = secret.bytes().filter(u8::is_ascii_alphabetic).count();
        (letters >= LETTERS_MIN).then_some(Found { range: begun.start..begun.close_end, secret })
    }

    fn text(&self, letters: Range<usize>) -> String {
        self.letters[letters].iter().map(|letter| char::from(*letter)).collect()
    }
}

const _: () = assert!(SECRET_END + CHECK_DIGITS == TOKEN_CHARS);
