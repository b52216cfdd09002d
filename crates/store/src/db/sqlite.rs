//! SQLite: one writer thread with group commit, and reader threads with a snapshot each.
//!
//! Everything that queued while the last flush ran shares the next one. An answer leaves only after the COMMIT that holds
//! its changes; a unit that refuses or fails is rolled back alone (by its savepoint, or the others are run again); a
//! failure of the COMMIT is everybody's. The writer must never use `synchronous=NORMAL`: it loses acknowledged mail when
//! the power fails.

use crate::db::faults::{self, WriteFaults, WritePoint};
use crate::db::incident::{Incident, Part};
use crate::db::queue::{self, Job, Message, Span, Verdict};
use crate::db::{StoreConfig, mark::Mark, place::Place, wakes::Wakes};
use crate::tx::Connection;
use crate::{Error, Result, Tx, instance};
use crossbeam_channel::{Receiver, RecvTimeoutError, after, tick};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// At most this many units share a COMMIT.
const GROUP_UNITS_MAX: usize = 256;
/// A group takes in no further unit after this time.
const GROUP_TIME_MAX: Duration = Duration::from_millis(20);
/// Groups with savepoints after a unit was rolled back.
const WARY_GROUPS: u32 = 50;
/// Prepared statements kept per connection.
const STATEMENTS_MAX: usize = 512;
/// How long to wait for another process (an administrator's command) that holds the write lock.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the idle writer looks whether another process has committed.
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
    Ok(Tx::on(Connection::Sqlite(connection)))
}

/// Opens a connection that cannot write.
pub(crate) fn open_reader(path: &Path, config: &StoreConfig) -> Result<Tx> {
    let connection = rusqlite::Connection::open(path)?;
    set_up(&connection)?;
    connection.execute_batch(&format!(
        "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = {}; PRAGMA cache_size = -{};",
        config.sqlite_mmap_bytes, config.sqlite_reader_cache_kib
    ))?;
    Ok(Tx::on(Connection::Sqlite(connection)))
}

