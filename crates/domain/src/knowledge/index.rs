//! The index of the documents of one workspace, as it is kept in memory: postings of terms for BM25, and the vectors of
//! passages. A search adds both scores, each as a share of the best one: that finds more than their ranks alone
//! (`bench/knowledge_search.rs`).

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

use super::passages::{Passage, PassageVector};
use crate::id::{InboxId, KnowledgeId};

/// How soon a repeated term counts no more (BM25).
const K1: f32 = 1.2;
/// How much long passages are discounted (BM25).
const B: f32 = 0.75;
/// A passage whose words don't match is a result only if its meaning is this near.
const COSINE_MIN: f32 = 0.7;
/// What the meaning counts; the words count the rest. Found on banking77 and CLINC150.
const MEANING_WEIGHT: f32 = 0.6;
/// How many passages it takes until what all have in common counts half. Of a few, it is what they are about.
const COMMON_HALF: f32 = 20.0;
/// The bytes that a passage takes beside its postings and its vector.
const PASSAGE_BYTES: usize = 96;
/// The bytes of a posting.
const POSTING_BYTES: usize = 8;

/// The documents that a search may find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KnowledgeReach {
    /// All documents of the workspace.
    All,
    /// Those for every inbox, and those of these inboxes.
    Inboxes(Vec<InboxId>),
}

impl KnowledgeReach {
    /// Returns whether a document for this inbox may be found.
    #[must_use]
    pub fn has(&self, inbox: Option<InboxId>) -> bool {
        match self {
            Self::All => true,
            Self::Inboxes(all) => inbox.is_none_or(|inbox| all.contains(&inbox)),
        }
    }
}

/// A search of an index.
#[derive(Clone, Debug)]
pub struct KnowledgeQuery {
    /// The terms of the query.
    pub terms: Vec<u32>,
    /// The meaning of the query, if a model is there.
    pub vector: Option<PassageVector>,
    /// The documents that may be found.
    pub reach: KnowledgeReach,
    /// The maximum number of documents.
    pub limit: usize,
}

/// A passage that matches: the best one of its document.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KnowledgeMatch {
    pub document: KnowledgeId,
    /// Where the passage begins, in bytes of the body.
    pub start: u32,
    /// Where the passage ends.
    pub end: u32,
    /// The relevance, from 0 to 1.
    pub rank: f64,
}

/// A document in the index.
#[derive(Debug)]
struct IndexedDocument {
    /// Its passages are the slots from here.
    first: usize,
    count: usize,
}

/// A passage in the index.
#[derive(Debug)]
struct Slot {
    document: KnowledgeId,
    inbox: Option<InboxId>,
    start: u32,
    end: u32,
    length: u32,
    scale: f32,
    /// Where its vector begins; `None` without one.
    vector: Option<usize>,
    /// Whether its document is still there in this version.
    is_current: bool,
}

/// A term in a passage.
#[derive(Debug)]
struct Posting {
    slot: u32,
    count: u8,
}

/// The index of the documents of one workspace.
#[derive(Default, Debug)]
pub struct KnowledgeIndex {
    /// The last change of the workspace's documents that it has.
    pub revision: i64,
    documents: HashMap<KnowledgeId, IndexedDocument>,
    slots: Vec<Slot>,
    postings: HashMap<u32, Vec<Posting>, RandomState>,
    vectors: Vec<i8>,
    /// The sum of the vectors of the current slots, and their number.
    sum: Vec<f32>,
    vector_count: usize,
    /// The slots that are no longer current.
    old: usize,
    /// The lengths of the current slots.
    length: u64,
    posting_count: usize,
}

