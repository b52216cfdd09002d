//! PostgreSQL: worker threads with one connection each, statements prepared once per connection, retries and
//! reconnects.
//!
//! A unit that fails with SQLSTATE 40001 or 40P01 runs again, and so does one whose connection broke before its COMMIT
//! was sent; therefore a unit must not have side effects. If a connection breaks *at* COMMIT, the outcome is unknown
//! and the caller gets an error; waiters are woken anyway, because the unit may have been committed.

use crate::db::StoreConfig;
use crate::db::connection::PgConnection;
use crate::db::damage::DamageState;
use crate::db::faults::{self, WriteFaults, WritePoint};
use crate::db::incident::{StoreIncident, StorePart};
use crate::db::notify::WakeNotifier;
use crate::db::queue::{BoxedUnit, TransactionScope, UnitDecision};
use crate::db::read_shares::SharedQueue;
use crate::db::wakes::Wakes;
use crate::tx::StoreConnection;
use crate::{Error, Result, Tx};
use crossbeam_channel::{Receiver, after};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most runs of a unit.
const RUNS_MAX: u32 = 8;
/// Pause before the second run; doubled for each further run, so that all pauses together are below 700 ms.
const RERUN_PAUSE: Duration = Duration::from_millis(5);
/// After a failed connection attempt, requests fail immediately for this long without a new attempt.
const CONNECT_PAUSE: Duration = Duration::from_millis(250);

/// State shared by the worker threads of one store.
pub(crate) struct PgShared {
    pub(crate) url: String,
    pub(crate) wakes: Wakes,
    pub(crate) notifier: WakeNotifier,
    damage: DamageState,
    /// The last connection error, and a timer. Until the timer fires, requests fail with this error.
    down: Mutex<Option<(Receiver<Instant>, Error)>>,
    faults: Option<WriteFaults>,
    writes: StoreIncident,
    reads: StoreIncident,
    /// The time limit of a statement of a read, in milliseconds.
    statement_ms: Option<u64>,
}

impl PgShared {
    pub(crate) fn new(
        url: &str,
        config: &StoreConfig,
        wakes: Wakes,
        damage: DamageState,
        notifier: WakeNotifier,
    ) -> Self {
        let incident = |part| StoreIncident::new(part, config.watch.clone());
        let (writes, reads) = (incident(StorePart::Writes), incident(StorePart::Reads));
        PgShared {
            url: url.to_owned(),
            wakes,
            notifier,
            damage,
            down: Mutex::new(None),
            faults: config.faults.clone(),
            writes,
            reads,
            statement_ms: config.statement_ms,
        }
    }

    fn connect(&self, mode: PgMode) -> Result<Tx> {
        if let Some((pause, error)) = &*self.down.lock().unwrap_or_else(PoisonError::into_inner)
            && pause.is_empty()
        {
            return Err(error.clone());
        }
        let connected = PgConnection::connect(&self.url).and_then(|mut connection| {
            if mode == PgMode::Read {
                connection.batch("SET default_transaction_read_only = on")?;
            }
            Ok(connection)
        });
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) =
            connected.as_ref().err().map(|error| (after(CONNECT_PAUSE), error.clone()));
        let connected = self.damage.record_result(connected)?;
        let tx = Tx::new(StoreConnection::Postgres(Box::new(connected))).with_damage(self.damage.clone());
        tx.with_statement_limit(self.statement_ms.filter(|_| mode == PgMode::Read))
    }
}

/// The kind of transaction that a worker begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PgMode {
    Write,
    /// One snapshot for all statements of the unit.
    Read,
}

/// A worker thread with its connection.
pub(crate) struct PgWorker {
    shared: Arc<PgShared>,
    mode: PgMode,
    tx: Option<Tx>,
}

/// The reason a run of a unit failed.
enum RunError {
    /// The unit should run again.
    Rerun(Error),
    /// The error is final.
    Final(Error),
    /// The error is final, but the unit may have been committed. Contains the workspaces to wake in that case.
    Unknown(Error, Vec<uuid::Uuid>),
}

impl PgWorker {
    pub(crate) fn new(shared: Arc<PgShared>, mode: PgMode) -> Self {
        PgWorker { shared, mode, tx: None }
    }

    /// Runs until a stop message arrives or the queue is disconnected.
    pub(crate) fn run(mut self, queue: &SharedQueue) {
        let mut done = None;
        while let Some(mut job) = queue.next(done) {
            done = job.workspace();
            let result = self.unit(&mut job);
            let incident = if self.mode == PgMode::Write { &self.shared.writes } else { &self.shared.reads };
            match &result {
                Err(error) if error.is_outage() => incident.failed(1, error),
                _ => incident.succeeded(),
            }
            job.answer(result);
        }
    }

    fn unit(&mut self, job: &mut BoxedUnit) -> Result<()> {
        let mut runs = 0;
        loop {
            runs += 1;
            match self.attempt(job) {
                Ok(()) => return Ok(()),
                Err(RunError::Rerun(_)) if runs < RUNS_MAX => {
                    // Let the other transaction finish first. If the loser of a deadlock ran again immediately, it
                    // might take its lock again before the winner wakes, and deadlock forever.
                    let _ = after(RERUN_PAUSE * 2u32.pow(runs - 1)).recv();
                }
                Err(RunError::Rerun(error) | RunError::Final(error) | RunError::Unknown(error, _)) => {
                    return Err(error);
                }
            }
        }
    }

