//! Which messages answer which: what the loop rules and the burst limit ask (decisions 14 and 18).

use posthouse_domain::{
    id::{MessageId, ThreadId, WorkspaceId},
    message::Message,
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    OF = "SELECT count(*) FROM messages WHERE workspace_id = $1 AND answers = $2";
    IN_THREAD = "SELECT count(*) FROM messages WHERE workspace_id = $1 AND thread_id = $2 AND created_at > $3 AND answers IS NOT NULL";
    SENT_ID = "SELECT count(*) FROM messages WHERE workspace_id = $1 AND inbox_id = $2 AND rfc_message_id = $3
        AND direction = 'outbound'";
    SENT_SINCE = "SELECT count(*), min(created_at) FROM messages WHERE workspace_id = $1 AND direction = 'outbound' AND created_at > $2";
}

/// How often a message was answered.
///
/// # Errors
/// The store's own.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<u64> {
    Ok(tx.value(&OF, p![workspace, message])?.unwrap_or(0))
}

/// How many answers were sent within a thread after `since`.
///
/// # Errors
/// The store's own.
pub fn in_thread(tx: &mut Tx, workspace: WorkspaceId, thread: ThreadId, since: Time) -> Result<u64> {
    Ok(tx.value(&IN_THREAD, p![workspace, thread, since])?.unwrap_or(0))
}

/// Whether the message came back: a sent message of the same inbox has its `Message-ID`.
///
/// # Errors
/// The store's own.
pub fn was_sent(tx: &mut Tx, message: &Message) -> Result<bool> {
    let m = message;
    let sent: Option<u64> = tx.value(&SENT_ID, p![m.workspace, m.inbox, m.rfc_message_id])?;
    Ok(sent.is_some_and(|n| n > 0))
}

/// How many messages the workspace sent after `since`, and when the first of them was made.
///
/// # Errors
/// The store's own.
pub fn sent_since(tx: &mut Tx, workspace: WorkspaceId, since: Time) -> Result<(u64, Option<Time>)> {
    Ok(tx.one(&SENT_SINCE, p![workspace, since])?.unwrap_or((0, None)))
}
