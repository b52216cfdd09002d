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

use posthouse_domain::{
    id::{JobId, WorkspaceId},
    job::{JobKind, JobReason},
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

statements! {
    ENQUEUE = "INSERT INTO jobs (id, kind, workspace_id, subject_id, job_group, run_at, attempt, attempt_max, state, why, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 'ready', $8, $9)
        ON CONFLICT (kind, subject_id) WHERE state <> 'dead'
        DO UPDATE SET run_at = excluded.run_at, state = 'ready', lease_token = NULL, lease_until = NULL, why = excluded.why";
    ENQUEUE_MISSING = "INSERT INTO jobs (id, kind, workspace_id, subject_id, job_group, run_at, attempt, attempt_max, state, why, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 'ready', $8, $9) ON CONFLICT (kind, subject_id) WHERE state <> 'dead' DO NOTHING";
    /// Deletes the job of a subject, unless the job is dead.
    pub fn cancel(kind: JobKind, subject: Uuid) =
        "DELETE FROM jobs WHERE kind = :kind AND subject_id = :subject AND state <> 'dead'";
    LEASE = "UPDATE jobs SET state = 'leased', attempt = attempt + 1, lease_token = $2, lease_until = $3
        WHERE id = $1 AND state = 'ready' AND run_at <= $4
        RETURNING workspace_id, subject_id, job_group, run_at, attempt, attempt_max, why";
    // The delay grows with each attempt, so that a job that crashes the process lets others run and lasts longer.
    EXPIRED = "UPDATE jobs SET state = 'ready', lease_token = NULL, lease_until = NULL, why = $2,
        run_at = run_at + 1000 * (attempt - 1)
        WHERE state = 'leased' AND lease_until <= $1 AND attempt < attempt_max";
    EXPIRED_FINAL = "UPDATE jobs SET state = 'dead', lease_token = NULL, lease_until = NULL, why = $2
        WHERE state = 'leased' AND lease_until <= $1";
    DELETE = "DELETE FROM jobs WHERE id = $1 AND lease_token = $2";
    RENEW = "UPDATE jobs SET lease_until = $3 WHERE id = $1 AND lease_token = $2";
    REQUEUE = "UPDATE jobs SET state = $3, run_at = $4, why = $5, attempt = attempt - $6, lease_token = NULL, lease_until = NULL
        WHERE id = $1 AND lease_token = $2";
    RELEASE_TOKEN = "UPDATE jobs SET state = 'ready', attempt = attempt - 1, lease_token = NULL, lease_until = NULL, why = $2
        WHERE state = 'leased' AND lease_token = $1";
    /// Returns the number of jobs by kind and state (`ready`, `leased`, `dead`), for metrics; including kinds that this
    /// binary doesn't know.
    pub fn counts() -> Vec<JobStateCount> =
        "SELECT kind, state, count(*) AS jobs FROM jobs GROUP BY kind, state ORDER BY kind, state";
    /// Returns up to `limit` dead jobs.
    pub fn dead(limit: u32) -> Vec<DeadJob> =
        "SELECT id, kind, workspace_id, subject_id, job_group, attempt, why, created_at FROM jobs
        WHERE state = 'dead' ORDER BY kind, subject_id LIMIT :limit";
    NEXT = "SELECT run_at FROM jobs WHERE kind = $1 AND state = 'ready' AND run_at > $2 ORDER BY run_at LIMIT 1";
    /// Returns when the next lease expires.
    pub fn next_lease_end() -> Option<Time> =
        "SELECT lease_until FROM jobs WHERE state = 'leased' ORDER BY lease_until LIMIT 1";
}

/// A job to enqueue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJob {
    /// Its ID.
    pub id: JobId,
    /// The job kind.
    pub kind: JobKind,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The row it refers to. Each subject has at most one live job of a kind.
    pub subject: Uuid,
    /// Jobs with the same group share a concurrency limit; empty means no limit.
    pub group: String,
    /// When it is due.
    pub run_at: Time,
    /// Maximum number of attempts.
    pub attempt_max: u32,
    /// Reason for the job's current state.
    pub why: JobReason,
    /// When it was created.
    pub created_at: Time,
}

impl NewJob {
    /// Returns a job that is due at once, has no group, and as many attempts as its kind allows.
    #[must_use]
    pub fn new(
        kind: JobKind,
        why: JobReason,
        workspace: WorkspaceId,
        subject: Uuid,
        id: JobId,
        created_at: Time,
    ) -> Self {
        let (group, attempt_max) = (String::new(), kind.attempts_max());
        Self { id, kind, workspace, subject, group, run_at: created_at, attempt_max, why, created_at }
    }

    /// Sets the group whose limit it shares.
    #[must_use]
    pub fn in_group(self, group: String) -> Self {
        Self { group, ..self }
    }

    /// Sets when it is due.
    #[must_use]
    pub fn due_at(self, run_at: Time) -> Self {
        Self { run_at, ..self }
    }

    /// Sets the maximum number of attempts.
    #[must_use]
    pub fn with_attempts(self, attempt_max: u32) -> Self {
        Self { attempt_max, ..self }
    }
}

/// Enqueues a job, or reschedules the existing job of the same kind and subject.
pub fn enqueue(tx: &mut Tx, job: &NewJob) -> Result<()> {
    let j = job;
    tx.exec(&ENQUEUE, p![j.id, j.kind, j.workspace, j.subject, j.group, j.run_at, j.attempt_max, j.why, j.created_at])?;
    tx.wake_jobs();
    Ok(())
}

