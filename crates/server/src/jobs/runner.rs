//! Claims due jobs and runs them, so many of a kind and of a lane at once; sleeps until the next is due, a wake or a poll.
//!
//! It registers for the wake before it looks, so no commit between looking and sleeping is missed. It decides nothing about
//! a job: kinds do (`kind.rs`). A failure or a panic of an attempt is tried again. When the process ends, running attempts
//! are waited for, and what is left is handed back.

mod board;

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt, future::join_all};
use posthouse_domain::{
    id::JobId,
    time::{MINUTE_MS, SECOND_MS, Time},
};
use posthouse_store::{
    Engine, Waiter,
    jobs::{self, Leased, Outcome},
};
use tokio::task::JoinSet;

use self::board::Board;
use super::{
    kind::{self, JobKind, LEASE_MS, Ran},
    sweep,
};
use crate::{
    app::{App, persist::persist},
    telemetry,
};

/// How long it sleeps at most, in milliseconds: for jobs of other processes whose wake was lost.
const POLL_MS: i64 = 5 * SECOND_MS;
/// Time between two looks, in milliseconds: under load each look then finds many jobs.
const LOOK_GAP_MS: i64 = 5;
/// How often the leases of running attempts are renewed, in milliseconds: a third of their length.
const RENEW_MS: i64 = LEASE_MS / 3;
/// How soon a renewal that failed is tried again, in milliseconds. Nothing is claimed meanwhile: a lease of ours that ran out
/// in an outage is to be renewed before anybody frees it.
const RENEW_AGAIN_MS: i64 = SECOND_MS;
/// How long running attempts are waited for at the end, in milliseconds.
const DRAIN_MS: i64 = 6 * SECOND_MS;
/// The gap before the first new try of a failed attempt, in milliseconds; it doubles with each.
const RETRY_MS: i64 = SECOND_MS;
/// The longest such gap, in milliseconds.
const RETRY_MS_MAX: i64 = 10 * MINUTE_MS;
/// Looks in a row of [`run_due`] that may fail.
const FAILURES_MAX: usize = 10;
/// Rounds of [`run_due`] before it is taken for a job that makes itself due again without end.
const ROUNDS_MAX: usize = 10_000;

/// Runs jobs until the process ends ([`crate::shutdown::Life`]).
pub async fn run(app: Arc<App>) {
    let mut waiter = app.store.wakes().subscribe_any();
    let mut runner = Runner::new(app);
    runner.free_own_leases().await;
    while !runner.app.life.is_draining() {
        runner.round(&mut waiter).await;
    }
    runner.end().await;
}

/// Runs everything that is due now until nothing is, and says how many attempts that took. For tests, where time stands
/// still.
///
/// # Panics
/// When the store goes on failing, or a job makes itself due again without end.
pub async fn run_due(app: &Arc<App>) -> usize {
    let mut board = Board::new(kind::all(app));
    let (mut count, mut failures) = (0, 0);
    for _ in 0..ROUNDS_MAX {
        let looked = match board.look(app).await {
            Ok(looked) => looked,
            Err(_) if failures < FAILURES_MAX => {
                failures += 1;
                continue;
            }
            Err(error) => panic!("the store of a test works: {error:?}"),
        };
        failures = 0;
        if looked.claimed.is_empty() && !looked.is_partial {
            return count;
        }
        count += looked.claimed.len();
        let attempts = looked.claimed.iter().map(|(at, job)| attempt(app.clone(), board.kind(*at), job.clone()));
        join_all(attempts).await;
        looked.claimed.iter().for_each(|(at, job)| board.ended(*at, job));
    }
    panic!("jobs make themselves due again without end");
}

/// What has ended.
enum Ended {
    Job(usize, Leased),
    Sweep,
}

struct Runner {
    app: Arc<App>,
    board: Board,
    tasks: JoinSet<Ended>,
    in_flight: HashMap<JobId, Leased>,
    sweeps: bool,
    next_sweep: Time,
    next_renewal: Time,
    last_look: Time,
}

impl Runner {
    fn new(app: Arc<App>) -> Self {
        let (board, now) = (Board::new(kind::all(&app)), app.clock.now());
        let last_look = now.plus_ms(-LOOK_GAP_MS);
        let (tasks, in_flight) = (JoinSet::new(), HashMap::new());
        Self { app, board, tasks, in_flight, sweeps: false, next_sweep: now, next_renewal: now, last_look }
    }

