//! Settles a claim: ack ends it, nack returns the message to the queue, extend prolongs the lease
//! (`docs/reference/queue.md`).
//!
//! Each operation is one transaction that locks the queue item and checks the lease. For a message that was deleted
//! after the claim, all three report that it is gone.

use posthouse_domain::{
    Caller, ExtendedLease, LeaseOutcome, LeaseStatus, Message, MessageId, QueueItem, QueueItemState, Refusal,
    ReturnedMessage, Time, queue::DELIVERIES_MAX, queue::lease_expired,
};
use posthouse_store::{Result as StoreResult, Tx, inboxes, messages, queue};

use super::claim::dead_letter;
use crate::{access::visible, service::Service};

/// A claimed message and its lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimReference {
    pub message: MessageId,
    /// The lease, as given by the caller.
    pub lease: String,
}

/// Acks a message; returns when it was acked, also for a repeated ack.
///
/// # Errors
/// Returns `not_found` if the message is missing or `lease_expired` if the lease is not valid.
pub async fn ack(
    service: &Service,
    caller: Caller,
    held: ClaimReference,
    marks_read: bool,
) -> Result<LeaseOutcome<Time>, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let Some((item, worth)) = lock(tx, &caller, &held, now)? else { return Ok(LeaseOutcome::Gone) };
        if let LeaseStatus::Done(at) = worth {
            return Ok(LeaseOutcome::Is(at));
        }
        queue::settle(tx, &item, QueueItemState::Done, now)?;
        if marks_read {
            mark_read(tx, &item)?;
        }
        Ok::<_, Refusal>(LeaseOutcome::Is(now))
    };
    service.write(work).await
}

fn mark_read(tx: &mut Tx, item: &QueueItem) -> StoreResult<()> {
    messages::lock(tx, item.workspace, &[item.message])?;
    if let Some(before) = messages::get(tx, item.workspace, item.message)? {
        messages::set_labels(tx, &before, &Message { is_read: true, ..before.clone() })?;
    }
    Ok(())
}

/// Returns a message to the queue, available after the delay; after the tenth delivery it becomes a dead letter.
///
/// # Errors
/// Returns `not_found` if the message is missing or `lease_expired` if the lease is not valid.
pub async fn nack(
    service: &Service,
    caller: Caller,
    held: ClaimReference,
    delay_ms: i64,
) -> Result<LeaseOutcome<ReturnedMessage>, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let Some(item) = lock_current(tx, &caller, &held, now)? else { return Ok(LeaseOutcome::Gone) };
        let deliveries = item.deliveries;
        if deliveries >= DELIVERIES_MAX {
            dead_letter(tx, &item, now)?;
            return Ok(LeaseOutcome::Is(ReturnedMessage { deliveries, available_at: None }));
        }
        let available_at = now.plus_ms(delay_ms);
        queue::requeue(tx, &item, if delay_ms == 0 { Time::from_millis(0) } else { available_at })?;
        Ok::<_, Refusal>(LeaseOutcome::Is(ReturnedMessage { deliveries, available_at: Some(available_at) }))
    };
    service.write(work).await
}

/// Extends a lease: it ends `lease_ms` from now.
///
/// # Errors
/// Returns `not_found` if the message is missing or `lease_expired` if the lease is not valid.
pub async fn extend(
    service: &Service,
    caller: Caller,
    held: ClaimReference,
    lease_ms: i64,
) -> Result<LeaseOutcome<ExtendedLease>, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let Some(item) = lock_current(tx, &caller, &held, now)? else { return Ok(LeaseOutcome::Gone) };
        let (lease, until) = (item.lease.ok_or_else(lease_expired)?, now.plus_ms(lease_ms));
        queue::extend(tx, &item, until)?;
        Ok::<_, Refusal>(LeaseOutcome::Is(ExtendedLease { lease, until }))
    };
    service.write(work).await
}

/// Locks the queue item of a message and checks its lease. Returns `None` if the message was deleted.
fn lock(
    tx: &mut Tx,
    caller: &Caller,
    held: &ClaimReference,
    now: Time,
) -> Result<Option<(QueueItem, LeaseStatus)>, Refusal> {
    let item = queue::item(tx, caller.workspace, held.message)?.filter(|item| caller.scope().allows_inbox(item.inbox));
    let Some(item) = item else {
        // A message without a queue item was never claimed, so no lease of it is valid.
        visible::message(tx, caller, held.message)?;
        return Err(lease_expired());
    };
    let inbox = inboxes::get(tx, caller.workspace, item.inbox)?;
    if item.state == QueueItemState::Deleted || inbox.is_none_or(|inbox| inbox.deleted_at.is_some()) {
        return Ok(None);
    }
    let worth = item.check_lease(&held.lease, now)?;
    Ok(Some((item, worth)))
}

/// Locks the queue item of a message that is not acked yet.
fn lock_current(tx: &mut Tx, caller: &Caller, held: &ClaimReference, now: Time) -> Result<Option<QueueItem>, Refusal> {
    match lock(tx, caller, held, now)? {
        Some((item, LeaseStatus::Current)) => Ok(Some(item)),
        Some((_, LeaseStatus::Done(_))) => Err(lease_expired()),
        None => Ok(None),
    }
}
