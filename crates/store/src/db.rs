//! The store: queues in front of database threads, the same for both engines. See the crate documentation for usage.

pub mod all_statements;
pub(crate) mod columns;
pub(crate) mod connection;
pub(crate) mod damage;
mod database_files;
pub mod dialect;
pub(crate) mod error;
mod errors;
pub(crate) mod faults;
pub(crate) mod incident;
mod inline_readers;
pub mod instance;
pub mod integrity;
pub(crate) mod many;
mod mark;
pub(crate) mod notify;
pub(crate) mod postgres;
pub(crate) mod presence;
pub(crate) mod queue;
pub(crate) mod read_only;
mod read_shares;
pub mod sealed;
pub(crate) mod server;
pub(crate) mod sqlite;
pub(crate) mod statement_timer;
pub(crate) mod statements;
pub(crate) mod thread;
pub(crate) mod tx;
pub(crate) mod url;
pub(crate) mod values;
pub(crate) mod wakes;
mod workers;

use crate::{
    DatabaseUrl, Engine, Error, Result, Tx, WakeWaiter, Wakes,
    migrate::{self, Migration},
};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use damage::DamageState;
use database_files::DatabaseFiles;
use faults::WriteFaults;
use incident::{StoreIncident, StorePart};
use inline_readers::InlineReaders;
use mark::CommitMark;
use posthouse_domain::WorkspaceId;
pub use queue::StoreQueueDepth;
use queue::{QueuedUnit, StoreCommand, TransactionScope, UnitReply};
use read_shares::{ReadShares, SharedQueue};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;
use uuid::Uuid;

/// Default number of reader threads. One workspace can use a quarter of them.
const READER_THREADS: usize = 8;
/// The path of the database of [`Store::in_memory`]: the `memdb` file system of SQLite shares one database between the
/// connections of a process.
const MEMORY: &str = "file:/posthouse?vfs=memdb";
/// How long closing the store waits until other processes are notified of its last commits.
const NOTIFY_TIMEOUT: Duration = Duration::from_secs(2);

/// Millisecond clock that measures write latency and incident lengths.
#[derive(Clone)]
pub struct StoreClock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl StoreClock {
    /// Creates a clock from a function.
    pub fn new(now_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        StoreClock(Arc::new(now_ms))
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.0()
    }
}

impl std::fmt::Debug for StoreClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

/// A hook that runs after every unit of the store, before its result reaches the caller. Tests use it to commit between
/// two steps of one request; production has none.
#[derive(Clone)]
pub struct AfterUnitHook(Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>);

impl AfterUnitHook {
    /// Creates a hook that calls the function and waits for its future.
    pub fn new<F: Future<Output = ()> + Send + 'static>(run: impl Fn() -> F + Send + Sync + 'static) -> Self {
        AfterUnitHook(Arc::new(move || Box::pin(run())))
    }
}

impl std::fmt::Debug for AfterUnitHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AfterUnit")
    }
}

