//! Messages: their statements and labels.

mod records;
mod row;

use posthouse_domain::{
    id::{InboxId, MessageId, ThreadId, WorkspaceId},
    message::{Direction, Message},
    time::Time,
};

pub use self::records::{is_withheld, record, records, records_in, records_within};
pub(crate) use self::row::StoredVerification;
use crate::{
    Json, Result, Tx, many,
    message_signatures::{StoredAgentDelivery, StoredAuthorSignature},
    p, search, statements,
};

/// The columns of a message in the order that rows are read; the table alias is `m`.
macro_rules! columns {
    () => {
        concat!(
            "SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.content_id, m.direction, m.status, m.channel, m.type, ",
            "m.rfc_message_id, m.in_reply_to, m.refs, m.from_text, m.to_list, m.cc_list, m.bcc_list, m.reply_to, m.reply_to_unproven, m.author_proven, m.subject, ",
            "m.labels, m.is_read, m.auto_reply, m.size_bytes, m.trace, m.verification, m.data, m.agent, m.author, m.disclosure, ",
            "m.answers, m.contact_address, ",
            "(SELECT c.id FROM contacts c WHERE c.workspace_id = m.workspace_id AND c.address = m.contact_address) AS contact_id, ",
            "m.has_attachments, m.masked_links, m.held, m.released_at, m.status_at, m.sent_at, m.received_at, m.created_at"
        )
    };
}

/// Builds a statement that selects messages.
macro_rules! select {
    ($rest:literal) => {
        concat!($crate::messages::columns!(), " FROM messages m ", $rest)
    };
}

pub(crate) use {columns, select};

/// `SELECT` with the columns of a message, for dynamic statements.
pub(crate) const SELECT: &str = columns!();

statements! {
    NEXT_CREATED_AT = "UPDATE inboxes SET last_message_at = {GREATEST}(last_message_at + 1, $3), message_count = message_count + 1,
        stored_bytes = stored_bytes + $4 WHERE workspace_id = $1 AND id = $2 RETURNING last_message_at";
    INSERT = "INSERT INTO messages (workspace_id, id, inbox_id, thread_id, content_id, direction, status, channel, type,
        rfc_message_id, in_reply_to, refs, from_text, to_list, cc_list, bcc_list, reply_to, reply_to_unproven, author_proven, subject, labels, is_read,
        auto_reply, size_bytes, trace, verification, data, agent, author, disclosure, answers, contact_address, has_attachments,
        status_at, sent_at, received_at, created_at, held, released_at, masked_links)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40)";
    NEXT_POSITION = "UPDATE inboxes SET last_message_at = {GREATEST}(last_message_at + 1, $3) WHERE workspace_id = $1 AND id = $2
        RETURNING last_message_at";
    SHOW_PENDING = "UPDATE messages SET held = NULL, created_at = $3 WHERE workspace_id = $1 AND id = $2";
    RELEASE = "UPDATE messages SET released_at = $3 WHERE workspace_id = $1 AND id = $2 AND held IS NOT NULL AND released_at IS NULL";
    LABEL = "INSERT INTO message_labels (workspace_id, inbox_id, label, created_at, message_id) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    UNLABEL = "DELETE FROM message_labels WHERE workspace_id = $1 AND inbox_id = $2 AND label = $3 AND created_at = $4";
    GET = select!("WHERE m.workspace_id = $1 AND m.id = $2");
    GET_MANY = concat!(columns!(), " FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.id {AMONG} {pg:m}");
    SIZES = "SELECT m.id, m.size_bytes FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.id {AMONG} {pg:m}";
    BODY_BYTES = "SELECT m.id, coalesce((SELECT coalesce(octet_length(c.text), 0) * (1 + c.extracted_is_text)
          + coalesce(octet_length(c.html), 0) + coalesce(octet_length(c.extracted_text), 0) + octet_length(c.headers)
          FROM contents c WHERE c.workspace_id = m.workspace_id AND c.id = m.content_id), 0) AS size_bytes
        FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.id {AMONG} {pg:m}";
    BY_RFC_ID = "SELECT id, thread_id, direction FROM messages WHERE workspace_id = $1 AND inbox_id = $2 AND rfc_message_id = $3
        ORDER BY created_at + 0 DESC LIMIT 1";
    LOCK = "SELECT created_at FROM messages WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}";
    SET_LABELS = "UPDATE messages SET labels = $3, is_read = $4 WHERE workspace_id = $1 AND id = $2";
}

/// Bytes of bodies and headers that a byte of raw mail can become: text is stored up to three times, as text, as HTML
/// and as new text, and headers once more.
const BODY_BYTES_PER_RAW: u64 = 4;

/// A message that an RFC `Message-ID` refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageReference {
    /// The message.
    pub id: MessageId,
    /// Its thread.
    pub thread: ThreadId,
    /// Whether it was received or sent.
    pub direction: Direction,
}

/// Returns the `created_at` for the next message of an inbox: the current time, but always later than the previous
/// message's, so that callers who page by it miss nothing. Locks the inbox's row, which serializes the storing of
/// messages per inbox, and adds the message and its size to the inbox's totals.
pub fn next_created_at(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: InboxId,
    size_bytes: u64,
    now: Time,
) -> Result<Time> {
    Ok(tx.value(&NEXT_CREATED_AT, p![workspace, inbox, now, size_bytes])?.unwrap_or(now))
}

