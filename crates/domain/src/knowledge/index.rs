//! The index of the documents of one workspace, as it is kept in memory: postings of terms for BM25, and the vectors of
//! passages. A search combines both rankings by reciprocal rank fusion.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

use super::passages::{Passage, PassageVector};
use crate::id::{InboxId, KnowledgeId};

/// How soon a repeated term counts no more (BM25).
const K1: f32 = 1.2;
/// How much long passages are discounted (BM25).
const B: f32 = 0.75;
/// Damps the first ranks of a ranking (reciprocal rank fusion).
const FUSION: f64 = 60.0;
/// The documents of each ranking that are combined.
const RANKED_MAX: usize = 100;
/// A passage whose words don't match is a result only if its meaning is this near.
const COSINE_MIN: f32 = 0.7;
/// What a place by meaning counts, against one by words.
const MEANING_WEIGHT: f64 = 0.99;
/// The bytes that a passage takes beside its postings and its vector.
const PASSAGE_BYTES: usize = 64;
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
    /// The document.
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
    inbox: Option<InboxId>,
    /// Its passages are the slots from here.
    first: usize,
    count: usize,
}

/// A passage in the index.
#[derive(Debug)]
struct Slot {
    document: KnowledgeId,
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
            let scale = passage.vector.as_ref().map_or(0.0, |vector| vector.scale);
            let Passage { start, end, length, .. } = *passage;
            self.slots.push(Slot { document: id, start, end, length, scale, vector, is_current: true });
        }
        self.documents.insert(id, IndexedDocument { inbox, first, count: passages.len() });
    }

    /// Removes a document.
    pub fn remove(&mut self, id: KnowledgeId) {
        let Some(IndexedDocument { first, count, .. }) = self.documents.remove(&id) else { return };
        for slot in &mut self.slots[first..first + count] {
            slot.is_current = false;
            self.length -= u64::from(slot.length);
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
        let by_words = self.ranked(self.by_words(&query.terms), &query.reach);
        let by_meaning = query.vector.as_ref().map_or_else(Vec::new, |vector| self.by_meaning(vector));
        let by_meaning = self.ranked(by_meaning, &query.reach);
        let rankings = if query.vector.is_some() { 2.0 } else { 1.0 };
        let mut fused: Vec<KnowledgeMatch> = Vec::new();
        let mut places: HashMap<KnowledgeId, usize> = HashMap::new();
        // Of two equal places, the one with the words themselves is better.
        for (ranking, weight) in [(by_words, 1.0), (by_meaning, MEANING_WEIGHT)] {
            for (at, slot) in ranking.into_iter().enumerate() {
                #[expect(clippy::cast_precision_loss, reason = "ranks are small")]
                let score = weight * (FUSION + 1.0) / (FUSION + 1.0 + at as f64) / rankings;
                let Slot { document, start, end, .. } = self.slots[slot];
                let place = *places.entry(document).or_insert_with(|| {
                    fused.push(KnowledgeMatch { document, start, end, rank: 0.0 });
                    fused.len() - 1
                });
                fused[place].rank += score;
            }
        }
        fused.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.document.cmp(&b.document)));
        fused.truncate(query.limit);
        fused
    }

    /// Returns the slots with any of the terms, with their BM25.
    fn by_words(&self, terms: &[u32]) -> Vec<(usize, f32)> {
        let mut scores: HashMap<u32, f32, RandomState> = HashMap::default();
        #[expect(clippy::cast_precision_loss, reason = "a score needs few digits")]
        let (total, length) = ((self.slots.len() - self.old) as f32, self.length as f32);
        let average = (length / total.max(1.0)).max(1.0);
        for term in distinct(terms) {
            let Some(found) = self.postings.get(&term) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "a score needs few digits")]
            let count = (found.len() as f32).min(total);
            let weight = (1.0 + (total - count + 0.5) / (count + 0.5)).ln();
            for posting in found {
                let slot = &self.slots[posting.slot as usize];
                if !slot.is_current {
                    continue;
                }
                let count = f32::from(posting.count);
                #[expect(clippy::cast_precision_loss, reason = "a score needs few digits")]
                let long = 1.0 - B + B * slot.length as f32 / average;
                *scores.entry(posting.slot).or_default() += weight * count * (K1 + 1.0) / (count + K1 * long);
            }
        }
        scores.into_iter().map(|(slot, score)| (slot as usize, score)).collect()
    }

    /// Returns the slots whose meaning is near, with the cosine.
    fn by_meaning(&self, wanted: &PassageVector) -> Vec<(usize, f32)> {
        let mut near = Vec::new();
        for (at, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.is_current) {
            let Some(start) = slot.vector else { continue };
            let cosine = self.vectors.get(start..start + wanted.steps.len()).map(|v| wanted.cosine(slot.scale, v));
            near.extend(cosine.filter(|cosine| *cosine >= COSINE_MIN).map(|cosine| (at, cosine)));
        }
        near
    }

    /// Returns the best slot of each document within reach, best first.
    fn ranked(&self, mut scored: Vec<(usize, f32)>, reach: &KnowledgeReach) -> Vec<usize> {
        scored.retain(|(slot, _)| {
            self.documents.get(&self.slots[*slot].document).is_some_and(|document| reach.has(document.inbox))
        });
        scored.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut known = std::collections::HashSet::new();
        let mut best = Vec::new();
        for (slot, _) in scored {
            if known.insert(self.slots[slot].document) {
                best.push(slot);
                if best.len() == RANKED_MAX {
                    break;
                }
            }
        }
        best
    }
}

/// Returns each value once.
fn distinct<T: Copy + Eq + Hash + Ord>(all: &[T]) -> Vec<T> {
    let mut all = all.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}
