//! PostgreSQL: worker threads with a connection each, statements prepared once per connection, reruns and reconnects.
//!
//! A unit that meets 40001 or 40P01 is run again, and so is one whose connection broke before its COMMIT was sent; that is
//! why a unit has no side effects. A connection that breaks *at* COMMIT leaves the outcome unknown and is reported; who waits
//! is woken all the same, for the unit may be there.

use crate::db::StoreConfig;
use crate::db::damage::Damage;
use crate::db::faults::{self, WriteFaults, WritePoint};
use crate::db::incident::{Incident, Part};
use crate::db::notify::Notifier;
use crate::db::queue::{Job, Message, Span, Verdict};
use crate::db::server::Server;
use crate::db::wakes::Wakes;
use crate::tx::Connection;
use crate::{Engine, Error, Result, Sql, Tx, Value};
use crossbeam_channel::{Receiver, after};
use postgres::types::ToSql;
use postgres::{Client, Statement};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Prepared statements kept per connection; when it is reached, all are dropped and prepared anew.
const STATEMENTS_MAX: usize = 512;
/// How often a unit is run at most.
const RUNS_MAX: u32 = 8;
/// Pause before the second run; doubled for each further one, so all of them together are below 700 ms.
const RERUN_PAUSE: Duration = Duration::from_millis(5);
/// After a failed attempt to connect, everybody is told so without another attempt for this long.
const CONNECT_PAUSE: Duration = Duration::from_millis(250);

/// A connection and its prepared statements.
pub(crate) struct PgConnection {
    client: Client,
    prepared: HashMap<String, Statement>,
}

impl PgConnection {
    pub(crate) fn connect(url: &str) -> Result<Self> {
        Ok(PgConnection { client: Server::parse(url)?.connect()?, prepared: HashMap::new() })
    }

    pub(crate) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    pub(crate) fn batch(&mut self, text: &str) -> Result<()> {
        Ok(self.client.batch_execute(text)?)
    }

    pub(crate) fn prepare(&mut self, sql: &Sql, parameters: usize) -> Result<Statement> {
        let text = sql.told(Engine::Postgres, parameters);
        if let Some(statement) = self.prepared.get(text) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(text)?;
        if self.prepared.len() >= STATEMENTS_MAX {
            self.prepared.clear();
        }
        self.prepared.insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(crate) fn query(&mut self, statement: &Statement, parameters: &[Value<'_>]) -> Result<Vec<postgres::Row>> {
        check_count(statement, parameters)?;
        Ok(self.client.query(statement, &bind(parameters))?)
    }

    pub(crate) fn execute(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<u64> {
        let statement = self.prepare(sql, parameters.len())?;
        check_count(&statement, parameters)?;
        Ok(self.client.execute(&statement, &bind(parameters))?)
    }
}

fn bind<'a>(parameters: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn check_count(statement: &Statement, parameters: &[Value<'_>]) -> Result<()> {
    let (wanted, given) = (statement.params().len(), parameters.len());
    if wanted == given {
        Ok(())
    } else {
        Err(Error::db(format_args!("{given} parameters are given, ${wanted} is the last used")))
    }
}

/// What the worker threads of one store share.
pub(crate) struct Shared {
    pub(crate) url: String,
    pub(crate) wakes: Wakes,
    pub(crate) notifier: Notifier,
    damage: Damage,
    /// Why nobody need try to connect, until the timer speaks.
    down: Mutex<Option<(Receiver<Instant>, Error)>>,
    faults: Option<WriteFaults>,
    writes: Incident,
    reads: Incident,
}

impl Shared {
    pub(crate) fn new(url: &str, config: &StoreConfig, (wakes, damage): (Wakes, Damage), notifier: Notifier) -> Self {
        let incident = |part| Incident::new(part, config.watch.clone());
        let (writes, reads) = (incident(Part::Writes), incident(Part::Reads));
        Shared {
            url: url.to_owned(),
            wakes,
            notifier,
            damage,
            down: Mutex::new(None),
            faults: config.faults.clone(),
            writes,
            reads,
        }
    }

    fn connect(&self, mode: Mode) -> Result<Tx> {
        if let Some((pause, why)) = &*self.down.lock().unwrap_or_else(PoisonError::into_inner)
            && pause.is_empty()
        {
            return Err(why.clone());
        }
        let connected = PgConnection::connect(&self.url).and_then(|mut connection| {
            if mode == Mode::Read {
                connection.batch("SET default_transaction_read_only = on")?;
            }
            Ok(connection)
        });
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) =
            connected.as_ref().err().map(|error| (after(CONNECT_PAUSE), error.clone()));
        let connected = self.damage.watch(connected)?;
        Ok(Tx::on(Connection::Postgres(Box::new(connected))).watched(self.damage.clone()))
    }
}

/// How a worker's transactions begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    /// One snapshot for all statements of the unit.
    Read,
}

/// A worker thread.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    mode: Mode,
    tx: Option<Tx>,
}

