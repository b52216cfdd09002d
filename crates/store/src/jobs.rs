//! The job table: durable hints with a due time. A job carries ids; the rows it leads to are the truth.
//!
//! A job is claimed with a lease, and its end is written in the transaction that writes what it did ([`settle`]). A lease
//! that ran out is claimed again; the claim raises the attempt, so that a job that kills the process runs out of attempts
//! too. What a settle, a new enqueue or another claim overtook finds its token gone and changes nothing. Which jobs to
//! claim is decided in `jobs/due.rs`.

pub mod due;

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
    ENQUEUE_MISSING = "INSERT INTO jobs (id, kind, workspace_id, subject_id, lane, run_at, attempt, attempt_max, state, why, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 'ready', $8, $9) ON CONFLICT (kind, subject_id) WHERE state <> 'dead' DO NOTHING";
    CANCEL = "DELETE FROM jobs WHERE kind = $1 AND subject_id = $2 AND state <> 'dead'";
    LEASE = "UPDATE jobs SET state = 'leased', attempt = attempt + 1, lease_token = $2, lease_until = $3
        WHERE id = $1 AND state = 'ready' AND run_at <= $4
        RETURNING workspace_id, subject_id, lane, run_at, attempt, attempt_max, why";
    // A process that dies again and again comes to each later and later: others get their turn, and attempts last.
    EXPIRED = "UPDATE jobs SET state = 'ready', lease_token = NULL, lease_until = NULL, why = 'lease_expired',
        run_at = run_at + 1000 * (attempt - 1)
        WHERE state = 'leased' AND lease_until <= $1 AND attempt < attempt_max";
    EXPIRED_LAST = "UPDATE jobs SET state = 'dead', lease_token = NULL, lease_until = NULL, why = 'lease_expired'
        WHERE state = 'leased' AND lease_until <= $1";
    DONE = "DELETE FROM jobs WHERE id = $1 AND lease_token = $2";
    RENEW = "UPDATE jobs SET lease_until = $3 WHERE id = $1 AND lease_token = $2";
    AGAIN = "UPDATE jobs SET state = $3, run_at = $4, why = $5, attempt = attempt - $6, lease_token = NULL, lease_until = NULL
        WHERE id = $1 AND lease_token = $2";
    HAND_BACK = "UPDATE jobs SET state = 'ready', attempt = attempt - 1, lease_token = NULL, lease_until = NULL, why = 'released'
        WHERE state = 'leased' AND lease_token = $1";
    COUNTS = "SELECT kind, state, count(*) FROM jobs GROUP BY kind, state ORDER BY kind, state";
    DEAD = "SELECT id, kind, workspace_id, subject_id, lane, attempt, why, created_at FROM jobs
        WHERE state = 'dead' ORDER BY kind, subject_id LIMIT $1";
    NEXT = "SELECT run_at FROM jobs WHERE kind = $1 AND state = 'ready' AND run_at > $2 ORDER BY run_at LIMIT 1";
    NEXT_LEASE = "SELECT lease_until FROM jobs WHERE state = 'leased' ORDER BY lease_until LIMIT 1";
}

/// The kind of job that ends a temporary inbox; its subject is the inbox.
pub const INBOX_EXPIRY: &str = "inbox_expiry";
/// The kind of job that sends a scheduled draft at its time; its subject is the draft.
pub const SCHEDULED_DRAFT: &str = "scheduled_draft";
/// The kind of job that checks a domain's records; its subject is the domain.
pub const DOMAIN_CHECK: &str = "domain_check";
/// The kind of job that gets a certificate by ACME and renews it; its subject is the place of the certificate.
pub const CERTIFICATE: &str = "certificate";
/// The kind of job that carries an envelope out; its subject is the envelope, its lane the destination.
pub const OUTBOUND: &str = "outbound";
/// The kind of job that passes a received message on to one address; its subject is the forward.
pub const FORWARD: &str = "forward";
/// The kind of job that tells an owner that a webhook was disabled; its subject is the webhook.
pub const WEBHOOK_NOTICE: &str = "webhook_notice";

/// The kind of job that tells a person of mail to postmaster and abuse; its subject is the workspace.
pub const ROLE_NOTICE: &str = "role_notice";

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

/// A job that is ours until its lease runs out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leased {
    /// Its id.
    pub id: JobId,
    /// What is to be done.
    pub kind: &'static str,
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The record it is about.
    pub subject: Uuid,
    /// What shares a concurrency bound.
    pub lane: String,
    /// When it was due.
    pub run_at: Time,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How many attempts there are.
    pub attempt_max: u32,
    /// Why it waited until now.
    pub why: String,
    /// Proof that it is ours.
    pub token: Uuid,
    /// Until when it is.
    pub lease_until: Time,
}

/// How an attempt ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Everything is done: the job is deleted.
    Done,
    /// Try again then. After the last attempt the job is dead.
    Retry {
        /// When.
        at: Time,
        /// A short name for operators: `greylisted`, `store_unavailable`, …
        why: &'static str,
    },
    /// Nothing was tried, because something has to change first: the attempt is given back.
    Hold {
        /// When to look again.
        at: Time,
        /// A short name for operators: `workspace_stopped`, …
        why: &'static str,
    },
    /// It never will be done: the job is kept for operators to see.
    Dead {
        /// A short name for operators.
        why: &'static str,
    },
}

/// A lease to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Drawn anew for each batch: nobody else's leases have it.
    pub token: Uuid,
    /// The time.
    pub now: Time,
    /// When it runs out.
    pub until: Time,
}

