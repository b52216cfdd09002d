//! The addresses that received mail names, also in its text. A row ends with its message.

use posthouse_domain::outbound_policy::seen::{SeenFilter, SeenKeys};
use posthouse_domain::{AttachmentId, MessageId, MessageVerification, ThreadId, Time, WorkspaceId};
use uuid::Uuid;

use crate::{Result, Tx, statements};

/// The most filters that are compared with an address.
const FILTERS_MAX: u32 = 1_000;
/// The most codes and links that are compared with a message.
const CODES_MAX: u32 = 500;

statements! {
    /// Records that a message names an address.
    pub fn insert(workspace: WorkspaceId, key: i64, message: MessageId) =
        "INSERT INTO seen_addresses (workspace_id, address_key, message_id) VALUES (:workspace, :key, :message) ON CONFLICT DO NOTHING";
    fn insert_filter(workspace: WorkspaceId, message: MessageId, part: AttachmentId, filter: &[u8]) =
        "INSERT INTO seen_filters (workspace_id, message_id, attachment_id, filter) VALUES (:workspace, :message, :part, :filter) ON CONFLICT DO NOTHING";
    fn newest_filters(workspace: WorkspaceId; limit = FILTERS_MAX) -> Vec<Vec<u8>> =
        "SELECT f.filter FROM seen_filters f WHERE f.workspace_id = :workspace
        ORDER BY f.message_id DESC, f.attachment_id DESC LIMIT :limit";
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

/// Records the addresses that a part of a message names: the mail, or one of its files.
pub fn insert_all(
    tx: &mut Tx,
    workspace: WorkspaceId,
    message: MessageId,
    part: Option<AttachmentId>,
    seen: &SeenKeys,
) -> Result<()> {
    seen.indexed.iter().try_for_each(|key| insert(tx, workspace, *key, message))?;
    match &seen.rest {
        Some(rest) => insert_filter(tx, workspace, message, part.unwrap_or(AttachmentId(Uuid::nil())), rest.bytes()),
        None => Ok(()),
    }
}

/// Returns the filters of a workspace, the newest first. Where it has more than can be compared with an address, the last one
/// has any address.
pub fn filters(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<SeenFilter>> {
    let found = newest_filters(tx, workspace)?;
    let is_cut = found.len() == FILTERS_MAX as usize;
    let mut filters: Vec<SeenFilter> = found.into_iter().map(SeenFilter::from_bytes).collect();
    if let Some(last) = filters.last_mut().filter(|_| is_cut) {
        *last = SeenFilter::all();
    }
    Ok(filters)
}

/// Returns the first message that names one of the addresses with these keys.
pub fn first(tx: &mut Tx, workspace: WorkspaceId, keys: &[i64]) -> Result<Option<MessageId>> {
    for key in keys {
        if let Some(found) = by_key(tx, workspace, *key)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
