//! The vocabulary: pieces, their hash table, the split of an unknown word, and their vectors.

use crate::DIMENSIONS;
use crate::file::{ModelFileError, Sections};

/// Numbers in a group that shares one scale.
const GROUP: usize = 32;
const GROUPS: usize = DIMENSIONS / GROUP;

/// Longest word that is split as one; longer ones are split in parts of this many bytes.
const MAX_WORD: usize = 96;

/// Bits for the beginnings of pieces; a power of two, some ten times their number.
const BEGINNINGS: usize = 1 << 20;

/// What an unknown character costs in a split, as a log probability.
const UNKNOWN_SCORE: f32 = -24.0;

/// Marks a piece that starts a word.
const START: u8 = b'_';

/// The ids before the first piece.
pub(crate) mod special {
    pub(crate) const LINK: u32 = 1;
    pub(crate) const ADDRESS: u32 = 2;
    pub(crate) const SHORT_NUMBER: u32 = 3;
    pub(crate) const NUMBER: u32 = 4;
    pub(crate) const CODE: u32 = 5;
    pub(crate) const LONG_NUMBER: u32 = 6;
    pub(crate) const CURRENCY: u32 = 7;
    pub(crate) const BLOB: u32 = 8;
}

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u32,
    /// 0 is a free slot.
    id: u32,
}

pub(crate) struct Vocabulary {
    text: Vec<u8>,
    ends: Vec<u32>,
    scores: Vec<f32>,
    flags: Vec<u32>,
    slots: Vec<Slot>,
    /// A bit for the hash of each beginning of a piece, so that a split ends where no piece goes on.
    beginnings: Vec<u64>,
    longest: usize,
    /// The upper halves of 32-bit floats: half the memory, and one shift to read.
    vectors: Vec<u16>,
}

#[derive(Clone, Copy)]
struct Hash(u32);

impl Hash {
    const EMPTY: Self = Self(0x811c_9dc5);

