//! Webhooks: events of the log, POSTed to their owners' servers (API document, Events; contract §11; decisions 9 to 12).
//!
//! The transaction that makes an event true writes nothing for webhooks. Behind it [`round`] reads the log from the place of
//! each webhook and stores an attempt for every event it takes; [`bodies`] renders the events, [`attempt`] makes the
//! attempt, and the next round settles it. A crash between the POST and the settle sends once more, with the same event id.

pub mod attempt;
pub mod bodies;
pub mod change;
pub mod create;
mod lanes;
pub mod notice;
pub mod read;
pub mod round;
mod seal;
mod settle;
pub mod sign;
pub mod trial;
mod url;

pub(in crate::app) use seal::context as sealed_as;

use posthouse_domain::{
    event::EventKind,
    id::{EventId, InboxId, ThreadId, WebhookDeliveryId, WebhookId},
    time::Time,
};
use uuid::Uuid;

/// An attempt that is ours to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Errand {
    /// The webhook.
    pub webhook: WebhookId,
    /// The attempt.
    pub delivery: WebhookDeliveryId,
    /// The event.
    pub event: EventId,
    /// The event's kind.
    pub kind: EventKind,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When it was stored.
    pub created_at: Time,
    /// The inbox it is of; unknown for attempts without a lane.
    pub inbox: Option<InboxId>,
    /// What it must not overtake.
    pub lane: Lane,
    /// Proof that it is ours.
    pub token: Uuid,
    /// Until when it is.
    pub until: Time,
}

impl Errand {
    /// Its turn among the others of its webhook.
    #[must_use]
    pub const fn turn(&self) -> Turn {
        Turn { inbox: self.inbox, lane: self.lane }
    }
}

/// What decides whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The inbox that the event is of.
    pub inbox: Option<InboxId>,
    /// What the event must not overtake.
    pub lane: Lane,
}

impl Turn {
    /// Whether it has to wait for the other, which is in front of it.
    #[must_use]
    pub fn is_behind(self, ahead: Self) -> bool {
        match (ahead.lane, self.lane) {
            (Lane::None, _) | (_, Lane::None) => false,
            (Lane::Inbox(closed), _) => self.inbox == Some(closed),
            (Lane::Thread(_), Lane::Inbox(held)) => ahead.inbox == Some(held),
            (Lane::Thread(closed), Lane::Thread(thread)) => closed == thread,
        }
    }
}

/// First attempts of one lane are made one after the other, in the order of the log: of a conversation, and of an inbox
/// whose events were held back; also when several processes carry them, or one of them dies. Attempts that follow a failed one
/// have none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lane {
    /// It may overtake any.
    None,
    /// A conversation.
    Thread(ThreadId),
    /// A whole inbox.
    Inbox(InboxId),
}
