//! The full-text index. The only part with different statements for the two databases: contentless FTS5 on SQLite,
//! `tsvector` and GIN on PostgreSQL.
//!
//! The indexed words come from `domain::search`. A document number determines the order. On SQLite it is the row ID in
//! the index, with the workspace in the upper bits, so that a search never scans another workspace's rows.

mod statement;
mod walk;
mod words;

use posthouse_domain::{
    Channel, InboxId, IndexedText, MessageId, MessageKind, ParsedQuery, RankTier, Time, WorkspaceId,
    search::{IndexSource, inbox_token, pairs, workspace_token},
};

pub use statement::shapes;
use walk::{Sample, remaining, scan};
use words::vector;

use crate::{Engine, Json, Result, ToValue, Tx, p, statements};

/// Messages indexed per transaction.
pub const BATCH: u32 = 200;
/// Number of low bits in a document number; the bits above identify the workspace.
const SEQ_BITS: u32 = 40;

statements! {
    /// Queues a message for indexing.
    pub fn wait(workspace: WorkspaceId, message: MessageId) =
        "INSERT INTO search_pending (workspace_id, message_id) VALUES (:workspace, :message) ON CONFLICT DO NOTHING";
    /// Returns up to [`BATCH`] unindexed messages of a workspace, oldest first.
    pub fn pending(workspace: WorkspaceId; limit = BATCH) -> Vec<PendingDocument> =
        "SELECT m.workspace_id, m.id, m.inbox_id, m.created_at, m.channel, m.type, m.has_attachments, m.subject, m.from_text,
        m.to_list, m.cc_list,
        (SELECT substr(c.text, 1, 32768) FROM contents c WHERE c.workspace_id = m.workspace_id AND c.id = m.content_id) AS text, (m.held IS NOT NULL AND m.released_at IS NULL) AS is_blocked
        FROM (SELECT workspace_id, message_id FROM search_pending WHERE workspace_id = :workspace ORDER BY message_id LIMIT :limit) w
        CROSS JOIN {pg:LATERAL (SELECT * FROM} messages m {lite:ON}{pg:WHERE} m.workspace_id = w.workspace_id AND m.id = w.message_id {pg:OFFSET 0) m}
        ORDER BY m.created_at + 0, m.id";
    /// Returns whether a workspace has unindexed messages.
    pub fn has_pending(workspace: WorkspaceId) -> bool =
        "SELECT message_id FROM search_pending WHERE workspace_id = :workspace LIMIT 1";
    /// Returns a workspace with unindexed messages.
    pub fn pending_somewhere() -> Option<WorkspaceId> =
        "SELECT workspace_id FROM search_pending ORDER BY workspace_id, message_id LIMIT 1";
    /// Returns the number of unindexed messages, counted up to `max`.
    pub fn pending_count(max: u32) -> u64 =
        "SELECT count(*) FROM (SELECT 1 AS one FROM search_pending LIMIT :max) bounded";
    fn create_head(workspace: WorkspaceId) =
        "INSERT INTO search_heads (workspace_id, number, seq) SELECT :workspace, COALESCE(max(number), 0) + 1, 0 FROM search_heads WHERE 1 = 1
        ON CONFLICT DO NOTHING";
    fn lock_head(workspace: WorkspaceId) -> Option<SearchHead> =
        "SELECT number, seq FROM search_heads WHERE workspace_id = :workspace {FOR_UPDATE}";
    fn head(workspace: WorkspaceId) -> Option<SearchHead> =
        "SELECT number, seq FROM search_heads WHERE workspace_id = :workspace";
    fn set_seq(workspace: WorkspaceId, seq: i64) = "UPDATE search_heads SET seq = :seq WHERE workspace_id = :workspace";
    fn delete_pending(workspace: WorkspaceId, message: MessageId) -> bool =
        "DELETE FROM search_pending WHERE workspace_id = :workspace AND message_id = :message";
    PUT = "INSERT INTO search_docs (workspace_id, doc, message_id, inbox_id, created_at, channel, type, has_attachments)
        VALUES ({PARAMETERS})"
        / "INSERT INTO search_docs (workspace_id, doc, message_id, inbox_id, created_at, channel, type, has_attachments, words, word_pairs)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CAST(CAST($9 AS TEXT) AS TSVECTOR), $10)";
    PUT_WORDS = "INSERT INTO search_text (rowid, words) VALUES ($1, $2)" / "SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT)";
    fn delete_doc(workspace: WorkspaceId, message: MessageId) -> Option<i64> =
        "DELETE FROM search_docs WHERE workspace_id = :workspace AND message_id = :message RETURNING doc";
    DELETE_WORDS = "DELETE FROM search_text WHERE rowid = $1" / "SELECT CAST($1 AS BIGINT)";
    fn of_inbox(workspace: WorkspaceId, inbox: InboxId) -> Vec<MessageId> =
        "SELECT id FROM messages WHERE workspace_id = :workspace AND inbox_id = :inbox";
    SAMPLE = "SELECT CAST($1 AS BLOB), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS TEXT), CAST($6 AS TEXT),
          CAST($7 AS TEXT)"
        / "SELECT count(*) FILTER (WHERE newest.words @@ CAST(CAST($5 AS TEXT) AS TSQUERY)) AS subject,
          count(*) FILTER (WHERE newest.words @@ CAST(CAST($6 AS TEXT) AS TSQUERY)) AS strong, count(*) AS plain
          FROM (SELECT s.words FROM search_docs s WHERE s.workspace_id = $1 AND s.doc >= $2 AND s.doc < $3
          ORDER BY s.doc DESC LIMIT $4) newest WHERE newest.words @@ CAST(CAST($7 AS TEXT) AS TSQUERY)";
}

