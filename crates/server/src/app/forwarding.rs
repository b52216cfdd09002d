//! Mail of an inbox that is passed on by itself to addresses whose owners agreed (contract §3.3, decision 30): the addresses,
//! their confirmation, and what the transaction that stores a mail notes for it.
//!
//! A forward is a sent message like any other: one gate, the same limits, its own return path.

pub mod addresses;
pub mod confirm;
mod invitation;
pub mod pass_on;

use posthouse_domain::{
    forwarding::Forward,
    id::{Ids, JobId},
    message::Message,
    time::Time,
};
use posthouse_store::{
    Result as Stored, Tx, forwarding,
    jobs::{self, NewJob},
};

/// Attempts that fail by our own fault; waiting costs none.
const ATTEMPTS_MAX: u32 = 12;

/// Notes that a received message is to be passed on to each address that agreed.
///
/// # Errors
/// The store's own.
pub(super) fn note(tx: &mut Tx, message: &Message, ids: &Ids) -> Stored<()> {
    for to in forwarding::confirmed(tx, message.workspace, message.inbox)? {
        let forward = Forward {
            workspace: message.workspace,
            id: ids.next(),
            message: message.id,
            to,
            created_at: message.status_at,
        };
        forwarding::note(tx, &forward)?;
        jobs::enqueue(tx, &job(&forward, ids.next(), message.status_at, "received"))?;
    }
    Ok(())
}

/// The job that passes a message on.
#[must_use]
pub fn job(forward: &Forward, id: JobId, now: Time, why: &'static str) -> NewJob {
    NewJob {
        id,
        kind: jobs::FORWARD,
        workspace: forward.workspace,
        subject: forward.id.0,
        lane: forward.to.to_string(),
        run_at: now,
        attempt_max: ATTEMPTS_MAX,
        why,
        created_at: now,
    }
}
