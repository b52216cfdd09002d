//! Scans the hits of a tier, newest first.
//!
//! FTS5 returns hits newest first and stops when there are enough. GIN returns all hits unordered and doesn't know word
//! order: phrases must be checked in each document, at a hundred times the cost. PostgreSQL therefore uses three
//! strategies: if a sample shows that hits are frequent, the newest documents are checked one by one; otherwise the
//! index returns the hits; and for a phrase, the index returns the documents with its words, which are then checked,
//! newest first.

use std::ops::Range;

use posthouse_domain::{
    Channel, MessageId, MessageKind, ParsedQuery, RankTier, WorkspaceId,
    search::{SearchExpression, needed_pairs},
};

use super::{
    IndexHit, SAMPLE, SearchScope,
    statement::{PAIRS_MAX, ScanStrategy, SearchShape, statement},
    words::{fts5, has_phrase, relax, tsquery},
};
use crate::{Engine, Result, ToValue, Tx, Value, p};

/// Number of newest documents sampled to estimate the frequency of hits.
const SAMPLE_DOCS: u32 = 64;
/// Hits are frequent if at least this many sampled documents have all words of the query: the word index would return a
/// large part of all documents.
const SAMPLE_FREQUENT: i64 = 2;
/// The same threshold if the words must be in order, which holds for only a few of these documents.
const SAMPLE_FREQUENT_IN_ORDER: i64 = 4;
/// Numbers of documents checked one by one if hits are frequent, before estimating how many more are needed.
const WINDOWS: [i64; 2] = [2_048, 6_144];
/// Number of documents that can be checked in the time that the word index needs per result.
const EACH_PER_CANDIDATE: i64 = 2;

/// Returns the hits of one tier in a range, newest first.
pub(super) fn scan(
    tx: &mut Tx,
    narrowing: SearchScope,
    query: &ParsedQuery,
    sample: &Sample,
    tier: RankTier,
    docs: Range<i64>,
    limit: u32,
) -> Result<Vec<IndexHit>> {
    let engine = tx.engine();
    let expression = query.expression(tier, &narrowing.scope());
    let pairs = match engine {
        Engine::Sqlite => Vec::new(),
        Engine::Postgres => needed_pairs(&expression, PAIRS_MAX),
    };
    let numbers: Vec<i64> = pairs.iter().flatten().copied().map(i64::from).collect();
    let (channel, kind) = (narrowing.channel.map(Channel::text), narrowing.kind.map(MessageKind::text));
    let (before, after, has_attachments) = (query.before, query.after, &query.has_attachments);
    let mut more: Vec<Value<'_>> = channel.iter().chain(&kind).map(ToValue::to_value).collect();
    more.extend(before.iter().chain(&after).map(ToValue::to_value));
    more.extend(has_attachments.iter().map(ToValue::to_value));
    more.extend(query.labels.iter().chain(&query.without_labels).map(ToValue::to_value));
    more.extend(numbers.iter().map(ToValue::to_value));
    let shape = SearchShape {
        comparisons: [
            channel.is_some(),
            kind.is_some(),
            before.is_some(),
            after.is_some(),
            !has_attachments.is_empty(),
            has_attachments.len() > 1,
        ],
        labels: query.labels.len(),
        without_labels: query.without_labels.len(),
        pairs: pairs.len(),
    };
    let scan = TierScan { workspace: narrowing.workspace, tier, expression: &expression, shape, more };
    match engine {
        Engine::Sqlite => scan.part(tx, ScanStrategy::Words, &docs, limit),
        Engine::Postgres => scan.newest_first(tx, sample, docs, limit),
    }
}

/// The common parts of the statements of a tier.
struct TierScan<'a> {
    workspace: WorkspaceId,
    tier: RankTier,
    expression: &'a SearchExpression,
    shape: SearchShape,
    /// The parameters after the first five.
    more: Vec<Value<'a>>,
}

