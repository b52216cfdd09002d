//! What work queues show (contract §4.8, §13.2).

use posthouse_domain::{id::MessageId, queue::DELIVERIES_MAX, time::Time};
use posthouse_store::queue::QueueState;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{Moment, message::MessageView};
use crate::app::{
    claim::{Claimed, Claims},
    settle_claim::{Outcome, Prolonged, Returned},
};

/// The answer to a claim.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Claim")]
pub struct ClaimsView<'a> {
    /// What was handed out, oldest first.
    data: Vec<ClaimedView<'a>>,
    /// Whether nothing is handed out because the inbox is paused or the workspace stopped.
    paused: bool,
}

/// A message that was handed out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClaimedMessage")]
pub struct ClaimedView<'a> {
    /// What ack, nack and extend want, and what a reply, a forward and a change of the message may carry.
    lease_id: Uuid,
    /// When the message can be handed out to others.
    lease_until: Moment,
    /// 1 the first time; grows whenever the message is handed out again.
    delivery_count: u32,
    message: MessageView<'a>,
}

/// The message does not exist any more.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GoneMessage")]
pub struct GoneView {
    id: Uuid,
    /// Always true.
    gone: bool,
}

/// A message that was finished.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AckedMessage")]
pub struct AckedView {
    id: Uuid,
    /// When it was finished; the same for who asks again.
    acked_at: Moment,
}

/// A message that was given back.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NackedMessage")]
pub struct NackedView {
    id: Uuid,
    /// How often it was handed out.
    delivery_count: u32,
    /// When it can be claimed again; null for a dead letter.
    available_at: Option<Moment>,
    /// Whether this was the last delivery; the message is labelled queue:dead-letter then.
    dead_letter: bool,
}

/// A lease that was prolonged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExtendedLease")]
pub struct ExtendedView {
    id: Uuid,
    lease_id: Uuid,
    /// Its new end.
    lease_until: Moment,
}

/// One of two things, written as the one it is.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OrGone<T> {
    /// What became of the message.
    Is(T),
    /// The message does not exist any more.
    Gone(GoneView),
}

/// What is in the queue of one inbox now, whatever time the metrics are of.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QueueState")]
pub struct QueueView {
    inbox_id: Uuid,
    address: String,
    /// The first claim.
    started_at: Moment,
    /// Messages that wait, those with a delay too; not those in flight, no dead letters.
    depth: u64,
    /// Messages under a lease that runs.
    in_flight: u64,
    dead_letters: u64,
    /// When the oldest waiting message was stored.
    oldest_waiting_at: Option<Moment>,
}

impl<'a> ClaimsView<'a> {
    /// Shows what was claimed.
    #[must_use]
    pub fn of(claims: &'a Claims) -> Self {
        Self { data: claims.claimed.iter().map(ClaimedView::of).collect(), paused: claims.is_paused }
    }
}

impl<'a> ClaimedView<'a> {
    fn of(claimed: &'a Claimed) -> Self {
        Self {
            lease_id: claimed.lease.into(),
            lease_until: claimed.until.into(),
            delivery_count: claimed.deliveries,
            message: MessageView::of(&claimed.record),
        }
    }
}

impl<T> OrGone<T> {
    fn of<O>(id: MessageId, outcome: Outcome<O>, view: impl FnOnce(O) -> T) -> Self {
        match outcome {
            Outcome::Gone => OrGone::Gone(GoneView { id: id.into(), gone: true }),
            Outcome::Is(outcome) => OrGone::Is(view(outcome)),
        }
    }
}

impl AckedView {
    /// Shows what became of the message.
    #[must_use]
    pub fn of(id: MessageId, outcome: Outcome<Time>) -> OrGone<Self> {
        OrGone::of(id, outcome, |at| Self { id: id.into(), acked_at: at.into() })
    }
}

impl NackedView {
    /// Shows what became of the message.
    #[must_use]
    pub fn of(id: MessageId, outcome: Outcome<Returned>) -> OrGone<Self> {
        OrGone::of(id, outcome, |returned| Self {
            id: id.into(),
            delivery_count: returned.deliveries.min(DELIVERIES_MAX),
            available_at: returned.available_at.map(Into::into),
            dead_letter: returned.available_at.is_none(),
        })
    }
}

impl ExtendedView {
    /// Shows what became of the lease.
    #[must_use]
    pub fn of(id: MessageId, outcome: Outcome<Prolonged>) -> OrGone<Self> {
        OrGone::of(id, outcome, |prolonged| Self {
            id: id.into(),
            lease_id: prolonged.lease.into(),
            lease_until: prolonged.until.into(),
        })
    }
}

impl QueueView {
    /// Shows the state of a queue, for `GET /v1/metrics`.
    #[must_use]
    pub fn of(state: &QueueState) -> Self {
        Self {
            inbox_id: state.inbox.into(),
            address: state.address.clone(),
            started_at: state.started_at.into(),
            depth: state.depth,
            in_flight: state.in_flight,
            dead_letters: state.dead_letters,
            oldest_waiting_at: state.oldest_waiting_at.map(Into::into),
        }
    }
}