/// Settings for opening a [`Store`]. `StoreConfig::new(url)` sets defaults for everything else.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    pub database: DatabaseUrl,
    /// The schema that this binary knows. Opening the store applies pending migrations.
    pub migrations: &'static [Migration],
    /// Number of reader threads, each with its own connection.
    pub reader_threads: usize,
    /// Number of writer threads, PostgreSQL only; SQLite has one.
    pub writer_threads: usize,
    /// Units that may wait in the queue of each kind of thread; one more fails with [`Error::Overloaded`].
    pub queue_len: usize,
    /// Time limit of one statement of a read, in milliseconds; `None` means no limit.
    pub statement_ms: Option<u64>,
    /// Readers that one workspace can use at once in [`ReadScope::Workspace`]; `None` means a quarter, at least one.
    pub reads_per_workspace: Option<usize>,
    /// Page cache of the SQLite writer, in KiB.
    pub sqlite_writer_cache_kib: u32,
    /// Page cache of each SQLite reader, in KiB.
    pub sqlite_reader_cache_kib: u32,
    /// How much of the SQLite file a reader may memory-map, in bytes.
    pub sqlite_mmap_bytes: u64,
    /// Limit on the SQLite file size in pages of 4 KiB; a full file behaves like a full disk.
    pub sqlite_pages_max: Option<u32>,
    /// Clock for [`Store::waited`] and for the length of incidents. Without it, `waited` stays 0.
    pub watch: Option<StoreClock>,
    /// Injects write failures, for tests.
    pub faults: Option<WriteFaults>,
    /// Whether to open an existing database for diagnostics: no migration runs, no file is created or changed, and every
    /// write fails.
    pub read_only: bool,
    /// Whether this process serves the store, which prevents other processes from holding [`ExclusiveAccess`](crate::ExclusiveAccess).
    pub serving: bool,
    /// The file that records how many commits the store has had. It is updated only while the store is served.
    pub mark: Option<PathBuf>,
    /// Hook that runs after every unit, for tests.
    pub after_unit: Option<AfterUnitHook>,
}

impl StoreConfig {
    /// Returns the default settings.
    #[must_use]
    pub fn new(database: DatabaseUrl) -> Self {
        StoreConfig {
            database,
            migrations: migrate::MIGRATIONS,
            reader_threads: READER_THREADS,
            writer_threads: 12,
            queue_len: 4096,
            statement_ms: None,
            reads_per_workspace: None,
            sqlite_writer_cache_kib: 16 * 1024,
            sqlite_reader_cache_kib: 4 * 1024,
            sqlite_mmap_bytes: 0,
            sqlite_pages_max: None,
            watch: None,
            faults: None,
            read_only: false,
            serving: false,
            mark: None,
            after_unit: None,
        }
    }
}

/// What a read is for: whose share of the readers it uses, and where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadScope {
    /// A request of a workspace. The workspace can use only its share of the readers; further reads wait in a queue of
    /// the workspace.
    Workspace(WorkspaceId),
    /// Work of the service itself.
    Service,
    /// A few rows looked up by key. An embedded store runs the read on the calling thread if a connection is idle, which
    /// costs less than handing it to another thread.
    Lookup,
    /// A lookup with a single statement. It opens no transaction, which saves two of three round trips on PostgreSQL. A
    /// second statement fails on both engines.
    Statement,
}

impl From<WorkspaceId> for ReadScope {
    fn from(workspace: WorkspaceId) -> Self {
        Self::Workspace(workspace)
    }
}

/// The database of the process. Cloning is cheap. The threads end when the last clone is dropped.
#[derive(Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
}

struct StoreInner {
    engine: Engine,
    write: Sender<StoreCommand>,
    read: Sender<StoreCommand>,
    wakes: Wakes,
    inline_readers: InlineReaders,
    /// Writers first, then readers.
    threads: Mutex<Vec<JoinHandle<()>>>,
    writers: usize,
    watch: Option<StoreClock>,
    waited_ms: AtomicU64,
    overload: StoreIncident,
    shares: Arc<ReadShares>,
    /// Disconnects once the other processes are notified of every commit; `None` on SQLite.
    notified: Option<Receiver<()>>,
    damage: DamageState,
    mark: Option<Arc<CommitMark>>,
    /// The commit count in the mark when the store was opened.
    expected: u64,
    /// Whether anything was written since the mark was last updated; PostgreSQL only.
    is_unmarked: AtomicBool,
    after_unit: Option<AfterUnitHook>,
    /// The lock that marks an embedded store as served.
    _presence: Option<std::fs::File>,
}

impl Store {
    /// Connects, applies pending migrations under a lock, and starts the threads. Blocks until then; may be called from
    /// any thread.
    ///
    /// # Errors
    /// Returns [`Error::Unavailable`] if the connection fails, and [`Error::Schema`] if the database is newer than the
    /// binary.
    pub fn open(config: StoreConfig) -> Result<Self> {
        // The PostgreSQL driver must not run on a thread of an async runtime.
        thread::on_own_thread(move || Self::start(&config))
    }

