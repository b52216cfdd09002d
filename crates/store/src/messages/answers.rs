//! Reply counts for the loop rules and the burst limit.

use posthouse_domain::{InboxId, Message, MessageId, ThreadId, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    /// Returns how often a message was answered.
    pub fn of(workspace: WorkspaceId, message: MessageId) -> u64 =
        "SELECT count(*) FROM messages WHERE workspace_id = :workspace AND answers = :message";
    /// Returns the number of answers sent in a thread after `since`.
    pub fn in_thread(workspace: WorkspaceId, thread: ThreadId, since: Time) -> u64 =
        "SELECT count(*) FROM messages WHERE workspace_id = :workspace AND thread_id = :thread AND created_at > :since AND answers IS NOT NULL";
    fn count_sent(message: &Message { workspace, inbox, rfc_message_id }) -> u64 =
        "SELECT count(*) FROM messages WHERE workspace_id = :workspace AND inbox_id = :inbox AND rfc_message_id = :rfc_message_id
        AND direction = 'outbound'";
    /// Returns the recipients of the message that an inbox sent with a `Message-ID`; empty if it sent none.
    pub fn sent_to(workspace: WorkspaceId, inbox: InboxId, rfc_message_id: &str) -> Vec<String> =
        "SELECT r.address FROM messages m
        CROSS JOIN {pg:LATERAL (SELECT * FROM} recipients r {lite:ON}{pg:WHERE} r.workspace_id = :workspace AND r.message_id = m.id {pg:OFFSET 0) r}
        WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.rfc_message_id = :rfc_message_id AND m.direction = 'outbound'";
    /// Looks at the oldest threads of the address, with the whole key of each table.
    fn first_to_row(workspace: WorkspaceId, address: &str; searched = THREADS_SEARCHED_MAX) -> Option<FirstRow> =
        "SELECT min(m.created_at) AS first FROM
        (SELECT p.thread_id FROM thread_people p WHERE p.workspace_id = :workspace AND p.address = :address ORDER BY p.thread_id LIMIT :searched) bounded
        CROSS JOIN {pg:LATERAL (SELECT * FROM} messages m {lite:ON}{pg:WHERE} m.workspace_id = :workspace AND m.thread_id = bounded.thread_id
          AND m.direction = 'outbound' AND m.answers IS NULL AND m.in_reply_to IS NULL {pg:OFFSET 0) m}
        CROSS JOIN {pg:LATERAL (SELECT * FROM} recipients r {lite:ON}{pg:WHERE} r.workspace_id = :workspace AND r.message_id = m.id {pg:OFFSET 0) r}
        WHERE lower(r.address) = :address";
    /// Looks at the oldest threads of the address.
    fn first_by_row(workspace: WorkspaceId, address: &str; searched = THREADS_SEARCHED_MAX) -> Option<FirstRow> =
        "SELECT min(m.created_at) AS first FROM
        (SELECT p.thread_id FROM thread_people p WHERE p.workspace_id = :workspace AND p.address = :address ORDER BY p.thread_id LIMIT :searched) bounded
        CROSS JOIN {pg:LATERAL (SELECT * FROM} messages m {lite:ON}{pg:WHERE} m.workspace_id = :workspace AND m.thread_id = bounded.thread_id
          AND m.direction = 'inbound' AND m.author_proven = 1 AND m.contact_address = :address {pg:OFFSET 0) m}";
    fn sent_row(workspace: WorkspaceId, since: Time) -> Option<SentRow> =
        "SELECT count(*) AS messages, min(created_at) AS oldest FROM messages WHERE workspace_id = :workspace AND direction = 'outbound' AND created_at > :since";
}

/// Number of threads of an address that are searched for mail to it.
const THREADS_SEARCHED_MAX: u32 = 500;

/// Returns whether a message is one of the inbox's own sent messages coming back: the inbox sent its `Message-ID`.
pub fn was_sent(tx: &mut Tx, message: &Message) -> Result<bool> {
    Ok(count_sent(tx, message)? > 0)
}

/// Returns when a workspace first sent a message that answers nothing to a canonical address.
pub fn first_to(tx: &mut Tx, workspace: WorkspaceId, address: &str) -> Result<Option<Time>> {
    Ok(first_to_row(tx, workspace, address)?.and_then(|row| row.first))
}

/// Returns when a workspace first received mail whose proven author is a canonical address.
pub fn first_by(tx: &mut Tx, workspace: WorkspaceId, address: &str) -> Result<Option<Time>> {
    Ok(first_by_row(tx, workspace, address)?.and_then(|row| row.first))
}

/// Returns the number of messages that a workspace sent after `since`, and the time of the first.
pub fn sent_since(tx: &mut Tx, workspace: WorkspaceId, since: Time) -> Result<(u64, Option<Time>)> {
    Ok(sent_row(tx, workspace, since)?.map_or((0, None), |row| (row.messages, row.oldest)))
}

crate::row_struct!(FirstRow { first: Option<Time> });
crate::row_struct!(SentRow { messages: u64, oldest: Option<Time> });
