//! Reads a text once and notes the words that stand for something, also where they are disguised: other letters, letters
//! with characters between them, words apart or together, and simple ciphers.

mod disguised;

use crate::disguise::{STEM_MIN, without_article};
use crate::fold::{Folded, Invisible, fold, is_look_alike};
use crate::lexicon::{
    ABORT, ADDRESS, ASSISTANT, CONCEAL, CONFIRM, Concepts, DATA, EMPTY, INSTRUCTION, LEXICON, NEGATE, ORDER, OUTPUT,
    OVERRIDE, PHRASE_WORDS_MAX, PRIOR, PROMPT, READING, REVEAL, ROLE, SECRET, SEND, START, SYSTEM, TARGET, THIS, TOOL,
    TRIGGER, URGENT, USER, VOID, YOU_ARE, join, step,
};

/// Characters of a word that are kept.
const WORD_MAX: usize = 256;
/// Characters of the longest entry without blanks, in scripts without blanks.
const IDEOGRAPHS_MAX: usize = 12;
/// Characters of a run of short words that are kept.
const RUN_MAX: usize = 4_096;
/// Bytes of the longest local part of an address (RFC 5321 §4.5.3.1.1).
const LOCAL_PART_MAX: u32 = 64;
/// Words with digits or signs for letters that are kept.
const LEET_MAX: usize = 1_024;
/// Characters of a text that are read a second time, as parts of words or without their signs.
const EFFORT_MAX: usize = 192 * 1024;

/// The place of a hash of words that no phrase begins with.
const NO_PHRASE: u64 = 0;

/// A word that stands for something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Its place, counted in words; ends of sentences and paragraphs count as words.
    pub(crate) at: u32,
    /// Its sentence, counted from the start of the text.
    pub(crate) sentence: u32,
    /// Its first byte.
    pub(crate) start: u32,
    /// The byte after it.
    pub(crate) end: u32,
    pub(crate) concepts: Concepts,
    /// Whether a reader that looks for the plain word doesn't find it.
    pub(crate) is_disguised: bool,
}

/// What a text says and how it hides it.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Words as a person reads them.
    pub(crate) plain: Vec<Hit>,
    /// Words in ROT13.
    pub(crate) rot13: Vec<Hit>,
    /// Words in the alphabet from Z to A.
    pub(crate) atbash: Vec<Hit>,
    /// Words from right to left.
    pub(crate) reversed: Vec<Hit>,
    /// Words with digits or signs for letters, also those that stand for nothing.
    pub(crate) leet: Vec<Hit>,
    /// Invisible characters inside of Latin words.
    pub(crate) invisible: Count,
    /// Words with letters of several scripts.
    pub(crate) mixed: Count,
    /// Controls that turn the direction of the text.
    pub(crate) turned: Count,
    /// Whether some words were only read as they are, because there were too many unusual ones.
    pub(crate) is_cut: bool,
}

/// How often something was seen, and where first.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) number: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Count {
    fn add(&mut self, start: u32, end: u32) {
        if self.number == 0 {
            self.start = start;
            self.end = end;
        }
        self.number += 1;
    }
}

/// Reads a text.
pub(crate) fn read(text: &str) -> Words {
    let mut reader = Reader::default();
    let mut ends_line = false;
    for (at, c) in text.char_indices() {
        let place = position(at);
        match fold(c) {
            Folded::Letter(letter) => reader.letter(place, c, letter),
            Folded::Pair(a, b) => {
                reader.letter(place, c, a);
                reader.letter(place, c, b);
            }
            Folded::Digit(digit) => reader.digit(place, digit),
            Folded::Ideograph(_) => reader.ideograph(place, text),
            Folded::Nothing(kind) => reader.nothing(place, c, kind),
            Folded::Other if is_picture(c) && reader.is_apart(&text[at + c.len_utf8()..]) => {
                reader.word.pictures += 1;
                reader.word.is_styled = true;
            }
            Folded::Other => {
                reader.other(place, c, text);
                if c == '\n' && ends_line {
                    reader.index += 4;
                    reader.sentence += 1;
                }
                ends_line = c == '\n' || ends_line && c.is_whitespace();
                continue;
            }
        }
        ends_line = false;
    }
    reader.end(position(text.len()), text);
    reader.words
}

