//! Threads. Storing a message finds an existing thread or starts a new one.

use posthouse_domain::{InboxId, Thread, ThreadId, Time, WorkspaceId, thread};

use crate::{Result, Tx, statements};

statements! {
    /// Stores a new thread for its first message.
    pub fn begin(
        thread: &Thread {
            workspace, id, inbox, subject, subject_lower: thread.subject.as_deref().unwrap_or_default().to_lowercase(),
            participants: thread.participants.join("\n"), message_count, created_at,
        },
        subject_key: &str,
    ) =
        "INSERT INTO threads (workspace_id, id, inbox_id, subject, subject_key, subject_lower, participants, message_count,
        labels, metadata, last_message_at, created_at) VALUES (:workspace, :id, :inbox, :subject, :subject_key, :subject_lower, :participants, :message_count, '[]', '{}', :created_at, :created_at)";
    /// Returns the thread with that ID.
    pub fn get(workspace: WorkspaceId, id: ThreadId) -> Option<Thread> =
        "SELECT t.workspace_id, t.id, t.inbox_id, t.subject, t.participants, t.message_count,
        (SELECT count(*) FROM messages u WHERE u.workspace_id = t.workspace_id AND u.thread_id = t.id AND u.is_read = 0
          AND (u.held IS NULL OR u.released_at IS NOT NULL)) AS unread_count, t.labels, t.metadata, t.last_message_at, t.created_at
        FROM threads t WHERE t.workspace_id = :workspace AND t.id = :id";
    /// Adds a message's participants and time to a thread.
    pub fn touch(
        thread: &Thread { workspace, id },
        participants: &[String] { participants: thread::joined(thread.participants.clone(), participants).join("\n") },
        at: Time,
    ) = "UPDATE threads SET participants = :participants, message_count = message_count + 1, last_message_at = :at
        WHERE workspace_id = :workspace AND id = :id";
    /// Moves a thread to the time of its newest message.
    pub fn set_last_message_at(thread: &Thread { workspace, id }, at: Time) =
        "UPDATE threads SET last_message_at = :at WHERE workspace_id = :workspace AND id = :id";
    /// Returns the most recent threads with that subject, active after `since`.
    pub fn with_subject(
        workspace: WorkspaceId, inbox: InboxId, subject_key: &str, since: Time;
        limit = CANDIDATES_MAX,
    ) -> Vec<Thread> =
        "SELECT workspace_id, id, inbox_id, subject, participants, message_count, CAST(0 AS {I64}) AS unread_count, labels, metadata, last_message_at, created_at
        FROM threads WHERE workspace_id = :workspace AND inbox_id = :inbox AND subject_key = :subject_key AND last_message_at >= :since
        ORDER BY last_message_at DESC LIMIT :limit";
    /// Records that a message of the thread names a message that the inbox doesn't have. The first thread keeps it.
    pub fn add_reference(workspace: WorkspaceId, inbox: InboxId, rfc_message_id: &str, thread: ThreadId) =
        "INSERT INTO thread_references (workspace_id, inbox_id, rfc_message_id, thread_id)
        VALUES (:workspace, :inbox, :rfc_message_id, :thread) ON CONFLICT DO NOTHING";
    /// Returns the threads whose messages name one of up to [`crate::dialect::IDS_MAX`] messages that the inbox didn't have.
    pub fn naming(
        workspace: WorkspaceId, rfc_message_ids: each &str, inbox: InboxId,
    ) -> Vec<(rfc_message_id: String, thread_id: ThreadId)> =
        "SELECT rfc_message_id, thread_id FROM {EACH_TEXT} thread_references r WHERE r.workspace_id = :workspace
        AND r.inbox_id = :inbox AND r.rfc_message_id {AMONG} {pg:r}";
    /// Locks a thread until the end of the transaction, so that it doesn't change between reading and writing.
    pub fn lock(workspace: WorkspaceId, id: ThreadId) =
        "SELECT created_at FROM threads WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    fn write(thread: &Thread { workspace, id, labels, metadata: thread.metadata_json }) =
        "UPDATE threads SET labels = :labels, metadata = :metadata WHERE workspace_id = :workspace AND id = :id";
    fn add_label(thread: &Thread { workspace, id }, label: &str) =
        "INSERT INTO thread_labels (workspace_id, label, thread_id) VALUES (:workspace, :label, :id) ON CONFLICT DO NOTHING";
    fn remove_label(thread: &Thread { workspace, id }, label: &str) =
        "DELETE FROM thread_labels WHERE workspace_id = :workspace AND label = :label AND thread_id = :id";
    fn delete_labels(workspace: WorkspaceId, id: ThreadId) =
        "DELETE FROM thread_labels WHERE workspace_id = :workspace AND thread_id = :id";
    fn delete_people(workspace: WorkspaceId, id: ThreadId) =
        "DELETE FROM thread_people WHERE workspace_id = :workspace AND thread_id = :id";
    fn delete_readings(workspace: WorkspaceId, id: ThreadId) =
        "DELETE FROM thread_readings WHERE workspace_id = :workspace AND thread_id = :id";
    fn delete_references(workspace: WorkspaceId, id: ThreadId) =
        "DELETE FROM thread_references WHERE workspace_id = :workspace AND thread_id = :id";
    fn delete_row(workspace: WorkspaceId, id: ThreadId) =
        "DELETE FROM threads WHERE workspace_id = :workspace AND id = :id";
}

/// Number of threads with the same subject that are returned.
const CANDIDATES_MAX: u32 = 20;

/// Writes the labels and metadata of `after`. `before` is the stored thread.
pub fn set(tx: &mut Tx, before: &Thread, after: &Thread) -> Result<()> {
    write(tx, after)?;
    for removed in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        remove_label(tx, after, removed)?;
    }
    for added in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        add_label(tx, after, added)?;
    }
    Ok(())
}

/// Deletes the rows of a thread whose messages are already deleted.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ThreadId) -> Result<()> {
    delete_labels(tx, workspace, id)?;
    delete_people(tx, workspace, id)?;
    delete_references(tx, workspace, id)?;
    delete_readings(tx, workspace, id)?;
    delete_row(tx, workspace, id)
}

crate::from_row!(Thread {
    workspace = workspace_id, id, inbox = inbox_id, subject,
    participants: String => participants.lines().map(str::to_owned).collect(),
    message_count, unread_count, labels, metadata_json = metadata, last_message_at, created_at,
});