    /// Opens a new, empty store in memory. It stands in for a database that doesn't exist yet, in diagnostics. There is
    /// at most one in a process.
    ///
    /// # Errors
    /// Returns an error if SQLite fails.
    pub fn in_memory() -> Result<Self> {
        thread::on_own_thread(|| {
            // The database exists while a connection to it is open.
            let _first = rusqlite::Connection::open(MEMORY)?;
            Self::start(&StoreConfig::new(DatabaseUrl::Sqlite(MEMORY.into())))
        })
    }

    fn start(config: &StoreConfig) -> Result<Self> {
        if !config.read_only {
            migrate::apply_here(&config.database, config.migrations)?;
        }
        let presence = match &config.database {
            DatabaseUrl::Sqlite(path) if config.serving => Some(presence::serve_file(path)?),
            _ => None,
        };
        let (wakes, damage) = (Wakes::new(), DamageState::default());
        // A command that runs next to the service must not count commits: they would hide lost ones.
        let expected = config.mark.as_deref().map_or(0, mark::read);
        let mark = config.mark.as_deref().filter(|_| config.serving).map(CommitMark::open).transpose()?.map(Arc::new);
        let (write, write_queue) = bounded(config.queue_len.max(1));
        let (read, read_queue) = bounded(config.queue_len.max(1));
        let shares = ReadShares::new(config.reader_threads, config.queue_len, config.reads_per_workspace);
        let read_queue = SharedQueue::new(read_queue, Arc::clone(&shares));
        let queues = workers::Queues { write: write_queue, read: read_queue };
        let (threads, writers, notified) = match &config.database {
            DatabaseUrl::Sqlite(path) if config.read_only => {
                (workers::start_sqlite_readers(path, config, &queues.read, &damage)?, 0, None)
            }
            DatabaseUrl::Sqlite(path) => {
                let writer = sqlite::open_writer(path, config)?.with_damage(damage.clone());
                let writer = sqlite::SqliteWriter::new(writer, queues.write, wakes.clone(), config);
                let writer = writer.at(DatabaseFiles::of(path)).marking(mark.clone());
                (workers::start_sqlite(path, config, writer, &queues.read, &damage)?, 1, None)
            }
            DatabaseUrl::Postgres(url) => {
                let (threads, notified) = workers::start_postgres(url, config, queues, &wakes, &damage)?;
                let writers = if config.read_only { 0 } else { config.writer_threads.max(1) };
                (threads, writers, Some(notified))
            }
        };
        let inline_readers = match &config.database {
            DatabaseUrl::Sqlite(path) => InlineReaders::open(path, config, &damage)?,
            DatabaseUrl::Postgres(_) => InlineReaders::default(),
        };
        let (engine, threads) = (config.database.engine(), Mutex::new(threads));
        let (watch, waited_ms) = (config.watch.clone(), AtomicU64::new(0));
        let overload = StoreIncident::new(StorePart::Queues, config.watch.clone());
        Ok(Store {
            inner: Arc::new(StoreInner {
                engine,
                write,
                read,
                wakes,
                inline_readers,
                threads,
                writers,
                watch,
                waited_ms,
                overload,
                shares,
                notified,
                damage,
                mark,
                expected,
                is_unmarked: AtomicBool::new(false),
                after_unit: config.after_unit.clone(),
                _presence: presence,
            }),
        })
    }

