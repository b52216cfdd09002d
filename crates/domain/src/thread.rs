//! Conversations within one inbox.

use crate::{
    id::{InboxId, ThreadId, WorkspaceId},
    time::{DAY_MS, Time},
};

/// How long messages with the same subject join a conversation without references, in milliseconds.
pub const SUBJECT_WINDOW_MS: i64 = 7 * DAY_MS;
/// The maximum number of participants that a conversation stores.
pub const PARTICIPANTS_MAX: usize = 200;

/// A conversation as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Thread {
    pub workspace: WorkspaceId,
    pub id: ThreadId,
    pub inbox: InboxId,
    /// The subject of its first message.
    pub subject: Option<String>,
    /// The canonical addresses of all participants.
    pub participants: Vec<String>,
    /// The number of messages.
    pub message_count: u64,
    /// The number of its unread messages.
    pub unread_count: u64,
    /// The thread's own labels.
    pub labels: Vec<String>,
    /// Custom metadata, as the text of a JSON object.
    pub metadata_json: String,
    /// When its newest message was stored.
    pub last_message_at: Time,
    pub created_at: Time,
}

/// Appends the new addresses that are not in `old`, up to [`PARTICIPANTS_MAX`].
#[must_use]
pub fn joined(mut old: Vec<String>, new: &[String]) -> Vec<String> {
    for address in new {
        if old.len() < PARTICIPANTS_MAX && !old.contains(address) {
            old.push(address.clone());
        }
    }
    old
}
