//! Splits a text into words, in the normalized form that is indexed, searched and highlighted.
//!
//! A word is a run of letters and digits, in lower case, without accents and without an English plural ending. In
//! scripts that don't separate words with spaces (Chinese, Japanese, Korean, Thai and similar), and for pictographs,
//! every character is a word, so that any part of a text can be found as a phrase.

use std::ops::Range;

use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};

/// The longest word in bytes; the rest of a longer one is ignored.
const WORD_BYTES_MAX: usize = 64;

/// A word and its range in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NormalizedWord {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

/// How a character is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    /// Part of a word.
    Letter,
    /// A word by itself.
    Single,
    /// Ignored within words: combining accents, soft hyphens, joiners.
    Nothing,
    /// A separator between words.
    Gap,
}

fn char_class(c: char) -> CharClass {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { CharClass::Letter } else { CharClass::Gap };
    }
    match u32::from(c) {
        0x00AD | 0x0300..=0x036F | 0x200B..=0x200D | 0x2060 | 0xFE00..=0xFE0F | 0xFEFF | 0x1F3FB..=0x1F3FF => {
            CharClass::Nothing
        }
        // Thai, Lao, Myanmar, Khmer: marks above and below letters are not words.
        0x0E31 | 0x0E34..=0x0E3A | 0x0E47..=0x0E4E | 0x0EB1 | 0x0EB4..=0x0EBC | 0x0EC8..=0x0ECE => CharClass::Nothing,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF if c.is_alphanumeric() => CharClass::Single,
        // Kana, Bopomofo, Hangul, Han; pictographs.
        0x1100..=0x11FF | 0x3040..=0x30FF | 0x3100..=0x318F | 0x31A0..=0x31BF | 0x31F0..=0x31FF
            if c.is_alphanumeric() =>
        {
            CharClass::Single
        }
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xF900..=0xFAFF => CharClass::Single,
        0xFF66..=0xFFDC if c.is_alphanumeric() => CharClass::Single,
        0x2600..=0x27BF | 0x1F000..=0x1FAFF => CharClass::Single,
        0x20000..=0x3FFFF => CharClass::Single,
        _ if c.is_alphanumeric() => CharClass::Letter,
        _ => CharClass::Gap,
    }
}

/// Returns the words of a text in order.
pub(crate) fn words(text: &str) -> Vec<NormalizedWord> {
    let mut out = Vec::new();
    for_each_word(text, |word, at| out.push(NormalizedWord { text: word.to_owned(), at }));
    out
}

/// Calls `take` with each word of a text and its range, in order.
pub(super) fn for_each_word(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    let mut open = CurrentWord::default();
    let mut at = 0;
    while let Some(first) = text.as_bytes().get(at) {
        if !first.is_ascii() {
            at += open.character(text, at, &mut take);
            continue;
        }
        // Most text is ASCII, so a run of ASCII letters is handled at once.
        let run = text.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if run == 0 {
            open.close(&mut take);
            at += 1;
        } else {
            open.letters(at, &text[at..at + run]);
            at += run;
        }
    }
    open.close(&mut take);
}

/// The word that is being read.
#[derive(Default)]
struct CurrentWord {
    word: String,
    at: Option<Range<usize>>,
}

impl CurrentWord {
    /// Adds ASCII letters and digits.
    fn letters(&mut self, at: usize, run: &str) {
        let start = self.word.len();
        self.word.push_str(run);
        self.word[start..].make_ascii_lowercase();
        self.extend_range(at, at + run.len());
    }

    /// Handles the non-ASCII character at `at` and returns its length in bytes.
    fn character(&mut self, text: &str, at: usize, take: &mut impl FnMut(&str, Range<usize>)) -> usize {
        let Some(c) = text[at..].chars().next() else { return 1 };
        match char_class(c) {
            CharClass::Letter => {
                fold(c, &mut self.word);
                self.extend_range(at, at + c.len_utf8());
            }
            CharClass::Nothing => {}
            CharClass::Single => {
                self.close(take);
                fold(c, &mut self.word);
                take(&self.word, at..at + c.len_utf8());
                self.word.clear();
            }
            CharClass::Gap => self.close(take),
        }
        c.len_utf8()
    }

    fn extend_range(&mut self, at: usize, end: usize) {
        self.at.get_or_insert(at..at).end = end;
    }

    fn close(&mut self, take: &mut impl FnMut(&str, Range<usize>)) {
        let Some(at) = self.at.take() else { return };
        self.word.truncate(self.word.floor_char_boundary(WORD_BYTES_MAX));
        remove_plural(&mut self.word);
        if !self.word.is_empty() {
            take(&self.word, at);
        }
        self.word.clear();
    }
}

/// Normalizes a word prefix: like [`words`], but without removing a plural ending.
pub(super) fn beginning(text: &str) -> String {
    let mut out = String::new();
    text.chars().filter(|c| char_class(*c) == CharClass::Letter).for_each(|c| fold(c, &mut out));
    out.truncate(out.floor_char_boundary(WORD_BYTES_MAX));
    out
}

/// Appends a character in lower case, without accents.
fn fold(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    if let 0xFF01..=0xFF5E = u32::from(c)
        && let Some(plain) = char::from_u32(u32::from(c) - 0xFEE0)
    {
        out.push(plain.to_ascii_lowercase());
        return;
    }
    for lower in c.to_lowercase() {
        match char_class(lower) {
            CharClass::Nothing => {}
            CharClass::Single => out.push(lower),
            CharClass::Letter | CharClass::Gap => push_plain(base_letter(lower), out),
        }
    }
}

/// Appends a lower-case letter without accents, in the form in which it is searched.
fn push_plain(c: char, out: &mut String) {
    match c {
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'þ' => out.push_str("th"),
        'ø' => out.push('o'),
        'đ' | 'ð' => out.push('d'),
        'ł' => out.push('l'),
        'ı' => out.push('i'),
        'ς' => out.push('σ'),
        other => out.push(other),
    }
}

/// Returns the base letter without accents.
fn base_letter(mut c: char) -> char {
    let table = CanonicalDecompositionBorrowed::new();
    loop {
        match table.decompose(c) {
            Decomposed::Default => return c,
            Decomposed::Singleton(one) | Decomposed::Expansion(one, _) => c = one,
        }
    }
}

/// Removes the plural ending of an English word (Harman's S stemmer).
fn remove_plural(word: &mut String) {
    if word.len() < 4 || !word.ends_with('s') || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    let ends = |end: &str| word.ends_with(end);
    if ends("ies") && !ends("eies") && !ends("aies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if !ends("us") && !ends("ss") && !ends("is") {
        word.truncate(word.len() - 1);
    }
}
