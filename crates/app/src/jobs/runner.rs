//! Claims due jobs and runs them, with a limit per kind and per destination. Sleeps until the next job is due, a wakeup
//! or a poll.
//!
//! The runner subscribes to wakeups before it scans, so it misses no commit between the scan and the sleep. The kinds
//! decide what a job does (`definition.rs`). The runner retries attempts that fail or panic. At shutdown it waits for
//! running attempts and releases the rest.

mod running;

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt, future::join_all};
use posthouse_domain::{JobId, JobReason, MINUTE_MS, SECOND_MS, Time};
use posthouse_store::{Engine, WakeWaiter, jobs, jobs::JobOutcome, jobs::LeasedJob};
use tokio::task::JoinSet;

use super::{definition::JobAttemptResult, definition::JobDefinition, definition::LEASE_MS, registry};
use crate::{Service, jobs::reconcile, jobs::runner::running::RunningJobs, persist::persist};

/// Longest sleep, in milliseconds. Covers lost wakeups from other processes.
const POLL_MS: i64 = 5 * SECOND_MS;
/// Time between two scans, in milliseconds. Under load, each scan then finds many jobs.
const SCAN_GAP_MS: i64 = 5;
/// How often the leases of running attempts are renewed, in milliseconds: a third of their length.
const RENEW_MS: i64 = LEASE_MS / 3;
/// The delay after a failed renewal, in milliseconds. Nothing is claimed meanwhile, because leases of this process that
/// expired in an outage must be renewed before any worker releases them.
const RENEW_AGAIN_MS: i64 = SECOND_MS;
/// How long the shutdown waits for running attempts, in milliseconds.
const DRAIN_MS: i64 = 6 * SECOND_MS;
/// The delay before the first retry of a failed attempt, in milliseconds; it doubles with each retry.
const RETRY_MS: i64 = SECOND_MS;
/// The longest retry delay, in milliseconds.
const RETRY_MS_MAX: i64 = 10 * MINUTE_MS;
/// Failed scans in a row that [`run_due`] tolerates.
const FAILURES_MAX: usize = 10;
/// Scans after which [`run_due`] assumes an endless loop.
const ROUNDS_MAX: usize = 10_000;

/// Runs jobs until the process ends ([`crate::lifecycle::Lifecycle`]).
pub async fn run(service: Arc<Service>) {
    let mut waiter = service.store.wakes().subscribe_jobs();
    let mut runner = Runner::new(service);
    runner.release_own_leases().await;
    while !runner.service.lifecycle.is_draining() {
        runner.run_cycle(&mut waiter).await;
    }
    runner.end().await;
}

/// Runs due jobs until none is left, and returns the number of attempts. For tests, where the clock is manual.
///
/// # Panics
/// Panics if the store keeps failing, or if jobs keep making themselves due.
pub async fn run_due(service: &Arc<Service>) -> usize {
    let mut board = RunningJobs::new(registry::all(service));
    let (mut count, mut failures) = (0, 0);
    for _ in 0..ROUNDS_MAX {
        let scanned = match board.scan(service).await {
            Ok(scanned) => scanned,
            Err(_) if failures < FAILURES_MAX => {
                failures += 1;
                continue;
            }
            Err(error) => panic!("the store keeps failing: {error:?}"),
        };
        failures = 0;
        if scanned.claimed.is_empty() && !scanned.is_partial {
            return count;
        }
        count += scanned.claimed.len();
        let attempts = scanned.claimed.iter().map(|(at, job)| attempt(service.clone(), board.kind(*at), job.clone()));
        join_all(attempts).await;
        scanned.claimed.iter().for_each(|(at, job)| board.record_end(*at, job));
    }
    panic!("jobs keep making themselves due");
}

/// A finished task.
enum FinishedTask {
    Job(usize, LeasedJob),
    Sweep,
}

struct Runner {
    service: Arc<Service>,
    running: RunningJobs,
    tasks: JoinSet<FinishedTask>,
    in_flight: HashMap<JobId, LeasedJob>,
    sweeps: bool,
    next_sweep: Time,
    next_renewal: Time,
    last_scan: Time,
}

