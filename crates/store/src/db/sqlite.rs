//! SQLite: one writer thread with group commit, and reader threads with one snapshot per unit.
//!
//! All units queued during one flush share the next one. A reply is sent only after the COMMIT that contains the unit's
//! changes. A unit that returns an error is rolled back alone (by its savepoint, or by running the others again); a
//! failed COMMIT fails the whole group. The writer must never use `synchronous=NORMAL`: acknowledged mail would be lost
//! in a power failure.

use crate::db::faults::{self, WriteFaults, WritePoint};
use crate::db::incident::{StoreIncident, StorePart};
use crate::db::queue::{self, BoxedUnit, StoreCommand, TransactionScope, UnitDecision};
use crate::db::read_shares::SharedQueue;
use crate::db::{StoreConfig, database_files::DatabaseFiles, mark::CommitMark, read_only, wakes::Wakes};
use crate::tx::StoreConnection;
use crate::{Error, Result, Tx, instance};
use crossbeam_channel::{Receiver, RecvTimeoutError, after, tick};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Most units that share a COMMIT.
const GROUP_UNITS_MAX: usize = 256;
/// A group accepts no further unit after this time.
const GROUP_TIME_MAX: Duration = Duration::from_millis(20);
/// Number of groups that use savepoints after a unit was rolled back.
const SAVEPOINT_GROUPS: u32 = 50;
/// Prepared statements kept per connection.
const STATEMENTS_MAX: usize = 512;
/// How long to wait for another process (an administrator's command) that holds the write lock.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the idle writer checks whether another process has committed.
const FOREIGN_COMMIT_POLL: Duration = Duration::from_millis(100);

/// Opens a connection for writing, with the durability settings.
pub(crate) fn open_writer(path: &Path, config: &StoreConfig) -> Result<Tx> {
    let connection = rusqlite::Connection::open(path)?;
    set_up(&connection)?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON;
         PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -{};",
        config.sqlite_writer_cache_kib
    ))?;
    if let Some(pages) = config.sqlite_pages_max {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    Ok(Tx::new(StoreConnection::Sqlite(connection)))
}

/// Opens a read-only connection.
pub(crate) fn open_reader(path: &Path, config: &StoreConfig) -> Result<Tx> {
    let connection = if config.read_only { read_only::open_sqlite(path)? } else { rusqlite::Connection::open(path)? };
    set_up(&connection)?;
    connection.execute_batch(&format!(
        "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = {}; PRAGMA cache_size = -{};",
        config.sqlite_mmap_bytes, config.sqlite_reader_cache_kib
    ))?;
    Tx::new(StoreConnection::Sqlite(connection)).with_statement_limit(config.statement_ms)
}

