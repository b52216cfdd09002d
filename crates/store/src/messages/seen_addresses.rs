//! The addresses that received mail names, also in its text. A row ends with its message.

use posthouse_domain::{MessageId, MessageVerification, ThreadId, Time, WorkspaceId};

use crate::{Result, Tx, statements};

/// The most codes and links that are compared with a message.
const CODES_MAX: u32 = 500;

statements! {
    /// Records that a message names an address.
    pub fn insert(workspace: WorkspaceId, key: i64, message: MessageId) =
        "INSERT INTO seen_addresses (workspace_id, address_key, message_id) VALUES (:workspace, :key, :message) ON CONFLICT DO NOTHING";
    fn by_key(workspace: WorkspaceId, key: i64) -> Option<MessageId> =
        "SELECT message_id FROM seen_addresses WHERE workspace_id = :workspace AND address_key = :key ORDER BY message_id LIMIT 1";
    /// Returns the newest codes and links that were received since then, with their threads and authors.
    pub fn codes(workspace: WorkspaceId, since: Time; limit = CODES_MAX) -> Vec<ReceivedCode> =
        "SELECT thread_id, contact_address, author_proven, verification FROM messages WHERE workspace_id = :workspace AND created_at > :since AND verification IS NOT NULL
        AND direction = 'inbound' ORDER BY created_at DESC LIMIT :limit";
}

crate::row_struct!(
    /// A code or a link that a workspace received.
    pub ReceivedCode {
        /// The thread of its message.
        thread_id: ThreadId,
        /// The address of the author, if the message has one.
        contact_address: Option<String>,
        /// Whether the author is proven.
        author_proven: bool,
        /// The code or the link.
        verification: MessageVerification,
    }
);

/// Returns the first message that names one of the addresses with these keys.
pub fn first(tx: &mut Tx, workspace: WorkspaceId, keys: &[i64]) -> Result<Option<MessageId>> {
    for key in keys {
        if let Some(found) = by_key(tx, workspace, *key)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
