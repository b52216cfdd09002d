//! The job table: durable work with a due time. A job carries only IDs; the rows they refer to hold the data.
//!
//! A job is claimed with a lease. Its outcome is written in the same transaction as its effects ([`settle`]). An
//! expired lease can be claimed again. Each claim counts as an attempt, so a job that crashes the process also runs out
//! of attempts. A worker whose lease was overtaken by a settle, a new enqueue or another claim finds its fencing token
//! gone and changes nothing. `jobs/due.rs` decides which jobs to claim, `jobs/recovery.rs` what recreates a lost job and
//! releases a held one. A job of a kind that this binary doesn't know is never claimed; it stays until a newer binary
//! runs it.

pub mod due;
pub mod recovery;

pub use posthouse_domain::{DeadJob, JobOutcome, NewJob};
use posthouse_domain::{JobId, JobKind, JobReason, Time, WorkspaceId};
use uuid::Uuid;

use crate::{Result, Tx, statements};

statements! {
    fn insert_or_reschedule(
        job: &NewJob { id, kind, workspace, subject, group, run_at, attempt_max, why, created_at },
    ) =
        "INSERT INTO jobs (id, kind, workspace_id, subject_id, job_group, run_at, attempt, attempt_max, state, why, created_at)
        VALUES (:id, :kind, :workspace, :subject, :group, :run_at, 0, :attempt_max, 'ready', :why, :created_at)
        ON CONFLICT (kind, subject_id) WHERE state <> 'dead'
        DO UPDATE SET run_at = excluded.run_at, state = 'ready', lease_token = NULL, lease_until = NULL, why = excluded.why";
    fn insert_missing(
        job: &NewJob { id, kind, workspace, subject, group, run_at, attempt_max, why, created_at },
    ) -> bool =
        "INSERT INTO jobs (id, kind, workspace_id, subject_id, job_group, run_at, attempt, attempt_max, state, why, created_at)
        VALUES (:id, :kind, :workspace, :subject, :group, :run_at, 0, :attempt_max, 'ready', :why, :created_at)
        ON CONFLICT (kind, subject_id) WHERE state <> 'dead' DO NOTHING";
    /// Deletes the job of a subject, unless the job is dead.
    pub fn cancel(kind: JobKind, subject: Uuid) =
        "DELETE FROM jobs WHERE kind = :kind AND subject_id = :subject AND state <> 'dead'";
    fn lease(id: JobId, lease: JobLease { token, until, now }) -> Option<LeaseRow> =
        "UPDATE jobs SET state = 'leased', attempt = attempt + 1, lease_token = :token, lease_until = :until
        WHERE id = :id AND state = 'ready' AND run_at <= :now
        RETURNING workspace_id, subject_id, job_group, run_at, attempt, attempt_max, why";
    // The delay grows with each attempt, so that a job that crashes the process lets others run and lasts longer.
    fn requeue_expired(now: Time; why = JobReason::LeaseExpired) -> u64 =
        "UPDATE jobs SET state = 'ready', lease_token = NULL, lease_until = NULL, why = :why,
        run_at = run_at + 1000 * (attempt - 1)
        WHERE state = 'leased' AND lease_until <= :now AND attempt < attempt_max";
    fn bury_expired(now: Time; why = JobReason::LeaseExpired) -> u64 =
        "UPDATE jobs SET state = 'dead', lease_token = NULL, lease_until = NULL, why = :why
        WHERE state = 'leased' AND lease_until <= :now";
    fn delete(job: &LeasedJob { id, token }) -> bool = "DELETE FROM jobs WHERE id = :id AND lease_token = :token";
    fn renew_lease(job: &LeasedJob { id, token }, until: Time) =
        "UPDATE jobs SET lease_until = :until WHERE id = :id AND lease_token = :token";
    fn requeue(
        job: &LeasedJob { id, token }, state: &str, run_at: Time, why: JobReason, attempts_returned: i64,
    ) -> bool =
        "UPDATE jobs SET state = :state, run_at = :run_at, why = :why, attempt = attempt - :attempts_returned, lease_token = NULL, lease_until = NULL
        WHERE id = :id AND lease_token = :token";
    /// Releases all leases with a token as if the jobs had never been claimed. Used after a claim with an unknown outcome,
    /// when the caller doesn't know which jobs it claimed.
    pub fn release_by_token(token: Uuid; why = JobReason::Released) -> u64 =
        "UPDATE jobs SET state = 'ready', attempt = attempt - 1, lease_token = NULL, lease_until = NULL, why = :why
        WHERE state = 'leased' AND lease_token = :token";
    /// Returns the number of jobs by kind and state (`ready`, `leased`, `dead`), for metrics; including kinds that this
    /// binary doesn't know.
    pub fn counts() -> Vec<JobStateCount> =
        "SELECT kind, state, count(*) AS jobs FROM jobs GROUP BY kind, state ORDER BY kind, state";
    /// Returns up to `limit` dead jobs.
    pub fn dead(limit: u32) -> Vec<DeadJob> =
        "SELECT id, kind, workspace_id, subject_id, job_group, attempt, why, created_at FROM jobs
        WHERE state = 'dead' ORDER BY kind, subject_id LIMIT :limit";
    fn next_of_kind(kind: JobKind, now: Time) -> Option<Time> =
        "SELECT run_at FROM jobs WHERE kind = :kind AND state = 'ready' AND run_at > :now ORDER BY run_at LIMIT 1";
    /// Returns when the next lease expires.
    pub fn next_lease_end() -> Option<Time> =
        "SELECT lease_until FROM jobs WHERE state = 'leased' ORDER BY lease_until LIMIT 1";
}

