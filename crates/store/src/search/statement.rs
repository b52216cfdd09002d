//! The texts of a walk through the hits of a tier, for both databases.

use posthouse_domain::search::NUMBERS_PER_PAIR;

use crate::{Engine, Sql};

/// Pairs of words that a document is asked for before its words are read; a longer phrase has others, which need not be asked for.
pub(super) const PAIRS_MAX: usize = 3;

/// How the documents of a range are looked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The index of words says which.
    Words,
    /// The index of words says which have all words; of those the newest are looked at one by one.
    Candidates,
    /// One by one.
    Each,
}

/// The form of a statement: which filters it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) named: [bool; NAMED.len()],
    pub(super) labels: usize,
    pub(super) without_labels: usize,
    /// Pairs of words, where documents are looked at one by one.
    pub(super) pairs: usize,
}

/// Comparisons with a parameter.
const NAMED: [&str; 6] = [
    "d.channel = ",
    "d.type = ",
    "d.created_at < ",
    "d.created_at >= ",
    "d.has_attachments = ",
    "d.has_attachments = ",
];

/// The text of a walk through the hits of a tier, newest first. `$1` to `$5`: workspace, words, from, below, limit. On
/// PostgreSQL the index of words is asked alone, for its planner takes it for dearer than it is; `OFFSET 0` keeps it from
/// asking that index where documents are looked at one by one.
pub(super) fn statement(engine: Engine, way: Way, shape: Shape) -> Sql {
    let mut next = 6;
    let mut clauses = String::new();
    for (clause, _) in NAMED.iter().zip(shape.named).filter(|(_, asked)| *asked) {
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
    let may = may_have(&mut next, if way == Way::Words { 0 } else { shape.pairs });
    let fits = "d.words @@ CAST(CAST($2 AS TEXT) AS TSQUERY)";
    let columns = "s.workspace_id, s.doc, s.message_id, s.inbox_id, s.created_at, s.channel, s.type, s.has_attachments";
    let text = match (engine, way) {
        (Engine::Sqlite, _) => format!(
            "SELECT d.doc, d.message_id FROM search_text t CROSS JOIN search_docs d ON d.workspace_id = $1 AND d.doc = t.rowid
             WHERE t.words MATCH $2 AND t.rowid >= $3 AND t.rowid < $4{clauses} ORDER BY t.rowid DESC LIMIT $5"
        ),
        (Engine::Postgres, Way::Words) => format!(
            "WITH d AS MATERIALIZED (SELECT {columns} FROM search_docs s WHERE s.words @@ CAST(CAST($2 AS TEXT) AS TSQUERY))
             SELECT d.doc, d.message_id FROM d WHERE d.workspace_id = $1 AND d.doc >= $3 AND d.doc < $4{clauses}
             ORDER BY d.doc DESC LIMIT $5"
        ),
        (Engine::Postgres, Way::Candidates) => format!(
            "WITH c AS MATERIALIZED (SELECT {columns}, s.words FROM search_docs s
               WHERE s.words @@ CAST(CAST(${next} AS TEXT) AS TSQUERY) AND {may})
             SELECT d.doc, d.message_id FROM (SELECT * FROM c WHERE c.workspace_id = $1 AND c.doc >= $3 AND c.doc < $4
               ORDER BY c.doc DESC OFFSET 0) d
             WHERE {fits}{clauses} ORDER BY d.doc DESC LIMIT $5"
        ),
        (Engine::Postgres, Way::Each) => format!(
            "SELECT d.doc, d.message_id FROM (SELECT {columns}, s.words FROM search_docs s
               WHERE s.workspace_id = $1 AND s.doc >= $3 AND s.doc < $4 AND {may} ORDER BY s.doc DESC OFFSET 0) d
             WHERE {fits}{clauses} ORDER BY d.doc DESC LIMIT $5"
        ),
    };
    Sql::built("SEARCH", text)
}

/// Whether a document may have the pairs of words, on PostgreSQL: its words, which of a longer mail are stored apart from its
/// row, need not be read where it may not. One that was indexed before there were pairs may have any.
fn may_have(next: &mut usize, pairs: usize) -> String {
    if pairs == 0 {
        return "TRUE".to_owned();
    }
    let numbers = pairs * NUMBERS_PER_PAIR;
    let asked = (*next..*next + numbers).map(|at| {
        format!("get_bit(s.word_pairs, CAST(CAST(${at} AS BIGINT) % (8 * octet_length(s.word_pairs)) AS INTEGER)) = 1")
    });
    let all = asked.collect::<Vec<_>>().join(" AND ");
    *next += numbers;
    format!("(s.word_pairs IS NULL OR ({all}))")
}

/// A selection of what a walk can become under up to `labels_max` labels, for the test that prepares it.
#[must_use]
pub fn shapes(engine: Engine, labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    let some = [[true, false, true, false, false, false], [false, true, false, true, true, false]];
    for named in [[false; NAMED.len()], [true; NAMED.len()]].into_iter().chain(some) {
        for (labels, without_labels) in [(0, 0), (1, 0), (0, 1), (labels_max, labels_max)] {
            for pairs in 0..=PAIRS_MAX {
                let shape = Shape { named, labels, without_labels, pairs };
                all.extend([Way::Words, Way::Candidates, Way::Each].map(|way| statement(engine, way, shape)));
            }
        }
    }
    all
}
