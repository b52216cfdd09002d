//! The full-text index: which messages have which words (contract §7). The only file that speaks differently to the two
//! databases: FTS5 without content on SQLite, `tsvector` and GIN on PostgreSQL.
//!
//! The words come from `domain::search`. A document's number is its place: on SQLite it is the row of the index, with the
//! workspace in the upper bits, so that one workspace's search never walks over another's rows.
//!
//! FTS5 gives hits newest first and stops when there are enough. GIN gives all of them in no order, and does not know the
//! order of words: whether they are a phrase is seen in each document alone, at a hundred times the cost. So on PostgreSQL a
//! range is gone through in three ways (`Way`): where a sample says that hits are frequent, the newest documents one by one;
//! of the others the index says which fit; and for a phrase, which have its words, of which then the newest are looked at.

use std::ops::Range;

use posthouse_domain::{
    id::{InboxId, MessageId, WorkspaceId},
    message::{Channel, Kind},
    search::{Expression, Query, Source, Tier, Tokens, inbox_token, needed_pairs, pairs, workspace_token},
    time::Time,
};

use crate::{Engine, FromRow, Json, Result, Row, Sql, ToValue, Tx, Value, p, statements};

/// Messages that are indexed in one transaction.
pub const BATCH: u32 = 200;
/// Bits of a document's number below those of its workspace.
const SEQ_BITS: u32 = 40;
/// The greatest place of a word that PostgreSQL keeps.
const PLACE_MAX: usize = 16_383;
/// The newest documents that say how frequent hits are.
const SAMPLE_DOCS: u32 = 64;
/// As many of them with all words of the query are frequent: then the index of words finds a large part of everything.
const SAMPLE_FREQUENT: i64 = 2;
/// As many where the words have to be in order, which few of them are.
const SAMPLE_FREQUENT_IN_ORDER: i64 = 4;
/// Pairs of words that a document is asked for before its words are read; a longer phrase has others, which need not be asked for.
const PAIRS_MAX: usize = 3;
/// Numbers of documents that are looked at one by one where hits are frequent, before the index of words is asked.
const WINDOWS: [i64; 2] = [2_048, 6_144];

statements! {
    WAIT = "INSERT INTO search_pending (workspace_id, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    PENDING = "SELECT m.workspace_id, m.id, m.inbox_id, m.created_at, m.channel, m.type, m.has_attachments, m.subject, m.from_text,
        m.to_list, m.cc_list,
        (SELECT substr(c.text, 1, 32768) FROM contents c WHERE c.workspace_id = m.workspace_id AND c.id = m.content_id), EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = m.workspace_id
          AND l.inbox_id = m.inbox_id AND l.label = 'blocked' AND l.created_at = m.created_at)
        FROM (SELECT workspace_id, message_id FROM search_pending WHERE workspace_id = $1 ORDER BY message_id LIMIT $2) w
        CROSS JOIN {pg:LATERAL (SELECT * FROM} messages m {lite:ON}{pg:WHERE} m.workspace_id = w.workspace_id AND m.id = w.message_id {pg:OFFSET 0) m}
        ORDER BY m.created_at + 0, m.id";
    PENDING_HERE = "SELECT message_id FROM search_pending WHERE workspace_id = $1 LIMIT 1";
    PENDING_SOMEWHERE = "SELECT workspace_id, message_id FROM search_pending ORDER BY workspace_id, message_id LIMIT 1";
    PENDING_COUNT = "SELECT count(*) FROM (SELECT 1 AS one FROM search_pending LIMIT $1) bounded";
    BEGIN = "INSERT INTO search_heads (workspace_id, number, seq) SELECT $1, COALESCE(max(number), 0) + 1, 0 FROM search_heads WHERE 1 = 1
        ON CONFLICT DO NOTHING";
    HEAD = "SELECT number, seq FROM search_heads WHERE workspace_id = $1 {FOR_UPDATE}";
    RANGE = "SELECT number, seq FROM search_heads WHERE workspace_id = $1";
    MOVE = "UPDATE search_heads SET seq = $2 WHERE workspace_id = $1";
    TAKE = "DELETE FROM search_pending WHERE workspace_id = $1 AND message_id = $2";
    PUT = "INSERT INTO search_docs (workspace_id, doc, message_id, inbox_id, created_at, channel, type, has_attachments)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
        / "INSERT INTO search_docs (workspace_id, doc, message_id, inbox_id, created_at, channel, type, has_attachments, words, pairs)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CAST(CAST($9 AS TEXT) AS TSVECTOR), $10)";
    PUT_WORDS = "INSERT INTO search_text (rowid, words) VALUES ($1, $2)" / "SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT)";
    FORGET_DOC = "DELETE FROM search_docs WHERE workspace_id = $1 AND message_id = $2 RETURNING doc";
    FORGET_WORDS = "DELETE FROM search_text WHERE rowid = $1" / "SELECT CAST($1 AS BIGINT)";
    OF_INBOX = "SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2";
    SAMPLE = "SELECT CAST($1 AS BLOB), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT)"
        / "SELECT count(*) FROM (SELECT s.words FROM search_docs s WHERE s.workspace_id = $1 AND s.doc >= $3 AND s.doc < $4
          ORDER BY s.doc DESC LIMIT $5) newest WHERE newest.words @@ CAST(CAST($2 AS TEXT) AS TSQUERY)";
}

