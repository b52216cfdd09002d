//! Which lines of a message are new, and which an earlier message of the thread has.
//!
//! Words are compared, not bytes: mail programs wrap quoted lines again and mark them. Of an earlier message, all words are
//! known in order, so that a line counts as repeated only if its words follow each other there too.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Words that are looked up together.
const SHINGLE: usize = 4;
/// The places of a shingle that are compared.
const PLACES_MAX: usize = 8;
/// A run of so many lines of the new text is a repetition too, of a quotation that nothing marks, or of a signature.
const UNMARKED_RUN_MIN: usize = 3;
/// The share of the lines of the extracted text that must be found in the text, in percent. Otherwise it was made from
/// the HTML, and says nothing about these lines.
const ALIGNED_MIN_PERCENT: usize = 50;

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineClass {
    /// New.
    New,
    /// Quoted, and in no earlier message.
    Unique,
    /// In the message with this number.
    Repeated(u32),
    /// Nothing but white space.
    Blank,
}

/// The words of the earlier messages of a thread.
#[derive(Default, Debug)]
pub struct QuoteIndex {
    hasher: RandomState,
    /// The words of each message.
    messages: Vec<KnownMessage>,
    /// Where sequences of words begin: the index of a message, and of a word.
    shingles: HashMap<u64, Vec<WordPlace>, RandomState>,
    /// Where a short line is.
    short: HashMap<u64, WordPlace, RandomState>,
}

#[derive(Debug)]
struct KnownMessage {
    number: u32,
    words: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct WordPlace {
    message: u32,
    word: u32,
}

impl QuoteIndex {
    /// Adds the text of the message with this number.
    pub fn add(&mut self, number: u32, text: &str) {
        let message = u32::try_from(self.messages.len()).unwrap_or(u32::MAX);
        let mut words = Vec::new();
        for line in text.lines() {
            let found = self.words(line);
            if (1..SHINGLE).contains(&found.len()) {
                let word = u32::try_from(words.len()).unwrap_or(u32::MAX);
                self.short.entry(self.hasher.hash_one(&found)).or_insert(WordPlace { message, word });
            }
            words.extend(found);
        }
        for (at, shingle) in (0..).zip(words.windows(SHINGLE)) {
            let places = self.shingles.entry(self.hasher.hash_one(shingle)).or_default();
            if places.len() < PLACES_MAX {
                places.push(WordPlace { message, word: at });
            }
        }
        self.messages.push(KnownMessage { number, words });
    }

    /// Returns where an earlier message has the words of a line: after those of the line before it, or else anywhere.
    fn find(&self, words: &[u64], expected: Option<WordPlace>) -> Option<WordPlace> {
        if words.is_empty() {
            return None;
        }
        let fits = |place: &WordPlace| {
            let start = place.word as usize;
            let known = self.messages.get(place.message as usize)?;
            known.words.get(start..start + words.len()).filter(|there| *there == words)
        };
        let expected = expected.filter(|place| fits(place).is_some());
        expected.or_else(|| match words.get(..SHINGLE) {
            None => self.short.get(&self.hasher.hash_one(words.to_vec())).copied(),
            Some(first) => {
                let places = self.shingles.get(&self.hasher.hash_one(first))?;
                places.iter().copied().find(|place| fits(place).is_some())
            }
        })
    }

    /// Returns the words of a line without quote marks.
    fn words(&self, line: &str) -> Vec<u64> {
        without_marks(line).split_whitespace().map(|word| self.hasher.hash_one(word)).collect()
    }

    /// Returns what each line of a message is, given its new text.
    pub(super) fn classify(&self, text: &str, new_text: Option<&str>) -> Vec<LineClass> {
        let is_new = self.new_lines(text, new_text);
        let mut classes: Vec<LineClass> = Vec::with_capacity(is_new.len());
        let mut found = Vec::with_capacity(is_new.len());
        let mut expected: Option<WordPlace> = None;
        for (line, is_new) in text.split_inclusive('\n').zip(&is_new) {
            let words = self.words(line);
            let place = self.find(&words, expected);
            let known = place.and_then(|place| self.messages.get(place.message as usize)).map(|known| known.number);
            let length = u32::try_from(words.len()).unwrap_or(u32::MAX);
            let follows = expected.is_some() && place == expected;
            if !words.is_empty() {
                expected = place.map(|place| WordPlace { word: place.word.saturating_add(length), ..place });
            }
            let is_marked = line.trim_start().starts_with('>');
            classes.push(match known {
                _ if words.is_empty() => LineClass::Blank,
                Some(number) if !is_new || is_marked => LineClass::Repeated(number),
                _ if *is_new => LineClass::New,
                _ => LineClass::Unique,
            });
            found.push(known.map(|number| FoundLine { number, is_long: words.len() >= SHINGLE, follows }));
        }
        mark_unmarked_runs(&mut classes, &found);
        classes
    }

    /// Returns which lines of the text are in its new text.
    fn new_lines(&self, text: &str, new_text: Option<&str>) -> Vec<bool> {
        let unmarked = || text.split_inclusive('\n').map(|line| !line.trim_start().starts_with('>')).collect();
        let Some(new_text) = new_text else { return unmarked() };
        let hash = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (!words.is_empty()).then(|| self.hasher.hash_one(words))
        };
        let mut wanted: HashMap<u64, usize, RandomState> = HashMap::default();
        let mut total = 0;
        for line in new_text.lines().filter_map(hash) {
            *wanted.entry(line).or_default() += 1;
            total += 1;
        }
        let mut matched = 0;
        let mut take = |line: &str| {
            let Some(count) = hash(line).and_then(|hash| wanted.get_mut(&hash)).filter(|count| **count > 0) else {
                return false;
            };
            *count -= 1;
            matched += 1;
            true
        };
        let is_new: Vec<bool> = text.split_inclusive('\n').map(&mut take).collect();
        if matched * 100 < total * ALIGNED_MIN_PERCENT { unmarked() } else { is_new }
    }
}

/// A line that an earlier message has.
#[derive(Clone, Copy)]
struct FoundLine {
    /// The number of the message.
    number: u32,
    /// Whether it has so many words that it is hardly there by chance.
    is_long: bool,
    /// Whether it follows the line before it there, too.
    follows: bool,
}

/// Marks runs of new lines that an earlier message has. A short line counts if it is there beside the same line.
fn mark_unmarked_runs(classes: &mut [LineClass], found: &[Option<FoundLine>]) {
    let mut counts = vec![false; classes.len()];
    let mut is_followed = false;
    for at in (0..classes.len()).rev().filter(|at| classes[*at] != LineClass::Blank) {
        counts[at] = found[at].is_some_and(|line| line.is_long || line.follows || is_followed);
        is_followed = found[at].is_some_and(|line| line.follows);
    }
    let mut start = 0;
    while start < classes.len() {
        let is_run = |at: usize| classes[at] == LineClass::Blank || (classes[at] == LineClass::New && counts[at]);
        let end = (start..classes.len()).find(|at| !is_run(*at)).unwrap_or(classes.len());
        let lines = (start..end).filter(|at| classes[*at] == LineClass::New).count();
        if lines >= UNMARKED_RUN_MIN {
            for at in start..end {
                if let (LineClass::New, Some(line)) = (classes[at], found[at]) {
                    classes[at] = LineClass::Repeated(line.number);
                }
            }
        }
        start = end.max(start + 1);
    }
}

fn without_marks(line: &str) -> &str {
    line.trim_start_matches(|c: char| c == '>' || c == '|' || c.is_whitespace())
}
