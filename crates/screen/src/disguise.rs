//! Looks up words whose letters are replaced, apart or together.

use crate::fold::{Folded, fold, leet};
use crate::lexicon::{Concepts, EMPTY, LEXICON, START, step};

/// Characters of a chunk without blanks that are read as one word.
pub(crate) const CHUNK_MAX: usize = 40;
/// Letters of the longest part of a word that has no blanks inside.
pub(crate) const PART_MAX: usize = 14;
/// Letters from which a beginning of a word is looked up.
pub(crate) const STEM_MIN: usize = 3;

/// Words that are often written with a hyphen.
const HYPHENATED: [&str; 8] = ["email", "emails", "login", "signin", "passcode", "password", "passwords", "readd"];

/// The first letters of a chunk.
struct Letters {
    all: [char; CHUNK_MAX + 1],
    length: usize,
}

impl Letters {
    const fn new() -> Self {
        Self { all: ['\0'; CHUNK_MAX + 1], length: 0 }
    }

    fn push(&mut self, c: char) {
        if let Some(next) = self.all.get_mut(self.length) {
            *next = c;
            self.length += 1;
        }
    }

    fn as_slice(&self) -> &[char] {
        &self.all[..self.length]
    }
}

/// Returns what a chunk stands for without its signs, or with the letters that its digits and signs look like.
pub(crate) fn without_signs(raw: &str) -> Concepts {
    let raw = raw.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '\u{201d}']);
    let (mut letters, mut usual, mut second) = (Letters::new(), Letters::new(), Letters::new());
    for c in raw.chars().take(CHUNK_MAX) {
        let looks = match fold(c) {
            Folded::Letter(letter) | Folded::Ideograph(letter) => {
                letters.push(letter);
                Some([letter; 2])
            }
            Folded::Pair(a, b) => {
                letters.push(a);
                letters.push(b);
                None
            }
            Folded::Digit(c) => Some(leet(c).unwrap_or([c; 2])),
            Folded::Other => leet(c),
            Folded::Nothing(_) => None,
        };
        if let Some([one, other]) = looks {
            usual.push(one);
            second.push(other);
        }
    }
    let is_hyphenated = HYPHENATED.iter().any(|word| word.chars().eq(letters.as_slice().iter().copied()));
    let mut found = if is_hyphenated { 0 } else { look_up(letters.as_slice()) };
    if usual.length > letters.length {
        found |= look_up(usual.as_slice()) | look_up(second.as_slice());
    }
    found
}

/// Letters of the longest unit after a number, as in `10min`.
const UNIT_MAX: usize = 3;

/// Returns whether a chunk is one word in which a digit or sign is in the place of a letter: another letter follows it.
pub(crate) fn is_leet(raw: &str) -> bool {
    let word = raw.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '$'));
    let is_substitute = |c: char| c.is_ascii_digit() || matches!(c, '@' | '$' | '€' | '!');
    let is_word = |c: char| c.is_alphabetic() || is_substitute(c) || c == '\'';
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = unit.len() < word.len() && unit.len() <= UNIT_MAX;
    let mut pairs = word.chars().zip(word.chars().skip(1));
    !is_number && word.chars().all(is_word) && pairs.any(|(one, next)| is_substitute(one) && next.is_alphabetic())
}

/// Returns a text with the letters that digits and signs within its words look like: the usual ones and second ones. An `@`
/// of an address stays.
pub(crate) fn without_leet(text: &str) -> [String; 2] {
    let mut both = [String::with_capacity(text.len()), String::with_capacity(text.len())];
    for chunk in text.split_inclusive(char::is_whitespace) {
        let has_letter = chunk.chars().any(char::is_alphabetic);
        let address = chunk.rfind('@').filter(|at| *at > 0 && chunk[*at..].contains('.'));
        for (at, c) in chunk.char_indices() {
            let is_kept = !has_letter || address == Some(at) || matches!(c, '!' | '|') && is_last(&chunk[at..]);
            let letters = leet(c).filter(|_| !is_kept).unwrap_or([c; 2]);
            both.iter_mut().zip(letters).for_each(|(text, letter)| text.push(letter));
        }
    }
    both
}

/// Returns whether only punctuation follows the first character.
fn is_last(rest: &str) -> bool {
    !rest.contains(char::is_alphanumeric)
}

fn look_up(letters: &[char]) -> Concepts {
    if letters.len() < 3 {
        return 0;
    }
    let (mut hash, mut found) = (EMPTY, 0);
    for (read, c) in letters.iter().enumerate() {
        hash = step(hash, *c);
        if read + 1 >= STEM_MIN {
            found |= LEXICON.stem(hash);
        }
    }
    found | LEXICON.exact(hash)
}

/// Returns what an Arabic word stands for without the article and joined prepositions.
pub(crate) fn without_article(letters: &[char]) -> Concepts {
    let mut found = 0;
    for length in 1..=3.min(letters.len().saturating_sub(3)) {
        let is_prefix = letters[..length].iter().all(|c| matches!(c, 'و' | 'ف' | 'ب' | 'ل' | 'ك' | 'ا'));
        if is_prefix {
            found |= look_up(&letters[length..]);
        }
    }
    found
}

/// Finds the words that letters without blanks consist of, of at least `length_min` letters, which is [`START`] or more.
pub(crate) fn segment(letters: &[char], length_min: usize, parts: &mut Vec<Concepts>) {
    let mut at = 0;
    while at < letters.len() {
        let (mut hash, mut found) = (EMPTY, None);
        for (read, c) in letters[at..].iter().take(PART_MAX).enumerate() {
            hash = step(hash, *c);
            if read + 1 == START && !LEXICON.starts(hash) {
                break;
            }
            if read + 1 < length_min {
                continue;
            }
            let concepts = LEXICON.exact(hash) | LEXICON.stem(hash);
            if concepts != 0 {
                found = Some((concepts, read + 1));
            }
        }
        match found {
            Some((concepts, length)) => {
                parts.push(concepts);
                at += length;
            }
            None => at += 1,
        }
    }
}
