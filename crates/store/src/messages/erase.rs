//! Deletes messages with all dependent rows, and contents that nothing else references. `wipe_rules.rs` has the rule of
//! every table.
//!
//! Blobs aren't deleted here: a concurrent transaction may be about to reference the same bytes. The blob sweep deletes
//! unreferenced blobs and skips recent ones.

use posthouse_domain::{
    id::{ContentId, InboxId, MessageId, ThreadId, WorkspaceId},
    time::Time,
};

use crate::{
    Result, Tx, agent_reports, contacts, contents, message_list::InboxRef, metrics, p, queue, search, statements,
    threads, wipe_rules::of_message,
};

/// Number of messages deleted per step of a loop.
const STEP: u32 = 200;

statements! {
    LOCK_INBOX = "SELECT id FROM inboxes WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}";
    /// Returns up to `limit` inboxes of a workspace, including deleted ones, with messages older than `before`.
    pub fn inboxes_with_older(workspace: WorkspaceId, before: Time, limit: u32) -> Vec<InboxId> =
        "SELECT i.id FROM inboxes i WHERE i.workspace_id = :workspace AND EXISTS (SELECT 1 FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = i.id AND m.created_at < :before AND m.status <> 'queued') LIMIT :limit";
    OF_THREAD = "SELECT id, thread_id, content_id, created_at, labels, size_bytes,
        (held IS NOT NULL AND released_at IS NULL) AS is_held FROM messages
        WHERE workspace_id = $1 AND thread_id = $2 LIMIT $3";
    OLDER = "SELECT id, thread_id, content_id, created_at, labels, size_bytes,
        (held IS NOT NULL AND released_at IS NULL) AS is_held FROM messages
        WHERE workspace_id = $1 AND inbox_id = $2 AND created_at < $3 AND status <> 'queued' ORDER BY created_at LIMIT $4";
    ANY_OF_THREAD = "SELECT id FROM messages WHERE workspace_id = $1 AND thread_id = $2 LIMIT 1";
    SHRINK = "UPDATE threads SET message_count = message_count - $3 WHERE workspace_id = $1 AND id = $2";
    UNLABEL = "DELETE FROM message_labels WHERE workspace_id = $1 AND inbox_id = $2 AND label = $3 AND created_at = $4";
    MESSAGE = "DELETE FROM messages WHERE workspace_id = $1 AND id = $2";
}

/// Totals of a deletion.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ErasedTotals {
    /// Number of messages.
    pub messages: u64,
    /// Number of attachments.
    pub attachments: u64,
    /// Total size of the messages, in bytes.
    pub bytes: u64,
    /// Blobs that may now be unused.
    pub blobs: Vec<String>,
}

/// The fields needed to delete a message.
struct MessageToErase {
    id: MessageId,
    thread: ThreadId,
    content: ContentId,
    created_at: Time,
    labels: Vec<String>,
    bytes: u64,
    is_held: bool,
}

/// Deletes every message of a thread in an inbox. Locks the inbox row first, as storing a message does, so that no
/// message joins the thread in the meantime.
pub fn messages_of_thread(tx: &mut Tx, place: InboxRef, thread: ThreadId) -> Result<ErasedTotals> {
    let mut erased = ErasedTotals::default();
    tx.one::<(InboxId,)>(&LOCK_INBOX, p![place.workspace, place.inbox])?;
    loop {
        let found: Vec<MessageToErase> = tx.rows(&OF_THREAD, p![place.workspace, thread, STEP])?;
        if found.is_empty() {
            break;
        }
        for target in &found {
            message(tx, place, target, &mut erased)?;
        }
    }
    metrics::subtract_totals(
        tx,
        place.workspace,
        place.inbox,
        metrics::DeletedTotals { messages: erased.messages, bytes: erased.bytes },
    )?;
    Ok(erased)
}

/// Deletes up to `limit` messages of an inbox that are older than `before`, and the threads that become empty. Queued
/// messages stay.
pub fn messages_before(tx: &mut Tx, place: InboxRef, before: Time, limit: u32) -> Result<ErasedTotals> {
    let mut erased = ErasedTotals::default();
    tx.one::<(InboxId,)>(&LOCK_INBOX, p![place.workspace, place.inbox])?;
    let found: Vec<MessageToErase> = tx.rows(&OLDER, p![place.workspace, place.inbox, before, limit])?;
    let mut touched: Vec<(ThreadId, i64)> = Vec::new();
    for target in &found {
        message(tx, place, target, &mut erased)?;
        // A message that is held is not counted in its thread.
        let counted = i64::from(!target.is_held);
        match touched.iter_mut().find(|(thread, _)| *thread == target.thread) {
            Some((_, gone)) => *gone += counted,
            None => touched.push((target.thread, counted)),
        }
    }
    for (thread, gone) in touched {
        let left: Option<(MessageId,)> = tx.one(&ANY_OF_THREAD, p![place.workspace, thread])?;
        match left {
            Some(_) => drop(tx.exec(&SHRINK, p![place.workspace, thread, gone])?),
            None => threads::delete(tx, place.workspace, thread)?,
        }
    }
    if erased.messages > 0 {
        metrics::subtract_totals(
            tx,
            place.workspace,
            place.inbox,
            metrics::DeletedTotals { messages: erased.messages, bytes: erased.bytes },
        )?;
    }
    Ok(erased)
}

/// Deletes a message with all dependent rows.
fn message(tx: &mut Tx, place: InboxRef, target: &MessageToErase, erased: &mut ErasedTotals) -> Result<()> {
    let (workspace, id) = (place.workspace, target.id);
    for label in &target.labels {
        tx.exec(&UNLABEL, p![workspace, place.inbox, label, target.created_at])?;
    }
    for rows in of_message::ALL {
        let deleted = tx.exec(rows, p![workspace, id])?;
        if std::ptr::eq(*rows, &of_message::ATTACHMENTS) {
            erased.attachments += deleted;
        }
    }
    queue::delete_message(tx, workspace, id)?;
    search::delete_message(tx, workspace, id)?;
    agent_reports::forget_message(tx, workspace, id)?;
    contacts::clear_subject(tx, place, target.thread, target.created_at)?;
    tx.exec(&MESSAGE, p![workspace, id])?;
    erased.blobs.extend(contents::delete_unused(tx, workspace, target.content)?);
    erased.messages += 1;
    erased.bytes += target.bytes;
    Ok(())
}

crate::from_row!(MessageToErase {
    id,
    thread = thread_id,
    content = content_id,
    created_at,
    labels,
    bytes = size_bytes,
    is_held
});
