//! Words in disguise: in ciphers, joined, in pieces, and with signs and digits for letters.

use super::{COMMON, Hit, LEET_MAX, RUN_MAX, Reader};
use crate::disguise::{CHUNK_MAX, STEM_MIN, is_leet, segment, without_signs};
use crate::lexicon::{Concepts, EMPTY, LEXICON, START, TARGET, step};

impl Reader {
    pub(super) fn ciphers(&mut self, start: u32, end: u32) {
        let word = &self.word;
        if !word.is_latin || word.letters.len() < 3 {
            return;
        }
        let hit = |concepts| Hit { at: self.index, sentence: self.sentence, start, end, concepts, is_disguised: true };
        let exact = |hash, is_unknown: bool| if is_unknown { 0 } else { LEXICON.exact(hash) };
        let rot13 = word.rot13_concepts | exact(word.rot13, word.is_unknown[1]);
        if rot13 != 0 {
            self.words.rot13.push(hit(rot13));
        }
        let atbash = word.atbash_concepts | exact(word.atbash, word.is_unknown[2]);
        if atbash != 0 {
            self.words.atbash.push(hit(atbash));
        }
        let (mut hash, mut reversed) = (EMPTY, 0);
        for (letters, c) in word.letters.iter().rev().enumerate() {
            hash = step(hash, *c);
            if letters + 1 == START && !LEXICON.starts(hash) {
                return;
            }
            if letters + 1 >= STEM_MIN {
                reversed |= LEXICON.stem(hash);
            }
        }
        reversed |= LEXICON.exact(hash);
        if reversed != 0 {
            self.words.reversed.push(hit(reversed));
        }
    }

    /// Looks up two words as one, and the parts of a long word.
    pub(super) fn joined(&mut self, start: u32, end: u32, concepts: Concepts, length: usize) {
        let previous = self.previous;
        let is_near = start.saturating_sub(previous.end) <= 2 && previous.letters > 0;
        if is_near && !previous.is_unknown && previous.letters <= 10 && length <= 12 && previous.letters + length >= 5 {
            let (mut hash, mut joined) = (previous.hash, 0);
            for c in &self.word.letters {
                hash = step(hash, *c);
                joined |= LEXICON.stem(hash);
            }
            let joined = (joined | LEXICON.exact(hash)) & !(concepts | previous.concepts) & !COMMON;
            if joined != 0 && (concepts | previous.concepts) & !COMMON == 0 {
                let hit = Hit {
                    at: self.index,
                    sentence: self.sentence,
                    start: previous.start,
                    end,
                    concepts: joined,
                    is_disguised: true,
                };
                self.words.plain.push(hit);
            }
        }
        if length >= 16 && self.may_read_again(length) {
            let mut parts = Vec::new();
            segment(&self.word.letters, 4, &mut parts);
            if parts.len() >= 3 {
                self.add_parts(&parts, start, end);
            }
        }
    }

    fn add_parts(&mut self, parts: &[Concepts], start: u32, end: u32) {
        for concepts in parts {
            self.index += 1;
            self.words.plain.push(Hit {
                at: self.index,
                sentence: self.sentence,
                start,
                end,
                concepts: *concepts,
                is_disguised: true,
            });
        }
    }

    /// Collects words of at most three letters, which may be the pieces of longer ones.
    pub(super) fn runs(&mut self, start: u32, end: u32, length: usize) {
        let is_next = length <= 3 && start.saturating_sub(self.run_end) <= 4 && self.run.len() + length <= RUN_MAX;
        if !is_next && self.run_words > 0 {
            self.end_run();
        }
        if length <= 3 {
            if self.run_words == 0 {
                self.run_start = start;
            }
            self.run.extend_from_slice(&self.word.letters);
            self.run_words += 1;
            self.run_singles += u32::from(length == 1);
            self.run_end = end;
        }
    }

    pub(super) fn end_run(&mut self) {
        if self.run_words >= 4 && self.run.len() >= 6 && self.may_read_again(self.run.len()) {
            let mut parts = Vec::new();
            let is_single = self.run_singles * 10 >= self.run_words * 8;
            segment(&self.run, if is_single { 3 } else { 5 }, &mut parts);
            let (start, end) = (self.run_start, self.run_end);
            self.add_parts(&parts, start, end);
        }
        self.run.clear();
        self.run_words = 0;
        self.run_singles = 0;
    }

    pub(super) fn end_chunk(&mut self, end: u32, text: &str) {
        let chunk = std::mem::take(&mut self.chunk);
        if chunk.letters + chunk.substitutes + chunk.signs == 0 {
            return;
        }
        if chunk.has_at && chunk.has_dot_after_at || chunk.has_url {
            // Words of an address don't speak to the reader.
            let (from, address) = (chunk.hits.min(self.words.plain.len()), chunk.address.max(chunk.start));
            let before = self.words.plain[from..].iter().take_while(|hit| hit.end <= address).count();
            self.words.plain.truncate(from + before);
            let hit = Hit {
                at: self.index,
                sentence: self.sentence,
                start: address,
                end,
                concepts: TARGET,
                is_disguised: false,
            };
            self.words.plain.push(hit);
            return;
        }
        let is_known =
            self.words.plain[chunk.hits.min(self.words.plain.len())..].iter().any(|hit| hit.concepts & !COMMON != 0);
        let is_candidate = chunk.letters > 0 && (chunk.substitutes > 0 || chunk.signs > 1 || chunk.signs == 1);
        if is_known || !is_candidate || (end - chunk.start) as usize > CHUNK_MAX * 2 {
            return;
        }
        let Some(raw) = text.get(chunk.start as usize..end as usize) else { return };
        if !self.may_read_again(raw.len()) {
            return;
        }
        let concepts = without_signs(raw);
        let (at, sentence, start) = (self.index, self.sentence, chunk.start);
        let hit = Hit { at, sentence, start, end, concepts, is_disguised: true };
        if chunk.substitutes > 0 && self.words.leet.len() < LEET_MAX && is_leet(raw) {
            self.words.leet.push(hit);
        }
        if concepts & !COMMON != 0 {
            self.words.plain.push(hit);
        }
    }
}
