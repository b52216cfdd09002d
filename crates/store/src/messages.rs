//! Messages, and what belongs to them: contents, attachments, threads, labels, drafts and work queues. This file has the
//! messages themselves and their labels.

pub mod answers;
pub mod approvals;
pub mod arrivals;
pub mod attachment_texts;
pub mod attachments;
pub mod cancelled_waits;
pub mod contents;
pub mod draft_files;
pub mod drafts;
pub mod erase;
pub mod message_list;
pub mod newest_messages;
pub mod queue;
pub mod queue_items;
pub mod readings;
mod records;
pub mod relabel;
pub mod role_mail;
pub mod seen_addresses;
mod stored;
pub mod thread_list;
pub mod threads;

pub use posthouse_domain::MessageReference;
use posthouse_domain::{HoldReason, InboxId, Message, MessageId, MessageRelease, ThreadId, Time, WorkspaceId};

pub use self::records::{is_withheld, record, records, records_in, records_within, screening_mode};
use crate::{Result, Tx, search, statements};

statements! {
    fn count_message(workspace: WorkspaceId, inbox: InboxId, size_bytes: u64, now: Time) -> Option<Time> =
        "UPDATE inboxes SET last_message_at = {GREATEST}(last_message_at + 1, :now), message_count = message_count + 1,
        stored_bytes = stored_bytes + :size_bytes WHERE workspace_id = :workspace AND id = :inbox RETURNING last_message_at";
    fn insert_row(message: row &Message) = "{insert messages}";
    fn next_position(message: &Message { workspace, inbox }, now: Time) -> Option<Time> =
        "UPDATE inboxes SET last_message_at = {GREATEST}(last_message_at + 1, :now) WHERE workspace_id = :workspace AND id = :inbox
        RETURNING last_message_at";
    fn leave_pending(message: &Message { workspace, id }, held: Option<HoldReason>, created_at: Time) =
        "UPDATE messages SET held = :held, pending_position = created_at, created_at = :created_at WHERE workspace_id = :workspace AND id = :id";
    fn leave_held(message: &Message { workspace, id }, created_at: Time) =
        "UPDATE messages SET held_position = created_at, created_at = :created_at WHERE workspace_id = :workspace AND id = :id";
    fn write_release(workspace: WorkspaceId, id: MessageId, at: Option<Time>, by: Option<&MessageRelease>) =
        "UPDATE messages SET released_at = :at, released_by = :by WHERE workspace_id = :workspace AND id = :id";
    /// Writes the state of a message's analysis.
    pub fn set_analysis(message: &Message { workspace, id, analysis, analysis_due, analyzed_at, auto_reply }) =
        "UPDATE messages SET analysis = :analysis, analysis_due = :analysis_due, analyzed_at = :analyzed_at, auto_reply = :auto_reply
        WHERE workspace_id = :workspace AND id = :id";
    /// Writes what the local screen found.
    pub fn set_local_check(message: &Message { workspace, id, local_check }) =
        "UPDATE messages SET local_check = :local_check WHERE workspace_id = :workspace AND id = :id";
    /// Remembers that somebody read the content of a held message.
    pub fn mark_opened(workspace: WorkspaceId, id: MessageId, now: Time; pending = HoldReason::Pending) =
        "UPDATE messages SET opened_at = :now WHERE workspace_id = :workspace AND id = :id AND held <> :pending
        AND released_at IS NULL AND opened_at IS NULL";
    /// Holds a message that agents had. It keeps its position.
    pub fn hold(workspace: WorkspaceId, id: MessageId, reason: HoldReason) =
        "UPDATE messages SET held = :reason WHERE workspace_id = :workspace AND id = :id";
    fn add_label(message: &Message { workspace, inbox, id }, label: &str, created_at: Time) =
        "INSERT INTO message_labels (workspace_id, inbox_id, label, created_at, message_id) VALUES (:workspace, :inbox, :label, :created_at, :id)
        ON CONFLICT DO NOTHING";
    fn remove_label(message: &Message { workspace, inbox, created_at }, label: &str) =
        "DELETE FROM message_labels WHERE workspace_id = :workspace AND inbox_id = :inbox AND label = :label AND created_at = :created_at";
    /// Returns the message with that ID.
    pub fn get(workspace: WorkspaceId, id: MessageId) -> Option<Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.id = :id";
    /// Returns up to 100 messages by ID, unordered; unknown IDs are omitted.
    pub fn get_many(workspace: WorkspaceId, ids: each MessageId) -> Vec<Message> =
        "SELECT {m.messages} FROM {EACH} messages m WHERE m.workspace_id = :workspace AND m.id {AMONG} {pg:m}";
    /// Returns up to `limit` received messages of a workspace after an id, in order of ids.
    pub fn received_after(workspace: WorkspaceId, after: MessageId, limit: u32) -> Vec<Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.id > :after AND m.direction = 'inbound'
        ORDER BY m.id LIMIT :limit";
    /// Returns the sizes in bytes of up to 100 messages; unknown IDs are omitted.
    pub fn sizes(workspace: WorkspaceId, ids: each MessageId) -> Vec<(id: MessageId, size_bytes: u64)> =
        "SELECT m.id, m.size_bytes FROM {EACH} messages m WHERE m.workspace_id = :workspace AND m.id {AMONG} {pg:m}";
    /// Returns the sizes in bytes of the bodies and headers of up to 100 messages, without reading them; unknown IDs are
    /// omitted.
    pub fn body_bytes(workspace: WorkspaceId, ids: each MessageId) -> Vec<(id: MessageId, size_bytes: u64)> =
        "SELECT m.id, coalesce((SELECT coalesce(octet_length(c.text), 0) * (1 + c.extracted_is_text)
          + coalesce(octet_length(c.html), 0) + coalesce(octet_length(c.extracted_text), 0) + octet_length(c.headers)
          FROM contents c WHERE c.workspace_id = m.workspace_id AND c.id = m.content_id), 0) AS size_bytes
        FROM {EACH} messages m WHERE m.workspace_id = :workspace AND m.id {AMONG} {pg:m}";
    /// Returns the message of an inbox with that `Message-ID`.
    pub fn by_rfc_id(workspace: WorkspaceId, inbox: InboxId, rfc_message_id: &str) -> Option<MessageReference> =
        "SELECT id, thread_id, direction FROM messages WHERE workspace_id = :workspace AND inbox_id = :inbox AND rfc_message_id = :rfc_message_id
        ORDER BY created_at + 0 DESC LIMIT 1";
    /// Returns whether an inbox has a message with that label.
    pub fn inbox_has_label(workspace: WorkspaceId, inbox: InboxId, label: &str) -> bool =
        "SELECT l.created_at FROM message_labels l WHERE l.workspace_id = :workspace AND l.inbox_id = :inbox AND l.label = :label LIMIT 1";
    /// Returns whether a received message of a thread has that label.
    pub fn thread_has_label(workspace: WorkspaceId, thread: ThreadId, label: &str) -> bool =
        "SELECT m.created_at FROM messages m WHERE m.workspace_id = :workspace AND m.thread_id = :thread AND m.direction = 'inbound'
        AND EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = :workspace AND l.inbox_id = m.inbox_id AND l.label = :label
          AND l.created_at = m.created_at LIMIT 1 OFFSET 0) LIMIT 1";
    fn lock_row(workspace: WorkspaceId, id: MessageId) =
        "SELECT created_at FROM messages WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    fn write_labels(message: &Message { workspace, id, labels, is_read }) =
        "UPDATE messages SET labels = :labels, is_read = :is_read WHERE workspace_id = :workspace AND id = :id";
}

