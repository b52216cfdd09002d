//! Responses of the work queue: claims, leases and queue states.

use posthouse_domain::{
    id::MessageId,
    queue::{
        ClaimedMessage, Claims, DELIVERIES_MAX, ExtendedLease, LeaseOutcome, QueueEntry, QueueState, ReturnedMessage,
    },
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, message::MessageView};

/// The response to a claim.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Claim")]
pub struct ClaimsView<'a> {
    /// Claimed messages, oldest first.
    data: Vec<ClaimedView<'a>>,
    /// Whether the claim is empty because the inbox is paused or the workspace is stopped.
    paused: bool,
}

/// A message under a lease.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClaimedMessage")]
pub struct ClaimedView<'a> {
    /// Lease, required by ack, nack and extend, and optional for replies, forwards and changes of the message.
    lease_id: Uuid,
    /// End of the lease.
    lease_until: TimestampView,
    /// Number of deliveries of the message, including this one.
    delivery_count: u32,
    /// Claimed message.
    message: MessageView<'a>,
}

/// A message that was deleted.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GoneMessage")]
pub struct GoneView {
    id: Uuid,
    /// Always true.
    gone: bool,
}

/// An acknowledged message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AckedMessage")]
pub struct AckedView {
    id: Uuid,
    /// Time of the first ack; repeated acks return the same time.
    acked_at: TimestampView,
}

/// A message that was returned to its queue.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NackedMessage")]
pub struct NackedView {
    id: Uuid,
    /// Number of deliveries of the message.
    delivery_count: u32,
    /// Time from which it can be claimed again; null for a dead letter.
    available_at: Option<TimestampView>,
    /// Whether this was the last delivery; the message then has the label `queue:dead-letter`.
    dead_letter: bool,
}

/// An extended lease.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExtendedLease")]
pub struct ExtendedView {
    id: Uuid,
    /// Extended lease; its id does not change.
    lease_id: Uuid,
    /// New end of the lease.
    lease_until: TimestampView,
}

/// The result of an operation on a claimed message, or the fact that the message was deleted.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "{T}OrGone")]
pub enum OrGoneView<T> {
    /// Result for a message that exists.
    Present(T),
    /// The message was deleted.
    Gone(GoneView),
}

view! {
    /// A message in a work queue: in flight, or a dead letter.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "QueueItem")]
    pub struct QueueItemView<'a> of entry: &'a QueueEntry, from: &'a str, subject: Option<&'a str> {
        message_id: Uuid = entry.message.into(),
        /// Inbox of the queue.
        inbox_id: Uuid = entry.inbox.into(),
        /// Thread of the message.
        thread_id: Uuid = entry.thread.into(),
        /// `in_flight` or `dead_letter`.
        state: &'static str = if entry.lease_until.is_some() { "in_flight" } else { "dead_letter" },
        /// Author of the message; without the name if the content is withheld.
        from: &'a str = from,
        /// Subject of the message; null also if its content is withheld.
        subject: Option<&'a str> = subject,
        /// Number of deliveries.
        delivery_count: u32 = entry.deliveries.min(DELIVERIES_MAX),
        /// Name of the worker that claimed it last.
        consumer: Option<&'a str> = entry.consumer.as_deref(),
        /// End of the lease; null for a dead letter.
        lease_until: Option<TimestampView> = entry.lease_until.map(Into::into),
        /// Time at which the message became a dead letter; null in flight.
        dead_at: Option<TimestampView> = entry.dead_at.map(Into::into),
        /// Time at which the message was stored.
        created_at: TimestampView = entry.created_at.into(),
    }
}

/// A message that a person gave back to its queue.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RequeuedMessage")]
pub struct GivenBackView {
    id: Uuid,
    /// Number of deliveries that count from now on.
    delivery_count: u32,
    /// Time from which it can be claimed: now.
    available_at: TimestampView,
}

/// A dead letter that a person dropped.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DroppedMessage")]
pub struct DroppedView {
    id: Uuid,
    dropped_at: TimestampView,
}

view! {
    /// The current state of an inbox's work queue, independent of the time range of the metrics.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "QueueState")]
    pub struct QueueView of state: &QueueState {
        /// Inbox of the queue.
        inbox_id: Uuid = state.inbox.into(),
        /// Address of the inbox.
        address: String = state.address.clone(),
        /// Time of the first claim.
        started_at: TimestampView = state.started_at.into(),
        /// Number of waiting messages, including delayed ones; without messages in flight and dead letters.
        depth: u64 = state.depth,
        /// Number of messages under a current lease.
        in_flight: u64 = state.in_flight,
        /// Number of dead letters.
        dead_letters: u64 = state.dead_letters,
        /// Time at which the oldest waiting message was stored; null if no message waits.
        oldest_waiting_at: Option<TimestampView> = state.oldest_waiting_at.map(Into::into),
    }
}

impl<'a> ClaimsView<'a> {
    /// Returns the view of a claim.
    #[must_use]
    pub fn of(claims: &'a Claims) -> Self {
        Self { data: claims.claimed.iter().map(ClaimedView::of).collect(), paused: claims.is_paused }
    }
}

impl<'a> ClaimedView<'a> {
    fn of(claimed: &'a ClaimedMessage) -> Self {
        Self {
            lease_id: claimed.lease.into(),
            lease_until: claimed.until.into(),
            delivery_count: claimed.deliveries,
            message: MessageView::of(&claimed.record),
        }
    }
}

impl<T> OrGoneView<T> {
    fn of<O>(id: MessageId, outcome: LeaseOutcome<O>, view: impl FnOnce(O) -> T) -> Self {
        match outcome {
            LeaseOutcome::Gone => OrGoneView::Gone(GoneView { id: id.into(), gone: true }),
            LeaseOutcome::Is(outcome) => OrGoneView::Present(view(outcome)),
        }
    }
}

impl AckedView {
    /// Returns the view of an ack.
    #[must_use]
    pub fn of(id: MessageId, outcome: LeaseOutcome<Time>) -> OrGoneView<Self> {
        OrGoneView::of(id, outcome, |at| Self { id: id.into(), acked_at: at.into() })
    }
}

impl NackedView {
    /// Returns the view of a nack.
    #[must_use]
    pub fn of(id: MessageId, outcome: LeaseOutcome<ReturnedMessage>) -> OrGoneView<Self> {
        OrGoneView::of(id, outcome, |returned| Self {
            id: id.into(),
            delivery_count: returned.deliveries.min(DELIVERIES_MAX),
            available_at: returned.available_at.map(Into::into),
            dead_letter: returned.available_at.is_none(),
        })
    }
}

impl ExtendedView {
    /// Returns the view of an extended lease.
    #[must_use]
    pub fn of(id: MessageId, outcome: LeaseOutcome<ExtendedLease>) -> OrGoneView<Self> {
        OrGoneView::of(id, outcome, |extended| Self {
            id: id.into(),
            lease_id: extended.lease.into(),
            lease_until: extended.until.into(),
        })
    }
}

impl GivenBackView {
    /// Returns the view of a message that was returned to its queue.
    #[must_use]
    pub fn of(id: MessageId, delivery_count: u32, available_at: Time) -> Self {
        Self { id: id.into(), delivery_count, available_at: available_at.into() }
    }
}

impl DroppedView {
    /// Returns the view of a dropped dead letter.
    #[must_use]
    pub fn of(id: MessageId, at: Time) -> Self {
        Self { id: id.into(), dropped_at: at.into() }
    }
}
