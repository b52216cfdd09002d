//! Deleting messages with everything that hangs on them: labels, files, recipients, envelopes, contents that nothing else
//! names.
//!
//! Blobs are not deleted here: a transaction under way may be about to name the same bytes. What nobody names any more
//! is taken by the sweep of the blob store, which spares young blobs.

use posthouse_domain::{
    id::{ContentId, InboxId, MessageId, ThreadId, WorkspaceId},
    time::Time,
};

use crate::{Json, Result, Tx, attachments, contents, message_list::Place, p, queue, statements};

/// Messages that are deleted in one step of the loop.
const STEP: u32 = 200;

statements! {
    LOCK_INBOX = "SELECT id FROM inboxes WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}";
    OF_THREAD = "SELECT id, content_id, created_at, labels FROM messages WHERE workspace_id = $1 AND thread_id = $2 LIMIT $3";
    UNLABEL = "DELETE FROM message_labels WHERE workspace_id = $1 AND inbox_id = $2 AND label = $3 AND created_at = $4";
    RECIPIENTS = "DELETE FROM recipients WHERE workspace_id = $1 AND message_id = $2";
    ENVELOPES = "DELETE FROM envelopes WHERE workspace_id = $1 AND message_id = $2";
    MESSAGE = "DELETE FROM messages WHERE workspace_id = $1 AND id = $2";
}

/// What was deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Erased {
    /// How many messages.
    pub messages: u64,
    /// How many files.
    pub attachments: u64,
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
        let found: Vec<(MessageId, ContentId, Time, Json<Vec<String>>)> =
            tx.rows(&OF_THREAD, p![place.workspace, thread, STEP])?;
        if found.is_empty() {
            return Ok(erased);
        }
        for (id, content, created_at, labels) in found {
            for label in labels.0 {
                tx.exec(&UNLABEL, p![place.workspace, place.inbox, label, created_at])?;
            }
            erased.attachments += message(tx, place.workspace, id, content)?;
            erased.messages += 1;
        }
    }
}

/// Deletes a message whose labels are gone already; gives how many files it had.
fn message(tx: &mut Tx, workspace: WorkspaceId, id: MessageId, content: ContentId) -> Result<u64> {
    tx.exec(&RECIPIENTS, p![workspace, id])?;
    tx.exec(&ENVELOPES, p![workspace, id])?;
    let files = attachments::delete(tx, workspace, id)?;
    queue::forget_message(tx, workspace, id)?;
    tx.exec(&MESSAGE, p![workspace, id])?;
    contents::delete_unused(tx, workspace, content)?;
    Ok(files)
}
