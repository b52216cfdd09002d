//! Inboxes: addresses that receive and send (API document, Inboxes; contract §3).

use crate::{
    id::{InboxId, WorkspaceId},
    time::{DAY_MS, Time},
};

/// Shortest life of a temporary inbox, in seconds.
pub const TTL_SECONDS_MIN: i64 = 60;
/// Longest life of a temporary inbox from its creation, in seconds.
pub const TTL_SECONDS_MAX: i64 = DAY_MS / 1_000;
/// Most temporary inboxes of a workspace at once.
pub const TEMPORARY_ACTIVE_MAX: u64 = 25;
/// Most temporary inboxes that a workspace makes in an hour.
pub const TEMPORARY_PER_HOUR_MAX: u64 = 60;

/// An inbox as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Inbox {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: InboxId,
    /// Its canonical address.
    pub address: String,
    /// The local part.
    pub username: String,
    /// The domain.
    pub domain: String,
    /// The name that recipients see.
    pub display_name: Option<String>,
    /// The caller's idempotency key.
    pub client_id: Option<String>,
    /// The caller's metadata, as a JSON object's text.
    pub metadata_json: String,
    /// Whether it expires and only receives.
    pub temporary: bool,
    /// When it expires.
    pub expires_at: Option<Time>,
    /// Since when it is paused.
    pub paused_at: Option<Time>,
    /// Why it is paused.
    pub paused_reason: Option<String>,
    /// Whether promotions are kept apart; none: the default of the local part.
    pub promotions_filter: Option<bool>,
    /// `created_at` of its newest message.
    pub last_message_at: Time,
    /// When it was made.
    pub created_at: Time,
    /// When it was deleted.
    pub deleted_at: Option<Time>,
}

impl Inbox {
    /// Whether it does not send, and holds its events back.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.paused_at.is_some()
    }

    /// Whether mail to it is taken at that time: not deleted, not expired.
    #[must_use]
    pub fn receives(&self, now: Time) -> bool {
        self.deleted_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}