/// A message to be indexed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The message.
    pub message: MessageId,
    /// What of it is indexed.
    pub source: Source,
    created_at: Time,
    channel: String,
    kind: String,
    has_attachments: bool,
    /// Whether it must not be found.
    pub is_blocked: bool,
}

/// Which messages are looked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Narrowing {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// One inbox alone.
    pub inbox: Option<InboxId>,
    /// Mail of that channel alone.
    pub channel: Option<Channel>,
    /// Mail of that type alone.
    pub kind: Option<Kind>,
}

impl Narrowing {
    /// The word that all its messages have.
    fn scope(&self) -> String {
        self.inbox.map_or_else(|| workspace_token(self.workspace), inbox_token)
    }
}

/// A message that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit {
    /// Its place in the index: the greater, the newer.
    pub doc: i64,
    /// The message.
    pub message: MessageId,
    /// How well it fits.
    pub tier: Tier,
}

/// A place in the hits: behind this document of this tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Behind {
    /// The tier.
    pub tier: Tier,
    /// The document.
    pub doc: i64,
}

/// Notes that a message is to be indexed.
///
/// # Errors
/// The store's own.
pub fn wait(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<()> {
    tx.exec(&WAIT, p![workspace, message])?;
    Ok(())
}

/// Up to [`BATCH`] messages of a workspace that are not indexed yet, oldest first.
///
/// # Errors
/// The store's own.
pub fn pending(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<Pending>> {
    tx.rows(&PENDING, p![workspace, BATCH])
}

/// Whether a workspace has messages that are not indexed yet.
///
/// # Errors
/// The store's own.
pub fn is_behind(tx: &mut Tx, workspace: WorkspaceId) -> Result<bool> {
    Ok(tx.value::<MessageId>(&PENDING_HERE, p![workspace])?.is_some())
}

/// A workspace with messages that are not indexed yet.
///
/// # Errors
/// The store's own.
pub fn pending_somewhere(tx: &mut Tx) -> Result<Option<WorkspaceId>> {
    Ok(tx.one::<(WorkspaceId, MessageId)>(&PENDING_SOMEWHERE, p![])?.map(|(workspace, _)| workspace))
}

/// How many messages are not indexed yet, counted up to a bound.
///
/// # Errors
/// The store's own.
pub fn pending_count(tx: &mut Tx, max: u32) -> Result<u64> {
    Ok(tx.value(&PENDING_COUNT, p![max])?.unwrap_or(0))
}

/// Indexes messages, each with its words. One that is indexed already, or was deleted meanwhile, is passed by.
///
/// # Errors
/// The store's own.
pub fn put(tx: &mut Tx, workspace: WorkspaceId, all: &[(Pending, Tokens)]) -> Result<()> {
    if tx.one::<(i64, i64)>(&HEAD, p![workspace])?.is_none() {
        tx.exec(&BEGIN, p![workspace])?;
    }
    let Some((number, mut seq)) = tx.one::<(i64, i64)>(&HEAD, p![workspace])? else { return Ok(()) };
    let is_sqlite = tx.engine() == Engine::Sqlite;
    for (pending, tokens) in all {
        if tx.exec(&TAKE, p![workspace, pending.message])? == 0 || pending.is_blocked {
            continue;
        }
        seq += 1;
        let doc = (number << SEQ_BITS) + seq;
        let Pending { message, created_at, channel, kind, has_attachments, .. } = pending;
        let inbox = pending.source.inbox;
        let mut row = p![workspace, doc, *message, inbox, *created_at, channel, kind, *has_attachments].to_vec();
        if is_sqlite {
            tx.exec(&PUT, &row)?;
            tx.exec(&PUT_WORDS, p![doc, tokens.0])?;
        } else {
            let (vector, pairs) = (vector(tokens), pairs(tokens));
            row.extend([vector.to_value(), pairs.to_value()]);
            tx.exec(&PUT, &row)?;
        }
    }
    tx.exec(&MOVE, p![workspace, seq])?;
    Ok(())
}

/// The words with their places, as PostgreSQL reads a `tsvector`. Words hold letters and digits alone.
fn vector(tokens: &Tokens) -> String {
    let mut out = String::with_capacity(tokens.0.len() * 2);
    for (place, word) in (1..).zip(tokens.words()) {
        if !Tokens::is_gap(word) {
            out.push_str(&format!("'{word}':{} ", PLACE_MAX.min(place)));
        }
    }
    out
}

/// Takes a message out of the index, before it is deleted.
///
/// # Errors
/// The store's own.
pub fn forget_message(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<()> {
    tx.exec(&TAKE, p![workspace, message])?;
    let found: Option<i64> = tx.value(&FORGET_DOC, p![workspace, message])?;
    if let (Some(doc), Engine::Sqlite) = (found, tx.engine()) {
        tx.exec(&FORGET_WORDS, p![doc])?;
    }
    Ok(())
}

/// Takes the messages of an inbox out of the index, before they are deleted.
///
/// # Errors
/// The store's own.
pub fn forget_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    let messages: Vec<(MessageId,)> = tx.rows(&OF_INBOX, p![workspace, inbox])?;
    messages.into_iter().try_for_each(|(message,)| forget_message(tx, workspace, message))
}

/// Up to `limit` messages that fit, the best first, the newest first among equals; those behind a place, if given. Of
/// blocked mail and of deleted inboxes there is nothing.
///
/// # Errors
/// The store's own.
pub fn hits(tx: &mut Tx, narrowing: Narrowing, query: &Query, behind: Option<Behind>, limit: u32) -> Result<Vec<Hit>> {
    let Some((number, seq)) = tx.one::<(i64, i64)>(&RANGE, p![narrowing.workspace])? else { return Ok(Vec::new()) };
    let low = number << SEQ_BITS;
    let high = low + seq + 1;
    let tiers = Tier::ALL.into_iter().filter(|tier| query.has_tiers() || *tier == Tier::Plain);
    let mut queries = Vec::with_capacity(1 + query.others.len());
    for one in std::iter::once(query).chain(&query.others) {
        queries.push((one, is_frequent(tx, narrowing.workspace, &one.anywhere(&narrowing.scope()), &(low..high))?));
    }
    let mut hits: Vec<Hit> = Vec::new();
    for tier in tiers.filter(|tier| behind.is_none_or(|behind| *tier >= behind.tier)) {
        let below = behind.filter(|behind| behind.tier == tier).map_or(high, |behind| behind.doc);
        let left = left(limit, &hits);
        if left == 0 {
            break;
        }
        let mut found = Vec::new();
        for query in &queries {
            found.extend(walk(tx, narrowing, *query, (tier, low..below), left)?);
        }
        // A message may fit several of them.
        found.sort_unstable_by_key(|hit| std::cmp::Reverse(hit.doc));
        found.dedup_by_key(|hit| hit.doc);
        found.truncate(left as usize);
        hits.extend(found);
    }
    Ok(hits)
}

/// The hits of one tier in a range, newest first. `is_frequent`: in some tier.
fn walk(
    tx: &mut Tx,
    narrowing: Narrowing,
    (query, is_frequent): (&Query, bool),
    (tier, docs): (Tier, Range<i64>),
    limit: u32,
) -> Result<Vec<Hit>> {
    let engine = tx.engine();
    let expression = query.expression(tier, &narrowing.scope());
    let pairs: Vec<i64> = match engine {
        Engine::Sqlite => Vec::new(),
        Engine::Postgres => needed_pairs(&expression).into_iter().take(PAIRS_MAX).map(i64::from).collect(),
    };
    let (channel, kind) = (narrowing.channel.map(Channel::text), narrowing.kind.map(Kind::text));
    let (before, after) = (query.before, query.after);
    let mut more: Vec<Value<'_>> = channel.iter().chain(&kind).map(ToValue::to_value).collect();
    more.extend(before.iter().chain(&after).map(ToValue::to_value));
    more.extend(query.has_attachments.iter().map(ToValue::to_value));
    more.extend(query.labels.iter().chain(&query.without_labels).map(ToValue::to_value));
    more.extend(pairs.iter().map(ToValue::to_value));
    let shape = Shape {
        named: [channel.is_some(), kind.is_some(), before.is_some(), after.is_some(), query.has_attachments.is_some()],
        labels: query.labels.len(),
        without_labels: query.without_labels.len(),
        pairs: pairs.len(),
    };
    let walk = Walk { workspace: narrowing.workspace, tier, expression: &expression, shape, more };
    match engine {
        Engine::Sqlite => walk.part(tx, Way::Words, &docs, limit),
        Engine::Postgres => walk.newest_first(tx, is_frequent, docs, limit),
    }
}

/// How the documents of a range are looked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// The index of words says which.
    Words,
    /// The index of words says which have all words; of those the newest are looked at one by one.
    Candidates,
    /// One by one.
    Each,
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
    fn newest_first(&self, tx: &mut Tx, is_frequent: bool, docs: Range<i64>, limit: u32) -> Result<Vec<Hit>> {
        let has_phrase = has_phrase(self.expression);
        let (mut hits, mut below): (Vec<Hit>, i64) = (Vec::new(), docs.end);
        // Whatever fits a better tier has the words of the last one.
        if is_frequent && (self.tier == Tier::Plain || self::is_frequent(tx, self.workspace, self.expression, &docs)?) {
            for window in WINDOWS {
                let start = docs.start.max(below - window);
                hits.extend(self.part(tx, Way::Each, &(start..below), left(limit, &hits))?);
                below = start;
                // A few new ones in the sample are no sign of many: then the index knows better.
                if !has_phrase && hits.len() < limit as usize / 4 {
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

fn left(limit: u32, hits: &[Hit]) -> u32 {
    limit.saturating_sub(u32::try_from(hits.len()).unwrap_or(u32::MAX))
}

/// Whether so many of the newest documents fit that it is quicker to look at them than to ask the index of words; never on
/// SQLite, whose index stops by itself when there are enough. Of a phrase the words are what makes the index slow.
fn is_frequent(tx: &mut Tx, workspace: WorkspaceId, expression: &Expression, docs: &Range<i64>) -> Result<bool> {
    if tx.engine() == Engine::Sqlite {
        return Ok(false);
    }
    let (words, frequent) = if has_phrase(expression) {
        (tsquery(&loosened(expression)), SAMPLE_FREQUENT_IN_ORDER)
    } else {
        (tsquery(expression), SAMPLE_FREQUENT)
    };
    let fitting: i64 = tx.value(&SAMPLE, p![workspace, words, docs.start, docs.end, SAMPLE_DOCS])?.unwrap_or(0);
    Ok(fitting >= frequent)
}

/// What the index of words can tell by itself: documents with all words of a phrase, whatever they must not have.
fn loosened(expression: &Expression) -> Expression {
    let each = |all: &[Expression]| all.iter().map(loosened).collect();
    match expression {
        Expression::All(all) => Expression::All(each(all)),
        Expression::Any(all) => Expression::Any(each(all)),
        Expression::Without(yes, _) => loosened(yes),
        Expression::Phrase(words) => {
            Expression::All(words.iter().map(|word| Expression::Phrase(vec![word.clone()])).collect())
        }
        Expression::Beginning(word) => Expression::Beginning(word.clone()),
        Expression::Narrowed(few, _) => loosened(few),
    }
}

/// Whether the places of words matter, which the index of words does not know.
fn has_phrase(expression: &Expression) -> bool {
    match expression {
        Expression::All(all) | Expression::Any(all) => all.iter().any(has_phrase),
        Expression::Without(yes, no) => has_phrase(yes) || has_phrase(no),
        Expression::Phrase(words) => words.len() > 1,
        Expression::Beginning(_) => false,
        Expression::Narrowed(few, all) => has_phrase(few) || has_phrase(all),
    }
}

/// The form of a statement: which filters it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    named: [bool; NAMED.len()],
    labels: usize,
    without_labels: usize,
    /// Pairs of words, where documents are looked at one by one.
    pairs: usize,
}

/// Comparisons with a parameter.
const NAMED: [&str; 5] = ["d.channel = ", "d.type = ", "d.created_at < ", "d.created_at >= ", "d.has_attachments = "];

/// The text of a walk through the hits of a tier, newest first. `$1` to `$5`: workspace, words, from, below, limit. On
/// PostgreSQL the index of words is asked alone, for its planner takes it for dearer than it is; `OFFSET 0` keeps it from
/// asking that index where documents are looked at one by one.
fn statement(engine: Engine, way: Way, shape: Shape) -> Sql {
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
    let fits = fits(&mut next, if way == Way::Words { 0 } else { shape.pairs });
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
            "WITH c AS MATERIALIZED (SELECT {columns}, s.pairs, s.words FROM search_docs s
               WHERE s.words @@ CAST(CAST(${next} AS TEXT) AS TSQUERY))
             SELECT d.doc, d.message_id FROM (SELECT * FROM c WHERE c.workspace_id = $1 AND c.doc >= $3 AND c.doc < $4
               ORDER BY c.doc DESC OFFSET 0) d
             WHERE {fits}{clauses} ORDER BY d.doc DESC LIMIT $5"
        ),
        (Engine::Postgres, Way::Each) => format!(
            "SELECT d.doc, d.message_id FROM (SELECT {columns}, s.pairs, s.words FROM search_docs s
               WHERE s.workspace_id = $1 AND s.doc >= $3 AND s.doc < $4 ORDER BY s.doc DESC OFFSET 0) d
             WHERE {fits}{clauses} ORDER BY d.doc DESC LIMIT $5"
        ),
    };
    Sql::built("SEARCH", text)
}

/// Whether a document fits, on PostgreSQL: its words, which of a longer mail are stored apart from its row, are read only if
/// it may have the pairs. `CASE` keeps that order.
fn fits(next: &mut usize, pairs: usize) -> String {
    let words = "d.words @@ CAST(CAST($2 AS TEXT) AS TSQUERY)";
    if pairs == 0 {
        return words.to_owned();
    }
    let asked = (*next..*next + pairs).map(|at| {
        format!("get_bit(d.pairs, CAST(CAST(${at} AS BIGINT) % (8 * octet_length(d.pairs)) AS INTEGER)) = 1")
    });
    let all = asked.collect::<Vec<_>>().join(" AND ");
    *next += pairs;
    format!("CASE WHEN d.pairs IS NULL OR ({all}) THEN {words} ELSE FALSE END")
}

/// A selection of what a walk can become under up to `labels_max` labels, for the test that prepares it.
#[must_use]
pub fn shapes(engine: Engine, labels_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for named in [[false; 5], [true; 5], [true, false, true, false, false], [false, true, false, true, true]] {
        for (labels, without_labels) in [(0, 0), (1, 0), (0, 1), (labels_max, labels_max)] {
            for pairs in 0..=PAIRS_MAX {
                let shape = Shape { named, labels, without_labels, pairs };
                all.extend([Way::Words, Way::Candidates, Way::Each].map(|way| statement(engine, way, shape)));
            }
        }
    }
    all
}

/// The expression in the words of FTS5. Every word is quoted; none holds a quote.
fn fts5(expression: &Expression) -> String {
    let joined = |all: &[Expression], by: &str| format!("({})", all.iter().map(fts5).collect::<Vec<_>>().join(by));
    match expression {
        Expression::All(all) => joined(all, " AND "),
        Expression::Any(all) => joined(all, " OR "),
        Expression::Without(yes, no) => format!("({} NOT {})", fts5(yes), fts5(no)),
        Expression::Phrase(words) => format!("\"{}\"", words.join(" ")),
        Expression::Beginning(word) => format!("\"{word}\" *"),
        Expression::Narrowed(few, all) => format!("({} AND {})", fts5(few), fts5(all)),
    }
}

/// The expression in the words of `tsquery`.
fn tsquery(expression: &Expression) -> String {
    let joined = |all: &[Expression], by: &str| format!("({})", all.iter().map(tsquery).collect::<Vec<_>>().join(by));
    match expression {
        Expression::All(all) => joined(all, " & "),
        Expression::Any(all) => joined(all, " | "),
        Expression::Without(yes, no) => format!("({} & !{})", tsquery(yes), tsquery(no)),
        Expression::Phrase(words) => {
            format!("({})", words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" <-> "))
        }
        Expression::Beginning(word) => format!("'{word}':*"),
        Expression::Narrowed(few, all) => format!("({} & {})", tsquery(few), tsquery(all)),
    }
}

impl FromRow for Pending {
    const COLUMNS: usize = 13;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (workspace, message, inbox): (WorkspaceId, MessageId, InboxId) = (row.take()?, row.take()?, row.take()?);
        let (created_at, channel, kind): (Time, String, String) = (row.take()?, row.take()?, row.take()?);
        let has_attachments = row.take()?;
        let (subject, from): (Option<String>, String) = (row.take()?, row.take()?);
        let mut recipients = row.take::<Json<Vec<String>>>()?.0;
        recipients.extend(row.take::<Json<Vec<String>>>()?.0);
        let text = row.take()?;
        let source = Source { workspace, inbox, subject, from, recipients, text };
        Ok(Self { message, source, created_at, channel, kind, has_attachments, is_blocked: row.take()? })
    }
}