/// Why a run of a unit came to nothing.
enum Miss {
    /// Run it again.
    Rerun(Error),
    /// Say so.
    Final(Error),
    /// Say so: it may be committed or not. These are the workspaces to wake if it is.
    Unknown(Error, Vec<uuid::Uuid>),
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>, mode: Mode) -> Self {
        Worker { shared, mode, tx: None }
    }

    /// Runs until told to stop or until nobody can send any more.
    pub(crate) fn run(mut self, queue: &Receiver<Message>) {
        while let Ok(Message::Work(mut job)) = queue.recv() {
            let result = self.unit(&mut job);
            let incident = if self.mode == Mode::Write { &self.shared.writes } else { &self.shared.reads };
            match &result {
                Err(error) if error.is_outage() => incident.failed(1, error),
                _ => incident.worked(),
            }
            job.answer(result);
        }
    }

    fn unit(&mut self, job: &mut Job) -> Result<()> {
        let mut runs = 0;
        loop {
            runs += 1;
            match self.attempt(job) {
                Ok(()) => return Ok(()),
                Err(Miss::Rerun(_)) if runs < RUNS_MAX => {
                    // Let the other through first: run at once, the loser of a deadlock may take its lock again before the
                    // winner has woken, and so meet it for ever.
                    let _ = after(RERUN_PAUSE * 2u32.pow(runs - 1)).recv();
                }
                Err(Miss::Rerun(error) | Miss::Final(error) | Miss::Unknown(error, _)) => return Err(error),
            }
        }
    }

    fn attempt(&mut self, job: &mut Job) -> Result<(), Miss> {
        let tx = match &mut self.tx {
            Some(tx) => tx,
            none => none.insert(self.shared.connect(self.mode).map_err(Miss::Final)?),
        };
        let outcome = run_on(tx, job, self.mode, self.shared.faults.as_ref());
        if pg(tx).client.is_closed() {
            self.tx = None;
        }
        match outcome.inspect_err(|miss| self.forget_stale(miss)) {
            Ok(woken) => {
                self.wake(woken);
                Ok(())
            }
            Err(Miss::Unknown(error, woken)) => {
                self.wake(woken);
                Err(Miss::Final(error))
            }
            Err(miss) => Err(miss),
        }
    }

    fn wake(&self, woken: Vec<uuid::Uuid>) {
        self.shared.wakes.publish(&woken);
        self.shared.notifier.tell(woken);
    }

    /// After a rerun for a stale plan the statements must be prepared anew.
    fn forget_stale(&mut self, miss: &Miss) {
        if let (Some(tx), Miss::Rerun(error)) = (&mut self.tx, miss)
            && (error.internal().contains("0A000") || error.internal().contains("26000"))
        {
            pg(tx).prepared.clear();
        }
    }
}

fn pg(tx: &mut Tx) -> &mut PgConnection {
    match &mut tx.on {
        Connection::Postgres(connection) => connection,
        Connection::Sqlite(_) => {
            unreachable!("PostgreSQL threads are given PostgreSQL connections")
        }
    }
}

/// One run of a unit that reads by one statement, in the transaction that PostgreSQL itself puts around it.
fn run_alone(tx: &mut Tx, job: &mut Job) -> Result<Vec<uuid::Uuid>, Miss> {
    let verdict = job.run(tx);
    if let Some(fault) = tx.fault().cloned()
        && let rerun @ Miss::Rerun(_) = miss(tx, fault)
    {
        return Err(rerun);
    }
    verdict.map(|_| Vec::new()).map_err(Miss::Final)
}

/// One run of a unit in a transaction; gives the workspaces to wake.
fn run_on(tx: &mut Tx, job: &mut Job, mode: Mode, faults: Option<&WriteFaults>) -> Result<Vec<uuid::Uuid>, Miss> {
    if mode == Mode::Read && job.span() == Span::Statement {
        return run_alone(tx, job);
    }
    let faults = faults.filter(|_| mode == Mode::Write);
    faults::check(faults, WritePoint::Begin).map_err(Miss::Final)?;
    let begin = match mode {
        Mode::Write => "BEGIN",
        Mode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    };
    pg(tx).batch(begin).map_err(|error| miss(tx, error))?;
    let verdict = job.run(tx);
    let fault = tx.fault().cloned();
    match (verdict, fault) {
        (Ok(Verdict::Keep), _) => {
            if let Err(error) = faults::check(faults, WritePoint::Commit) {
                pg(tx).batch("ROLLBACK").map_err(Miss::Final)?;
                return Err(Miss::Final(error));
            }
            // From here on a broken connection leaves the outcome unknown, so only a plain refusal is run again.
            let damage = tx.damage().clone();
            if let Some(error) = damage.error() {
                let _ = pg(tx).batch("ROLLBACK");
                return Err(Miss::Final(error));
            }
            let done = pg(tx).batch("COMMIT").and_then(|()| faults::check(faults, WritePoint::Committed));
            match damage.watch(done) {
                Ok(()) => Ok(tx.take_wakes()),
                Err(error @ Error::Retry(_)) => Err(Miss::Rerun(error)),
                Err(error) => Err(Miss::Unknown(error, tx.take_wakes())),
            }
        }
        (verdict, fault) => {
            let rolled_back = pg(tx).batch("ROLLBACK");
            if let Some(fault) = fault {
                match miss(tx, fault) {
                    Miss::Rerun(error) => return Err(Miss::Rerun(error)),
                    Miss::Final(_) | Miss::Unknown(..) => {} // the unit has turned it into its own answer
                }
            }
            verdict.map_err(Miss::Final)?;
            rolled_back.map_err(|error| miss(tx, error))?;
            Ok(Vec::new())
        }
    }
}

/// A failure before COMMIT: nothing was changed, so what may go better next time is run again.
fn miss(tx: &mut Tx, error: Error) -> Miss {
    if matches!(error, Error::Retry(_)) || pg(tx).client.is_closed() { Miss::Rerun(error) } else { Miss::Final(error) }
}
