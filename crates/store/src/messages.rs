//! Messages, and what belongs to them: contents, attachments, threads, labels, drafts and work queues. This file has the
//! messages themselves and their labels.

pub mod answers;
pub mod approvals;
pub mod arrivals;
pub mod attachments;
pub mod contents;
pub mod draft_files;
pub mod drafts;
pub mod erase;
pub mod message_list;
pub mod newest_messages;
pub mod queue;
pub mod queue_items;
mod records;
pub mod relabel;
pub mod role_mail;
mod stored;
pub mod thread_list;
pub mod threads;

use posthouse_domain::{
    id::{InboxId, MessageId, ThreadId, WorkspaceId},
    message::{Direction, Message},
    time::Time,
};

pub use self::records::{is_withheld, record, records, records_in, records_within};
use crate::{Json, Result, Tx, many, p, search, statements};

statements! {
    NEXT_CREATED_AT = "UPDATE inboxes SET last_message_at = {GREATEST}(last_message_at + 1, $3), message_count = message_count + 1,
        stored_bytes = stored_bytes + $4 WHERE workspace_id = $1 AND id = $2 RETURNING last_message_at";
    fn insert_row(row: &Message) = "{insert messages}";
    NEXT_POSITION = "UPDATE inboxes SET last_message_at = {GREATEST}(last_message_at + 1, $3) WHERE workspace_id = $1 AND id = $2
        RETURNING last_message_at";
    SHOW_PENDING = "UPDATE messages SET held = NULL, created_at = $3 WHERE workspace_id = $1 AND id = $2";
    RELEASE = "UPDATE messages SET released_at = $3 WHERE workspace_id = $1 AND id = $2 AND held IS NOT NULL AND released_at IS NULL";
    LABEL = "INSERT INTO message_labels (workspace_id, inbox_id, label, created_at, message_id) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    UNLABEL = "DELETE FROM message_labels WHERE workspace_id = $1 AND inbox_id = $2 AND label = $3 AND created_at = $4";
    /// Returns the message with that ID.
    pub fn get(workspace: WorkspaceId, id: MessageId) -> Option<Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.id = :id";
    /// Returns up to 100 messages by ID, unordered; unknown IDs are omitted.
    pub fn get_many(workspace: WorkspaceId, ids: each MessageId) -> Vec<Message> =
        "SELECT {m.messages} FROM {EACH} messages m WHERE m.workspace_id = :workspace AND m.id {AMONG} {pg:m}";
    SIZES = "SELECT m.id, m.size_bytes FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.id {AMONG} {pg:m}";
    BODY_BYTES = "SELECT m.id, coalesce((SELECT coalesce(octet_length(c.text), 0) * (1 + c.extracted_is_text)
          + coalesce(octet_length(c.html), 0) + coalesce(octet_length(c.extracted_text), 0) + octet_length(c.headers)
          FROM contents c WHERE c.workspace_id = m.workspace_id AND c.id = m.content_id), 0) AS size_bytes
        FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.id {AMONG} {pg:m}";
    /// Returns the message of an inbox with that `Message-ID`.
    pub fn by_rfc_id(workspace: WorkspaceId, inbox: InboxId, rfc_message_id: &str) -> Option<MessageReference> =
        "SELECT id, thread_id, direction FROM messages WHERE workspace_id = :workspace AND inbox_id = :inbox AND rfc_message_id = :rfc_message_id
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
    insert_row(tx, message)?;
    for label in &message.labels {
        tx.exec(&LABEL, p![message.workspace, message.inbox, label, message.created_at, message.id])?;
    }
    search::wait(tx, message.workspace, message.id)?;
    tx.wake(message.workspace.0);
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
