//! The end of a claim: finished (ack), given back (nack), or kept for longer (extend) (contract §4.8, decision 24).
//!
//! Each is one transaction that takes the message's row in the queue, looks what the lease is worth and writes. Of a
//! message that was deleted after it was handed out all three say that it is gone.

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    id::{LeaseId, MessageId},
    message::Message,
    queue::{DELIVERIES_MAX, Item, State, Worth, lease_expired},
    time::Time,
};
use posthouse_store::{Result as Stored, Tx, inboxes, messages, queue};

use super::{App, claim::bury, visible};

/// What a lease says of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// The message.
    pub message: MessageId,
    /// The lease, as the caller names it.
    pub lease: String,
}

/// The answer, unless the message is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome<T> {
    /// The message does not exist any more.
    Gone,
    /// What became of it.
    Is(T),
}

/// A message that was given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Returned {
    /// How often it was handed out.
    pub deliveries: u32,
    /// When it can be claimed again; none for a dead letter.
    pub available_at: Option<Time>,
}

/// A lease that was prolonged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prolonged {
    /// The lease.
    pub lease: LeaseId,
    /// Its new end.
    pub until: Time,
}

/// Finishes a message; gives when it was finished, also to who asks again.
///
/// # Errors
/// `not_found`, `lease_expired`, the store's own.
pub async fn ack(app: &App, caller: Caller, held: Held, marks_read: bool) -> Result<Outcome<Time>, Refusal> {
    let now = app.clock.now();
    let work = move |tx: &mut Tx| {
        let Some((item, worth)) = take(tx, &caller, &held, now)? else { return Ok(Outcome::Gone) };
        if let Worth::Done(at) = worth {
            return Ok(Outcome::Is(at));
        }
        queue::settle(tx, &item, State::Done, now)?;
        if marks_read {
            mark_read(tx, &item)?;
        }
        Ok::<_, Refusal>(Outcome::Is(now))
    };
    app.store.write(work).await
}

fn mark_read(tx: &mut Tx, item: &Item) -> Stored<()> {
    messages::hold(tx, item.workspace, &[item.message])?;
    if let Some(before) = messages::get(tx, item.workspace, item.message)? {
        messages::set_labels(tx, &before, &Message { is_read: true, ..before.clone() })?;
    }
    Ok(())
}

/// Gives a message back, to be handed out again after the delay; the tenth time it becomes a dead letter.
///
/// # Errors
/// `not_found`, `lease_expired`, the store's own.
pub async fn nack(app: &App, caller: Caller, held: Held, delay_ms: i64) -> Result<Outcome<Returned>, Refusal> {
    let now = app.clock.now();
    let work = move |tx: &mut Tx| {
        let Some(item) = take_current(tx, &caller, &held, now)? else { return Ok(Outcome::Gone) };
        let deliveries = item.deliveries;
        if deliveries >= DELIVERIES_MAX {
            bury(tx, &item, now)?;
            return Ok(Outcome::Is(Returned { deliveries, available_at: None }));
        }
        let available_at = now.plus_ms(delay_ms);
        queue::put_back(tx, &item, if delay_ms == 0 { Time::from_millis(0) } else { available_at })?;
        Ok::<_, Refusal>(Outcome::Is(Returned { deliveries, available_at: Some(available_at) }))
    };
    app.store.write(work).await
}

/// Moves the end of a lease to so long from now.
///
/// # Errors
/// `not_found`, `lease_expired`, the store's own.
pub async fn extend(app: &App, caller: Caller, held: Held, lease_ms: i64) -> Result<Outcome<Prolonged>, Refusal> {
    let now = app.clock.now();
    let work = move |tx: &mut Tx| {
        let Some(item) = take_current(tx, &caller, &held, now)? else { return Ok(Outcome::Gone) };
        let (lease, until) = (item.lease.ok_or_else(lease_expired)?, now.plus_ms(lease_ms));
        queue::prolong(tx, &item, until)?;
        Ok::<_, Refusal>(Outcome::Is(Prolonged { lease, until }))
    };
    app.store.write(work).await
}

/// Takes the message's row in the queue with what the lease is worth; nothing when the message is gone.
fn take(tx: &mut Tx, caller: &Caller, held: &Held, now: Time) -> Result<Option<(Item, Worth)>, Refusal> {
    let item = queue::item(tx, caller.workspace, held.message)?.filter(|item| caller.scope.sees(item.inbox));
    let Some(item) = item else {
        // It was never claimed: then it has no lease, if it is there at all.
        visible::message(tx, caller, held.message)?;
        return Err(lease_expired());
    };
    let inbox = inboxes::get(tx, caller.workspace, item.inbox)?;
    if item.state == State::Gone || inbox.is_none_or(|inbox| inbox.deleted_at.is_some()) {
        return Ok(None);
    }
    let worth = item.worth(&held.lease, now)?;
    Ok(Some((item, worth)))
}

/// Takes the row of a message that is not finished yet.
fn take_current(tx: &mut Tx, caller: &Caller, held: &Held, now: Time) -> Result<Option<Item>, Refusal> {
    match take(tx, caller, held, now)? {
        Some((item, Worth::Current)) => Ok(Some(item)),
        Some((_, Worth::Done(_))) => Err(lease_expired()),
        None => Ok(None),
    }
}
