//! Reply counts for the loop rules and the burst limit.

use posthouse_domain::{
    id::{InboxId, MessageId, ThreadId, WorkspaceId},
    message::Message,
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    /// Returns how often a message was answered.
    pub fn of(workspace: WorkspaceId, message: MessageId) -> u64 =
        "SELECT count(*) FROM messages WHERE workspace_id = :workspace AND answers = :message";
    /// Returns the number of answers sent in a thread after `since`.
    pub fn in_thread(workspace: WorkspaceId, thread: ThreadId, since: Time) -> u64 =
        "SELECT count(*) FROM messages WHERE workspace_id = :workspace AND thread_id = :thread AND created_at > :since AND answers IS NOT NULL";
    SENT_ID = "SELECT count(*) FROM messages WHERE workspace_id = $1 AND inbox_id = $2 AND rfc_message_id = $3
        AND direction = 'outbound'";
    /// Returns the recipients of the message that an inbox sent with a `Message-ID`; empty if it sent none.
    pub fn sent_to(workspace: WorkspaceId, inbox: InboxId, rfc_message_id: &str) -> Vec<String> =
        "SELECT r.address FROM messages m
        CROSS JOIN {pg:LATERAL (SELECT * FROM} recipients r {lite:ON}{pg:WHERE} r.workspace_id = :workspace AND r.message_id = m.id {pg:OFFSET 0) r}
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.rfc_message_id = :rfc_message_id AND m.direction = 'outbound'";
    SENT_SINCE = "SELECT count(*) AS messages, min(created_at) AS oldest FROM messages WHERE workspace_id = $1 AND direction = 'outbound' AND created_at > $2";
}

/// Returns whether a message is one of the inbox's own sent messages coming back: the inbox sent its `Message-ID`.
pub fn was_sent(tx: &mut Tx, message: &Message) -> Result<bool> {
    let m = message;
    let sent: Option<u64> = tx.value(&SENT_ID, p![m.workspace, m.inbox, m.rfc_message_id])?;
    Ok(sent.is_some_and(|n| n > 0))
}

/// Returns the number of messages that a workspace sent after `since`, and the time of the first.
pub fn sent_since(tx: &mut Tx, workspace: WorkspaceId, since: Time) -> Result<(u64, Option<Time>)> {
    let sent: Option<SentRow> = tx.one(&SENT_SINCE, p![workspace, since])?;
    Ok(sent.map_or((0, None), |row| (row.messages, row.oldest)))
}

crate::row_struct!(SentRow { messages: u64, oldest: Option<Time> });
