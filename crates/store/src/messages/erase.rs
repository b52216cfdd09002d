//! Deletes messages with all dependent rows, and contents that nothing else references. `wipe_rules.rs` has the rule of
//! every table.
//!
//! Blobs aren't deleted here: a concurrent transaction may be about to reference the same bytes. The blob sweep deletes
//! unreferenced blobs and skips recent ones.

use posthouse_domain::{ContentId, InboxId, MessageId, ThreadId, Time, WorkspaceId};

use crate::{
    Result, Tx, agent_reports, contacts, contents, message_list::InboxRef, metrics, p, queue, search, statements,
    tables::of_message, threads,
};

/// Number of messages deleted per step of a loop.
const STEP: u32 = 200;

statements! {
    fn lock_inbox(inbox: InboxRef { workspace, inbox }) =
        "SELECT id FROM inboxes WHERE workspace_id = :workspace AND id = :inbox {FOR_UPDATE}";
    /// Returns up to `limit` inboxes of a workspace, including deleted ones, with messages older than `before`.
    pub fn inboxes_with_older(workspace: WorkspaceId, before: Time, limit: u32) -> Vec<InboxId> =
        "SELECT i.id FROM inboxes i WHERE i.workspace_id = :workspace AND EXISTS (SELECT 1 FROM messages m
        WHERE m.workspace_id = :workspace AND m.inbox_id = i.id AND m.created_at < :before AND m.status <> 'queued') LIMIT :limit";
    fn of_thread(workspace: WorkspaceId, thread: ThreadId; limit = STEP) -> Vec<MessageToErase> =
        "SELECT id, thread_id, content_id, created_at, labels, size_bytes,
        (held IS NOT NULL AND released_at IS NULL) AS is_held FROM messages
        WHERE workspace_id = :workspace AND thread_id = :thread LIMIT :limit";
    fn older(inbox: InboxRef { workspace, inbox }, before: Time, limit: u32) -> Vec<MessageToErase> =
        "SELECT id, thread_id, content_id, created_at, labels, size_bytes,
        (held IS NOT NULL AND released_at IS NULL) AS is_held FROM messages
        WHERE workspace_id = :workspace AND inbox_id = :inbox AND created_at < :before AND status <> 'queued' ORDER BY created_at LIMIT :limit";
    fn has_messages(workspace: WorkspaceId, thread: ThreadId) -> bool =
        "SELECT id FROM messages WHERE workspace_id = :workspace AND thread_id = :thread LIMIT 1";
    fn shrink_thread(workspace: WorkspaceId, id: ThreadId, messages: i64) =
        "UPDATE threads SET message_count = message_count - :messages WHERE workspace_id = :workspace AND id = :id";
    fn remove_label(inbox: InboxRef { workspace, inbox }, message: &MessageToErase { created_at }, label: &str) =
        "DELETE FROM message_labels WHERE workspace_id = :workspace AND inbox_id = :inbox AND label = :label AND created_at = :created_at";
    fn delete_row(workspace: WorkspaceId, id: MessageId) =
        "DELETE FROM messages WHERE workspace_id = :workspace AND id = :id";
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

impl ErasedTotals {
    /// Subtracts the messages from the totals of their inbox.
    fn subtract(&self, tx: &mut Tx, inbox: InboxRef) -> Result<()> {
        let deleted = metrics::DeletedTotals { messages: self.messages, bytes: self.bytes };
        metrics::subtract_totals(tx, inbox.workspace, inbox.inbox, deleted)
    }
}

crate::row_struct!(
    /// The fields needed to delete a message.
    MessageToErase {
        id: MessageId, thread = thread_id: ThreadId, content = content_id: ContentId, created_at: Time, labels: Vec<String>,
        bytes = size_bytes: u64, is_held: bool,
    }
);

/// Deletes every message of a thread in an inbox. Locks the inbox row first, as storing a message does, so that no
/// message joins the thread in the meantime.
pub fn messages_of_thread(tx: &mut Tx, inbox: InboxRef, thread: ThreadId) -> Result<ErasedTotals> {
    let mut erased = ErasedTotals::default();
    lock_inbox(tx, inbox)?;
    loop {
        let found = of_thread(tx, inbox.workspace, thread)?;
        if found.is_empty() {
            break;
        }
        for target in &found {
            message(tx, inbox, target, &mut erased)?;
        }
    }
    erased.subtract(tx, inbox)?;
    Ok(erased)
}

/// Deletes up to `limit` messages of an inbox that are older than `before`, and the threads that become empty. Queued
/// messages stay.
pub fn messages_before(tx: &mut Tx, inbox: InboxRef, before: Time, limit: u32) -> Result<ErasedTotals> {
    let mut erased = ErasedTotals::default();
    lock_inbox(tx, inbox)?;
    let found = older(tx, inbox, before, limit)?;
    let mut touched: Vec<(ThreadId, i64)> = Vec::new();
    for target in &found {
        message(tx, inbox, target, &mut erased)?;
        // A message that is held is not counted in its thread.
        let counted = i64::from(!target.is_held);
        match touched.iter_mut().find(|(thread, _)| *thread == target.thread) {
            Some((_, gone)) => *gone += counted,
            None => touched.push((target.thread, counted)),
        }
    }
    for (thread, gone) in touched {
        if has_messages(tx, inbox.workspace, thread)? {
            shrink_thread(tx, inbox.workspace, thread, gone)?;
        } else {
            threads::delete(tx, inbox.workspace, thread)?;
        }
    }
    if erased.messages > 0 {
        erased.subtract(tx, inbox)?;
    }
    Ok(erased)
}

/// Deletes a message with all dependent rows.
fn message(tx: &mut Tx, inbox: InboxRef, target: &MessageToErase, erased: &mut ErasedTotals) -> Result<()> {
    let (workspace, id) = (inbox.workspace, target.id);
    for label in &target.labels {
        remove_label(tx, inbox, target, label)?;
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
    contacts::clear_subject(tx, inbox, target.thread, target.created_at)?;
    delete_row(tx, workspace, id)?;
    erased.blobs.extend(contents::delete_unused(tx, workspace, target.content)?);
    erased.messages += 1;
    erased.bytes += target.bytes;
    Ok(())
}