/// A claimed job, valid until its lease expires.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeasedJob {
    /// Its ID.
    pub id: JobId,
    /// The job kind.
    pub kind: JobKind,
    /// The workspace.
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

/// The outcome of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobOutcome {
    /// The work is done; the job is deleted.
    Done,
    /// Try again later. After the last attempt the job is dead.
    Retry {
        /// When to try again.
        at: Time,
        /// The reason.
        why: JobReason,
    },
    /// Not attempted, because a condition must change first. Doesn't count as an attempt.
    Hold {
        /// When to check again.
        at: Time,
        /// The reason, which also decides what releases the job.
        why: JobReason,
    },
    /// The work can never be done; the job is kept so that operators see it.
    Dead {
        /// The reason.
        why: JobReason,
    },
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

/// The number of jobs of one kind in one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobStateCount {
    /// The kind, which this binary may not know.
    pub kind: String,
    /// The state: `ready`, `leased` or `dead`.
    pub state: String,
    /// How many there are.
    pub jobs: u64,
}

/// A job that won't be tried again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadJob {
    /// Its ID.
    pub id: JobId,
    /// The name of the job kind, which this binary may not know.
    pub kind: String,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The row it refers to.
    pub subject: Uuid,
    /// Jobs with the same group share a concurrency limit.
    pub group: String,
    /// Number of attempts made.
    pub attempt: u32,
    /// Why it is dead.
    pub why: String,
    /// When it was created.
    pub created_at: Time,
}

/// Enqueues a job unless the subject already has one of its kind.
pub fn enqueue_missing(tx: &mut Tx, job: &NewJob) -> Result<()> {
    let j = job;
    let created = tx.exec(
        &ENQUEUE_MISSING,
        p![j.id, j.kind, j.workspace, j.subject, j.group, j.run_at, j.attempt_max, j.why, j.created_at],
    )?;
    if created > 0 {
        tx.wake_jobs();
    }
    Ok(())
}

/// Claims those of the given jobs that are still due and unclaimed.
pub fn claim(tx: &mut Tx, kind: JobKind, ids: &[JobId], lease: JobLease) -> Result<Vec<LeasedJob>> {
    let mut claimed = Vec::with_capacity(ids.len());
    for id in ids {
        let row: Option<LeaseRow> = tx.one(&LEASE, p![id, lease.token, lease.until, lease.now])?;
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
    let why = JobReason::LeaseExpired;
    Ok(tx.exec(&EXPIRED, p![now, why])? + tx.exec(&EXPIRED_FINAL, p![now, why])?)
}

/// Writes the outcome of an attempt, in the same transaction as its effects. Returns `false` if the lease is lost,
/// because it expired or the job was enqueued again. The caller must then roll back, unless its other writes are
/// guarded on their own.
pub fn settle(tx: &mut Tx, job: &LeasedJob, outcome: &JobOutcome) -> Result<bool> {
    let (state, at, why, attempts_returned) = match outcome {
        JobOutcome::Done => return Ok(tx.exec(&DELETE, p![job.id, job.token])? > 0),
        JobOutcome::Retry { at, why } if job.attempt < job.attempt_max => ("ready", *at, *why, 0),
        JobOutcome::Retry { why, .. } | JobOutcome::Dead { why } => ("dead", job.run_at, *why, 0),
        JobOutcome::Hold { at, why } => ("ready", *at, *why, 1_i64),
    };
    let is_settled = tx.exec(&REQUEUE, p![job.id, job.token, state, at, why, attempts_returned])? > 0;
    if is_settled {
        tx.wake_jobs();
    }
    Ok(is_settled)
}

/// Extends the leases of running attempts to `until`. Lost leases stay unchanged.
pub fn renew(tx: &mut Tx, jobs: &[LeasedJob], until: Time) -> Result<()> {
    for job in jobs {
        tx.exec(&RENEW, p![job.id, job.token, until])?;
    }
    Ok(())
}

/// Releases leases as if the jobs had never been claimed; used at shutdown.
pub fn release(tx: &mut Tx, jobs: &[LeasedJob]) -> Result<()> {
    for job in jobs {
        settle(tx, job, &JobOutcome::Hold { at: job.run_at, why: JobReason::Released })?;
    }
    Ok(())
}

/// Releases all leases with a token as if the jobs had never been claimed. Used after a claim with an unknown outcome,
/// when the caller doesn't know which jobs it claimed.
pub fn release_by_token(tx: &mut Tx, token: Uuid) -> Result<u64> {
    tx.exec(&RELEASE_TOKEN, p![token, JobReason::Released])
}

/// Returns when the next job of these kinds becomes due, ignoring jobs that are due now.
pub fn next_at(tx: &mut Tx, kinds: &[JobKind], now: Time) -> Result<Option<Time>> {
    let mut next = None;
    for kind in kinds {
        let due = tx.value(&NEXT, p![kind, now])?;
        next = next.into_iter().chain(due).min();
    }
    Ok(next)
}

struct LeaseRow {
    workspace: WorkspaceId,
    subject: Uuid,
    group: String,
    run_at: Time,
    attempt: u32,
    attempt_max: u32,
    why: String,
}

crate::from_row!(LeaseRow { workspace = workspace_id, subject = subject_id, group = job_group, run_at, attempt, attempt_max, why });
crate::from_row!(DeadJob { id, kind, workspace = workspace_id, subject = subject_id, group = job_group, attempt, why, created_at });
crate::from_row!(JobStateCount { kind, state, jobs });