    /// An embedded database has one worker: what is leased at its start was leased by one that is no more.
    async fn free_own_leases(&self) {
        if self.app.store.engine() != Engine::Sqlite {
            return;
        }
        match self.app.store.write(|tx| jobs::free_expired(tx, Time::from_millis(i64::MAX))).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "jobs.freed"),
            Err(error) => telemetry::put_off("freeing of jobs", &error),
        }
    }

    /// Starts what is due, then sleeps until there may be more.
    async fn round(&mut self, waiter: &mut Waiter) {
        let now = self.app.clock.now();
        self.last_look = now;
        if now >= self.next_sweep && !self.sweeps {
            self.start_sweep(now);
        }
        let is_ours = now < self.next_renewal || self.renew(now).await;
        let mut until =
            now.plus_ms(POLL_MS).min(if self.sweeps { Time::from_millis(i64::MAX) } else { self.next_sweep });
        until = until.min(self.next_renewal);
        if is_ours {
            self.look(&mut until).await;
        }
        self.sleep(until, waiter).await;
        // Under load wakes and ends come by the thousand: they are gathered, so that a look finds many.
        let gap_end = self.last_look.plus_ms(LOOK_GAP_MS);
        if self.app.clock.now() < gap_end {
            tokio::select! {
                () = self.app.life.drained() => {}
                () = self.app.clock.sleep_until(gap_end) => {}
            }
        }
        while let Some(ended) = self.tasks.try_join_next() {
            self.ended(ended);
        }
    }

    /// Starts what is due and has room; says until when there is nothing more.
    async fn look(&mut self, until: &mut Time) {
        let now = self.last_look;
        match self.board.look(&self.app).await {
            Ok(looked) => {
                // What is due but has no room waits for an end, not for a time.
                *until = (*until).min(looked.next.filter(|next| *next > now).unwrap_or(*until));
                if !looked.claimed.is_empty() || looked.is_partial {
                    *until = now;
                }
                for (at, job) in looked.claimed {
                    self.start(at, job);
                }
            }
            Err(error) => telemetry::put_off("look for jobs", &error),
        }
    }

    async fn sleep(&mut self, until: Time, waiter: &mut Waiter) {
        let life = self.app.life.clone();
        let ended = tokio::select! {
            () = life.drained() => None,
            () = waiter.changed() => None,
            () = self.app.clock.sleep_until(until) => None,
            Some(ended) = self.tasks.join_next() => Some(ended),
        };
        if let Some(ended) = ended {
            self.ended(ended);
        }
    }

    fn start(&mut self, at: usize, job: Leased) {
        self.in_flight.insert(job.id, job.clone());
        let (app, kind) = (self.app.clone(), self.board.kind(at));
        self.tasks.spawn(async move {
            attempt(app, kind, job.clone()).await;
            Ended::Job(at, job)
        });
    }

    /// Keeps other workers from what runs here; says whether that worked.
    async fn renew(&mut self, now: Time) -> bool {
        let running: Vec<Leased> = self.in_flight.values().cloned().collect();
        let until = now.plus_ms(LEASE_MS);
        let renewed = match running.is_empty() {
            true => Ok(()),
            false => self.app.store.write(move |tx| jobs::renew(tx, &running, until)).await,
        };
        self.next_renewal = now.plus_ms(if renewed.is_ok() { RENEW_MS } else { RENEW_AGAIN_MS });
        renewed.inspect_err(|error| telemetry::put_off("renewal of leases", error)).is_ok()
    }

    fn start_sweep(&mut self, now: Time) {
        self.sweeps = true;
        self.next_sweep = now.plus_ms(sweep::EVERY_MS);
        let app = self.app.clone();
        self.tasks.spawn(async move {
            match AssertUnwindSafe(sweep::run(&app)).catch_unwind().await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => telemetry::put_off("sweep", &error),
                Err(_) => tracing::error!("sweep panicked"),
            }
            Ended::Sweep
        });
    }

    fn ended(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        match ended {
            Ok(Ended::Job(at, job)) => {
                self.board.ended(at, &job);
                self.in_flight.remove(&job.id);
            }
            Ok(Ended::Sweep) => self.sweeps = false,
            // Attempts catch their panics, and tasks are cut off only at the end.
            Err(error) => tracing::error!(cause = %error, "job task lost"),
        }
    }

    /// Waits for what runs, cuts off what takes too long, and hands its leases back.
    async fn end(mut self) {
        let deadline = self.app.clock.now().plus_ms(DRAIN_MS);
        while !self.tasks.is_empty() {
            let ended = tokio::select! {
                Some(ended) = self.tasks.join_next() => ended,
                () = self.app.clock.sleep_until(deadline) => break,
            };
            self.ended(ended);
        }
        self.tasks.shutdown().await;
        let left: Vec<Leased> = self.in_flight.into_values().collect();
        if left.is_empty() {
            return;
        }
        tracing::info!(count = left.len(), "jobs.handed_back");
        if let Err(error) = self.app.store.write(move |tx| jobs::release(tx, &left)).await {
            telemetry::put_off("handing back of jobs", &error);
        }
    }
}

/// One attempt and its end. Whatever happens in it, the job is settled or its lease runs out.
async fn attempt(app: Arc<App>, kind: JobKind, job: Leased) {
    let began = async { (kind.run)(app.clone(), job.clone()).await };
    let ran = AssertUnwindSafe(began).catch_unwind().await;
    let outcome = match ran {
        Ok(Ok(Ran::Settled(name))) => return app.metrics.job(kind.name, name),
        Ok(Ok(Ran::Settle(outcome))) => outcome,
        Ok(Err(error)) => {
            if !error.is_outage() {
                tracing::warn!(kind = kind.name, job_id = %job.id, cause = error.internal(), "job.failed");
            }
            Outcome::Retry { at: retry_at(&app, &job), why: "store_failed" }
        }
        Err(_) => {
            tracing::error!(kind = kind.name, job_id = %job.id, subject_id = %job.subject, "job.panicked");
            Outcome::Retry { at: retry_at(&app, &job), why: "panicked" }
        }
    };
    let settled = outcome.clone();
    match persist(&app, move |tx| jobs::settle(tx, &job, &settled)).await {
        Ok(true) => app.metrics.job(kind.name, name_of(&outcome)),
        Ok(false) => tracing::debug!(kind = kind.name, "job.overtaken"),
        Err(error) => tracing::warn!(kind = kind.name, cause = error.internal(), "job not settled"),
    }
}

fn retry_at(app: &App, job: &Leased) -> Time {
    let doublings = job.attempt.saturating_sub(1).min(20);
    app.clock.now().plus_ms((RETRY_MS << doublings).min(RETRY_MS_MAX))
}

/// The outcome's name in the metrics.
const fn name_of(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Retry { .. } => "retry",
        Outcome::Hold { .. } => "hold",
        Outcome::Dead { .. } => "dead",
    }
}