/// Enqueues a job, or reschedules the existing job of the same kind and subject.
pub fn enqueue(tx: &mut Tx, job: &NewJob) -> Result<()> {
    insert_or_reschedule(tx, job)?;
    tx.wake_jobs();
    Ok(())
}

/// A claimed job, valid until its lease expires.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeasedJob {
    pub id: JobId,
    pub kind: JobKind,
    pub workspace: WorkspaceId,
    /// The row it refers to.
    pub subject: Uuid,
    /// Jobs with the same group share a concurrency limit.
    pub group: String,
    /// When it was due.
    pub run_at: Time,
    /// The number of this attempt, starting at 1.
    pub attempt: u32,
    /// Maximum number of attempts.
    pub attempt_max: u32,
    /// The reason it waited until now.
    pub why: String,
    /// The fencing token of the lease.
    pub token: Uuid,
    /// When the lease expires.
    pub lease_until: Time,
}

/// The lease for a batch of claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobLease {
    /// A random fencing token, unique to the batch.
    pub token: Uuid,
    /// The current time.
    pub now: Time,
    /// When the lease expires.
    pub until: Time,
}

crate::row_struct!(
    /// The number of jobs of one kind, which this binary may not know, in one state: `ready`, `leased` or `dead`.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub JobStateCount { kind: String, state: String, jobs: u64 }
);

/// Enqueues a job unless the subject already has one of its kind.
pub fn enqueue_missing(tx: &mut Tx, job: &NewJob) -> Result<()> {
    if insert_missing(tx, job)? {
        tx.wake_jobs();
    }
    Ok(())
}

/// Claims those of the given jobs that are still due and unclaimed.
pub fn claim(tx: &mut Tx, kind: JobKind, ids: &[JobId], lease: JobLease) -> Result<Vec<LeasedJob>> {
    let mut claimed = Vec::with_capacity(ids.len());
    for id in ids {
        let row = self::lease(tx, *id, lease)?;
        claimed.extend(row.map(|r| LeasedJob {
            id: *id,
            kind,
            workspace: r.workspace,
            subject: r.subject,
            group: r.group,
            run_at: r.run_at,
            attempt: r.attempt,
            attempt_max: r.attempt_max,
            why: r.why,
            token: lease.token,
            lease_until: lease.until,
        }));
    }
    Ok(claimed)
}

/// Releases the jobs whose lease expired; those without attempts left become dead. Returns how many there were.
pub fn release_expired(tx: &mut Tx, now: Time) -> Result<u64> {
    Ok(requeue_expired(tx, now)? + bury_expired(tx, now)?)
}

/// Writes the outcome of an attempt, in the same transaction as its effects. Returns `false` if the lease is lost,
/// because it expired or the job was enqueued again. The caller must then roll back, unless its other writes are
/// guarded on their own.
pub fn settle(tx: &mut Tx, job: &LeasedJob, outcome: &JobOutcome) -> Result<bool> {
    let (state, at, why, attempts_returned) = match outcome {
        JobOutcome::Done => return delete(tx, job),
        JobOutcome::Retry { at, why } if job.attempt < job.attempt_max => ("ready", *at, *why, 0),
        JobOutcome::Retry { why, .. } | JobOutcome::Dead { why } => ("dead", job.run_at, *why, 0),
        JobOutcome::Hold { at, why } => ("ready", *at, *why, 1_i64),
    };
    let is_settled = requeue(tx, job, state, at, why, attempts_returned)?;
    if is_settled {
        tx.wake_jobs();
    }
    Ok(is_settled)
}

/// Extends the leases of running attempts to `until`. Lost leases stay unchanged.
pub fn renew(tx: &mut Tx, jobs: &[LeasedJob], until: Time) -> Result<()> {
    jobs.iter().try_for_each(|job| renew_lease(tx, job, until))
}

/// Releases leases as if the jobs had never been claimed; used at shutdown.
pub fn release(tx: &mut Tx, jobs: &[LeasedJob]) -> Result<()> {
    for job in jobs {
        settle(tx, job, &JobOutcome::Hold { at: job.run_at, why: JobReason::Released })?;
    }
    Ok(())
}

/// Returns when the next job of these kinds becomes due, ignoring jobs that are due now.
pub fn next_at(tx: &mut Tx, kinds: &[JobKind], now: Time) -> Result<Option<Time>> {
    let mut next = None;
    for kind in kinds {
        let due = next_of_kind(tx, *kind, now)?;
        next = next.into_iter().chain(due).min();
    }
    Ok(next)
}

crate::row_struct!(LeaseRow {
    workspace = workspace_id: WorkspaceId, subject = subject_id: Uuid, group = job_group: String, run_at: Time, attempt: u32,
    attempt_max: u32, why: String,
});
crate::from_row!(DeadJob { id, kind, workspace = workspace_id, subject = subject_id, group = job_group, attempt, why, created_at });
