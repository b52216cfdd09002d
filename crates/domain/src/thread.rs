//! Conversations within one inbox (contract §6; decision 20).

use crate::{
    id::{InboxId, ThreadId, WorkspaceId},
    time::{DAY_MS, Time},
};

/// How long a subject keeps a conversation together without references, in milliseconds.
pub const SUBJECT_WINDOW_MS: i64 = 7 * DAY_MS;
/// Most participants a conversation remembers.
pub const PARTICIPANTS_MAX: usize = 200;

/// A conversation as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Thread {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: ThreadId,
    /// The inbox it is in.
    pub inbox: InboxId,
    /// The subject of its first message.
    pub subject: Option<String>,
    /// Canonical addresses of everybody in it.
    pub participants: Vec<String>,
    /// How many messages it has.
    pub message_count: u64,
    /// Its own labels.
    pub labels: Vec<String>,
    /// Its metadata, as a JSON object's text.
    pub metadata_json: String,
    /// When its newest message was stored.
    pub last_message_at: Time,
    /// When it began.
    pub created_at: Time,
}

/// Whether two groups of canonical addresses have a member in common, apart from the inbox itself.
#[must_use]
pub fn share_participant(a: &[String], b: &[String], own: &str) -> bool {
    a.iter().any(|address| address != own && b.contains(address))
}

/// Adds the new addresses to the old ones, in order, each once, up to [`PARTICIPANTS_MAX`].
#[must_use]
pub fn joined(mut old: Vec<String>, new: &[String]) -> Vec<String> {
    for address in new {
        if old.len() < PARTICIPANTS_MAX && !old.contains(address) {
            old.push(address.clone());
        }
    }
    old
}
