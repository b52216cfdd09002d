//! Statements that scan the hits of a tier, for both databases.

use posthouse_domain::search::HASHES_PER_PAIR;

use crate::{Engine, Sql};

/// Word pairs checked before a document's words are read; the further pairs of a longer phrase aren't checked.
pub(super) const PAIRS_MAX: usize = 3;

/// The strategy for finding hits in a range of documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScanStrategy {
    /// The word index returns the hits.
    Words,
    /// The word index returns the documents with all words; they are then checked one by one, newest first.
    Candidates,
    /// Documents are checked one by one.
    Each,
}

/// The filters that a statement contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SearchShape {
    pub(super) comparisons: [bool; COMPARISONS.len()],
    pub(super) labels: usize,
    pub(super) without_labels: usize,
    /// Number of word pairs, if documents are checked one by one.
    pub(super) pairs: usize,
}

/// Comparisons with a parameter.
const COMPARISONS: [&str; 6] = [
    "d.channel = ",
    "d.type = ",
    "d.created_at < ",
    "d.created_at >= ",
    "d.has_attachments = ",
    "d.has_attachments = ",
];

/// Builds the statement that scans the hits of a tier, newest first. `$1` to `$5`: workspace, words, start, end, limit.
/// On PostgreSQL the word index is queried in a separate CTE, because the planner overestimates its cost; `OFFSET 0`
/// keeps the planner from using that index when documents are checked one by one.
pub(super) fn statement(engine: Engine, strategy: ScanStrategy, shape: SearchShape) -> Sql {
    let mut next = 6;
    let mut clauses = String::new();
    for (clause, _) in COMPARISONS.iter().zip(shape.comparisons).filter(|(_, is_active)| *is_active) {
        clauses.push_str(&format!(" AND {clause}${next}"));
        next += 1;
    }
    for (negated, count) in [("", shape.labels), ("NOT ", shape.without_labels)] {
        for _ in 0..count {
            clauses.push_str(&format!(
                " AND {negated}EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = $1 AND l.inbox_id = d.inbox_id
                  AND l.label = ${next} AND l.created_at = d.created_at LIMIT 1 OFFSET 0)"
            ));
            next += 1;
        }
    }
    clauses.push_str(
        " AND EXISTS (SELECT 1 FROM inboxes i WHERE i.workspace_id = $1 AND i.id = d.inbox_id AND i.deleted_at IS NULL LIMIT 1 OFFSET 0)",
    );
    let pair_check = pairs_may_match(&mut next, if strategy == ScanStrategy::Words { 0 } else { shape.pairs });
    let matches_words = "d.words @@ CAST(CAST($2 AS TEXT) AS TSQUERY)";
    let columns = "s.workspace_id, s.doc, s.message_id, s.inbox_id, s.created_at, s.channel, s.type, s.has_attachments";
    let text = match (engine, strategy) {
        (Engine::Sqlite, _) => format!(
            "SELECT d.doc, d.message_id FROM search_text t CROSS JOIN search_docs d ON d.workspace_id = $1 AND d.doc = t.rowid
             WHERE t.words MATCH $2 AND t.rowid >= $3 AND t.rowid < $4{clauses} ORDER BY t.rowid DESC LIMIT $5"
        ),
        (Engine::Postgres, ScanStrategy::Words) => format!(
            "WITH d AS MATERIALIZED (SELECT {columns} FROM search_docs s WHERE s.words @@ CAST(CAST($2 AS TEXT) AS TSQUERY))
             SELECT d.doc, d.message_id FROM d WHERE d.workspace_id = $1 AND d.doc >= $3 AND d.doc < $4{clauses}
             ORDER BY d.doc DESC LIMIT $5"
        ),
        (Engine::Postgres, ScanStrategy::Candidates) => format!(
            "WITH c AS MATERIALIZED (SELECT {columns}, s.words FROM search_docs s
               WHERE s.words @@ CAST(CAST(${next} AS TEXT) AS TSQUERY) AND {pair_check})
             SELECT d.doc, d.message_id FROM (SELECT * FROM c WHERE c.workspace_id = $1 AND c.doc >= $3 AND c.doc < $4
               ORDER BY c.doc DESC OFFSET 0) d
             WHERE {matches_words}{clauses} ORDER BY d.doc DESC LIMIT $5"
        ),
        (Engine::Postgres, ScanStrategy::Each) => format!(
            "SELECT d.doc, d.message_id FROM (SELECT {columns}, s.words FROM search_docs s
               WHERE s.workspace_id = $1 AND s.doc >= $3 AND s.doc < $4 AND {pair_check} ORDER BY s.doc DESC OFFSET 0) d
             WHERE {matches_words}{clauses} ORDER BY d.doc DESC LIMIT $5"
        ),
    };
    Sql::from_fragments("SEARCH", text)
}

/// Returns a condition that a document may contain the word pairs, on PostgreSQL. It avoids reading the words of long
/// documents, which are stored out of line. A document indexed before pairs existed may contain any.
fn pairs_may_match(next: &mut usize, pairs: usize) -> String {
    if pairs == 0 {
        return "TRUE".to_owned();
    }
    let numbers = pairs * HASHES_PER_PAIR;
    let bits = (*next..*next + numbers).map(|at| {
        format!("get_bit(s.word_pairs, CAST(CAST(${at} AS BIGINT) % (8 * octet_length(s.word_pairs)) AS INTEGER)) = 1")
    });
    let all = bits.collect::<Vec<_>>().join(" AND ");
    *next += numbers;
    format!("(s.word_pairs IS NULL OR ({all}))")
}

/// Returns a selection of the possible scan statements with up to `labels_max` labels, for the test that prepares them.
#[must_use]
pub fn shapes(engine: Engine, labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    let some = [[true, false, true, false, false, false], [false, true, false, true, true, false]];
    for comparisons in [[false; COMPARISONS.len()], [true; COMPARISONS.len()]].into_iter().chain(some) {
        for (labels, without_labels) in [(0, 0), (1, 0), (0, 1), (labels_max, labels_max)] {
            for pairs in 0..=PAIRS_MAX {
                let shape = SearchShape { comparisons, labels, without_labels, pairs };
                all.extend(
                    [ScanStrategy::Words, ScanStrategy::Candidates, ScanStrategy::Each]
                        .map(|strategy| statement(engine, strategy, shape)),
                );
            }
        }
    }
    all
}
