//! Words of a text, in the one form in which they are indexed, looked for and marked.
//!
//! A word is a run of letters and digits, in lower case, without accents, with an English plural taken off. Writing that puts
//! no spaces between words (Chinese, Japanese, Korean, Thai and their like) and pictographs are one word a character, so
//! that any part of them is found as a phrase.

use std::ops::Range;

use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};

/// Longest word in bytes; the rest of a longer one does not count.
const WORD_BYTES_MAX: usize = 64;

/// A word and where it stands in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) at: Range<usize>,
}

/// What a character is to words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Part of a word.
    Letter,
    /// A word of its own.
    Single,
    /// Neither part of a word nor its end: accents that stand by themselves, soft hyphens, joiners.
    Nothing,
    /// Between words.
    Gap,
}

fn sort(c: char) -> Sort {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Sort::Letter } else { Sort::Gap };
    }
    match u32::from(c) {
        0x00AD | 0x0300..=0x036F | 0x200B..=0x200D | 0x2060 | 0xFE00..=0xFE0F | 0xFEFF | 0x1F3FB..=0x1F3FF => {
            Sort::Nothing
        }
        // Thai, Lao, Myanmar, Khmer: their marks above and below letters are no words.
        0x0E31 | 0x0E34..=0x0E3A | 0x0E47..=0x0E4E | 0x0EB1 | 0x0EB4..=0x0EBC | 0x0EC8..=0x0ECE => Sort::Nothing,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF if c.is_alphanumeric() => Sort::Single,
        // Kana, Bopomofo, Hangul, Han; pictographs.
        0x1100..=0x11FF | 0x3040..=0x30FF | 0x3100..=0x318F | 0x31A0..=0x31BF | 0x31F0..=0x31FF
            if c.is_alphanumeric() =>
        {
            Sort::Single
        }
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xF900..=0xFAFF => Sort::Single,
        0xFF66..=0xFFDC if c.is_alphanumeric() => Sort::Single,
        0x2600..=0x27BF | 0x1F000..=0x1FAFF => Sort::Single,
        0x20000..=0x3FFFF => Sort::Single,
        _ if c.is_alphanumeric() => Sort::Letter,
        _ => Sort::Gap,
    }
}

/// The words of a text, from left to right.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut out = Vec::new();
    each(text, |word, at| out.push(Word { text: word.to_owned(), at }));
    out
}

/// Gives each word of a text and where it stands, from left to right.
pub(super) fn each(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    let mut open = Open::default();
    let mut at = 0;
    while let Some(first) = text.as_bytes().get(at) {
        if !first.is_ascii() {
            at += open.character(text, at, &mut take);
            continue;
        }
        // Most text is ASCII, and there a run of letters is taken at once.
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
struct Open {
    word: String,
    at: Option<Range<usize>>,
}

impl Open {
    /// Letters and digits of ASCII.
    fn letters(&mut self, at: usize, run: &str) {
        let behind = self.word.len();
        self.word.push_str(run);
        self.word[behind..].make_ascii_lowercase();
        self.reaches(at, at + run.len());
    }

    /// The character there, which is not ASCII; gives its length in bytes.
    fn character(&mut self, text: &str, at: usize, take: &mut impl FnMut(&str, Range<usize>)) -> usize {
        let Some(c) = text[at..].chars().next() else { return 1 };
        match sort(c) {
            Sort::Letter => {
                fold(c, &mut self.word);
                self.reaches(at, at + c.len_utf8());
            }
            Sort::Nothing => {}
            Sort::Single => {
                self.close(take);
                fold(c, &mut self.word);
                take(&self.word, at..at + c.len_utf8());
                self.word.clear();
            }
            Sort::Gap => self.close(take),
        }
        c.len_utf8()
    }

    fn reaches(&mut self, at: usize, behind: usize) {
        self.at.get_or_insert(at..at).end = behind;
    }

    fn close(&mut self, take: &mut impl FnMut(&str, Range<usize>)) {
        let Some(at) = self.at.take() else { return };
        self.word.truncate(self.word.floor_char_boundary(WORD_BYTES_MAX));
        singular(&mut self.word);
        if !self.word.is_empty() {
            take(&self.word, at);
        }
        self.word.clear();
    }
}

/// The beginning of words: as [`words`] makes them, but nothing is taken off the end.
pub(super) fn beginning(text: &str) -> String {
    let mut out = String::new();
    text.chars().filter(|c| sort(*c) == Sort::Letter).for_each(|c| fold(c, &mut out));
    out.truncate(out.floor_char_boundary(WORD_BYTES_MAX));
    out
}

/// Adds a character in lower case and without its accents.
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
        match lower {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ı' => out.push('i'),
            'ς' => out.push('σ'),
            lower if sort(lower) == Sort::Nothing => {}
            lower if sort(lower) == Sort::Single => out.push(lower),
            lower => out.push(base(lower)),
        }
    }
}

/// The letter below the accents.
fn base(mut c: char) -> char {
    let table = CanonicalDecompositionBorrowed::new();
    loop {
        match table.decompose(c) {
            Decomposed::Default => return c,
            Decomposed::Singleton(one) | Decomposed::Expansion(one, _) => c = one,
        }
    }
}

/// Takes the plural off an English word (the rules of Harman's S stemmer).
fn singular(word: &mut String) {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    let ends = |end: &str| word.ends_with(end);
    if ends("ies") && !ends("eies") && !ends("aies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ends("s") && !ends("us") && !ends("ss") && !ends("is") {
        word.truncate(word.len() - 1);
    }
}