/// Returns whether a character is an arrow, a symbol or an emoji.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[allow(clippy::cast_possible_truncation)] // A text is shorter than `crate::TEXT_BYTES_MAX`.
pub(crate) fn position(at: usize) -> u32 {
    at as u32
}

/// The word being read.
#[derive(Default)]
struct Word {
    letters: Vec<char>,
    start: u32,
    hash: u64,
    rot13: u64,
    atbash: u64,
    concepts: Concepts,
    rot13_concepts: Concepts,
    atbash_concepts: Concepts,
    /// Letters that the ciphers change.
    ciphered: u32,
    /// Whether its beginning isn't that of any entry: as it is, in ROT13, and in the alphabet from Z to A.
    is_unknown: [bool; 3],
    is_latin: bool,
    has_look_alike: bool,
    is_styled: bool,
    invisible: u32,
    /// Pictures between its letters.
    pictures: usize,
}

#[derive(Default)]
struct Reader {
    words: Words,
    index: u32,
    sentence: u32,
    /// Whether the last character ends a sentence if a blank follows.
    may_end: bool,
    word: Word,
    /// The hashes of the last phrases: of one word, two words and so on. [`NO_PHRASE`] if no entry begins like that.
    phrases: [u64; PHRASE_WORDS_MAX],
    /// Where the last words began, newest first.
    starts: [u32; PHRASE_WORDS_MAX],
    previous: Previous,
    /// Letters of a run of short words, with the number of words.
    run: Vec<char>,
    run_words: u32,
    run_start: u32,
    run_end: u32,
    run_singles: u32,
    chunk: Chunk,
    was_ideograph: bool,
    half: bool,
    effort: usize,
}

#[derive(Default, Clone, Copy)]
struct Previous {
    hash: u64,
    letters: usize,
    /// Whether its beginning isn't that of any word.
    is_unknown: bool,
    start: u32,
    end: u32,
    concepts: Concepts,
}

/// The characters since the last blank.
#[derive(Default)]
struct Chunk {
    start: u32,
    letters: u32,
    substitutes: u32,
    signs: u32,
    has_at: bool,
    has_url: bool,
    has_dot_after_at: bool,
    /// Signs of `://` that were just read.
    url_signs: u32,
    /// Where the word before them began.
    scheme: u32,
    /// Where the address begins, if other words are before it.
    address: u32,
    hits: usize,
}

impl Chunk {
    /// Notes where an address begins, if more is before its last word than the local part of an address has.
    fn begin_address(&mut self, word: u32, is_first: bool) {
        if is_first && word.saturating_sub(self.start) > LOCAL_PART_MAX {
            self.address = word;
        }
    }
}

impl Reader {
    #[inline]
    fn letter(&mut self, place: u32, c: char, letter: char) {
        self.was_ideograph = false;
        self.begin(place);
        let word = &mut self.word;
        self.chunk.letters += 1;
        if !c.is_ascii() {
            word.is_styled |= c as u32 >= 0x2000 && letter.is_ascii();
            word.has_look_alike |= is_look_alike(c);
        } else if word.letters.is_empty() || !word.is_latin {
            word.is_latin = true;
        }
        self.push(letter);
    }

    /// Returns whether the letters of the word so far have pictures between them, and another letter follows the next one.
    fn is_apart(&self, rest: &str) -> bool {
        let letters = self.word.letters.len();
        letters > 0 && letters == self.word.pictures + 1 && rest.starts_with(char::is_alphabetic)
    }

    fn digit(&mut self, place: u32, digit: char) {
        self.was_ideograph = false;
        self.begin(place);
        self.chunk.substitutes += 1;
        self.push(digit);
    }

    #[inline]
    fn begin(&mut self, place: u32) {
        self.may_end = false;
        if self.word.letters.is_empty() {
            self.word = Word {
                letters: std::mem::take(&mut self.word.letters),
                start: place,
                hash: EMPTY,
                rot13: EMPTY,
                atbash: EMPTY,
                ..Word::default()
            };
        }
        if self.chunk.letters + self.chunk.substitutes + self.chunk.signs == 0 {
            self.chunk = Chunk { start: place, hits: self.words.plain.len(), ..Chunk::default() };
        }
    }