fn set_up(connection: &rusqlite::Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A plan does not depend on the values of parameters; else each binding prepares some statements anew.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn connection(tx: &Tx) -> &rusqlite::Connection {
    match &tx.on {
        Connection::Sqlite(connection) => connection,
        Connection::Postgres(_) => unreachable!("SQLite threads are given SQLite connections"),
    }
}

/// Transaction control, prepared once.
fn control(tx: &Tx, text: &'static str) -> Result<()> {
    let run = || Ok(connection(tx).prepare_cached(text)?.raw_execute()?);
    tx.damage().watch(run().map(|_| ()))
}

/// A reader thread: one snapshot per unit.
pub(crate) fn read_loop(mut tx: Tx, queue: &Receiver<Message>, incident: &Incident) {
    while let Ok(Message::Work(mut job)) = queue.recv() {
        let result = read_once(&mut tx, &mut job);
        match &result {
            Err(error) if error.is_outage() => incident.failed(1, error),
            _ => incident.worked(),
        }
        job.answer(result);
    }
}

fn read_once(tx: &mut Tx, job: &mut Job) -> Result<()> {
    if job.span() == Span::Unit {
        control(tx, "BEGIN")?;
    }
    let result = job.run(tx);
    if !connection(tx).is_autocommit() {
        control(tx, "ROLLBACK")?;
    }
    result.map(|_| ())
}

/// Runs a short read on the thread that asks.
pub(crate) fn read_here<T, E: From<Error>>(
    tx: &mut Tx,
    span: Span,
    work: &impl Fn(&mut Tx) -> Result<T, E>,
) -> Result<T, E> {
    let mut returned = None;
    let begun = if span == Span::Unit { control(tx, "BEGIN") } else { Ok(()) };
    let result = begun.and_then(|()| {
        let (verdict, own) = queue::run(work, tx);
        returned = own;
        if !connection(tx).is_autocommit() {
            control(tx, "ROLLBACK")?;
        }
        verdict.map(|_| ())
    });
    queue::answer(result, returned)
}

/// The writer thread.
pub(crate) struct Writer {
    tx: Tx,
    queue: Receiver<Message>,
    wakes: Wakes,
    data_version: i64,
    /// Groups that still get a savepoint for each unit, because a unit was rolled back not long ago.
    wary_groups: u32,
    /// When to look for commits of others.
    look: Receiver<Instant>,
    /// Where commits are counted.
    mark: Option<Arc<Mark>>,
    /// Where the database was when it was opened.
    place: Option<Place>,
    faults: Option<WriteFaults>,
    incident: Incident,
}

impl Writer {
    pub(crate) fn new(tx: Tx, queue: Receiver<Message>, wakes: Wakes, config: &StoreConfig) -> Self {
        let (faults, incident) = (config.faults.clone(), Incident::new(Part::Writes, config.watch.clone()));
        let (look, mark, place) = (tick(FOREIGN_COMMIT_POLL), None, None);
        let mut writer =
            Writer { tx, queue, wakes, data_version: 0, wary_groups: 0, look, mark, place, faults, incident };
        writer.data_version = writer.read_data_version();
        writer
    }

    /// Looks now and then whether the files are still there.
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Counts commits there.
    pub(crate) fn marking(mut self, mark: Option<Arc<Mark>>) -> Self {
        self.mark = mark;
        self
    }

    /// Runs until told to stop or until nobody can send any more.
    pub(crate) fn run(mut self) {
        loop {
            match self.queue.recv_timeout(FOREIGN_COMMIT_POLL) {
                Ok(Message::Work(first)) => {
                    let mut group = Group::new(self.wary_groups > 0);
                    // What could not be rolled back was answered as failed: nothing is committed together with it.
                    group.failure = self.roll_back().err();
                    self.wary_groups = self.wary_groups.saturating_sub(1);
                    let go_on = self.fill(&mut group, first);
                    self.finish(group);
                    if !go_on {
                        return;
                    }
                }
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.look_for_foreign_commits();
        }
    }

    /// Ends the open transaction, if there is one.
    fn roll_back(&self) -> Result<()> {
        if connection(&self.tx).is_autocommit() { Ok(()) } else { control(&self.tx, "ROLLBACK") }
    }

    /// Runs units until the queue is empty or the group full. Returns whether to go on after this group.
    fn fill(&mut self, group: &mut Group, first: Job) -> bool {
        let mut next = first;
        loop {
            let result = if group.failure.is_none() { self.unit(group, &mut next) } else { Ok(()) };
            group.units.push((next, result));
            if group.is_spoilt {
                self.repeat(group);
            }
            if group.units.len() >= GROUP_UNITS_MAX || group.is_over.try_recv().is_ok() {
                return true;
            }
            match self.queue.try_recv() {
                Ok(Message::Work(job)) => next = job,
                Ok(Message::Stop) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Runs the units of a group again, each with a savepoint, after one that had none is to be rolled back. Units may be
    /// run more than once, and few are ever rolled back: a savepoint for each costs more than this.
    fn repeat(&mut self, group: &mut Group) {
        self.wary_groups = WARY_GROUPS;
        (group.is_spoilt, group.is_wary, group.kept) = (false, true, 0);
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

    /// One unit. The first of a transaction needs no savepoint of its own: rolling it back rolls back nothing else.
    fn unit(&mut self, group: &mut Group, job: &mut Job) -> Result<()> {
        let alone = group.kept == 0;
        let saved = !alone && group.is_wary;
        let opened = faults::check(self.faults.as_ref(), WritePoint::Begin).and_then(|()| {
            if saved {
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
        let verdict = job.run(&mut self.tx);
        if connection(&self.tx).is_autocommit() {
            // SQLite rolled the whole transaction back by itself, savepoints included.
            let why = self.tx.fault().cloned();
            group.failure = Some(why.unwrap_or_else(|| Error::Full("the transaction was rolled back".into())));
            return Ok(());
        }
        let keep = matches!(verdict, Ok(Verdict::Keep));
        let closed = match (keep, saved) {
            (true, true) => control(&self.tx, "RELEASE unit"),
            (true, false) => Ok(()),
            (false, true) => control(&self.tx, "ROLLBACK TO unit").and_then(|()| control(&self.tx, "RELEASE unit")),
            (false, false) if alone => control(&self.tx, "ROLLBACK"),
            (false, false) => {
                group.is_spoilt = true;
                Ok(())
            }
        };
        if let Err(error) = closed {
            group.failure = Some(error);
        } else if keep {
            group.kept += 1;
            group.woken.extend(self.tx.take_wakes());
        }
        verdict.map(|_| ())
    }

    /// COMMIT, wake, and only then answer.
    fn finish(&mut self, mut group: Group) {
        // Whatever else is in the group went into the same damaged database.
        group.failure = group.failure.or_else(|| self.tx.damage().error());
        let mut is_committed = group.failure.is_none();
        if is_committed && group.kept > 0 {
            let done = faults::check(self.faults.as_ref(), WritePoint::Commit).and_then(|()| self.commit());
            is_committed = done.is_ok();
            group.failure = done.and_then(|()| faults::check(self.faults.as_ref(), WritePoint::Committed)).err();
        }
        if let Err(error) = self.roll_back() {
            tracing::error!(cause = error.internal(), "store.not_rolled_back");
        }
        if is_committed {
            self.wakes.publish(&group.woken);
        }
        match &group.failure {
            Some(error) => self.incident.failed(group.units.len(), error),
            None if group.kept > 0 => self.incident.worked(),
            None => {}
        }
        for (job, result) in group.units {
            job.answer(group.failure.clone().map_or(result, Err));
        }
    }

    /// Counts the commit in its own transaction, and in the mark once it is on the disk.
    fn commit(&mut self) -> Result<()> {
        let Some(mark) = self.mark.clone() else { return control(&self.tx, "COMMIT") };
        self.tx.renew();
        let commits = instance::count_commit(&mut self.tx)?;
        control(&self.tx, "COMMIT")?;
        mark.record(commits);
        Ok(())
    }

    /// Other processes can commit to the same file (an administrator's command); their wakes do not reach us, but the
    /// version of the data as this connection sees it changes only by them.
    fn look_for_foreign_commits(&mut self) {
        if self.look.try_recv().is_err() {
            return;
        }
        if let Some(Err(error)) = self.place.as_mut().map(Place::check) {
            self.tx.damage().note(&error);
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
    /// Speaks when the group has taken in units for long enough.
    is_over: Receiver<Instant>,
    /// Each with its own failure, if it failed alone.
    units: Vec<(Job, Result<()>)>,
    /// What failed for all of them.
    failure: Option<Error>,
    /// How many units have changes in the open transaction.
    kept: usize,
    woken: Vec<Uuid>,
    /// Each unit gets a savepoint.
    is_wary: bool,
    /// A unit without a savepoint, and with others before it, is to be rolled back.
    is_spoilt: bool,
}

impl Group {
    fn new(is_wary: bool) -> Self {
        Group {
            is_over: after(GROUP_TIME_MAX),
            units: Vec::new(),
            failure: None,
            kept: 0,
            woken: Vec::new(),
            is_wary,
            is_spoilt: false,
        }
    }
}
