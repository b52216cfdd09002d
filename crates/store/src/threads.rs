//! Conversations: found or begun when a message is stored (decision 20).

use posthouse_domain::{
    id::{InboxId, ThreadId, WorkspaceId},
    thread::{self, Thread},
    time::Time,
};

use crate::{FromRow, Json, Result, Row, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO threads (workspace_id, id, inbox_id, subject, subject_key, subject_lower, participants, message_count,
        labels, metadata, last_message_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '[]', '{}', $9, $9)";
    GET = "SELECT workspace_id, id, inbox_id, subject, participants, message_count, labels, metadata, last_message_at, created_at
        FROM threads WHERE workspace_id = $1 AND id = $2";
    TOUCH = "UPDATE threads SET participants = $3, message_count = message_count + 1, last_message_at = $4
        WHERE workspace_id = $1 AND id = $2";
    BY_SUBJECT = "SELECT workspace_id, id, inbox_id, subject, participants, message_count, labels, metadata, last_message_at, created_at
        FROM threads WHERE workspace_id = $1 AND inbox_id = $2 AND subject_key = $3 AND last_message_at >= $4
        ORDER BY last_message_at DESC LIMIT $5";
    HOLD = "SELECT created_at FROM threads WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}";
    SET = "UPDATE threads SET labels = $3, metadata = $4 WHERE workspace_id = $1 AND id = $2";
    LABEL = "INSERT INTO thread_labels (workspace_id, label, thread_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    UNLABEL = "DELETE FROM thread_labels WHERE workspace_id = $1 AND label = $2 AND thread_id = $3";
    UNLABEL_ALL = "DELETE FROM thread_labels WHERE workspace_id = $1 AND thread_id = $2";
    DROP_PEOPLE = "DELETE FROM thread_people WHERE workspace_id = $1 AND thread_id = $2";
    DELETE = "DELETE FROM threads WHERE workspace_id = $1 AND id = $2";
}

/// Conversations of one subject that are looked at for a shared participant.
const CANDIDATES_MAX: u32 = 20;

/// Begins a conversation with its first message.
///
/// # Errors
/// The store's own.
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

/// The conversation of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: ThreadId) -> Result<Option<Thread>> {
    tx.one(&GET, p![workspace, id])
}

/// Adds a message to a conversation: its people, its time.
///
/// # Errors
/// The store's own.
pub fn touch(tx: &mut Tx, found: &Thread, people: &[String], at: Time) -> Result<()> {
    let participants = thread::joined(found.participants.clone(), people);
    tx.exec(&TOUCH, p![found.workspace, found.id, participants.join("\n"), at])?;
    Ok(())
}

/// The newest conversation of that subject since `since` that shares a participant other than the inbox itself.
///
/// # Errors
/// The store's own.
pub fn by_subject(
    tx: &mut Tx,
    inbox: (WorkspaceId, InboxId),
    subject_key: &str,
    people: &[String],
    own: &str,
    since: Time,
) -> Result<Option<Thread>> {
    let found: Vec<Thread> = tx.rows(&BY_SUBJECT, p![inbox.0, inbox.1, subject_key, since, CANDIDATES_MAX])?;
    Ok(found.into_iter().find(|thread| thread::share_participant(&thread.participants, people, own)))
}

/// Takes the row of a conversation until the end of the transaction, so that what is read of it now is what is changed.
///
/// # Errors
/// The store's own.
pub fn hold(tx: &mut Tx, workspace: WorkspaceId, id: ThreadId) -> Result<()> {
    tx.one::<(Time,)>(&HOLD, p![workspace, id])?;
    Ok(())
}

/// Writes labels and metadata as they now are in `after`, given how they were.
///
/// # Errors
/// The store's own.
pub fn set(tx: &mut Tx, before: &Thread, after: &Thread) -> Result<()> {
    tx.exec(&SET, p![after.workspace, after.id, Json(&after.labels), after.metadata_json])?;
    for gone in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        tx.exec(&UNLABEL, p![after.workspace, gone, after.id])?;
    }
    for new in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        tx.exec(&LABEL, p![after.workspace, new, after.id])?;
    }
    Ok(())
}

/// Deletes a conversation's own rows; its messages are gone already.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ThreadId) -> Result<()> {
    tx.exec(&UNLABEL_ALL, p![workspace, id])?;
    tx.exec(&DROP_PEOPLE, p![workspace, id])?;
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

impl FromRow for Thread {
    const COLUMNS: usize = 10;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            workspace: row.take()?,
            id: row.take()?,
            inbox: row.take()?,
            subject: row.take()?,
            participants: row.take::<String>()?.lines().map(str::to_owned).collect(),
            message_count: row.take()?,
            labels: row.take::<Json<Vec<String>>>()?.0,
            metadata_json: row.take()?,
            last_message_at: row.take()?,
            created_at: row.take()?,
        })
    }
}
