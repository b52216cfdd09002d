//! Webhooks deliver the events of the log as POST requests (`docs/reference/webhooks.md`).
//!
//! The transaction that appends an event writes nothing for webhooks. Afterwards [`batch`] reads the log from the
//! position of each webhook and stores an attempt for every event that matches; [`payloads`] renders the events,
//! [`attempt`] makes the attempt, and the next batch settles it. A crash between the POST and the settlement sends the
//! event again, with the same id.

pub mod dispatch;

pub mod attempt;
pub mod batch;
pub mod change;
pub mod create;
pub mod notice;
mod ordering;
pub mod payloads;
pub mod read;
mod seal;
mod settle;
pub mod sign;
pub mod subscriptions;
pub mod test_event;
mod url;

use posthouse_domain::{EventId, EventKind, InboxId, ThreadId, Time, WebhookDeliveryId, WebhookId};
use uuid::Uuid;

/// The `User-Agent` of webhook requests.
const USER_AGENT: &str = concat!("Posthouse/", env!("CARGO_PKG_VERSION"), " (webhooks)");

/// A leased webhook attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeasedAttempt {
    pub webhook: WebhookId,
    /// The attempt.
    pub delivery: WebhookDeliveryId,
    pub event: EventId,
    pub kind: EventKind,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When the attempt was stored.
    pub created_at: Time,
    /// The inbox of the event; `None` for attempts without an ordering key.
    pub inbox: Option<InboxId>,
    /// The ordering key of the event.
    pub key: OrderingKey,
    /// The lease token.
    pub token: Uuid,
    /// The end of the lease.
    pub until: Time,
}

impl LeasedAttempt {
    /// Returns what orders this attempt among the others of its webhook.
    #[must_use]
    pub const fn order(&self) -> AttemptOrder {
        AttemptOrder { inbox: self.inbox, key: self.key }
    }
}

/// What orders an attempt among the others of its webhook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttemptOrder {
    /// The inbox of the event.
    pub inbox: Option<InboxId>,
    /// The ordering key of the event.
    pub key: OrderingKey,
}

impl AttemptOrder {
    /// Returns whether this attempt must wait for `ahead`.
    #[must_use]
    pub fn waits_for(self, ahead: Self) -> bool {
        match (ahead.key, self.key) {
            (OrderingKey::None, _) | (_, OrderingKey::None) => false,
            (OrderingKey::Inbox(closed), _) => self.inbox == Some(closed),
            (OrderingKey::Thread(_), OrderingKey::Inbox(held)) => ahead.inbox == Some(held),
            (OrderingKey::Thread(closed), OrderingKey::Thread(thread)) => closed == thread,
        }
    }
}

/// The ordering key of an attempt. First attempts with the same key are made one after the other in log order, also
/// across processes and crashes: the key is a conversation, or an inbox whose events were held. Retries have no key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OrderingKey {
    /// Not ordered.
    None,
    /// A conversation.
    Thread(ThreadId),
    /// A whole inbox.
    Inbox(InboxId),
}