/// Stores a message and its labels. Store its content before, its attachments afterward. Wakes the
/// workspace for all waiters, whether or not there is an event.
pub fn insert(tx: &mut Tx, message: &Message) -> Result<()> {
    let m = message;
    let verification = m.verification.as_ref().map(|v| Json(StoredVerification::from(v)));
    tx.exec(
        &INSERT,
        p![
            m.workspace,
            m.id,
            m.inbox,
            m.thread,
            m.content,
            m.direction,
            m.status,
            m.channel,
            m.kind,
            m.rfc_message_id,
            m.in_reply_to,
            Json(&m.references),
            m.from,
            Json(&m.to),
            Json(&m.cc),
            Json(&m.bcc),
            m.reply_to,
            m.reply_to_unproven,
            m.author_proven,
            m.subject,
            Json(&m.labels),
            m.is_read,
            m.auto_reply,
            m.size_bytes,
            m.trace,
            verification,
            m.data,
            m.agent.as_ref().map(|agent| Json(StoredAgentDelivery::from(agent))),
            m.author.as_ref().map(|author| Json(StoredAuthorSignature::from(author))),
            m.disclosure.as_ref().map(Json),
            m.answers,
            m.contact_address,
            m.has_attachments,
            m.status_at,
            m.sent_at,
            m.received_at,
            m.created_at,
            m.held,
            m.released_at,
            m.masked_links
        ],
    )?;
    for label in &m.labels {
        tx.exec(&LABEL, p![m.workspace, m.inbox, label, m.created_at, m.id])?;
    }
    search::wait(tx, m.workspace, m.id)?;
    tx.wake(m.workspace.0);
    Ok(())
}

/// Releases a held message. Queue it for indexing afterward.
pub fn release(tx: &mut Tx, workspace: WorkspaceId, id: MessageId, at: Time) -> Result<()> {
    tx.exec(&RELEASE, p![workspace, id, at])?;
    Ok(())
}

/// Shows a pending message as the newest of its inbox, and returns it. Queue it for indexing afterward. Locks the inbox's
/// row, as [`next_created_at`] does.
pub fn show_pending(tx: &mut Tx, message: &Message, now: Time) -> Result<Message> {
    let m = message;
    let created_at: Time = tx.value(&NEXT_POSITION, p![m.workspace, m.inbox, now])?.unwrap_or(now);
    tx.exec(&SHOW_PENDING, p![m.workspace, m.id, created_at])?;
    for label in &m.labels {
        tx.exec(&UNLABEL, p![m.workspace, m.inbox, label, m.created_at])?;
        tx.exec(&LABEL, p![m.workspace, m.inbox, label, created_at, m.id])?;
    }
    tx.wake(m.workspace.0);
    Ok(Message { held: None, created_at, ..message.clone() })
}

/// Returns the message with that ID.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: MessageId) -> Result<Option<Message>> {
    tx.one(&GET, p![workspace, id])
}

/// Returns up to 100 messages by ID, unordered; unknown IDs are omitted.
pub fn get_many(tx: &mut Tx, workspace: WorkspaceId, ids: &[MessageId]) -> Result<Vec<Message>> {
    many::rows(tx, &GET_MANY, workspace, ids)
}

/// Returns the sizes in bytes of up to 100 messages; unknown IDs are omitted.
pub fn sizes(tx: &mut Tx, workspace: WorkspaceId, ids: &[MessageId]) -> Result<Vec<(MessageId, u64)>> {
    let rows: Vec<SizeRow> = many::rows(tx, &SIZES, workspace, ids)?;
    Ok(rows.into_iter().map(|row| (row.id, row.size_bytes)).collect())
}

/// Returns the sizes in bytes of the bodies and headers of up to 100 messages, without reading them; unknown IDs are
/// omitted.
pub fn body_bytes(tx: &mut Tx, workspace: WorkspaceId, ids: &[MessageId]) -> Result<Vec<(MessageId, u64)>> {
    let rows: Vec<SizeRow> = many::rows(tx, &BODY_BYTES, workspace, ids)?;
    Ok(rows.into_iter().map(|row| (row.id, row.size_bytes)).collect())
}

/// Returns whether the bodies of mail with this many raw bytes may exceed `bytes_max`.
#[must_use]
pub const fn may_exceed(raw_bytes: u64, bytes_max: u64) -> bool {
    raw_bytes.saturating_mul(BODY_BYTES_PER_RAW) > bytes_max
}

/// Returns the message of an inbox with that `Message-ID`.
pub fn by_rfc_id(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: InboxId,
    rfc_message_id: &str,
) -> Result<Option<MessageReference>> {
    tx.one(&BY_RFC_ID, p![workspace, inbox, rfc_message_id])
}

/// Locks the rows of messages until the end of the transaction, so that they don't change between reading and writing.
/// Locks in order of IDs to prevent deadlocks.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId, ids: &[MessageId]) -> Result<()> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        tx.one::<(Time,)>(&LOCK, p![workspace, id])?;
    }
    Ok(())
}

/// Writes the labels and read state of `after`. `before` is the stored message.
pub fn set_labels(tx: &mut Tx, before: &Message, after: &Message) -> Result<()> {
    tx.exec(&SET_LABELS, p![after.workspace, after.id, Json(&after.labels), after.is_read])?;
    for removed in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        tx.exec(&UNLABEL, p![after.workspace, after.inbox, removed, after.created_at])?;
    }
    for added in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        tx.exec(&LABEL, p![after.workspace, after.inbox, added, after.created_at, after.id])?;
    }
    Ok(())
}

crate::row_struct!(SizeRow { id: MessageId, size_bytes: u64 });

crate::from_row!(MessageReference { id, thread = thread_id, direction });
