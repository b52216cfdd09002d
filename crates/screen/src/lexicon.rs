//! Words and phrases by concept, from the data files of twelve languages.
//!
//! A lookup costs one probe of a table of hashes. Every text of a file is folded as mail is, see [`crate::fold`].

use std::sync::LazyLock;

use crate::fold::{Folded, fold};

/// What a word stands for, as a bit.
pub(crate) type Concepts = u32;

pub(crate) const OVERRIDE: Concepts = 1;
pub(crate) const PRIOR: Concepts = 1 << 1;
pub(crate) const INSTRUCTION: Concepts = 1 << 2;
pub(crate) const ASSISTANT: Concepts = 1 << 3;
pub(crate) const ADDRESS: Concepts = 1 << 4;
pub(crate) const ROLE: Concepts = 1 << 5;
pub(crate) const SEND: Concepts = 1 << 6;
pub(crate) const REVEAL: Concepts = 1 << 7;
pub(crate) const SECRET: Concepts = 1 << 8;
pub(crate) const PROMPT: Concepts = 1 << 9;
pub(crate) const DATA: Concepts = 1 << 10;
pub(crate) const TOOL: Concepts = 1 << 11;
pub(crate) const CONCEAL: Concepts = 1 << 12;
pub(crate) const USER: Concepts = 1 << 13;
pub(crate) const URGENT: Concepts = 1 << 14;
pub(crate) const SYSTEM: Concepts = 1 << 15;
pub(crate) const ACT: Concepts = 1 << 16;
pub(crate) const TRIGGER: Concepts = 1 << 17;
pub(crate) const META: Concepts = 1 << 18;
/// An email address or a URL.
pub(crate) const TARGET: Concepts = 1 << 19;
pub(crate) const READING: Concepts = 1 << 20;
pub(crate) const THIS: Concepts = 1 << 21;
pub(crate) const CONFIRM: Concepts = 1 << 22;
pub(crate) const NEGATE: Concepts = 1 << 23;
pub(crate) const VOID: Concepts = 1 << 24;
pub(crate) const OUTPUT: Concepts = 1 << 25;
pub(crate) const ORDER: Concepts = 1 << 28;
pub(crate) const ABORT: Concepts = 1 << 29;
pub(crate) const YOU_ARE: Concepts = 1 << 30;
/// An assistant that a line speaks to.
pub(crate) const VOCATIVE: Concepts = 1 << 26;
/// An assistant that is said to read this mail.
pub(crate) const READER: Concepts = 1 << 27;
/// Set on entries that match every ending.
const STEM: Concepts = 1 << 31;

/// Maximum number of words of a phrase.
pub(crate) const PHRASE_WORDS_MAX: usize = 6;
/// Slots of the table; a power of two, over twice the number of entries.
const SLOTS: usize = 1 << 14;

const FILES: [&str; 12] = [
    include_str!("../data/en.txt"),
    include_str!("../data/de.txt"),
    include_str!("../data/fr.txt"),
    include_str!("../data/es.txt"),
    include_str!("../data/it.txt"),
    include_str!("../data/pt.txt"),
    include_str!("../data/nl.txt"),
    include_str!("../data/pl.txt"),
    include_str!("../data/tr.txt"),
    include_str!("../data/ja.txt"),
    include_str!("../data/zh.txt"),
    include_str!("../data/ar.txt"),
];

/// The names of the concepts in the data files.
const NAMES: [(&str, Concepts); 28] = [
    ("override", OVERRIDE),
    ("prior", PRIOR),
    ("instruction", INSTRUCTION),
    ("assistant", ASSISTANT),
    ("address", ADDRESS),
    ("role", ROLE),
    ("send", SEND),
    ("reveal", REVEAL),
    ("secret", SECRET),
    ("prompt", PROMPT),
    ("data", DATA),
    ("tool", TOOL),
    ("conceal", CONCEAL),
    ("user", USER),
    ("urgent", URGENT),
    ("system", SYSTEM),
    ("act", ACT),
    ("trigger", TRIGGER),
    ("meta", META),
    ("reading", READING),
    ("this", THIS),
    ("confirm", CONFIRM),
    ("negate", NEGATE),
    ("void", VOID),
    ("output", OUTPUT),
    ("order", ORDER),
    ("abort", ABORT),
    ("youare", YOU_ARE),
];

