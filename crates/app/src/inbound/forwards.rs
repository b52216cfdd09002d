//! Queues the automatic forwards of a received message, in the transaction that stores it.

use posthouse_domain::{
    forwarding::PendingForward,
    id::{IdGenerator, JobId},
    job::{JobKind, JobReason},
    message::Message,
    time::Time,
};
use posthouse_store::{
    Result as StoreResult, Tx, forwarding,
    jobs::{self, NewJob},
};

/// Queues a forward of a received message to each confirmed address. A message in which links of this service were masked
/// stays: its raw bytes would take them to anyone who reads the address.
pub(super) fn enqueue(tx: &mut Tx, message: &Message, ids: &IdGenerator) -> StoreResult<()> {
    if message.masked_links {
        return Ok(());
    }
    for to in forwarding::confirmed(tx, message.workspace, message.inbox)? {
        let forward = PendingForward {
            workspace: message.workspace,
            id: ids.next(),
            message: message.id,
            to,
            created_at: message.status_at,
        };
        forwarding::insert_pending(tx, &forward)?;
        jobs::enqueue(tx, &job(&forward, ids.next(), message.status_at))?;
    }
    Ok(())
}

/// Builds the job that forwards a message.
fn job(forward: &PendingForward, id: JobId, now: Time) -> NewJob {
    NewJob::new(JobKind::Forward, JobReason::Received, forward.workspace, forward.id.0, id, now)
        .in_group(forward.to.to_string())
}
