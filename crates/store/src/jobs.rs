//! The job table: durable hints with a due time. A job carries ids; the rows it leads to are the truth.

use posthouse_domain::{
    id::{JobId, WorkspaceId},
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

statements! {
    ENQUEUE = "INSERT INTO jobs (id, kind, workspace_id, subject_id, lane, run_at, attempt, attempt_max, state, why, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 'ready', $8, $9)
        ON CONFLICT (kind, subject_id) WHERE state <> 'dead'
        DO UPDATE SET run_at = excluded.run_at, state = 'ready', lease_token = NULL, lease_until = NULL, why = excluded.why";
}

/// A job to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJob {
    /// Its id.
    pub id: JobId,
    /// What is to be done: `outbound`, `inbox_expiry`, …
    pub kind: &'static str,
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The record it is about: one live job of a kind for each.
    pub subject: Uuid,
    /// What shares a concurrency bound; empty if nothing does.
    pub lane: String,
    /// When it is due.
    pub run_at: Time,
    /// How often it may be tried.
    pub attempt_max: u32,
    /// Why it is there.
    pub why: &'static str,
    /// When it was made.
    pub created_at: Time,
}

/// Makes a job, or moves the one that is there for the same subject to the new time.
///
/// # Errors
/// The store's own.
pub fn enqueue(tx: &mut Tx, job: &NewJob) -> Result<()> {
    let j = job;
    tx.exec(&ENQUEUE, p![j.id, j.kind, j.workspace, j.subject, j.lane, j.run_at, j.attempt_max, j.why, j.created_at])?;
    tx.wake(j.workspace.0);
    Ok(())
}
