//! Conversations within one inbox.

use posthouse_mail::address::Address;

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
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: ThreadId,
    /// The inbox it is in.
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
    /// When it was created.
    pub created_at: Time,
}

/// Returns whether two lists of canonical addresses share a member other than the inbox itself, `own`, also with a tag.
#[must_use]
pub fn share_participant(a: &[String], b: &[String], own: &str) -> bool {
    let is_own = |address: &str| {
        address == own || Address::parse(address).is_ok_and(|address| address.without_tag().canonical_str() == own)
    };
    a.iter().any(|address| b.contains(address) && !is_own(address))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inbox_and_its_tagged_addresses_are_no_shared_participant() {
        let list = |all: &[&str]| -> Vec<String> { all.iter().map(|address| (*address).to_owned()).collect() };
        let own = "shop@in.example";
        let mut variants = 0;
        for ours in [own, "shop+orders@in.example", "shop+a+b@in.example", "shop+@in.example"] {
            for other in ["ann@a.example", "shop@other.example", "shop2@in.example", "shop+x@other.example"] {
                let (first, second) = (list(&[ours, other]), list(&[ours, "bob@b.example"]));
                assert!(!share_participant(&first, &second, own), "{ours} {other}");
                assert!(share_participant(&first, &list(&["bob@b.example", other]), own), "{ours} {other}");
                variants += 2;
            }
        }
        assert!(variants >= 20);
    }
}
