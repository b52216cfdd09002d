//! The full-text index: which messages have which words (contract §7). The only part that speaks differently to the
//! two databases: FTS5 without content on SQLite, `tsvector` and GIN on PostgreSQL.
//!
//! The words come from `domain::search`. A document's number is its place: on SQLite it is the row of the index, with the
//! workspace in the upper bits, so that one workspace's search never walks over another's rows.

mod statement;
mod walk;
mod words;

use posthouse_domain::{
    id::{InboxId, MessageId, WorkspaceId},
    message::{Channel, Kind},
    search::{Query, Source, Tier, Tokens, inbox_token, pairs, workspace_token},
    time::Time,
};

pub use statement::shapes;
use walk::{Sample, left, walk};
use words::vector;

use crate::{Engine, FromRow, Json, Result, Row, ToValue, Tx, p, statements};

/// Messages that are indexed in one transaction.
pub const BATCH: u32 = 200;
/// Bits of a document's number below those of its workspace.
const SEQ_BITS: u32 = 40;

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
        / "INSERT INTO search_docs (workspace_id, doc, message_id, inbox_id, created_at, channel, type, has_attachments, words, word_pairs)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CAST(CAST($9 AS TEXT) AS TSVECTOR), $10)";
    PUT_WORDS = "INSERT INTO search_text (rowid, words) VALUES ($1, $2)" / "SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT)";
    FORGET_DOC = "DELETE FROM search_docs WHERE workspace_id = $1 AND message_id = $2 RETURNING doc";
    FORGET_WORDS = "DELETE FROM search_text WHERE rowid = $1" / "SELECT CAST($1 AS BIGINT)";
    OF_INBOX = "SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2";
    SAMPLE = "SELECT CAST($1 AS BLOB), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS TEXT), CAST($6 AS TEXT),
          CAST($7 AS TEXT)"
        / "SELECT count(*) FILTER (WHERE newest.words @@ CAST(CAST($5 AS TEXT) AS TSQUERY)),
          count(*) FILTER (WHERE newest.words @@ CAST(CAST($6 AS TEXT) AS TSQUERY)), count(*)
          FROM (SELECT s.words FROM search_docs s WHERE s.workspace_id = $1 AND s.doc >= $2 AND s.doc < $3
          ORDER BY s.doc DESC LIMIT $4) newest WHERE newest.words @@ CAST(CAST($7 AS TEXT) AS TSQUERY)";
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
        queries.push((one, Sample::take(tx, narrowing, one, &(low..high))?));
    }
    let mut hits: Vec<Hit> = Vec::new();
    for tier in tiers.filter(|tier| behind.is_none_or(|behind| *tier >= behind.tier)) {
        let below = behind.filter(|behind| behind.tier == tier).map_or(high, |behind| behind.doc.clamp(low, high));
        let left = left(limit, &hits);
        if left == 0 {
            break;
        }
        let mut found = Vec::new();
        for query in &queries {
            found.extend(walk(tx, narrowing, query, (tier, low..below), left)?);
        }
        // A message may fit several of them.
        found.sort_unstable_by_key(|hit| std::cmp::Reverse(hit.doc));
        found.dedup_by_key(|hit| hit.doc);
        found.truncate(left as usize);
        hits.extend(found);
    }
    Ok(hits)
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