    /// Runs `work` in a transaction and returns after its COMMIT is durable.
    ///
    /// If `work` returns `Err`, only this unit is rolled back and the caller gets that error unchanged. `work` may run
    /// more than once: generate IDs and the time outside, and touch nothing but `tx`. Dropping the future doesn't undo
    /// the work.
    ///
    /// # Errors
    /// Returns the error of `work`, or a store [`Error`] converted to its type.
    pub async fn write<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let now_ms = || self.inner.watch.as_ref().map_or(0, StoreClock::now_ms);
        let began = now_ms();
        let result = self.write_background(work).await;
        let took = u64::try_from(now_ms() - began).unwrap_or(0);
        self.inner.waited_ms.fetch_add(took, Ordering::Relaxed);
        result
    }

    /// [`Store::write`] for background work: [`Store::waited`], which measures write pressure, doesn't count it.
    ///
    /// # Errors
    /// See [`Store::write`].
    pub async fn write_background<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.after_unit(unwrap_reply(self.send_write(work)?.await)).await
    }

    /// Queues a write unit. Fails if the database is damaged.
    fn send_write<F, T, E>(&self, work: F) -> Result<oneshot::Receiver<UnitReply<F, T, E>>, E>
    where
        F: Fn(&mut Tx) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        if let Some(error) = self.inner.damage.error() {
            return Err(error.into());
        }
        if self.inner.mark.is_some() {
            self.inner.is_unmarked.store(true, Ordering::Relaxed);
        }
        self.inner.send(&self.inner.write, TransactionScope::Unit, None, work)
    }

    /// Runs `work` on one snapshot, concurrently with writers. Writes fail.
    ///
    /// # Errors
    /// Returns the error of `work`, or a store [`Error`] converted to its type: [`Error::TooManyReads`] if too many reads
    /// of the workspace wait.
    pub async fn read_in<T, E>(
        &self,
        scope: ReadScope,
        work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (workspace, span) = match scope {
            ReadScope::Workspace(workspace) => (Some(workspace.0), TransactionScope::Unit),
            ReadScope::Service | ReadScope::Lookup => (None, TransactionScope::Unit),
            ReadScope::Statement => (None, TransactionScope::Statement),
        };
        let counted = workspace.map(|workspace| self.inner.shares.count(workspace)).transpose()?.map(Arc::new);
        // A read that runs counts even if its caller is gone; one that waits doesn't.
        let running = counted.as_ref().map(Arc::downgrade);
        let work = move |tx: &mut Tx| {
            let _counted = running.as_ref().and_then(Weak::upgrade);
            if span == TransactionScope::Statement {
                tx.allow_one();
            }
            work(tx)
        };
        let is_inline = matches!(scope, ReadScope::Lookup | ReadScope::Statement);
        let inline = if is_inline { self.inner.inline_readers.read(span, &work) } else { None };
        let result = match inline {
            Some(result) => result,
            None => unwrap_reply(self.inner.send(&self.inner.read, span, workspace, work)?.await),
        };
        self.after_unit(result).await
    }

    /// [`Store::read_in`] for work of the service itself.
    ///
    /// # Errors
    /// See [`Store::read_in`].
    pub async fn read<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.read_in(ReadScope::Service, work).await
    }

    /// Returns the result of a unit after running the test hook.
    async fn after_unit<T>(&self, result: T) -> T {
        if let Some(hook) = &self.inner.after_unit {
            (hook.0)().await;
        }
        result
    }

    /// [`Store::write`] for the command line. Panics on a thread of an async runtime.
    ///
    /// # Errors
    /// See [`Store::write`].
    pub fn write_blocking<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        unwrap_reply(self.send_write(work)?.blocking_recv())
    }

    /// [`Store::read`] for the command line. Panics on a thread of an async runtime.
    ///
    /// # Errors
    /// See [`Store::read`].
    pub fn read_blocking<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        unwrap_reply(self.inner.send(&self.inner.read, TransactionScope::Unit, None, work)?.blocking_recv())
    }

    /// Subscribes to the wakes of a workspace. Subscribe before you read.
    #[must_use]
    pub fn subscribe(&self, workspace_id: Uuid) -> WakeWaiter {
        self.inner.wakes.subscribe(workspace_id)
    }

    /// Returns the wakes, for waiters on any workspace.
    #[must_use]
    pub fn wakes(&self) -> &Wakes {
        &self.inner.wakes
    }

    /// Returns the engine of this store.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.inner.engine
    }

    /// Returns the number of units waiting to write and to read, for metrics.
    #[must_use]
    pub fn queued(&self) -> StoreQueueDepth {
        StoreQueueDepth { writes: self.inner.write.len(), reads: self.inner.read.len() }
    }

    /// Returns the total time that all units of [`Store::write`] have taken since the store was opened. Its increase
    /// per second is the average number of waiting units.
    #[must_use]
    pub fn waited(&self) -> Duration {
        Duration::from_millis(self.inner.waited_ms.load(Ordering::Relaxed))
    }

    /// Returns the engine's message from when the database was first found damaged. From then on the store rejects
    /// writes until the process restarts; reads are still attempted.
    #[must_use]
    pub fn damage(&self) -> Option<Arc<str>> {
        self.inner.damage.cause()
    }

    /// Waits until the database is found damaged.
    pub async fn damaged(&self) {
        self.inner.damage.occurred().await;
    }

    /// Returns the commit count in the mark file when the store was opened; 0 without a mark.
    #[must_use]
    pub fn expected_commits(&self) -> u64 {
        self.inner.expected
    }

    /// Resets the mark to the database's commit count.
    pub fn reset_mark(&self, commits: u64) {
        if let Some(mark) = &self.inner.mark {
            mark.record(commits);
        }
    }

    /// Updates the mark. Call it periodically. The SQLite writer updates the mark with each commit; PostgreSQL has many
    /// writers, so only an occasional commit is counted.
    ///
    /// # Errors
    /// See [`Store::write`].
    pub async fn keep_mark(&self) -> Result<()> {
        let Some(mark) = &self.inner.mark else { return Ok(()) };
        if !self.inner.is_unmarked.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        if self.inner.engine == Engine::Postgres {
            let count = |tx: &mut Tx| crate::instance::count_commit(tx);
            let commits = unwrap_reply::<_, _, Error>(
                self.inner.send(&self.inner.write, TransactionScope::Unit, None, count)?.await,
            )?;
            mark.record(commits);
        }
        Ok(())
    }

    /// Flushes the mark to disk. Blocks.
    pub fn flush_mark(&self) {
        if let Some(mark) = &self.inner.mark {
            mark.flush();
        }
    }

    /// Finishes the queued units, ends the threads and closes the connections. Later units fail. Blocks.
    pub fn close(&self) {
        let threads = std::mem::take(&mut *self.inner.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for at in 0..threads.len() {
            let queue = if at < self.inner.writers { &self.inner.write } else { &self.inner.read };
            let _ = queue.send(StoreCommand::Stop);
        }
        for thread in threads {
            let _ = thread.join();
        }
        // Without this wait, other processes would notice the last commits of a short command late.
        let _ = self.inner.notified.as_ref().map(|notified| notified.recv_timeout(NOTIFY_TIMEOUT));
        self.inner.inline_readers.close();
    }
}

impl StoreInner {
    fn send<F, T, E>(
        &self,
        queue: &Sender<StoreCommand>,
        span: TransactionScope,
        workspace: Option<Uuid>,
        work: F,
    ) -> Result<oneshot::Receiver<UnitReply<F, T, E>>, E>
    where
        F: Fn(&mut Tx) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (unit, receiver) = QueuedUnit::new(span, workspace, work);
        match queue.try_send(StoreCommand::Run(Box::new(unit))) {
            Ok(()) => {
                self.overload.succeeded();
                Ok(receiver)
            }
            Err(TrySendError::Full(_)) => {
                self.overload.failed(1, &Error::Overloaded);
                Err(Error::Overloaded.into())
            }
            Err(TrySendError::Disconnected(_)) => Err(closed().into()),
        }
    }
}

fn unwrap_reply<F, T, E: From<Error>>(reply: Result<UnitReply<F, T, E>, oneshot::error::RecvError>) -> Result<T, E> {
    reply.map_or_else(|_| Err(closed().into()), |reply| reply.result)
}

fn closed() -> Error {
    Error::unavailable("the store is closed")
}
