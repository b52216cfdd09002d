//! Deleting messages with everything that hangs on them: labels, files, recipients, envelopes, contents that nothing else
//! names.
//!
//! Blobs are not deleted here: a transaction under way may be about to name the same bytes. What nobody names any more
//! is taken by the sweep of the blob store, which spares young blobs.

use posthouse_domain::{
    id::{ContentId, InboxId, MessageId, ThreadId, WorkspaceId},
    label::BLOCKED,
    time::Time,
};

use crate::{
    FromRow, Json, Result, Row, Tx, approvals, attachments, contacts, contents, forwarding, message_list::Place,
    metrics, p, queue, role_mail, search, statements, threads,
};

/// Messages that are deleted in one step of the loop.
const STEP: u32 = 200;

statements! {
    LOCK_INBOX = "SELECT id FROM inboxes WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}";
    INBOXES_WITH_OLDER = "SELECT i.id FROM inboxes i WHERE i.workspace_id = $1 AND EXISTS (SELECT 1 FROM messages m
        WHERE m.workspace_id = $1 AND m.inbox_id = i.id AND m.created_at < $2 AND m.status <> 'queued') LIMIT $3";
    OF_THREAD = "SELECT id, thread_id, content_id, created_at, labels, size_bytes FROM messages
        WHERE workspace_id = $1 AND thread_id = $2 LIMIT $3";
    OLDER = "SELECT id, thread_id, content_id, created_at, labels, size_bytes FROM messages
        WHERE workspace_id = $1 AND inbox_id = $2 AND created_at < $3 AND status <> 'queued' ORDER BY created_at LIMIT $4";
    LEFT = "SELECT id FROM messages WHERE workspace_id = $1 AND thread_id = $2 LIMIT 1";
    SHRINK = "UPDATE threads SET message_count = message_count - $3 WHERE workspace_id = $1 AND id = $2";
    UNLABEL = "DELETE FROM message_labels WHERE workspace_id = $1 AND inbox_id = $2 AND label = $3 AND created_at = $4";
    RECIPIENTS = "DELETE FROM recipients WHERE workspace_id = $1 AND message_id = $2";
    ENVELOPES = "DELETE FROM envelopes WHERE workspace_id = $1 AND message_id = $2";
    MESSAGE = "DELETE FROM messages WHERE workspace_id = $1 AND id = $2";
}

/// What was deleted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Erased {
    /// How many messages.
    pub messages: u64,
    /// How many files.
    pub attachments: u64,
    /// The size of their mail in bytes.
    pub bytes: u64,
    /// Blobs that may now be unused.
    pub blobs: Vec<String>,
}

/// What is needed of a message to delete it.
struct Doomed {
    id: MessageId,
    thread: ThreadId,
    content: ContentId,
    created_at: Time,
    labels: Vec<String>,
    bytes: u64,
}

/// Deletes every message of a thread of that inbox. Takes the inbox's row first, as storing a message does, so that none
/// joins the thread meanwhile.
///
/// # Errors
/// The store's own.
pub fn messages_of_thread(tx: &mut Tx, place: Place, thread: ThreadId) -> Result<Erased> {
    let mut erased = Erased::default();
    tx.one::<(InboxId,)>(&LOCK_INBOX, p![place.workspace, place.inbox])?;
    loop {
        let found: Vec<Doomed> = tx.rows(&OF_THREAD, p![place.workspace, thread, STEP])?;
        if found.is_empty() {
            break;
        }
        for doomed in &found {
            message(tx, place, doomed, &mut erased)?;
        }
    }
    metrics::holds_less(tx, (place.workspace, place.inbox), (erased.messages, erased.bytes))?;
    Ok(erased)
}

/// Up to `limit` inboxes of a workspace, deleted ones too, that hold messages older than `before`.
///
/// # Errors
/// The store's own.
pub fn inboxes_with_older(tx: &mut Tx, workspace: WorkspaceId, before: Time, limit: u32) -> Result<Vec<InboxId>> {
    let found: Vec<(InboxId,)> = tx.rows(&INBOXES_WITH_OLDER, p![workspace, before, limit])?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

/// Deletes up to `limit` messages of an inbox that are older than `before`, and the conversations that are empty then.
/// What still waits to be sent stays.
///
/// # Errors
/// The store's own.
pub fn messages_before(tx: &mut Tx, place: Place, before: Time, limit: u32) -> Result<Erased> {
    let mut erased = Erased::default();
    tx.one::<(InboxId,)>(&LOCK_INBOX, p![place.workspace, place.inbox])?;
    let found: Vec<Doomed> = tx.rows(&OLDER, p![place.workspace, place.inbox, before, limit])?;
    let mut touched: Vec<(ThreadId, i64)> = Vec::new();
    for doomed in &found {
        message(tx, place, doomed, &mut erased)?;
        // What a receive list stopped was never counted among the messages of its thread.
        let counted = i64::from(!doomed.labels.iter().any(|label| label == BLOCKED));
        match touched.iter_mut().find(|(thread, _)| *thread == doomed.thread) {
            Some((_, gone)) => *gone += counted,
            None => touched.push((doomed.thread, counted)),
        }
    }
    for (thread, gone) in touched {
        let left: Option<(MessageId,)> = tx.one(&LEFT, p![place.workspace, thread])?;
        match left {
            Some(_) => drop(tx.exec(&SHRINK, p![place.workspace, thread, gone])?),
            None => threads::delete(tx, place.workspace, thread)?,
        }
    }
    if erased.messages > 0 {
        metrics::holds_less(tx, (place.workspace, place.inbox), (erased.messages, erased.bytes))?;
    }
    Ok(erased)
}

/// Deletes a message with all that hangs on it.
fn message(tx: &mut Tx, place: Place, doomed: &Doomed, erased: &mut Erased) -> Result<()> {
    let (workspace, id) = (place.workspace, doomed.id);
    for label in &doomed.labels {
        tx.exec(&UNLABEL, p![workspace, place.inbox, label, doomed.created_at])?;
    }
    tx.exec(&RECIPIENTS, p![workspace, id])?;
    tx.exec(&ENVELOPES, p![workspace, id])?;
    erased.attachments += attachments::delete(tx, workspace, id)?;
    queue::forget_message(tx, workspace, id)?;
    search::forget_message(tx, workspace, id)?;
    approvals::delete(tx, workspace, id)?;
    role_mail::done(tx, workspace, &[id])?;
    forwarding::forget_message(tx, workspace, id)?;
    contacts::forget_subject(tx, workspace, place.inbox, doomed.created_at)?;
    tx.exec(&MESSAGE, p![workspace, id])?;
    erased.blobs.extend(contents::delete_unused(tx, workspace, doomed.content)?);
    erased.messages += 1;
    erased.bytes += doomed.bytes;
    Ok(())
}

impl FromRow for Doomed {
    const COLUMNS: usize = 6;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            id: row.take()?,
            thread: row.take()?,
            content: row.take()?,
            created_at: row.take()?,
            labels: row.take::<Json<Vec<String>>>()?.0,
            bytes: row.take()?,
        })
    }
}
