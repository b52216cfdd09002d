//! The sign-in codes that stand for tokens: six digits in a row. Pure.

use std::{collections::HashSet, ops::Range};

use memchr::memmem;

use super::{CODE_OFFER, MASK, of_secret, symbol, symbol::Symbol};
use crate::user::sign_in_code;

/// Digits of a code.
const CODE_DIGITS: usize = 6;
/// No text with fewer letters has [`CODE_OFFER`].
const OFFER_LETTERS_MIN: usize = CODE_OFFER.len() * 3 / 4;
/// Tokens whose codes are kept. No program quotes as many; in a mail with more, any six digits may be a code.
const CODES_MAX: usize = 16;

/// The sign-in codes of the tokens in a mail.
#[derive(Clone, Default, Debug)]
pub struct TokenCodes {
    codes: HashSet<String>,
    /// Whether the mail quotes one that offers a code.
    is_offered: bool,
}

impl TokenCodes {
    /// Adds the code of the token with a secret.
    pub(super) fn add(&mut self, secret: &str) {
        if !self.is_any_code() {
            self.codes.insert(sign_in_code(&of_secret(secret)));
        }
    }

    /// Notes a text of the mail: if it quotes the sentence that offers a code, any six digits may be that code. A gateway may
    /// have replaced the link. Returns whether it does.
    pub fn note(&mut self, text: &str) -> bool {
        let offers = offers_code(text);
        self.is_offered |= offers;
        offers
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty() && !self.is_offered
    }

    /// Returns whether any six digits count as a code.
    fn is_any_code(&self) -> bool {
        self.is_offered || self.codes.len() > CODES_MAX
    }

    /// Returns the text without these codes; `None` if it has none.
    #[must_use]
    pub fn masked(&self, text: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let (mut out, mut end) = (String::new(), 0);
        for run in DigitRuns::of(text) {
            if self.is_any_code() || self.codes.contains(&run.digits) {
                out.push_str(&text[end..run.range.start]);
                out.push_str(MASK);
                end = run.range.end;
            }
        }
        (end > 0).then(|| out + &text[end..])
    }

    /// Returns whether a text is one of these codes.
    #[must_use]
    pub fn is_code(&self, text: &str) -> bool {
        self.masked(text).is_some_and(|masked| masked == MASK)
    }
}

/// Returns whether a text has [`CODE_OFFER`], however it is broken or quoted.
fn offers_code(text: &str) -> bool {
    let letters = |text: &str| text.bytes().filter(u8::is_ascii_alphanumeric).collect::<Vec<u8>>().to_ascii_lowercase();
    // Most texts are shorter, or have neither form of its last word, and need no copy.
    if text.len() < OFFER_LETTERS_MIN
        || memmem::find(text.as_bytes(), b"nstead").or(memmem::find(text.as_bytes(), b"NSTEAD")).is_none()
    {
        return false;
    }
    memmem::find(&letters(text), &letters(CODE_OFFER)).is_some()
}

/// A run of exactly six digits.
struct DigitRun {
    range: Range<usize>,
    digits: String,
}

/// Iterator over the runs of exactly six digits of a text. Digits may be references of HTML.
struct DigitRuns<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> DigitRuns<'a> {
    const fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Reads the digits at a position, however many.
    fn digits(&mut self) -> DigitRun {
        let (start, mut count, mut digits) = (self.at, 0, String::new());
        let mut end = start;
        while let Some(read) = self.text.get(self.at..).filter(|rest| !rest.is_empty()).map(symbol::of_reference) {
            match read.symbol {
                Symbol::Letter(digit) if digit.is_ascii_digit() => {
                    count += 1;
                    if count <= CODE_DIGITS {
                        digits.push(char::from(digit));
                    }
                    end = self.at + read.bytes;
                }
                Symbol::Invisible if count > 0 => {}
                _ => break,
            }
            self.at += read.bytes;
        }
        if count != CODE_DIGITS {
            digits.clear();
        }
        DigitRun { range: start..end, digits }
    }
}

impl Iterator for DigitRuns<'_> {
    type Item = DigitRun;

    fn next(&mut self) -> Option<DigitRun> {
        while self.at < self.text.len() {
            let run = self.digits();
            if !run.digits.is_empty() {
                return Some(run);
            }
            // What ended the run isn't a digit, or nothing was read.
            if let Some(rest) = self.text.get(self.at..).filter(|rest| !rest.is_empty()) {
                self.at += symbol::of_reference(rest).bytes;
            }
        }
        None
    }
}