impl TierScan<'_> {
    /// For PostgreSQL: checks the newest documents one by one if hits are frequent, and leaves the rest to the index.
    fn newest_first(&self, tx: &mut Tx, sample: &Sample, docs: Range<i64>, limit: u32) -> Result<Vec<IndexHit>> {
        let has_phrase = has_phrase(self.expression);
        let (mut hits, mut below): (Vec<IndexHit>, i64) = (Vec::new(), docs.end);
        if sample.is_frequent(self.tier, has_phrase) {
            // For single words the index returns all hits; for a phrase, only candidates whose words must be read too.
            let budget = if has_phrase { sample.estimated_total(self.tier) * EACH_PER_CANDIDATE } else { 0 };
            while let Some(window) = window(docs.end - below, hits.len(), limit, budget) {
                let start = docs.start.max(below - window);
                hits.extend(self.part(tx, ScanStrategy::Each, &(start..below), remaining(limit, &hits))?);
                below = start;
                // A few hits in the sample don't mean many hits overall: then the index is faster.
                if below == docs.start || !has_phrase && hits.len() < limit as usize / 4 {
                    break;
                }
            }
        }
        let strategy = if has_phrase { ScanStrategy::Candidates } else { ScanStrategy::Words };
        hits.extend(self.part(tx, strategy, &(docs.start..below), remaining(limit, &hits))?);
        Ok(hits)
    }

    fn part(&self, tx: &mut Tx, strategy: ScanStrategy, docs: &Range<i64>, limit: u32) -> Result<Vec<IndexHit>> {
        if limit == 0 || docs.is_empty() {
            return Ok(Vec::new());
        }
        let engine = tx.engine();
        let match_text = match engine {
            Engine::Sqlite => fts5(self.expression),
            Engine::Postgres => tsquery(self.expression),
        };
        let words = if strategy == ScanStrategy::Candidates { tsquery(&relax(self.expression)) } else { String::new() };
        let mut parameters: Vec<Value<'_>> = p![self.workspace, match_text, docs.start, docs.end, limit].to_vec();
        parameters.extend(self.more.iter().cloned());
        if strategy == ScanStrategy::Candidates {
            parameters.push(words.to_value());
        }
        let found: Vec<DocRow> = tx.rows(&statement(engine, strategy, self.shape), &parameters)?;
        Ok(found.into_iter().map(|row| IndexHit { doc: row.doc, message: row.message_id, tier: self.tier }).collect())
    }
}

/// Returns how many more hits are needed.
pub(super) fn remaining(limit: u32, hits: &[IndexHit]) -> u32 {
    limit.saturating_sub(u32::try_from(hits.len()).unwrap_or(u32::MAX))
}

/// Returns how many documents to check one by one next, given how many were checked and found so far. `None` if there
/// are enough hits, or if it would likely cost more than the budget, which is the cost of using the word index.
fn window(checked: i64, found: usize, limit: u32, budget: i64) -> Option<i64> {
    let [first, second] = WINDOWS;
    let (found, limit) = (i64::try_from(found).unwrap_or(i64::MAX), i64::from(limit));
    if found >= limit {
        None
    } else if checked < first {
        Some(first)
    } else if checked < first + second {
        Some(second)
    } else {
        // Adds a quarter, in case hits are less frequent farther on.
        let needed = (checked * (limit - found)).checked_div(found)? * 5 / 4;
        (checked - first - second + needed <= budget).then_some(needed)
    }
}

/// The number of newest documents that have the words of each tier. If there are many, checking the newest documents is
/// faster than using the word index. Unused on SQLite, whose index stops when there are enough hits.
pub(super) struct Sample {
    /// Number of matching documents per tier, best tier first.
    matching: [i64; RankTier::ALL.len()],
    /// Number of documents in the range.
    docs: i64,
}

impl Sample {
    pub(super) fn estimate(
        tx: &mut Tx,
        narrowing: SearchScope,
        query: &ParsedQuery,
        docs: &Range<i64>,
    ) -> Result<Self> {
        let matching = match tx.engine() {
            Engine::Sqlite => [0; RankTier::ALL.len()],
            Engine::Postgres => {
                let [subject, strong, plain] = RankTier::ALL.map(|tier| {
                    let expression = query.candidates_of(tier, &narrowing.scope());
                    // For a phrase, the frequency of its single words determines how slow the index is.
                    tsquery(&if has_phrase(&expression) { relax(&expression) } else { expression })
                });
                let parameters = p![narrowing.workspace, docs.start, docs.end, SAMPLE_DOCS, subject, strong, plain];
                let counts: Option<SampleRow> = tx.one(&SAMPLE, parameters)?;
                counts.map_or([0; RankTier::ALL.len()], |row| [row.subject, row.strong, row.plain])
            }
        };
        Ok(Self { matching, docs: docs.end - docs.start })
    }

    fn is_frequent(&self, tier: RankTier, in_order: bool) -> bool {
        self.matching[tier as usize] >= if in_order { SAMPLE_FREQUENT_IN_ORDER } else { SAMPLE_FREQUENT }
    }

    /// Estimates how many documents have the words, assuming the frequency of the sample.
    fn estimated_total(&self, tier: RankTier) -> i64 {
        self.matching[tier as usize] * self.docs / i64::from(SAMPLE_DOCS)
    }
}

crate::row_struct!(DocRow { doc: i64, message_id: MessageId });
crate::row_struct!(SampleRow { subject: i64, strong: i64, plain: i64 });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_documents_one_by_one_until_the_index_is_faster() {
        for (checked, found, budget, expected) in [
            (0, 0, 0, Some(2_048)),
            (2_048, 0, 0, Some(6_144)),
            (2_048, 26, 100_000, None),
            (8_192, 0, 100_000, None),
            (8_192, 13, 100_000, Some(10_240)),
            (8_192, 13, 10_240, Some(10_240)),
            (8_192, 13, 10_239, None),
            (18_432, 25, 11_161, Some(921)),
            (18_432, 25, 11_160, None),
            (8_192, 25, 0, None),
        ] {
            assert_eq!(window(checked, found, 26, budget), expected, "{checked} {found} {budget}");
        }
    }
}