    fn attempt(&mut self, job: &mut BoxedUnit) -> Result<(), RunError> {
        let tx = match &mut self.tx {
            Some(tx) => tx,
            empty => empty.insert(self.shared.connect(self.mode).map_err(RunError::Final)?),
        };
        let outcome = run_on(tx, job, self.mode, self.shared.faults.as_ref());
        if pg(tx).is_closed() {
            self.tx = None;
        }
        match outcome.inspect_err(|error| self.drop_stale_statements(error)) {
            Ok(woken) => {
                self.wake(woken);
                Ok(())
            }
            Err(RunError::Unknown(error, woken)) => {
                self.wake(woken);
                Err(RunError::Final(error))
            }
            Err(run_error) => Err(run_error),
        }
    }

    fn wake(&self, woken: Vec<uuid::Uuid>) {
        self.shared.wakes.publish(&woken);
        self.shared.notifier.notify(woken);
    }

    /// Drops the prepared statements after an error about a stale plan, so that they are prepared again.
    fn drop_stale_statements(&mut self, run_error: &RunError) {
        if let (Some(tx), RunError::Rerun(error)) = (&mut self.tx, run_error)
            && (error.internal().contains("0A000") || error.internal().contains("26000"))
        {
            pg(tx).forget_statements();
        }
    }
}

fn pg(tx: &mut Tx) -> &mut PgConnection {
    match &mut tx.on {
        StoreConnection::Postgres(connection) => connection,
        StoreConnection::Sqlite(_) => {
            unreachable!("PostgreSQL threads are given PostgreSQL connections")
        }
    }
}

/// Runs a single-statement read once, in PostgreSQL's implicit transaction.
fn run_implicit(tx: &mut Tx, job: &mut BoxedUnit) -> Result<Vec<uuid::Uuid>, RunError> {
    let decision = job.run(tx);
    if let Some(fault) = tx.fault().cloned()
        && let rerun @ RunError::Rerun(_) = classify(tx, fault)
    {
        return Err(rerun);
    }
    decision.map(|_| Vec::new()).map_err(RunError::Final)
}

/// Runs a unit once in a transaction; returns the workspaces to wake.
fn run_on(
    tx: &mut Tx,
    job: &mut BoxedUnit,
    mode: PgMode,
    faults: Option<&WriteFaults>,
) -> Result<Vec<uuid::Uuid>, RunError> {
    if mode == PgMode::Read && job.span() == TransactionScope::Statement {
        return run_implicit(tx, job);
    }
    let faults = faults.filter(|_| mode == PgMode::Write);
    faults::check(faults, WritePoint::Begin).map_err(RunError::Final)?;
    let begin = match mode {
        PgMode::Write => "BEGIN",
        PgMode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    };
    pg(tx).batch(begin).map_err(|error| classify(tx, error))?;
    let decision = job.run(tx);
    let fault = tx.fault().cloned();
    match (decision, fault) {
        (Ok(UnitDecision::Commit), _) => {
            if let Err(error) = faults::check(faults, WritePoint::Commit) {
                pg(tx).batch("ROLLBACK").map_err(RunError::Final)?;
                return Err(RunError::Final(error));
            }
            // From here on a broken connection leaves the outcome unknown, so only a definite failure is retried.
            let damage = tx.damage().clone();
            if let Some(error) = damage.error() {
                let _ = pg(tx).batch("ROLLBACK");
                return Err(RunError::Final(error));
            }
            let done = pg(tx).batch("COMMIT").and_then(|()| faults::check(faults, WritePoint::AfterCommit));
            match damage.record_result(done) {
                Ok(()) => Ok(tx.take_wakes()),
                Err(error @ Error::Conflict(_)) => Err(RunError::Rerun(error)),
                Err(error) => Err(RunError::Unknown(error, tx.take_wakes())),
            }
        }
        (decision, fault) => {
            let rolled_back = pg(tx).batch("ROLLBACK");
            if let Some(fault) = fault {
                match classify(tx, fault) {
                    RunError::Rerun(error) => return Err(RunError::Rerun(error)),
                    RunError::Final(_) | RunError::Unknown(..) => {} // the unit returned its own result for it
                }
            }
            decision.map_err(RunError::Final)?;
            rolled_back.map_err(|error| classify(tx, error))?;
            Ok(Vec::new())
        }
    }
}

/// Classifies an error before COMMIT. Nothing was changed, so the unit runs again if it may succeed next time. The
/// server reports the end of a connection before the connection is known to be closed.
fn classify(tx: &mut Tx, error: Error) -> RunError {
    if matches!(error, Error::Conflict(_) | Error::Unavailable(_)) || pg(tx).is_closed() {
        RunError::Rerun(error)
    } else {
        RunError::Final(error)
    }
}
