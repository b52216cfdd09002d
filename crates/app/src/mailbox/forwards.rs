//! Queues the automatic forwards of a received message, in the transaction that shows it.

use posthouse_domain::{JobId, JobKind, JobReason, PendingForward, Time};
use posthouse_store::{Result as StoreResult, Tx, forwarding, jobs, jobs::NewJob};

use super::{Filing, InboxCopy};

/// Queues a forward of a received message to each confirmed address. A report about sent mail stays, and so does a message
/// in which links of this service were masked: its raw bytes would take them to anyone who reads the address.
pub(super) fn enqueue(tx: &mut Tx, filing: &Filing<'_>) -> StoreResult<()> {
    let InboxCopy { message, ids, now, .. } = filing.copy;
    if message.masked_links || filing.is_report() {
        return Ok(());
    }
    for to in forwarding::confirmed(tx, message.workspace, message.inbox)? {
        let forward =
            PendingForward { workspace: message.workspace, id: ids.next(), message: message.id, to, created_at: now };
        forwarding::insert_pending(tx, &forward)?;
        jobs::enqueue(tx, &job(&forward, ids.next(), now))?;
    }
    Ok(())
}

/// Builds the job that forwards a message.
fn job(forward: &PendingForward, id: JobId, now: Time) -> NewJob {
    NewJob::new(JobKind::Forward, JobReason::Received, forward.workspace, forward.id.0, id, now)
        .in_group(forward.to.to_string())
}