/// A message to index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingDocument {
    pub message: MessageId,
    /// The fields to index.
    pub source: IndexSource,
    created_at: Time,
    channel: String,
    kind: String,
    has_attachments: bool,
    /// Whether it must be excluded from search.
    pub is_blocked: bool,
}

/// Restricts which messages are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchScope {
    pub workspace: WorkspaceId,
    /// Only this inbox.
    pub inbox: Option<InboxId>,
    /// Only messages of this channel.
    pub channel: Option<Channel>,
    /// Only messages of this type.
    pub kind: Option<MessageKind>,
}

impl SearchScope {
    /// Returns the index token that all messages in scope have.
    fn scope(&self) -> String {
        self.inbox.map_or_else(|| workspace_token(self.workspace), inbox_token)
    }
}

/// A matching message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexHit {
    /// Its document number; greater is newer.
    pub doc: i64,
    pub message: MessageId,
    /// How well it matches.
    pub tier: RankTier,
}

/// A position in the hits: after this document of this tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchPosition {
    pub tier: RankTier,
    /// The document.
    pub doc: i64,
}

/// Indexes messages with their words. Skips messages that are already indexed or were deleted meanwhile.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, all: &[(PendingDocument, IndexedText)]) -> Result<()> {
    if lock_head(tx, workspace)?.is_none() {
        create_head(tx, workspace)?;
    }
    let Some(SearchHead { number, mut seq }) = lock_head(tx, workspace)? else { return Ok(()) };
    let is_sqlite = tx.engine() == Engine::Sqlite;
    for (pending, tokens) in all {
        if !delete_pending(tx, workspace, pending.message)? || pending.is_blocked {
            continue;
        }
        seq += 1;
        let doc = (number << SEQ_BITS) + seq;
        let PendingDocument { message, created_at, channel, kind, has_attachments, .. } = pending;
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
    set_seq(tx, workspace, seq)
}

/// Removes a message from the index, before it is deleted.
pub fn delete_message(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<()> {
    delete_pending(tx, workspace, message)?;
    if let (Some(doc), Engine::Sqlite) = (delete_doc(tx, workspace, message)?, tx.engine()) {
        tx.exec(&DELETE_WORDS, p![doc])?;
    }
    Ok(())
}

/// Removes the messages of an inbox from the index, before they are deleted.
pub fn delete_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    of_inbox(tx, workspace, inbox)?.into_iter().try_for_each(|message| delete_message(tx, workspace, message))
}

/// Returns up to `limit` matching messages, best first and newest first within a tier, optionally after a position.
/// Excludes blocked messages and deleted inboxes.
pub fn hits(
    tx: &mut Tx,
    narrowing: SearchScope,
    query: &ParsedQuery,
    behind: Option<SearchPosition>,
    limit: u32,
) -> Result<Vec<IndexHit>> {
    let Some(SearchHead { number, seq }) = head(tx, narrowing.workspace)? else { return Ok(Vec::new()) };
    let low = number << SEQ_BITS;
    let high = low + seq + 1;
    let tiers = RankTier::ALL.into_iter().filter(|tier| query.has_tiers() || *tier == RankTier::Plain);
    let mut queries = Vec::with_capacity(1 + query.others.len());
    for alternative in std::iter::once(query).chain(&query.others) {
        queries.push((alternative, Sample::estimate(tx, narrowing, alternative, &(low..high))?));
    }
    let mut hits: Vec<IndexHit> = Vec::new();
    for tier in tiers.filter(|tier| behind.is_none_or(|behind| *tier >= behind.tier)) {
        let below = behind.filter(|behind| behind.tier == tier).map_or(high, |behind| behind.doc.clamp(low, high));
        let remaining = remaining(limit, &hits);
        if remaining == 0 {
            break;
        }
        let mut found = Vec::new();
        for (query, sample) in &queries {
            found.extend(scan(tx, narrowing, query, sample, tier, low..below, remaining)?);
        }
        // A message may match several of the queries.
        found.sort_unstable_by_key(|hit| std::cmp::Reverse(hit.doc));
        found.dedup_by_key(|hit| hit.doc);
        found.truncate(remaining as usize);
        hits.extend(found);
    }
    Ok(hits)
}

crate::row_struct!(SearchHead { number: i64, seq: i64 });

crate::from_row!(PendingDocument {
    workspace = workspace_id, message = id, inbox = inbox_id, created_at, channel, kind = type, has_attachments,
    subject, from = from_text, to = to_list: Json<Vec<String>>, cc = cc_list: Json<Vec<String>>, text, is_blocked,
} => {
    let recipients = to.0.into_iter().chain(cc.0).collect();
    let source = IndexSource { workspace, inbox, subject, from, recipients, text };
    Self { message, source, created_at, channel, kind, has_attachments, is_blocked }
});
