//! The work queue of an inbox: leases, and the number of deliveries of a message.
//!
//! A queue delivers the received messages of one inbox under leases. An expired lease stays valid until the message is
//! claimed again, except for the last one: when it expires, the message becomes a dead letter (docs/reference/queue.md).

use crate::record::Record;
use crate::{
    error::{ErrorCode, Refusal},
    id::{InboxId, LeaseId, MessageId, ThreadId, WorkspaceId},
    time::Time,
};

/// The maximum number of deliveries of a message.
pub const DELIVERIES_MAX: u32 = 10;
/// The label of messages that reached [`DELIVERIES_MAX`] without being acknowledged.
pub const DEAD_LETTER: &str = "queue:dead-letter";
/// How long the record of a deleted message is kept after it was delivered, in milliseconds.
pub const DELETED_RETENTION_MS: i64 = 30 * crate::time::DAY_MS;

named! {
    /// The state of a message in its queue.
    QueueItemState {
        /// Available or leased.
        Open = "open",
        /// Acknowledged.
        Done = "done",
        /// Delivered too often: a dead letter.
        Dead = "dead",
        /// The message was deleted.
        Deleted = "gone",
    }
}

/// A message in the queue of its inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueItem {
    pub workspace: WorkspaceId,
    pub message: MessageId,
    /// The inbox whose queue it is in.
    pub inbox: InboxId,
    /// Its conversation. At most one message of a conversation is leased at a time.
    pub thread: ThreadId,
    pub state: QueueItemState,
    /// When it can be claimed: the end of its lease or delay; 0 if neither applies.
    pub available_at: Time,
    /// The last lease, unless it was returned.
    pub lease: Option<LeaseId>,
    /// The number of deliveries.
    pub deliveries: u32,
    /// When it was acknowledged.
    pub settled_at: Option<Time>,
}

/// The status of a lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseStatus {
    /// The lease is the current one.
    Current,
    /// The message was acknowledged under this lease, at this time.
    Done(Time),
}

impl QueueItem {
    /// Returns the status of a lease. An expired lease stays current until the message is claimed again; only the lease
    /// of the last delivery ends when it expires.
    ///
    /// # Errors
    /// Returns `lease_expired` if the lease is not the current one.
    pub fn check_lease(&self, lease: &str, now: Time) -> Result<LeaseStatus, Refusal> {
        let is_last_given = self.lease.is_some() && lease.parse().ok() == self.lease;
        match (self.state, self.settled_at) {
            (QueueItemState::Open, _) if is_last_given && !self.is_exhausted(now) => Ok(LeaseStatus::Current),
            (QueueItemState::Done, Some(at)) if is_last_given => Ok(LeaseStatus::Done(at)),
            _ => Err(lease_expired()),
        }
    }

    /// Returns whether the last delivery's lease has expired, which makes the message a dead letter.
    #[must_use]
    pub fn is_exhausted(&self, now: Time) -> bool {
        self.state == QueueItemState::Open && self.deliveries >= DELIVERIES_MAX && self.available_at <= now
    }
}

/// Creates the refusal for a lease that is not the current one of its message.
#[must_use]
pub fn lease_expired() -> Refusal {
    Refusal::new(
        ErrorCode::LeaseExpired,
        "The lease is not the message's current lease; another worker may hold it now.",
    )
}

/// Which messages a claim accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClaimFilter {
    /// Only messages of this channel.
    pub channel: Option<crate::message::Channel>,
    /// Only messages of this kind.
    pub kind: Option<crate::message::MessageKind>,
    /// Only messages that were screened for injection and phishing.
    pub analysed: bool,
    /// Only messages whose analysis is not pending.
    pub enriched: bool,
    /// Which withheld messages count, too.
    pub opt_ins: crate::analysis::OptIns,
}