impl KnowledgeIndex {
    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns about how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.slots.len() * PASSAGE_BYTES + self.vectors.len() + self.posting_count * POSTING_BYTES
    }

    /// Returns whether so much of it is old that it should be built again.
    #[must_use]
    pub fn is_worn(&self) -> bool {
        self.old > 1_000 && self.old * 2 > self.slots.len()
    }

    /// Adds a document, in place of its earlier version.
    pub fn put(&mut self, id: KnowledgeId, inbox: Option<InboxId>, passages: &[Passage]) {
        self.remove(id);
        let first = self.slots.len();
        for passage in passages {
            let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
            for (term, count) in &passage.terms {
                self.postings.entry(*term).or_default().push(Posting { slot, count: *count });
            }
            self.posting_count += passage.terms.len();
            self.length += u64::from(passage.length);
            let vector = passage.vector.as_ref().map(|vector| {
                let at = self.vectors.len();
                self.vectors.extend(&vector.steps);
                at
            });
            if let Some(vector) = &passage.vector {
                self.vector_count += 1;
                add(&mut self.sum, &vector.steps, vector.scale);
            }
            let scale = passage.vector.as_ref().map_or(0.0, |vector| vector.scale);
            let Passage { start, end, length, .. } = *passage;
            self.slots.push(Slot { document: id, inbox, start, end, length, scale, vector, is_current: true });
        }
        self.documents.insert(id, IndexedDocument { first, count: passages.len() });
    }

    /// Removes a document.
    pub fn remove(&mut self, id: KnowledgeId) {
        let Some(IndexedDocument { first, count, .. }) = self.documents.remove(&id) else { return };
        for slot in &mut self.slots[first..first + count] {
            slot.is_current = false;
            self.length -= u64::from(slot.length);
            if let Some(steps) = slot.vector.and_then(|at| self.vectors.get(at..at + self.sum.len())) {
                self.vector_count -= 1;
                add(&mut self.sum, steps, -slot.scale);
            }
        }
        self.old += count;
    }

    /// Removes the documents that aren't among `ids`.
    pub fn retain(&mut self, ids: &[KnowledgeId]) {
        let known: std::collections::HashSet<&KnowledgeId> = ids.iter().collect();
        let gone: Vec<KnowledgeId> = self.documents.keys().filter(|id| !known.contains(id)).copied().collect();
        gone.into_iter().for_each(|id| self.remove(id));
    }

    /// Returns the documents that match best, each with its best passage.
    #[must_use]
    pub fn search(&self, query: &KnowledgeQuery) -> Vec<KnowledgeMatch> {
        let by_words = self.by_words(&query.terms);
        let by_meaning = query.vector.as_ref().map(|vector| Meaning::of(self, vector));
        let mut found: Vec<FoundSlot> = Vec::new();
        for (at, slot) in self.slots.iter().enumerate() {
            if !slot.is_current || !query.reach.has(slot.inbox) {
                continue;
            }
            let words = by_words[at];
            let near = by_meaning.as_ref().and_then(|meaning| meaning.near(self, slot));
            if words > 0.0 || near.is_some_and(|near| near.cosine >= COSINE_MIN) {
                found.push(FoundSlot { at, words, meaning: near.map_or(0.0, |near| near.centered.max(0.0)) });
            }
        }
        let best = |of: fn(&FoundSlot) -> f32| found.iter().map(of).fold(f32::EPSILON, f32::max);
        let (words_max, meaning_max) = (best(|slot| slot.words), best(|slot| slot.meaning));
        let weight = if by_meaning.is_some() { MEANING_WEIGHT } else { 0.0 };
        let rank = |slot: &FoundSlot| (1.0 - weight) * slot.words / words_max + weight * slot.meaning / meaning_max;
        let mut ranked: Vec<(f32, usize)> = found.iter().map(|slot| (rank(slot), slot.at)).collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut known = std::collections::HashSet::new();
        let ranked = ranked.into_iter().filter(|(_, at)| known.insert(self.slots[*at].document));
        let hit = |(rank, at): (f32, usize)| {
            let Slot { document, start, end, .. } = self.slots[at];
            KnowledgeMatch { document, start, end, rank: f64::from(rank) }
        };
        ranked.map(hit).take(query.limit).collect()
    }

    /// Returns the BM25 of each slot; 0 without any of the terms.
    fn by_words(&self, terms: &[u32]) -> Vec<f32> {
        let mut scores = vec![0.0; self.slots.len()];
        #[expect(clippy::cast_precision_loss, reason = "a score needs few digits")]
        let (total, length) = ((self.slots.len() - self.old) as f32, self.length as f32);
        let average = (length / total.max(1.0)).max(1.0);
        for term in distinct(terms) {
            let Some(found) = self.postings.get(&term) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "a score needs few digits")]
            let count = (found.len() as f32).min(total);
            let weight = (1.0 + (total - count + 0.5) / (count + 0.5)).ln();
            for posting in found {
                let at = posting.slot as usize;
                let slot = &self.slots[at];
                if !slot.is_current {
                    continue;
                }
                let count = f32::from(posting.count);
                #[expect(clippy::cast_precision_loss, reason = "a score needs few digits")]
                let long = 1.0 - B + B * slot.length as f32 / average;
                scores[at] += weight * count * (K1 + 1.0) / (count + K1 * long);
            }
        }
        scores
    }
}

/// A passage that matches.
struct FoundSlot {
    at: usize,
    words: f32,
    meaning: f32,
}

/// How near the meaning of a passage is to that of a query.
#[derive(Clone, Copy)]
struct Nearness {
    cosine: f32,
    /// The cosine after what all passages have in common is taken from both.
    centered: f32,
}

/// The meaning of a query, and what all passages have in common.
struct Meaning<'q> {
    query: &'q PassageVector,
    /// The direction of what is common, and its length.
    common: Option<(PassageVector, f32)>,
    /// The product of the query and what is common.
    query_common: f32,
}

impl<'q> Meaning<'q> {
    fn of(index: &KnowledgeIndex, query: &'q PassageVector) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a mean needs few digits")]
        let divisor = index.vector_count as f32 + COMMON_HALF;
        let mean: Vec<f32> = index.sum.iter().map(|sum| sum / divisor).collect();
        let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt();
        let common = PassageVector::of(&mean).map(|direction| (direction, length));
        let query_common = common.as_ref().map_or(0.0, |(unit, length)| length * query.cosine(unit.scale, &unit.steps));
        Self { query, common, query_common }
    }

    /// Returns how near a passage is; `None` if it has no vector.
    fn near(&self, index: &KnowledgeIndex, slot: &Slot) -> Option<Nearness> {
        let start = slot.vector?;
        let steps = index.vectors.get(start..start + self.query.steps.len())?;
        let cosine = self.query.cosine(slot.scale, steps);
        let Some((unit, length)) = &self.common else { return Some(Nearness { cosine, centered: cosine }) };
        let passage_common = length * unit.cosine(slot.scale, steps);
        let square = length * length;
        let lengths = (1.0 - 2.0 * self.query_common + square) * (1.0 - 2.0 * passage_common + square);
        let product = cosine - self.query_common - passage_common + square;
        Some(Nearness { cosine, centered: product / lengths.max(f32::EPSILON).sqrt() })
    }
}

/// Adds a vector in steps of `scale` to a sum.
fn add(sum: &mut Vec<f32>, steps: &[i8], scale: f32) {
    sum.resize(sum.len().max(steps.len()), 0.0);
    for (sum, step) in sum.iter_mut().zip(steps) {
        *sum += f32::from(*step) * scale;
    }
}

/// Returns each value once.
fn distinct<T: Copy + Eq + Hash + Ord>(all: &[T]) -> Vec<T> {
    let mut all = all.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}