fn set_up(connection: &rusqlite::Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Plans must not depend on parameter values; otherwise each binding prepares some statements again.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn connection(tx: &Tx) -> &rusqlite::Connection {
    match &tx.on {
        StoreConnection::Sqlite(connection) => connection,
        StoreConnection::Postgres(_) => unreachable!("SQLite threads only use SQLite connections"),
    }
}

/// Runs a transaction control statement, prepared once.
fn control(tx: &Tx, text: &'static str) -> Result<()> {
    let run = || Ok(connection(tx).prepare_cached(text)?.raw_execute()?);
    tx.damage().record_result(run().map(|_| ()))
}

/// Runs a reader thread, with one snapshot per unit.
pub(crate) fn read_loop(mut tx: Tx, queue: &SharedQueue, incident: &StoreIncident) {
    let mut done = None;
    while let Some(mut job) = queue.next(done) {
        done = job.workspace();
        let result = read_once(&mut tx, &mut job);
        match &result {
            Err(error) if error.is_outage() => incident.failed(1, error),
            _ => incident.succeeded(),
        }
        job.answer(result);
    }
}

fn read_once(tx: &mut Tx, job: &mut BoxedUnit) -> Result<()> {
    if job.span() == TransactionScope::Unit {
        control(tx, "BEGIN")?;
    }
    let result = job.run(tx);
    if !connection(tx).is_autocommit() {
        control(tx, "ROLLBACK")?;
    }
    result.map(|_| ())
}

/// Runs a short read on the calling thread.
pub(crate) fn read_here<T, E: From<Error>>(
    tx: &mut Tx,
    span: TransactionScope,
    work: &impl Fn(&mut Tx) -> Result<T, E>,
) -> Result<T, E> {
    let mut returned = None;
    let begun = if span == TransactionScope::Unit { control(tx, "BEGIN") } else { Ok(()) };
    let result = begun.and_then(|()| {
        let (decision, own) = queue::run(work, tx);
        returned = own;
        if !connection(tx).is_autocommit() {
            control(tx, "ROLLBACK")?;
        }
        decision.map(|_| ())
    });
    queue::answer(result, returned)
}

/// The writer thread.
pub(crate) struct SqliteWriter {
    tx: Tx,
    queue: Receiver<StoreCommand>,
    wakes: Wakes,
    data_version: i64,
    /// Number of further groups that use a savepoint for each unit, because a unit was rolled back recently.
    savepoint_groups: u32,
    /// Fires when it is time to check for commits of other processes.
    poll_timer: Receiver<Instant>,
    /// The mark that counts commits.
    mark: Option<Arc<CommitMark>>,
    /// The database files as found when opened.
    files: Option<DatabaseFiles>,
    faults: Option<WriteFaults>,
    incident: StoreIncident,
}

impl SqliteWriter {
    pub(crate) fn new(tx: Tx, queue: Receiver<StoreCommand>, wakes: Wakes, config: &StoreConfig) -> Self {
        let (faults, incident) = (config.faults.clone(), StoreIncident::new(StorePart::Writes, config.watch.clone()));
        let (poll_timer, mark, files) = (tick(FOREIGN_COMMIT_POLL), None, None);
        let mut writer = SqliteWriter {
            tx,
            queue,
            wakes,
            data_version: 0,
            savepoint_groups: 0,
            poll_timer,
            mark,
            files,
            faults,
            incident,
        };
        writer.data_version = writer.read_data_version();
        writer
    }

    /// Enables the periodic check that the files are still there.
    pub(crate) fn at(mut self, files: DatabaseFiles) -> Self {
        self.files = Some(files);
        self
    }

    /// Enables counting commits in the mark.
    pub(crate) fn marking(mut self, mark: Option<Arc<CommitMark>>) -> Self {
        self.mark = mark;
        self
    }

    /// Runs until a stop message arrives or the queue is disconnected.
    pub(crate) fn run(mut self) {
        loop {
            match self.queue.recv_timeout(FOREIGN_COMMIT_POLL) {
                Ok(StoreCommand::Run(first)) => {
                    let mut group = Group::new(self.savepoint_groups > 0);
                    // These changes were already reported as failed, so nothing may be committed together with them.
                    group.failure = self.roll_back().err();
                    self.savepoint_groups = self.savepoint_groups.saturating_sub(1);
                    let keep_running = self.fill(&mut group, first);
                    self.finish(group);
                    if !keep_running {
                        return;
                    }
                }
                Ok(StoreCommand::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.poll_foreign_commits();
        }
    }

    /// Rolls back the open transaction, if any.
    fn roll_back(&self) -> Result<()> {
        if connection(&self.tx).is_autocommit() { Ok(()) } else { control(&self.tx, "ROLLBACK") }
    }

    /// Runs units until the queue is empty or the group is full. Returns whether to continue after this group.
    fn fill(&mut self, group: &mut Group, first: BoxedUnit) -> bool {
        let mut next = first;
        loop {
            let result = if group.failure.is_none() { self.unit(group, &mut next) } else { Ok(()) };
            group.units.push((next, result));
            if group.needs_rerun {
                self.run_separately(group);
            }
            if group.units.len() >= GROUP_UNITS_MAX || group.is_over.try_recv().is_ok() {
                return true;
            }
            match self.queue.try_recv() {
                Ok(StoreCommand::Run(job)) => next = job,
                Ok(StoreCommand::Stop) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Runs the units of a group again, each with a savepoint, after a unit without one must be rolled back. Units may
    /// run more than once, and rollbacks are rare: a savepoint for every unit would cost more.
    fn run_separately(&mut self, group: &mut Group) {
        self.savepoint_groups = SAVEPOINT_GROUPS;
        (group.needs_rerun, group.uses_savepoints, group.kept) = (false, true, 0);
        group.woken.clear();
        group.failure = control(&self.tx, "ROLLBACK").err();
        let mut units = std::mem::take(&mut group.units);
        for (job, result) in &mut units {
            if group.failure.is_none() {
                *result = self.unit(group, job);
            }
        }
        group.units = units;
    }

    /// Runs one unit. The first in a transaction needs no savepoint, because rolling it back affects nothing else.
    fn unit(&mut self, group: &mut Group, job: &mut BoxedUnit) -> Result<()> {
        let is_first = group.kept == 0;
        let has_savepoint = !is_first && group.uses_savepoints;
        let opened = faults::check(self.faults.as_ref(), WritePoint::Begin).and_then(|()| {
            if has_savepoint {
                control(&self.tx, "SAVEPOINT unit")
            } else if connection(&self.tx).is_autocommit() {
                control(&self.tx, "BEGIN IMMEDIATE")
            } else {
                Ok(())
            }
        });
        if let Err(error) = opened {
            group.failure = Some(error);
            return Ok(());
        }
        let decision = job.run(&mut self.tx);
        if connection(&self.tx).is_autocommit() {
            // SQLite rolled back the whole transaction by itself, including savepoints.
            let cause = self.tx.fault().cloned();
            group.failure = Some(cause.unwrap_or_else(|| Error::StorageFull("the transaction was rolled back".into())));
            return Ok(());
        }
        let keep = matches!(decision, Ok(UnitDecision::Commit));
        let closed = match (keep, has_savepoint) {
            (true, true) => control(&self.tx, "RELEASE unit"),
            (true, false) => Ok(()),
            (false, true) => control(&self.tx, "ROLLBACK TO unit").and_then(|()| control(&self.tx, "RELEASE unit")),
            (false, false) if is_first => control(&self.tx, "ROLLBACK"),
            (false, false) => {
                group.needs_rerun = true;
                Ok(())
            }
        };
        if let Err(error) = closed {
            group.failure = Some(error);
        } else if keep {
            group.kept += 1;
            group.woken.extend(self.tx.take_wakes());
        }
        decision.map(|_| ())
    }

    /// Commits, wakes the waiters, and only then replies.
    fn finish(&mut self, mut group: Group) {
        // All other units of the group were written to the same damaged database.
        group.failure = group.failure.or_else(|| self.tx.damage().error());
        let mut is_committed = group.failure.is_none();
        if is_committed && group.kept > 0 {
            let done = faults::check(self.faults.as_ref(), WritePoint::Commit).and_then(|()| self.commit());
            is_committed = done.is_ok();
            group.failure = done.and_then(|()| faults::check(self.faults.as_ref(), WritePoint::AfterCommit)).err();
        }
        if let Err(error) = self.roll_back() {
            tracing::error!(cause = error.internal(), "store.not_rolled_back");
        }
        if is_committed {
            self.wakes.publish(&group.woken);
        }
        match &group.failure {
            Some(error) => self.incident.failed(group.units.len(), error),
            None if group.kept > 0 => self.incident.succeeded(),
            None => {}
        }
        for (job, result) in group.units {
            job.answer(group.failure.clone().map_or(result, Err));
        }
    }

    /// Counts the commit in its own transaction, and in the mark once it is durable.
    fn commit(&mut self) -> Result<()> {
        let Some(mark) = self.mark.clone() else { return control(&self.tx, "COMMIT") };
        self.tx.renew();
        let commits = instance::count_commit(&mut self.tx)?;
        control(&self.tx, "COMMIT")?;
        mark.record(commits);
        Ok(())
    }

    /// Detects commits by other processes on the same file (an administrator's command). Their wakes don't reach this
    /// process, but they are the only cause of a change in this connection's `data_version`.
    fn poll_foreign_commits(&mut self) {
        if self.poll_timer.try_recv().is_err() {
            return;
        }
        if let Some(Err(error)) = self.files.as_mut().map(DatabaseFiles::check) {
            self.tx.damage().record(&error);
        }
        let version = self.read_data_version();
        if version != self.data_version {
            self.data_version = version;
            self.wakes.publish_all();
        }
    }

    fn read_data_version(&self) -> i64 {
        let read = |c: &rusqlite::Connection| c.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0));
        read(connection(&self.tx)).unwrap_or(self.data_version)
    }
}

/// Units that share a COMMIT.
struct Group {
    /// Fires when the group must not accept more units.
    is_over: Receiver<Instant>,
    /// Each job with its own error if only that unit failed.
    units: Vec<(BoxedUnit, Result<()>)>,
    /// The error of the whole group.
    failure: Option<Error>,
    /// Number of units with changes in the open transaction.
    kept: usize,
    woken: Vec<Uuid>,
    /// Whether each unit gets a savepoint.
    uses_savepoints: bool,
    /// Whether a unit without a savepoint, but with others before it, must be rolled back.
    needs_rerun: bool,
}

impl Group {
    fn new(uses_savepoints: bool) -> Self {
        Group {
            is_over: after(GROUP_TIME_MAX),
            units: Vec::new(),
            failure: None,
            kept: 0,
            woken: Vec::new(),
            uses_savepoints,
            needs_rerun: false,
        }
    }
}