    fn push(self, byte: u8) -> Self {
        Self((self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    fn finish(self) -> u32 {
        let mixed = (self.0 ^ (self.0 >> 15)).wrapping_mul(0x2c1b_3c6d);
        mixed ^ (mixed >> 13)
    }
}

impl Vocabulary {
    pub(crate) fn read(sections: &Sections<'_>) -> Result<Self, ModelFileError> {
        let lengths = sections.bytes("lengths")?;
        let mut end = 0u32;
        let mut ends = Vec::with_capacity(lengths.len());
        for length in lengths {
            end += u32::from(*length);
            ends.push(end);
        }
        let count = ends.len();
        let scores: Vec<f32> = sections.bytes("scores")?.iter().map(|score| -f32::from(*score) / 10.0).collect();
        let nibbles = sections.bytes("vectors")?;
        let (scales, _) = sections.bytes("scales")?.as_chunks::<2>();
        let mut vocabulary = Self {
            text: sections.bytes("pieces")?.to_vec(),
            flags: sections.numbers("flags")?,
            slots: vec![Slot::default(); (count * 2).next_power_of_two()],
            beginnings: vec![0; BEGINNINGS / 64],
            longest: lengths.iter().copied().max().unwrap_or(0).into(),
            vectors: unpack(nibbles, scales),
            ends,
            scores,
        };
        let lengths_agree = vocabulary.text.len() == end as usize
            && vocabulary.scores.len() == count
            && vocabulary.flags.len() == count
            && nibbles.len() == count * DIMENSIONS / 2
            && scales.len() == count * GROUPS;
        if !lengths_agree || count == 0 {
            return Err(ModelFileError::Length("vocabulary"));
        }
        vocabulary.index();
        Ok(vocabulary)
    }

    fn index(&mut self) {
        let mask = self.slots.len() - 1;
        for id in 0..self.ends.len() as u32 {
            let piece = self.piece(id);
            if piece.is_empty() {
                continue;
            }
            let mut beginning = Hash::EMPTY;
            let bits: Vec<usize> = piece
                .iter()
                .map(|byte| {
                    beginning = beginning.push(*byte);
                    beginning.finish() as usize % BEGINNINGS
                })
                .collect();
            bits.into_iter().for_each(|bit| self.beginnings[bit / 64] |= 1 << (bit % 64));
            let hash = beginning.finish();
            let mut at = hash as usize & mask;
            while self.slots[at].id != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = Slot { hash, id };
        }
    }

    fn piece(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.text[start..self.ends[id] as usize]
    }

    /// The word of a piece that starts one.
    pub(crate) fn name(&self, id: u32) -> &str {
        let piece = self.piece(id);
        std::str::from_utf8(piece.strip_prefix(&[START]).unwrap_or(piece)).unwrap_or("")
    }

    /// The flags of the word lists in ml/lexicon.txt that a piece belongs to.
    pub(crate) fn flags(&self, id: u32) -> u32 {
        self.flags[id as usize]
    }

    /// Returns whether a piece may begin like this.
    fn begins(&self, hash: Hash) -> bool {
        let bit = hash.finish() as usize % BEGINNINGS;
        self.beginnings[bit / 64] & (1 << (bit % 64)) != 0
    }

    /// Finds a piece; `marked` if it must start a word.
    fn find(&self, hash: Hash, piece: &[u8], marked: bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let hash = hash.finish();
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id == 0 {
                return None;
            }
            if slot.hash == hash {
                let found = self.piece(slot.id);
                let equal = if marked { found.first() == Some(&START) && &found[1..] == piece } else { found == piece };
                if equal {
                    return Some(slot.id);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// The tokens of one normalized word: the whole word if known, else its most probable split.
    pub(crate) fn word(&self, word: &str, starts: bool, out: &mut Vec<u32>) {
        let marked = if starts { Hash::EMPTY.push(START) } else { Hash::EMPTY };
        if word.len() < self.longest + 1 {
            let hash = word.bytes().fold(marked, Hash::push);
            if let Some(id) = self.find(hash, word.as_bytes(), starts) {
                out.push(id);
                return;
            }
        }
        let mut rest = word;
        let mut first = starts;
        while !rest.is_empty() {
            let mut cut = rest.len().min(MAX_WORD);
            while !rest.is_char_boundary(cut) {
                cut -= 1;
            }
            self.split(&rest[..cut], first, out);
            first = false;
            rest = &rest[cut..];
        }
    }

    /// Viterbi over the pieces of a part of at most [`MAX_WORD`] bytes.
    fn split(&self, part: &str, starts: bool, out: &mut Vec<u32>) {
        let bytes = part.as_bytes();
        let mut best = [f32::NEG_INFINITY; MAX_WORD + 1];
        let mut from = [(0u8, 0u32); MAX_WORD + 1];
        best[0] = 0.0;
        for start in 0..bytes.len() {
            if best[start] == f32::NEG_INFINITY {
                continue;
            }
            let marked = starts && start == 0;
            let mut hash = if marked { Hash::EMPTY.push(START) } else { Hash::EMPTY };
            let mut single = true;
            for end in start + 1..=bytes.len().min(start + self.longest) {
                hash = hash.push(bytes[end - 1]);
                let begins = self.begins(hash);
                if !begins && !single {
                    break;
                }
                if !part.is_char_boundary(end) {
                    continue;
                }
                let piece = if begins { self.find(hash, &bytes[start..end], marked) } else { None };
                let score = match piece {
                    Some(id) => self.scores[id as usize],
                    None if single => UNKNOWN_SCORE,
                    None => continue,
                };
                single = false;
                if best[start] + score > best[end] {
                    best[end] = best[start] + score;
                    from[end] = (start as u8, piece.unwrap_or(0));
                }
            }
        }
        let before = out.len();
        let mut end = bytes.len();
        while end > 0 {
            let (start, id) = from[end];
            if id != 0 {
                out.push(id);
            }
            end = usize::from(start);
        }
        out[before..].reverse();
    }

    /// Adds the vector of a token to `sum`.
    pub(crate) fn add(&self, id: u32, sum: &mut [f32; DIMENSIONS]) {
        let start = id as usize * DIMENSIONS;
        for (sum, half) in sum.iter_mut().zip(&self.vectors[start..start + DIMENSIONS]) {
            *sum += f32::from_bits(u32::from(*half) << 16);
        }
    }
}

/// The numbers of all vectors, from four bits each in groups with one scale; the low halves of the bytes are the first
/// half of a group.
fn unpack(nibbles: &[u8], scales: &[[u8; 2]]) -> Vec<u16> {
    let mut numbers = Vec::with_capacity(nibbles.len() * 2);
    for (group, scale) in nibbles.as_chunks::<{ GROUP / 2 }>().0.iter().zip(scales) {
        let scale = f32::from_bits(u32::from(u16::from_le_bytes(*scale)) << 16);
        let number = |nibble: u8| round(scale * f32::from(i16::from(nibble) - 8));
        numbers.extend(group.iter().map(|byte| number(byte & 15)));
        numbers.extend(group.iter().map(|byte| number(byte >> 4)));
    }
    numbers
}

/// The upper half of a float, rounded.
fn round(value: f32) -> u16 {
    ((value.to_bits() + 0x8000) >> 16) as u16
}
