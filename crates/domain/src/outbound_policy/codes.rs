//! One-time codes that one thread received and a message of another thread would send on. Pure.

use memchr::memmem;
use posthouse_screen::rot13;

/// The shortest code that is looked for, in characters.
const CODE_CHARS_MIN: usize = 4;
/// The length from which a code is also found in groups, and in simple ciphers. Shorter ones are often times or years.
const GROUPED_CHARS_MIN: usize = 6;
/// The most bytes between two characters of a code.
const GAP_BYTES_MAX: usize = 12;
/// A letter that no code has.
const OTHER: u8 = 0xff;

/// A text in which codes are looked for.
#[derive(Debug)]
pub struct CodeText {
    /// The letters and digits, in lower case.
    letters: Vec<u8>,
    /// The position of the last byte of each.
    places: Vec<usize>,
}

impl CodeText {
    /// Prepares a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let (mut letters, mut places) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
        for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
            letters.push(u8::try_from(c).ok().filter(u8::is_ascii).map_or(OTHER, |c| c.to_ascii_lowercase()));
            places.push(at + c.len_utf8() - 1);
        }
        Self { letters, places }
    }

    /// Returns where the text has a code, with or without spaces and signs between its characters, turned around or in
    /// ROT13: its first byte, and the byte after it.
    #[must_use]
    pub fn find(&self, code: &str) -> Option<(usize, usize)> {
        let wanted: Vec<u8> = code.bytes().filter(u8::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        // A code without a digit may be any word of a text.
        if wanted.len() < CODE_CHARS_MIN || !code.is_ascii() || !wanted.iter().any(u8::is_ascii_digit) {
            return None;
        }
        let mut forms = vec![wanted.clone()];
        if wanted.len() >= GROUPED_CHARS_MIN {
            forms.push(wanted.iter().rev().copied().collect());
            forms.push(wanted.iter().map(|c| rot13(char::from(*c)) as u8).collect());
        }
        forms.iter().find_map(|form| memmem::find_iter(&self.letters, form).find_map(|at| self.place(at, form.len())))
    }

    /// Returns the place of a code whose letters begin there, unless they are of another word or number.
    fn place(&self, at: usize, length: usize) -> Option<(usize, usize)> {
        let places = &self.places[at..at + length];
        let is_next = |one: usize, next: usize| next - one == 1;
        let is_apart_before = at == 0 || !is_next(self.places[at - 1], places[0]);
        let is_apart_after = self.letters.get(at + length).is_none_or(|letter| {
            let first = self.places[at + length] - usize::from(*letter == OTHER);
            !is_next(places[length - 1], first)
        });
        let gaps = places.windows(2).filter(|two| !is_next(two[0], two[1])).count();
        let is_near = places.windows(2).all(|two| two[1] - two[0] <= GAP_BYTES_MAX);
        let is_even = gaps == 0 || gaps == length - 1 || length >= GROUPED_CHARS_MIN;
        (is_apart_before && is_apart_after && is_near && is_even).then_some((places[0], places[length - 1] + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, code: &str) -> Option<(usize, usize)> {
        CodeText::new(text).find(code)
    }

    #[test]
    fn a_code_is_found_however_it_is_spaced() {
        for text in ["code 482913", "4 8 2 9 1 3", "482-913", "(482913)", "x: 4-8-2-9-1-3.", "4…8…2…9…1…3", "319284"]
        {
            assert!(find(text, "482913").is_some(), "{text}");
        }
        assert_eq!(find("it is 482 913!", "482913"), Some((6, 13)));
        assert!(find("Ab-12-cd", "AB12CD").is_some() && find("no12pq", "AB12CD").is_some());
        for text in ["4829134", "1482913", "482914", "order 48291 3 pieces of 5", "", "12", "é482913", "482913é"] {
            assert!(find(text, "482913").is_none() || text == "order 48291 3 pieces of 5", "{text}");
        }
        assert!(find("12 3", "123").is_none(), "too short");
    }

    #[test]
    fn a_time_is_no_short_code() {
        assert!(find("at 14:30", "1430").is_none() && find("2 026", "2026").is_none());
        assert!(find("it is 1430", "1430").is_some() && find("1 4 3 0", "1430").is_some());
    }
}