    #[inline]
    fn push(&mut self, c: char) {
        let word = &mut self.word;
        if word.letters.len() == WORD_MAX {
            return;
        }
        word.letters.push(c);
        word.hash = step(word.hash, c);
        let letters = word.letters.len();
        if letters >= STEM_MIN && !word.is_unknown[0] {
            word.is_unknown[0] = letters == START && !LEXICON.starts(word.hash);
            word.concepts |= LEXICON.stem(word.hash);
        }
        if c.is_ascii_lowercase() {
            let order = c as u8 - b'a';
            word.ciphered += 1;
            let is_start = word.ciphered as usize == START;
            if !word.is_unknown[1] {
                word.rot13 = step(word.rot13, char::from(b'a' + (order + 13) % 26));
                word.is_unknown[1] = is_start && !LEXICON.starts(word.rot13);
                word.rot13_concepts |= if letters >= STEM_MIN { LEXICON.stem(word.rot13) } else { 0 };
            }
            if !word.is_unknown[2] {
                word.atbash = step(word.atbash, char::from(b'z' - order));
                word.is_unknown[2] = is_start && !LEXICON.starts(word.atbash);
                word.atbash_concepts |= if letters >= STEM_MIN { LEXICON.stem(word.atbash) } else { 0 };
            }
        }
    }

    fn nothing(&mut self, place: u32, c: char, kind: Invisible) {
        match kind {
            Invisible::ZeroWidth | Invisible::Tag | Invisible::Selector if c != '\u{ad}' => {
                self.word.invisible += u32::from(!self.word.letters.is_empty());
            }
            Invisible::Bidi if matches!(c, '\u{202d}' | '\u{202e}') => self.words.turned.add(place, place + 3),
            _ => {}
        }
    }

    fn other(&mut self, place: u32, c: char, text: &str) {
        self.was_ideograph = false;
        self.end_word(place);
        if c.is_whitespace() {
            self.end_chunk(place, text);
            self.sentence += u32::from(self.may_end);
            self.may_end = false;
            return;
        }
        self.may_end = matches!(c, '.' | '?' | '!') || self.may_end && matches!(c, '"' | '\'' | ')' | '\u{201d}');
        let chunk = &mut self.chunk;
        if chunk.letters + chunk.substitutes + chunk.signs == 0 {
            *chunk = Chunk { start: place, hits: self.words.plain.len(), ..Chunk::default() };
        }
        chunk.signs += 1;
        chunk.url_signs = match (c, chunk.url_signs) {
            (':', _) => 1,
            ('/', 1) => 2,
            ('/', 2) => {
                chunk.begin_address(chunk.scheme, !chunk.has_url);
                chunk.has_url = true;
                0
            }
            _ => 0,
        };
        match c {
            '@' => {
                chunk.has_at = chunk.letters > 0;
                chunk.begin_address(self.word.start, chunk.has_at && !chunk.has_url);
                chunk.substitutes += 1;
            }
            '.' => {
                chunk.has_dot_after_at |= chunk.has_at;
                chunk.has_url |= chunk.letters == 3 && text[chunk.start as usize..].starts_with("www.");
                self.index += 1;
            }
            ':' => chunk.scheme = self.word.start,
            '$' | '!' | '|' | '+' | '€' => chunk.substitutes += 1,
            '?' => self.index += 1,
            '。' | '！' | '？' => {
                self.index += 1;
                self.sentence += 1;
            }
            _ => {}
        }
    }

    fn ideograph(&mut self, place: u32, text: &str) {
        let began = self.word.letters.first().map(|_| self.word.start);
        self.end_word(place);
        if let Some(start) = began.filter(|_| !self.was_ideograph) {
            self.without_blanks(start, text);
        }
        self.was_ideograph = true;
        self.half = !self.half;
        self.index += u32::from(self.half);
        // An address ends here: text without blanks is no part of it.
        self.end_chunk(place, text);
        self.without_blanks(place, text);
    }

