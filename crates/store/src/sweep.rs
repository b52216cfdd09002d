//! What the sweep looks for: work whose job is missing, and rows past their time.

use posthouse_domain::{
    id::{EnvelopeId, WorkspaceId},
    inbox::Inbox,
    time::Time,
};

use crate::{Result, Tx, inboxes::select, p, statements};

statements! {
    EXPIRIES_LOST = select!("inboxes i WHERE i.temporary = 1 AND i.deleted_at IS NULL AND NOT EXISTS
        (SELECT 1 FROM jobs j WHERE j.kind = 'inbox_expiry' AND j.subject_id = i.id AND j.state <> 'dead') ORDER BY i.expires_at LIMIT $1");
    ENVELOPES_LOST = "SELECT e.workspace_id, e.id, e.destination FROM envelopes e
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'outbound' AND j.subject_id = e.id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs d WHERE d.kind = 'outbound' AND d.subject_id = e.id AND d.state = 'dead') LIMIT $1";
    ENVELOPES_DEAD = "SELECT e.workspace_id, e.id, j.attempt, j.why FROM jobs j
        CROSS JOIN envelopes e WHERE j.kind = 'outbound' AND j.state = 'dead' AND e.workspace_id = j.workspace_id AND e.id = j.subject_id
        AND NOT EXISTS (SELECT 1 FROM jobs l WHERE l.kind = 'outbound' AND l.subject_id = e.id AND l.state <> 'dead') LIMIT $1";
    IDEMPOTENCY_END = "SELECT created_at FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2";
    IDEMPOTENCY = "DELETE FROM idempotency WHERE created_at <= $1";
    EVENTS_END = "SELECT created_at FROM events WHERE created_at < $1 ORDER BY created_at LIMIT $2";
    EVENTS = "DELETE FROM events WHERE created_at <= $1";
}

/// Temporary inboxes that nothing will end.
///
/// # Errors
/// The store's own.
pub fn expiries_lost(tx: &mut Tx, limit: u32) -> Result<Vec<Inbox>> {
    tx.rows(&EXPIRIES_LOST, p![limit])
}

/// An envelope that nothing will carry out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostEnvelope {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The envelope.
    pub id: EnvelopeId,
    /// The domain in A-label form.
    pub destination: String,
}

crate::from_row!(LostEnvelope { workspace, id, destination });

/// Envelopes without a job. One whose job is dead is not lost: operators see it.
///
/// # Errors
/// The store's own.
pub fn envelopes_lost(tx: &mut Tx, limit: u32) -> Result<Vec<LostEnvelope>> {
    tx.rows(&ENVELOPES_LOST, p![limit])
}

/// An envelope that nobody will carry out any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnvelope {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The envelope.
    pub id: EnvelopeId,
    /// How often it was tried.
    pub attempts: u32,
    /// Why the last attempt failed, in a short name.
    pub why: String,
}

/// Envelopes whose job is dead, and whose recipients do not know it yet.
///
/// # Errors
/// The store's own.
pub fn envelopes_dead(tx: &mut Tx, limit: u32) -> Result<Vec<DeadEnvelope>> {
    tx.rows(&ENVELOPES_DEAD, p![limit])
}

crate::from_row!(DeadEnvelope { workspace, id, attempts, why });

/// Deletes about `limit` answers kept for repeated requests, of those made before that time; says how many.
///
/// # Errors
/// The store's own.
pub fn delete_idempotency(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&IDEMPOTENCY_END, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&IDEMPOTENCY, p![end])
}

/// Deletes about `limit` events of those made before that time; says how many.
///
/// # Errors
/// The store's own.
pub fn delete_events(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&EVENTS_END, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&EVENTS, p![end])
}