/// The hash of no characters.
pub(crate) const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the hash of a word with one more character.
#[inline]
pub(crate) const fn step(hash: u64, c: char) -> u64 {
    (hash ^ c as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Returns the hash of a phrase with one more word.
#[inline]
pub(crate) const fn join(phrase: u64, word: u64) -> u64 {
    (phrase.rotate_left(17) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// All words and phrases.
pub(crate) struct Lexicon {
    hashes: Box<[u64; SLOTS]>,
    concepts: Box<[Concepts; SLOTS]>,
    filter: Filter,
    /// The first two characters of each entry in a script without blanks.
    beginnings: Filter,
    /// The first three characters of each word.
    starts: Filter,
    /// The first words of each phrase.
    phrases: Filter,
}

/// A bit for some bits of each hash of a set, so that most lookups end here.
struct Filter(Box<[u64; FILTER_BITS as usize / 64]>);

impl Filter {
    fn new() -> Self {
        Self(Box::new([0; FILTER_BITS as usize / 64]))
    }

    fn add(&mut self, hash: u64) {
        self.0[(hash % FILTER_BITS) as usize / 64] |= 1 << (hash % 64);
    }

    #[inline]
    fn may_have(&self, hash: u64) -> bool {
        self.0[(hash % FILTER_BITS) as usize / 64] & (1 << (hash % 64)) != 0
    }
}

/// The lexicon, built on first use.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

const FILTER_BITS: u64 = 1 << 17;
/// Characters by which [`Lexicon::starts`] knows a word.
pub(crate) const START: usize = 3;

impl Lexicon {
    fn build() -> Self {
        let mut all = Self {
            hashes: Box::new([0; SLOTS]),
            concepts: Box::new([0; SLOTS]),
            filter: Filter::new(),
            beginnings: Filter::new(),
            starts: Filter::new(),
            phrases: Filter::new(),
        };
        for file in FILES {
            let mut concept = 0;
            for line in file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                    concept = NAMES.iter().find(|(known, _)| *known == name).map_or(0, |(_, bit)| *bit);
                    continue;
                }
                line.split(',').for_each(|entry| all.add(entry.trim(), concept));
            }
        }
        all
    }

    fn add(&mut self, entry: &str, concept: Concepts) {
        let (text, stem) = entry.strip_suffix('*').map_or((entry, 0), |text| (text, STEM));
        let words: Vec<Vec<char>> = words(text);
        let hash_of = |word: &[char]| word.iter().fold(EMPTY, |hash, c| step(hash, *c));
        let Some((first, rest)) = words.split_first() else { return };
        let hash = rest.iter().fold(hash_of(first), |phrase, word| {
            self.phrases.add(phrase);
            join(phrase, hash_of(word))
        });
        if words.len() == 1 && !words[0].iter().all(char::is_ascii) {
            let beginning = words[0].iter().take(2).fold(EMPTY, |hash, c| step(hash, *c));
            self.beginnings.add(beginning);
        }
        if words.len() == 1 && words[0].len() >= START {
            let start = words[0].iter().take(START).fold(EMPTY, |hash, c| step(hash, *c));
            self.starts.add(start);
        }
        // The ending of a phrase's last word is not free.
        let stem = if words.len() == 1 { stem } else { 0 };
        self.filter.add(hash);
        let mut slot = (hash >> 20) as usize % SLOTS;
        while self.concepts[slot] != 0 && self.hashes[slot] != hash {
            slot = (slot + 1) % SLOTS;
        }
        self.hashes[slot] = hash;
        self.concepts[slot] |= concept | stem;
    }

    /// Returns what a word or phrase stands for; 0 if it isn't known.
    #[inline]
    pub(crate) fn exact(&self, hash: u64) -> Concepts {
        self.probe(hash) & !STEM
    }

    /// Returns what every word that begins with this stands for.
    #[inline]
    pub(crate) fn stem(&self, hash: u64) -> Concepts {
        let concepts = self.probe(hash);
        if concepts & STEM == 0 { 0 } else { concepts & !STEM }
    }

    /// Returns whether an entry in a script without blanks may begin with these two characters.
    #[inline]
    pub(crate) fn begins(&self, hash: u64) -> bool {
        self.beginnings.may_have(hash)
    }

    /// Returns whether a word may begin with these [`START`] characters.
    #[inline]
    pub(crate) fn starts(&self, hash: u64) -> bool {
        self.starts.may_have(hash)
    }

    /// Returns whether a phrase may begin with these words and have more.
    #[inline]
    pub(crate) fn goes_on(&self, phrase: u64) -> bool {
        self.phrases.may_have(phrase)
    }

    #[inline]
    fn probe(&self, hash: u64) -> Concepts {
        if !self.filter.may_have(hash) {
            return 0;
        }
        let mut slot = (hash >> 20) as usize % SLOTS;
        while self.concepts[slot] != 0 {
            if self.hashes[slot] == hash {
                return self.concepts[slot];
            }
            slot = (slot + 1) % SLOTS;
        }
        0
    }
}

/// Returns the folded words of an entry. Han and Kana are written without blanks, so a run of them is one word.
fn words(text: &str) -> Vec<Vec<char>> {
    let mut words = vec![Vec::new()];
    for c in text.chars() {
        match fold(c) {
            Folded::Letter(c) | Folded::Digit(c) | Folded::Ideograph(c) => {
                words.last_mut().into_iter().for_each(|w| w.push(c))
            }
            Folded::Pair(a, b) => words.last_mut().into_iter().for_each(|w| w.extend([a, b])),
            Folded::Nothing(_) => {}
            Folded::Other => words.push(Vec::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_every_concept_and_no_other() {
        for file in FILES {
            let tables: Vec<&str> = file.lines().filter_map(|l| l.strip_prefix('[')?.strip_suffix(']')).collect();
            assert_eq!(tables, NAMES.map(|(name, _)| name));
            for entry in file.lines().filter(|l| !l.starts_with(['#', '['])).flat_map(|l| l.split(',')).map(str::trim) {
                assert!((1..=PHRASE_WORDS_MAX).contains(&words(entry).len()), "{entry}");
            }
        }
        assert!(LEXICON.concepts.iter().filter(|c| **c != 0).count() * 2 < SLOTS);
    }

    #[test]
    fn stems_match_every_ending() {
        let hash = |word: &str| word.chars().fold(EMPTY, step);
        assert_eq!(LEXICON.stem(hash("instruction")), INSTRUCTION);
        assert_eq!(LEXICON.exact(hash("ignore")) & OVERRIDE, OVERRIDE);
        assert_eq!(LEXICON.stem(hash("ignore")), 0);
    }
}
