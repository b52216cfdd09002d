//! The newest message of each thread of a list, with the first words of its new text.

pub use posthouse_domain::NewestMessage;
use posthouse_domain::{MessageId, ThreadId, WorkspaceId};

use crate::{Result, Tx, dialect::IDS_MAX, statements};

statements! {
    // Held mail is not shown in its thread.
    fn newest(workspace: WorkspaceId, threads: each ThreadId) -> Vec<NewestRow> =
        "SELECT (SELECT m.id FROM messages m WHERE m.workspace_id = t.workspace_id AND m.thread_id = t.id
          AND (m.held IS NULL OR m.released_at IS NOT NULL) ORDER BY m.created_at DESC LIMIT 1) AS message_id
        FROM {EACH} threads t WHERE t.workspace_id = :workspace AND t.id {AMONG} {pg:t}";
    fn beginnings(workspace: WorkspaceId, messages: each MessageId) -> Vec<NewestMessage> =
        "SELECT m.id, m.thread_id, m.direction, m.from_text, (SELECT substr(CASE WHEN c.extracted_is_text = 1 OR c.extracted_text IS NULL
            THEN c.text ELSE c.extracted_text END, 1, 400)
          FROM contents c WHERE c.workspace_id = m.workspace_id AND c.id = m.content_id) AS beginning
        FROM {EACH} messages m WHERE m.workspace_id = :workspace AND m.id {AMONG} {pg:m}";
}

/// Returns the newest message of each thread that has one, in any order.
pub fn of_threads(tx: &mut Tx, workspace: WorkspaceId, threads: &[ThreadId]) -> Result<Vec<NewestMessage>> {
    let mut found = Vec::with_capacity(threads.len());
    for some in threads.chunks(IDS_MAX) {
        let ids: Vec<MessageId> = newest(tx, workspace, some)?.into_iter().filter_map(|row| row.message_id).collect();
        found.extend(beginnings(tx, workspace, &ids)?);
    }
    Ok(found)
}

crate::row_struct!(NewestRow { message_id: Option<MessageId> });
crate::from_row!(NewestMessage { id, thread = thread_id, direction, from = from_text, beginning });