/// A job that will not be tried again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadJob {
    /// Its id.
    pub id: JobId,
    /// What was to be done.
    pub kind: String,
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The record it is about.
    pub subject: Uuid,
    /// What it shared a concurrency bound with.
    pub lane: String,
    /// How often it was tried.
    pub attempt: u32,
    /// Why it is dead.
    pub why: String,
    /// When it was made.
    pub created_at: Time,
}

/// Makes a job unless there is one for the same subject.
///
/// # Errors
/// The store's own.
pub fn enqueue_missing(tx: &mut Tx, job: &NewJob) -> Result<()> {
    let j = job;
    let made = tx.exec(
        &ENQUEUE_MISSING,
        p![j.id, j.kind, j.workspace, j.subject, j.lane, j.run_at, j.attempt_max, j.why, j.created_at],
    )?;
    if made > 0 {
        tx.wake(j.workspace.0);
    }
    Ok(())
}

/// Deletes the job of a subject that is no longer to be done, dead ones excepted.
///
/// # Errors
/// The store's own.
pub fn cancel(tx: &mut Tx, kind: &str, subject: Uuid) -> Result<()> {
    tx.exec(&CANCEL, p![kind, subject])?;
    Ok(())
}

/// Claims those of these jobs that are still due and free.
///
/// # Errors
/// The store's own.
pub fn claim(tx: &mut Tx, kind: &'static str, ids: &[JobId], lease: Lease) -> Result<Vec<Leased>> {
    let mut claimed = Vec::with_capacity(ids.len());
    for id in ids {
        let row: Option<LeaseRow> = tx.one(&LEASE, p![id, lease.token, lease.until, lease.now])?;
        claimed.extend(row.map(|r| Leased {
            id: *id,
            kind,
            workspace: r.workspace,
            subject: r.subject,
            lane: r.lane,
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

/// Frees the jobs whose lease ran out; those that have no attempt left are dead. Says how many there were.
///
/// # Errors
/// The store's own.
pub fn free_expired(tx: &mut Tx, now: Time) -> Result<u64> {
    Ok(tx.exec(&EXPIRED, p![now])? + tx.exec(&EXPIRED_LAST, p![now])?)
}

/// Writes how an attempt ended, in the transaction that writes what it did. False: the job is no longer ours, because its
/// lease ran out or somebody made it anew; then the transaction must be given up unless what it writes guards itself.
///
/// # Errors
/// The store's own.
pub fn settle(tx: &mut Tx, job: &Leased, outcome: &Outcome) -> Result<bool> {
    let (state, at, why, given_back) = match outcome {
        Outcome::Done => return Ok(tx.exec(&DONE, p![job.id, job.token])? > 0),
        Outcome::Retry { at, why } if job.attempt < job.attempt_max => ("ready", *at, *why, 0),
        Outcome::Retry { why, .. } | Outcome::Dead { why } => ("dead", job.run_at, *why, 0),
        Outcome::Hold { at, why } => ("ready", *at, *why, 1_i64),
    };
    let ours = tx.exec(&AGAIN, p![job.id, job.token, state, at, why, given_back])? > 0;
    if ours {
        tx.wake(job.workspace.0);
    }
    Ok(ours)
}

/// Makes the leases of running attempts last until `until`. A lease that is no longer ours stays as it is.
///
/// # Errors
/// The store's own.
pub fn renew(tx: &mut Tx, jobs: &[Leased], until: Time) -> Result<()> {
    for job in jobs {
        tx.exec(&RENEW, p![job.id, job.token, until])?;
    }
    Ok(())
}

/// Hands leases back as if the jobs had never been claimed: for a process that ends.
///
/// # Errors
/// The store's own.
pub fn release(tx: &mut Tx, jobs: &[Leased]) -> Result<()> {
    for job in jobs {
        settle(tx, job, &Outcome::Hold { at: job.run_at, why: "released" })?;
    }
    Ok(())
}

/// Hands the leases with that token back as if the jobs had never been claimed: for a claim that may be in the store, and of
/// which nobody knows the jobs.
///
/// # Errors
/// The store's own.
pub fn hand_back(tx: &mut Tx, token: Uuid) -> Result<u64> {
    tx.exec(&HAND_BACK, p![token])
}

/// When the next lease runs out.
///
/// # Errors
/// The store's own.
pub fn next_lease_end(tx: &mut Tx) -> Result<Option<Time>> {
    tx.value(&NEXT_LEASE, p![])
}

/// When the next job of these kinds is due, of those that are not due now.
///
/// # Errors
/// The store's own.
pub fn next_at(tx: &mut Tx, kinds: &[&str], now: Time) -> Result<Option<Time>> {
    let mut next = None;
    for kind in kinds {
        let due = tx.value(&NEXT, p![kind, now])?;
        next = next.into_iter().chain(due).min();
    }
    Ok(next)
}

/// How many jobs there are of each kind in each state (`ready`, `leased`, `dead`), for the metrics.
///
/// # Errors
/// The store's own.
pub fn counts(tx: &mut Tx) -> Result<Vec<(String, String, u64)>> {
    tx.rows(&COUNTS, p![])
}

/// Up to `limit` dead jobs.
///
/// # Errors
/// The store's own.
pub fn dead(tx: &mut Tx, limit: u32) -> Result<Vec<DeadJob>> {
    tx.rows(&DEAD, p![limit])
}

struct LeaseRow {
    workspace: WorkspaceId,
    subject: Uuid,
    lane: String,
    run_at: Time,
    attempt: u32,
    attempt_max: u32,
    why: String,
}

crate::from_row!(LeaseRow { workspace, subject, lane, run_at, attempt, attempt_max, why });
crate::from_row!(DeadJob { id, kind, workspace, subject, lane, attempt, why, created_at });