/// The current state of a queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueState {
    pub inbox: InboxId,
    pub address: String,
    /// When it was first claimed from.
    pub started_at: Time,
    /// Number of waiting messages, including delayed ones.
    pub depth: u64,
    /// Number of messages with an active lease.
    pub in_flight: u64,
    /// Number of dead letters: messages that used up their deliveries.
    pub dead_letters: u64,
    /// When the oldest waiting message was stored.
    pub oldest_waiting_at: Option<Time>,
}

/// A claimed message with its lease.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimedMessage {
    pub lease: LeaseId,
    /// When the lease expires.
    pub until: Time,
    /// The number of deliveries of the message, including this one.
    pub deliveries: u32,
    /// The message.
    pub record: Record,
}

/// The result of a claim.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Claims {
    /// The claimed messages, oldest first.
    pub claimed: Vec<ClaimedMessage>,
    /// Whether the claim is empty because the inbox is paused or the workspace is stopped.
    pub is_paused: bool,
}

/// A message in a queue, as a person sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueEntry {
    pub message: MessageId,
    /// The inbox of the queue.
    pub inbox: InboxId,
    /// Its conversation.
    pub thread: ThreadId,
    /// When the message was stored: its place in the queue.
    pub created_at: Time,
    /// The end of its lease; `None` for a dead letter.
    pub lease_until: Option<Time>,
    /// The number of its deliveries.
    pub deliveries: u32,
    /// The name of the worker that claimed it last.
    pub consumer: Option<String>,
    /// When it became a dead letter.
    pub dead_at: Option<Time>,
}

/// The result of an ack, nack or extend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseOutcome<T> {
    /// The message was deleted after it was claimed.
    Gone,
    /// The result for a message that exists.
    Is(T),
}

/// A message that a nack returned to its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReturnedMessage {
    /// The number of its deliveries.
    pub deliveries: u32,
    /// When it can be claimed again; `None` for a dead letter.
    pub available_at: Option<Time>,
}

/// An extended lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtendedLease {
    pub lease: LeaseId,
    /// When it expires now.
    pub until: Time,
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn item(state: QueueItemState, deliveries: u32) -> QueueItem {
        let id = Uuid::from_u128(1);
        QueueItem {
            workspace: WorkspaceId(id),
            message: MessageId(id),
            inbox: InboxId(id),
            thread: ThreadId(id),
            state,
            available_at: Time::from_millis(1_000),
            lease: Some(LeaseId(Uuid::from_u128(7))),
            deliveries,
            settled_at: (state == QueueItemState::Done).then_some(Time::from_millis(500)),
        }
    }

    #[test]
    fn lease_is_valid_until_the_next_claim_and_the_tenth_until_it_expires() {
        let (mine, other) = (Uuid::from_u128(7).to_string(), Uuid::from_u128(8).to_string());
        let expired = Err(ErrorCode::LeaseExpired);
        let done = Ok(LeaseStatus::Done(Time::from_millis(500)));
        let rows = [
            (item(QueueItemState::Open, 1), 999, Ok(LeaseStatus::Current)),
            (item(QueueItemState::Open, 1), 5_000, Ok(LeaseStatus::Current)),
            (item(QueueItemState::Open, DELIVERIES_MAX), 999, Ok(LeaseStatus::Current)),
            (item(QueueItemState::Open, DELIVERIES_MAX), 1_000, expired),
            (QueueItem { lease: None, ..item(QueueItemState::Open, 1) }, 1, expired),
            (item(QueueItemState::Done, 1), 5_000, done),
            (item(QueueItemState::Dead, 10), 1, expired),
            (item(QueueItemState::Deleted, 1), 1, expired),
        ];
        for (item, now, wanted) in rows {
            let now = Time::from_millis(now);
            assert_eq!(item.check_lease(&mine, now).map_err(|refusal| refusal.code), wanted, "{item:?} at {now:?}");
            for stale in [other.as_str(), "", "no uuid"] {
                assert_eq!(
                    item.check_lease(stale, now).map_err(|refusal| refusal.code),
                    expired,
                    "{item:?} with {stale}"
                );
            }
        }
    }
}
