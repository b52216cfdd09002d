//! Threads. Storing a message finds an existing thread or starts a new one.

use posthouse_domain::{
    id::{InboxId, ThreadId, WorkspaceId},
    thread::{self, Thread},
    time::Time,
};

use crate::{Json, Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO threads (workspace_id, id, inbox_id, subject, subject_key, subject_lower, participants, message_count,
        labels, metadata, last_message_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '[]', '{}', $9, $9)";
    /// Returns the thread with that ID.
    pub fn get(workspace: WorkspaceId, id: ThreadId) -> Option<Thread> =
        "SELECT t.workspace_id, t.id, t.inbox_id, t.subject, t.participants, t.message_count,
        (SELECT count(*) FROM messages u WHERE u.workspace_id = t.workspace_id AND u.thread_id = t.id AND u.is_read = 0
          AND (u.held IS NULL OR u.released_at IS NOT NULL)) AS unread_count, t.labels, t.metadata, t.last_message_at, t.created_at
        FROM threads t WHERE t.workspace_id = :workspace AND t.id = :id";
    ADD_MESSAGE = "UPDATE threads SET participants = $3, message_count = message_count + 1, last_message_at = $4
        WHERE workspace_id = $1 AND id = $2";
    BY_SUBJECT = "SELECT workspace_id, id, inbox_id, subject, participants, message_count, CAST(0 AS {I64}) AS unread_count, labels, metadata, last_message_at, created_at
        FROM threads WHERE workspace_id = $1 AND inbox_id = $2 AND subject_key = $3 AND last_message_at >= $4
        ORDER BY last_message_at DESC LIMIT $5";
    /// Locks a thread until the end of the transaction, so that it doesn't change between reading and writing.
    pub fn lock(workspace: WorkspaceId, id: ThreadId) =
        "SELECT created_at FROM threads WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    SET = "UPDATE threads SET labels = $3, metadata = $4 WHERE workspace_id = $1 AND id = $2";
    LABEL = "INSERT INTO thread_labels (workspace_id, label, thread_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    UNLABEL = "DELETE FROM thread_labels WHERE workspace_id = $1 AND label = $2 AND thread_id = $3";
    UNLABEL_ALL = "DELETE FROM thread_labels WHERE workspace_id = $1 AND thread_id = $2";
    DELETE_PEOPLE = "DELETE FROM thread_people WHERE workspace_id = $1 AND thread_id = $2";
    DELETE = "DELETE FROM threads WHERE workspace_id = $1 AND id = $2";
}

/// Number of threads with the same subject that are checked for a shared participant.
const CANDIDATES_MAX: u32 = 20;

/// Stores a new thread for its first message.
pub fn begin(tx: &mut Tx, thread: &Thread, subject_key: &str) -> Result<()> {
    let t = thread;
    let lower = t.subject.as_deref().unwrap_or_default().to_lowercase();
    tx.exec(
        &INSERT,
        p![
            t.workspace,
            t.id,
            t.inbox,
            t.subject,
            subject_key,
            lower,
            t.participants.join("\n"),
            t.message_count,
            t.created_at
        ],
    )?;
    Ok(())
}

/// Adds a message's participants and time to a thread.
pub fn touch(tx: &mut Tx, thread: &Thread, participants: &[String], at: Time) -> Result<()> {
    let participants = thread::joined(thread.participants.clone(), participants);
    tx.exec(&ADD_MESSAGE, p![thread.workspace, thread.id, participants.join("\n"), at])?;
    Ok(())
}

/// Returns the most recent thread with that subject, active after `since`, that shares a participant other than the
/// inbox.
pub fn by_subject(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: InboxId,
    subject_key: &str,
    participants: &[String],
    own: &str,
    since: Time,
) -> Result<Option<Thread>> {
    let found: Vec<Thread> = tx.rows(&BY_SUBJECT, p![workspace, inbox, subject_key, since, CANDIDATES_MAX])?;
    Ok(found.into_iter().find(|thread| thread::share_participant(&thread.participants, participants, own)))
}

/// Writes the labels and metadata of `after`. `before` is the stored thread.
pub fn set(tx: &mut Tx, before: &Thread, after: &Thread) -> Result<()> {
    tx.exec(&SET, p![after.workspace, after.id, Json(&after.labels), after.metadata_json])?;
    for removed in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        tx.exec(&UNLABEL, p![after.workspace, removed, after.id])?;
    }
    for added in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        tx.exec(&LABEL, p![after.workspace, added, after.id])?;
    }
    Ok(())
}

/// Deletes the rows of a thread whose messages are already deleted.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ThreadId) -> Result<()> {
    tx.exec(&UNLABEL_ALL, p![workspace, id])?;
    tx.exec(&DELETE_PEOPLE, p![workspace, id])?;
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

crate::from_row!(Thread {
    workspace = workspace_id,
    id,
    inbox = inbox_id,
    subject,
    participants: String,
    message_count,
    unread_count,
    labels,
    metadata_json = metadata,
    last_message_at,
    created_at,
} => Self {
    workspace,
    id,
    inbox,
    subject,
    participants: participants.lines().map(str::to_owned).collect(),
    message_count,
    unread_count,
    labels,
    metadata_json,
    last_message_at,
    created_at,
});
