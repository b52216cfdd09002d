//! The walk through the hits of a tier, newest first.
//!
//! FTS5 gives hits newest first and stops when there are enough. GIN gives all of them in no order, and does not know the
//! order of words: whether they are a phrase is seen in each document alone, at a hundred times the cost. So on PostgreSQL a
//! range is gone through in three ways (`Way`): where a sample says that hits are frequent, the newest documents one by one;
//! of the others the index says which fit; and for a phrase, which have its words, of which then the newest are looked at.

use std::ops::Range;

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    message::{Channel, Kind},
    search::{Expression, Query, Tier, needed_pairs},
};

use super::{
    Hit, Narrowing, SAMPLE,
    statement::{PAIRS_MAX, Shape, Way, statement},
    words::{fts5, has_phrase, loosened, tsquery},
};
use crate::{Engine, Result, ToValue, Tx, Value, p};

/// The newest documents that say how frequent hits are.
const SAMPLE_DOCS: u32 = 64;
/// As many of them with all words of the query are frequent: then the index of words finds a large part of everything.
const SAMPLE_FREQUENT: i64 = 2;
/// As many where the words have to be in order, which few of them are.
const SAMPLE_FREQUENT_IN_ORDER: i64 = 4;
/// Numbers of documents that are looked at one by one where hits are frequent, before it is asked how many more it would take.
const WINDOWS: [i64; 2] = [2_048, 6_144];
/// As many documents are looked at one by one in the time of one that the index of words finds.
const EACH_PER_CANDIDATE: i64 = 2;

/// The hits of one tier in a range, newest first.
pub(super) fn walk(
    tx: &mut Tx,
    narrowing: Narrowing,
    (query, sample): &(&Query, Sample),
    (tier, docs): (Tier, Range<i64>),
    limit: u32,
) -> Result<Vec<Hit>> {
    let engine = tx.engine();
    let expression = query.expression(tier, &narrowing.scope());
    let pairs = match engine {
        Engine::Sqlite => Vec::new(),
        Engine::Postgres => needed_pairs(&expression, PAIRS_MAX),
    };
    let numbers: Vec<i64> = pairs.iter().flatten().copied().map(i64::from).collect();
    let (channel, kind) = (narrowing.channel.map(Channel::text), narrowing.kind.map(Kind::text));
    let (before, after, files) = (query.before, query.after, &query.has_attachments);
    let mut more: Vec<Value<'_>> = channel.iter().chain(&kind).map(ToValue::to_value).collect();
    more.extend(before.iter().chain(&after).map(ToValue::to_value));
    more.extend(files.iter().map(ToValue::to_value));
    more.extend(query.labels.iter().chain(&query.without_labels).map(ToValue::to_value));
    more.extend(numbers.iter().map(ToValue::to_value));
    let shape = Shape {
        named: [
            channel.is_some(),
            kind.is_some(),
            before.is_some(),
            after.is_some(),
            !files.is_empty(),
            files.len() > 1,
        ],
        labels: query.labels.len(),
        without_labels: query.without_labels.len(),
        pairs: pairs.len(),
    };
    let walk = Walk { workspace: narrowing.workspace, tier, expression: &expression, shape, more };
    match engine {
        Engine::Sqlite => walk.part(tx, Way::Words, &docs, limit),
        Engine::Postgres => walk.newest_first(tx, sample, docs, limit),
    }
}

/// What the statements of a tier have in common.
struct Walk<'a> {
    workspace: WorkspaceId,
    tier: Tier,
    expression: &'a Expression,
    shape: Shape,
    /// The parameters behind the first five.
    more: Vec<Value<'a>>,
}