impl Runner {
    fn new(service: Arc<Service>) -> Self {
        let (board, now) = (RunningJobs::new(registry::all(&service)), service.clock.now());
        let last_scan = now.plus_ms(-SCAN_GAP_MS);
        let (tasks, in_flight) = (JoinSet::new(), HashMap::new());
        Self { service, running: board, tasks, in_flight, sweeps: false, next_sweep: now, next_renewal: now, last_scan }
    }

    /// Releases all leases of an embedded database: it has one worker, so they belong to an earlier process.
    async fn release_own_leases(&self) {
        if self.service.store.engine() != Engine::Sqlite {
            return;
        }
        match self.service.write(|tx| jobs::release_expired(tx, Time::from_millis(i64::MAX))).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "jobs.leases_released"),
            Err(error) => crate::telemetry::log_deferred("releasing jobs", &error),
        }
    }

    /// Starts due jobs, then sleeps until there may be more.
    async fn run_cycle(&mut self, waiter: &mut WakeWaiter) {
        let now = self.service.clock.now();
        self.last_scan = now;
        if now >= self.next_sweep && !self.sweeps {
            self.start_sweep(now);
        }
        let is_ours = now < self.next_renewal || self.renew(now).await;
        let mut until =
            now.plus_ms(POLL_MS).min(if self.sweeps { Time::from_millis(i64::MAX) } else { self.next_sweep });
        until = until.min(self.next_renewal);
        if is_ours {
            self.scan(&mut until).await;
        }
        self.sleep(until, waiter).await;
        // Under load, thousands of wakeups and results arrive per second. Waiting lets one scan find many.
        let gap_end = self.last_scan.plus_ms(SCAN_GAP_MS);
        if self.service.clock.now() < gap_end {
            tokio::select! {
                () = self.service.lifecycle.drained() => {}
                () = self.service.clock.sleep_until(gap_end) => {}
            }
        }
        while let Some(ended) = self.tasks.try_join_next() {
            self.record_end(ended);
        }
    }

    /// Starts due jobs that fit, and lowers `until` to the time of the next scan.
    async fn scan(&mut self, until: &mut Time) {
        let now = self.last_scan;
        match self.running.scan(&self.service).await {
            Ok(scanned) => {
                // Due jobs that don't fit wait for a running job to end, not for a time.
                *until = (*until).min(scanned.next.filter(|next| *next > now).unwrap_or(*until));
                if !scanned.claimed.is_empty() || scanned.is_partial {
                    *until = now;
                }
                for (at, job) in scanned.claimed {
                    self.start(at, job);
                }
            }
            Err(error) => crate::telemetry::log_deferred("scanning for jobs", &error),
        }
    }

    async fn sleep(&mut self, until: Time, waiter: &mut WakeWaiter) {
        let life = self.service.lifecycle.clone();
        let ended = tokio::select! {
            () = life.drained() => None,
            () = waiter.changed() => None,
            () = self.service.clock.sleep_until(until) => None,
            Some(ended) = self.tasks.join_next() => Some(ended),
        };
        if let Some(ended) = ended {
            self.record_end(ended);
        }
    }

    fn start(&mut self, at: usize, job: LeasedJob) {
        self.in_flight.insert(job.id, job.clone());
        let (service, kind) = (self.service.clone(), self.running.kind(at));
        self.tasks.spawn(async move {
            attempt(service, kind, job.clone()).await;
            FinishedTask::Job(at, job)
        });
    }

    /// Renews the leases of running jobs, and returns whether that worked.
    async fn renew(&mut self, now: Time) -> bool {
        let running: Vec<LeasedJob> = self.in_flight.values().cloned().collect();
        let until = now.plus_ms(LEASE_MS);
        let renewed = match running.is_empty() {
            true => Ok(()),
            false => self.service.write(move |tx| jobs::renew(tx, &running, until)).await,
        };
        self.next_renewal = now.plus_ms(if renewed.is_ok() { RENEW_MS } else { RENEW_AGAIN_MS });
        renewed.inspect_err(|error| crate::telemetry::log_deferred("renewing leases", error)).is_ok()
    }

    fn start_sweep(&mut self, now: Time) {
        self.sweeps = true;
        self.next_sweep = now.plus_ms(reconcile::EVERY_MS);
        let service = self.service.clone();
        self.tasks.spawn(async move {
            match AssertUnwindSafe(reconcile::run(&service)).catch_unwind().await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => crate::telemetry::log_deferred("reconciliation sweep", &error),
                Err(_) => tracing::error!("sweep panicked"),
            }
            FinishedTask::Sweep
        });
    }

    fn record_end(&mut self, ended: Result<FinishedTask, tokio::task::JoinError>) {
        match ended {
            Ok(FinishedTask::Job(at, job)) => {
                self.running.record_end(at, &job);
                self.in_flight.remove(&job.id);
            }
            Ok(FinishedTask::Sweep) => self.sweeps = false,
            // Attempts catch their panics, and tasks are aborted only at shutdown.
            Err(error) => tracing::error!(cause = %error, "job task lost"),
        }
    }

    /// Waits for running attempts, aborts those that exceed the deadline, and releases their leases.
    async fn end(mut self) {
        let deadline = self.service.clock.now().plus_ms(DRAIN_MS);
        while !self.tasks.is_empty() {
            let ended = tokio::select! {
                Some(ended) = self.tasks.join_next() => ended,
                () = self.service.clock.sleep_until(deadline) => break,
            };
            self.record_end(ended);
        }
        self.tasks.shutdown().await;
        let left: Vec<LeasedJob> = self.in_flight.into_values().collect();
        if left.is_empty() {
            return;
        }
        tracing::info!(count = left.len(), "jobs.released");
        if let Err(error) = self.service.write(move |tx| jobs::release(tx, &left)).await {
            crate::telemetry::log_deferred("releasing jobs", &error);
        }
    }
}