/// Bytes of bodies and headers that a byte of raw mail can become: text is stored up to three times, as text, as HTML
/// and as new text, and headers once more.
const BODY_BYTES_PER_RAW: u64 = 4;

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
    Ok(count_message(tx, workspace, inbox, size_bytes, now)?.unwrap_or(now))
}

/// Stores a message and its labels. Store its content before, its attachments afterward. Wakes the
/// workspace for all waiters, whether or not there is an event.
pub fn insert(tx: &mut Tx, message: &Message) -> Result<()> {
    insert_row(tx, message)?;
    for label in &message.labels {
        add_label(tx, message, label, message.created_at)?;
    }
    search::wait(tx, message.workspace, message.id)?;
    tx.wake(message.workspace.0);
    Ok(())
}

/// Ends the check of a pending message: agents get it, or it is held. Either way it becomes the newest of its inbox, because
/// callers get it who didn't before. Returns it. Queue it for indexing afterward. Locks the inbox's row, as
/// [`next_created_at`] does.
pub fn end_pending(tx: &mut Tx, message: &Message, held: Option<HoldReason>, now: Time) -> Result<Message> {
    let created_at = next_position(tx, message, now)?.unwrap_or(now);
    leave_pending(tx, message, held, created_at)?;
    move_labels(tx, message, created_at)?;
    Ok(Message { held, created_at, ..message.clone() })
}

/// Releases a held message, with its `release`, as the newest of its inbox, and returns it. Queue it for indexing
/// afterward. Locks the inbox's row, as [`next_created_at`] does.
pub fn release(tx: &mut Tx, message: &Message, now: Time) -> Result<Message> {
    let created_at = next_position(tx, message, now)?.unwrap_or(now);
    leave_held(tx, message, created_at)?;
    move_labels(tx, message, created_at)?;
    let released = Message { released_at: Some(now), created_at, ..message.clone() };
    set_release(tx, &released)?;
    Ok(released)
}

/// Writes when and by whom a message was released.
pub fn set_release(tx: &mut Tx, message: &Message) -> Result<()> {
    write_release(tx, message.workspace, message.id, message.released_at, message.release.as_ref())
}

/// Moves the labels of a message to its new position, and wakes the workspace for all waiters.
fn move_labels(tx: &mut Tx, message: &Message, created_at: Time) -> Result<()> {
    for label in &message.labels {
        remove_label(tx, message, label)?;
        add_label(tx, message, label, created_at)?;
    }
    tx.wake(message.workspace.0);
    Ok(())
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
    ids.into_iter().try_for_each(|id| lock_row(tx, workspace, id))
}

/// Writes the labels and read state of `after`. `before` is the stored message.
pub fn set_labels(tx: &mut Tx, before: &Message, after: &Message) -> Result<()> {
    write_labels(tx, after)?;
    for removed in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        remove_label(tx, after, removed)?;
    }
    for added in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        add_label(tx, after, added, after.created_at)?;
    }
    Ok(())
}

crate::from_row!(MessageReference { id, thread = thread_id, direction });