impl Walk<'_> {
    /// On PostgreSQL: where hits are frequent, the newest documents are looked at one by one; what is left is the index's.
    fn newest_first(&self, tx: &mut Tx, sample: &Sample, docs: Range<i64>, limit: u32) -> Result<Vec<Hit>> {
        let has_phrase = has_phrase(self.expression);
        let (mut hits, mut below): (Vec<Hit>, i64) = (Vec::new(), docs.end);
        if sample.is_frequent(self.tier, has_phrase) {
            // Of words alone the index knows everything; of a phrase it gives candidates, whose texts are read as here.
            let budget = if has_phrase { sample.in_all(self.tier) * EACH_PER_CANDIDATE } else { 0 };
            while let Some(window) = window(docs.end - below, hits.len(), limit, budget) {
                let start = docs.start.max(below - window);
                hits.extend(self.part(tx, Way::Each, &(start..below), left(limit, &hits))?);
                below = start;
                // A few new ones in the sample are no sign of many: then the index knows better.
                if below == docs.start || !has_phrase && hits.len() < limit as usize / 4 {
                    break;
                }
            }
        }
        let way = if has_phrase { Way::Candidates } else { Way::Words };
        hits.extend(self.part(tx, way, &(docs.start..below), left(limit, &hits))?);
        Ok(hits)
    }

    fn part(&self, tx: &mut Tx, way: Way, docs: &Range<i64>, limit: u32) -> Result<Vec<Hit>> {
        if limit == 0 || docs.is_empty() {
            return Ok(Vec::new());
        }
        let engine = tx.engine();
        let asked = match engine {
            Engine::Sqlite => fts5(self.expression),
            Engine::Postgres => tsquery(self.expression),
        };
        let words = if way == Way::Candidates { tsquery(&loosened(self.expression)) } else { String::new() };
        let mut parameters: Vec<Value<'_>> = p![self.workspace, asked, docs.start, docs.end, limit].to_vec();
        parameters.extend(self.more.iter().cloned());
        if way == Way::Candidates {
            parameters.push(words.to_value());
        }
        let found: Vec<(i64, MessageId)> = tx.rows(&statement(engine, way, self.shape), &parameters)?;
        Ok(found.into_iter().map(|(doc, message)| Hit { doc, message, tier: self.tier }).collect())
    }
}

/// How many more are wanted.
pub(super) fn left(limit: u32, hits: &[Hit]) -> u32 {
    limit.saturating_sub(u32::try_from(hits.len()).unwrap_or(u32::MAX))
}

/// How many documents to look at one by one next, when as many were looked at and found; none when there are enough, or it
/// would likely take more than the budget, which is what the index of words would cost.
fn window(looked: i64, found: usize, limit: u32, budget: i64) -> Option<i64> {
    let [first, second] = WINDOWS;
    let (found, limit) = (i64::try_from(found).unwrap_or(i64::MAX), i64::from(limit));
    if found >= limit {
        None
    } else if looked < first {
        Some(first)
    } else if looked < first + second {
        Some(second)
    } else {
        // A quarter more than it takes if they are as frequent farther on.
        let needed = (looked * (limit - found)).checked_div(found)? * 5 / 4;
        (looked - first - second + needed <= budget).then_some(needed)
    }
}

/// How many of the newest documents have the words of each tier: where they are many, it is quicker to look at the newest than
/// to ask the index of words. Never on SQLite, whose index stops by itself when there are enough.
pub(super) struct Sample {
    /// Best tier first.
    fitting: [i64; Tier::ALL.len()],
    /// Documents in all.
    docs: i64,
}

impl Sample {
    pub(super) fn take(tx: &mut Tx, narrowing: Narrowing, query: &Query, docs: &Range<i64>) -> Result<Self> {
        let fitting = match tx.engine() {
            Engine::Sqlite => [0; Tier::ALL.len()],
            Engine::Postgres => {
                let [subject, strong, plain] = Tier::ALL.map(|tier| {
                    let expression = query.fits(tier, &narrowing.scope());
                    // Of a phrase the words are what makes the index slow.
                    tsquery(&if has_phrase(&expression) { loosened(&expression) } else { expression })
                });
                let parameters = p![narrowing.workspace, docs.start, docs.end, SAMPLE_DOCS, subject, strong, plain];
                let (subject, strong, plain) = tx.one(&SAMPLE, parameters)?.unwrap_or_default();
                [subject, strong, plain]
            }
        };
        Ok(Self { fitting, docs: docs.end - docs.start })
    }

    fn is_frequent(&self, tier: Tier, in_order: bool) -> bool {
        self.fitting[tier as usize] >= if in_order { SAMPLE_FREQUENT_IN_ORDER } else { SAMPLE_FREQUENT }
    }

    /// How many documents have the words, if they are everywhere as frequent as among the newest.
    fn in_all(&self, tier: Tier) -> i64 {
        self.fitting[tier as usize] * self.docs / i64::from(SAMPLE_DOCS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_looked_at_as_it_takes_unless_the_index_is_quicker() {
        for (looked, found, budget, expected) in [
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
            assert_eq!(window(looked, found, 26, budget), expected, "{looked} {found} {budget}");
        }
    }
}