/// Runs one attempt. Either the job is settled, or its lease expires.
async fn attempt(service: Arc<Service>, definition: JobDefinition, job: LeasedJob) {
    let kind = definition.kind.text();
    let began = async { (definition.run)(service.clone(), job.clone()).await };
    let ran = AssertUnwindSafe(began).catch_unwind().await;
    let outcome = match ran {
        Ok(Ok(JobAttemptResult::Settled(settled))) => return service.metrics.job(kind, settled.text()),
        Ok(Ok(JobAttemptResult::Settle(outcome))) => outcome,
        Ok(Err(error)) => {
            if !error.is_outage() {
                tracing::warn!(kind, job_id = %job.id, cause = error.internal(), "job.failed");
            }
            JobOutcome::Retry { at: retry_at(&service, &job), why: JobReason::StoreFailed }
        }
        Err(_) => {
            tracing::error!(kind, job_id = %job.id, subject_id = %job.subject, "job.panicked");
            JobOutcome::Retry { at: retry_at(&service, &job), why: JobReason::Panicked }
        }
    };
    let settled = outcome.clone();
    match persist(&service, move |tx| jobs::settle(tx, &job, &settled)).await {
        Ok(true) => service.metrics.job(kind, name_of(&outcome)),
        Ok(false) => tracing::debug!(kind, "job.lease_lost"),
        Err(error) => tracing::warn!(kind, cause = error.internal(), "job not settled"),
    }
}

fn retry_at(service: &Service, job: &LeasedJob) -> Time {
    let doublings = job.attempt.saturating_sub(1).min(20);
    service.clock.now().plus_ms((RETRY_MS << doublings).min(RETRY_MS_MAX))
}

/// Returns the outcome's name for metrics.
const fn name_of(outcome: &JobOutcome) -> &'static str {
    match outcome {
        JobOutcome::Done => "done",
        JobOutcome::Retry { .. } => "retry",
        JobOutcome::Hold { .. } => "hold",
        JobOutcome::Dead { .. } => "dead",
    }
}