    /// Looks up the characters from a place on, in a script without blanks.
    fn without_blanks(&mut self, start: u32, text: &str) {
        let (mut hash, mut read, mut found) = (EMPTY, 0, None);
        let mut gap = 0;
        let mut is_disguised = false;
        for (at, c) in text[start as usize..].char_indices().take(IDEOGRAPHS_MAX * 2) {
            match fold(c) {
                Folded::Letter(c) | Folded::Digit(c) | Folded::Ideograph(c) => {
                    hash = step(hash, c);
                    read += 1;
                    is_disguised |= gap > 0;
                    gap = 0;
                    let concepts = LEXICON.exact(hash);
                    if read == 2 && !LEXICON.begins(hash) {
                        break;
                    }
                    if concepts != 0 {
                        found = Some((concepts, start + position(at + c.len_utf8()), is_disguised));
                    }
                }
                Folded::Nothing(_) => is_disguised |= read > 0,
                Folded::Other if gap == 0 && matches!(c, ' ' | '-' | '_' | '*' | '.' | '·' | '|' | '/') => gap += 1,
                _ => break,
            }
            if read == IDEOGRAPHS_MAX {
                break;
            }
        }
        if let Some((concepts, end, is_disguised)) = found {
            self.words.plain.push(Hit { at: self.index, sentence: self.sentence, start, end, concepts, is_disguised });
        }
    }

    fn end_word(&mut self, end: u32) {
        if self.word.letters.is_empty() {
            return;
        }
        self.index += 1;
        let mut concepts = self.word.concepts | if self.word.is_unknown[0] { 0 } else { LEXICON.exact(self.word.hash) };
        let word = &self.word;
        let (start, length) = (word.start, word.letters.len());
        if word.letters.first().is_some_and(|c| ('\u{620}'..='\u{6ff}').contains(c)) {
            concepts |= without_article(&word.letters);
        }
        let has_mixed = word.has_look_alike && word.is_latin;
        if has_mixed {
            self.words.mixed.add(start, end);
        }
        let has_invisible = word.invisible > 0 && word.is_latin && length > 1;
        if has_invisible {
            self.words.invisible.add(start, end);
        }
        let is_disguised = has_mixed || has_invisible || word.is_styled || word.has_look_alike && concepts != 0;
        if concepts != 0 {
            self.words.plain.push(Hit { at: self.index, sentence: self.sentence, start, end, concepts, is_disguised });
        }
        self.end_phrases(end, is_disguised);
        self.ciphers(start, end);
        self.joined(start, end, concepts, length);
        self.runs(start, end, length);
        let Word { hash, is_unknown: [is_unknown, ..], .. } = self.word;
        self.previous = Previous { hash, letters: length, is_unknown, start, end, concepts };
        self.word.letters.clear();
    }

    /// Returns whether that many characters may be read again.
    fn may_read_again(&mut self, characters: usize) -> bool {
        self.effort += characters;
        self.words.is_cut |= self.effort > EFFORT_MAX;
        !self.words.is_cut
    }

    fn end_phrases(&mut self, end: u32, is_disguised: bool) {
        let hash = self.word.hash;
        self.starts.copy_within(..PHRASE_WORDS_MAX - 1, 1);
        self.starts[0] = self.word.start;
        for words in (1..PHRASE_WORDS_MAX).rev() {
            if self.phrases[words - 1] == NO_PHRASE {
                self.phrases[words] = NO_PHRASE;
                continue;
            }
            let phrase = join(self.phrases[words - 1], hash);
            self.phrases[words] = if LEXICON.goes_on(phrase) { phrase } else { NO_PHRASE };
            let concepts = LEXICON.exact(phrase);
            if concepts != 0 {
                let start = self.starts[words];
                self.words.plain.push(Hit {
                    at: self.index,
                    sentence: self.sentence,
                    start,
                    end,
                    concepts,
                    is_disguised,
                });
            }
        }
        self.phrases[0] = if LEXICON.goes_on(hash) { hash } else { NO_PHRASE };
    }

    fn end(&mut self, place: u32, text: &str) {
        self.end_word(place);
        self.end_chunk(place, text);
        self.end_run();
    }
}

/// Concepts of words that are too common to count in disguise.
const COMMON: Concepts =
    PRIOR | URGENT | USER | SYSTEM | READING | THIS | CONFIRM | NEGATE | VOID | OUTPUT | ORDER | ABORT | YOU_ARE;

/// Concepts of which several together make an instruction.
pub(crate) const TELLING: Concepts = OVERRIDE
    | INSTRUCTION
    | ASSISTANT
    | ADDRESS
    | ROLE
    | SEND
    | REVEAL
    | SECRET
    | PROMPT
    | DATA
    | TOOL
    | CONCEAL
    | TRIGGER
    | TARGET;

#[cfg(test)]
mod tests;
