//! Queries of the reconciliation sweep: work whose job is dead, and expired rows. `jobs/recovery.rs` finds work whose
//! job is missing.

use posthouse_domain::{EnvelopeId, JobKind, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    /// Returns envelopes whose job is dead and whose recipients aren't settled yet.
    pub fn envelopes_dead(limit: u32; kind = JobKind::Outbound) -> Vec<DeadEnvelope> =
        "SELECT e.workspace_id, e.id, j.attempt, j.why FROM jobs j
        CROSS JOIN envelopes e WHERE j.kind = :kind AND j.state = 'dead' AND e.workspace_id = j.workspace_id AND e.id = j.subject_id
        AND NOT EXISTS (SELECT 1 FROM jobs l WHERE l.kind = :kind AND l.subject_id = e.id AND l.state <> 'dead') LIMIT :limit";
    fn oldest_idempotency(before: Time, limit: u32) -> Vec<Time> =
        "SELECT created_at FROM idempotency WHERE created_at < :before ORDER BY created_at LIMIT :limit";
    fn delete_idempotency_until(end: Time) -> u64 = "DELETE FROM idempotency WHERE created_at <= :end";
    fn oldest_events(before: Time, limit: u32) -> Vec<Time> =
        "SELECT created_at FROM events WHERE created_at < :before ORDER BY created_at LIMIT :limit";
    fn delete_events_until(end: Time) -> u64 = "DELETE FROM events WHERE created_at <= :end";
}

crate::row_struct!(
    /// An envelope that won't be tried again, and why the last attempt failed.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub DeadEnvelope { workspace = workspace_id: WorkspaceId, id: EnvelopeId, attempts = attempt: u32, why: String }
);

/// Deletes about `limit` idempotency records created before that time; returns how many.
pub fn delete_idempotency(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest = oldest_idempotency(tx, before, limit)?;
    oldest.last().map_or(Ok(0), |end| delete_idempotency_until(tx, *end))
}

/// Deletes about `limit` events created before that time; returns how many.
pub fn delete_events(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest = oldest_events(tx, before, limit)?;
    oldest.last().map_or(Ok(0), |end| delete_events_until(tx, *end))
}
