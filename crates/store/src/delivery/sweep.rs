//! Queries of the reconciliation sweep: work whose job is dead, and expired rows. `jobs/recovery.rs` finds work whose
//! job is missing.

use posthouse_domain::{
    id::{EnvelopeId, WorkspaceId},
    job::JobKind,
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    ENVELOPES_WITH_DEAD_JOB = "SELECT e.workspace_id, e.id, j.attempt, j.why FROM jobs j
        CROSS JOIN envelopes e WHERE j.kind = $1 AND j.state = 'dead' AND e.workspace_id = j.workspace_id AND e.id = j.subject_id
        AND NOT EXISTS (SELECT 1 FROM jobs l WHERE l.kind = $1 AND l.subject_id = e.id AND l.state <> 'dead') LIMIT $2";
    NEXT_IDEMPOTENCY = "SELECT created_at FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2";
    DELETE_IDEMPOTENCY = "DELETE FROM idempotency WHERE created_at <= $1";
    NEXT_EVENTS = "SELECT created_at FROM events WHERE created_at < $1 ORDER BY created_at LIMIT $2";
    DELETE_EVENTS = "DELETE FROM events WHERE created_at <= $1";
}

/// An envelope that won't be tried again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnvelope {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The envelope.
    pub id: EnvelopeId,
    /// Number of attempts made.
    pub attempts: u32,
    /// The short reason why the last attempt failed.
    pub why: String,
}

/// Returns envelopes whose job is dead and whose recipients aren't settled yet.
pub fn envelopes_dead(tx: &mut Tx, limit: u32) -> Result<Vec<DeadEnvelope>> {
    tx.rows(&ENVELOPES_WITH_DEAD_JOB, p![JobKind::Outbound, limit])
}

crate::from_row!(DeadEnvelope { workspace = workspace_id, id, attempts = attempt, why });

/// Deletes about `limit` idempotency records created before that time; returns how many.
pub fn delete_idempotency(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&NEXT_IDEMPOTENCY, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&DELETE_IDEMPOTENCY, p![end])
}

/// Deletes about `limit` events created before that time; returns how many.
pub fn delete_events(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&NEXT_EVENTS, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&DELETE_EVENTS, p![end])
}
