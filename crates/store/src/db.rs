//! The store: queues before database threads, the same for both engines. See the crate's page for how it is used.

pub(crate) mod damage;
mod errors;
pub(crate) mod faults;
pub(crate) mod incident;
pub mod integrity;
mod mark;
pub(crate) mod notify;
mod place;
pub(crate) mod postgres;
pub(crate) mod presence;
pub(crate) mod queue;
pub(crate) mod server;
pub(crate) mod sqlite;
pub(crate) mod url;
pub(crate) mod wakes;

use crate::migrate::{self, Migration};
use crate::{DatabaseUrl, Engine, Error, Result, Tx, Waiter, Wakes};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use damage::Damage;
use faults::WriteFaults;
use incident::{Incident, Part};
use mark::Mark;
use place::Place;
use queue::{Message, Span, Unit};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;
use uuid::Uuid;

/// Connections of an embedded store for short reads on the threads that ask: about as many as there are such threads.
const GLANCES_MAX: usize = 4;
/// How long a closing store waits until the other processes were told of its last commits.
const TELL_MAX: Duration = Duration::from_secs(2);

/// Tells the time in milliseconds, for what the store says of its own haste.
#[derive(Clone)]
pub struct Watch(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Watch {
    /// One that asks that function.
    pub fn new(now_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Watch(Arc::new(now_ms))
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.0()
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

/// Runs after every unit of the store, before its answer reaches the caller. Tests use it to commit between two steps of one
/// request; production has none.
#[derive(Clone)]
pub struct AfterUnit(Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>);

impl AfterUnit {
    /// Calls that function and waits for its future.
    pub fn new<F: Future<Output = ()> + Send + 'static>(run: impl Fn() -> F + Send + Sync + 'static) -> Self {
        AfterUnit(Arc::new(move || Box::pin(run())))
    }
}

impl std::fmt::Debug for AfterUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AfterUnit")
    }
}

/// How a [`Store`] is opened. `StoreConfig::new(url)` has sound values for everything else.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// The database.
    pub database: DatabaseUrl,
    /// The schema this binary knows; pending migrations are applied on opening.
    pub migrations: &'static [Migration],
    /// Threads that read, each with its own connection.
    pub reader_threads: usize,
    /// Threads that write, PostgreSQL only; SQLite has one.
    pub writer_threads: usize,
    /// Units that may wait before each kind of thread; one more is [`Error::Overloaded`].
    pub queue_len: usize,
    /// Page cache of the SQLite writer, in KiB.
    pub sqlite_writer_cache_kib: u32,
    /// Page cache of each SQLite reader, in KiB.
    pub sqlite_reader_cache_kib: u32,
    /// How much of the SQLite file a reader may map into memory, in bytes.
    pub sqlite_mmap_bytes: u64,
    /// Bound on the SQLite file in pages of 4 KiB; a full file behaves like a full disk.
    pub sqlite_pages_max: Option<u32>,
    /// What [`Store::waited`] and the length of incidents are measured with; without it, the first stays 0.
    pub watch: Option<Watch>,
    /// Makes writes fail, for tests.
    pub faults: Option<WriteFaults>,
    /// Whether this process serves the store: nobody is [`Alone`](crate::Alone) with it meanwhile.
    pub serving: bool,
    /// The file that says how many commits the store has had. A store that is served is counted there.
    pub mark: Option<PathBuf>,
    /// What runs after every unit, in tests.
    pub after_unit: Option<AfterUnit>,
}

impl StoreConfig {
    /// The defaults.
    #[must_use]
    pub fn new(database: DatabaseUrl) -> Self {
        StoreConfig {
            database,
            migrations: migrate::MIGRATIONS,
            reader_threads: 4,
            writer_threads: 12,
            queue_len: 4096,
            sqlite_writer_cache_kib: 16 * 1024,
            sqlite_reader_cache_kib: 4 * 1024,
            sqlite_mmap_bytes: 0,
            sqlite_pages_max: None,
            watch: None,
            faults: None,
            serving: false,
            mark: None,
            after_unit: None,
        }
    }
}

/// The database of the process. Cloning is cheap; when the last clone is gone its threads end.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    write: Sender<Message>,
    read: Sender<Message>,
    wakes: Wakes,
    /// Connections for glances that are free now; none on PostgreSQL.
    glances: Mutex<Vec<Tx>>,
    /// Writers first, then readers.
    threads: Mutex<Vec<JoinHandle<()>>>,
    writers: usize,
    watch: Option<Watch>,
    waited_ms: AtomicU64,
    overload: Incident,
    /// Cut off when the other processes were told of every commit; none where there is nobody to tell.
    told: Option<Receiver<()>>,
    damage: Damage,
    mark: Option<Arc<Mark>>,
    /// What the mark said when the store was opened.
    expected: u64,
    /// Whether anything was written since the mark was last kept; PostgreSQL only.
    is_unmarked: AtomicBool,
    after_unit: Option<AfterUnit>,
    /// The lock of who serves an embedded store.
    _presence: Option<std::fs::File>,
}

impl Store {
    /// Connects, applies pending migrations under a lock, starts the threads. Blocks for that long; may be called from
    /// anywhere.
    ///
    /// # Errors
    /// [`Error::Unavailable`] without a connection, [`Error::Schema`] where the database is newer than the binary.
    pub fn open(config: StoreConfig) -> Result<Self> {
        // The PostgreSQL driver must not be called on a thread of an async runtime.
        apart(move || Self::start(&config))
    }

    fn start(config: &StoreConfig) -> Result<Self> {
        migrate::apply_here(&config.database, config.migrations)?;
        let presence = match &config.database {
            DatabaseUrl::Sqlite(path) if config.serving => Some(presence::serve_file(path)?),
            _ => None,
        };
        let (wakes, damage) = (Wakes::new(), Damage::default());
        // A command beside the service counts nothing: its commits would make up for those that are missing.
        let expected = config.mark.as_deref().map_or(0, mark::read);
        let mark = config.mark.as_deref().filter(|_| config.serving).map(Mark::open).transpose()?.map(Arc::new);
        let (write, write_queue) = bounded(config.queue_len.max(1));
        let (read, read_queue) = bounded(config.queue_len.max(1));
        let queues = (write_queue, read_queue);
        let (threads, writers, told) = match &config.database {
            DatabaseUrl::Sqlite(path) => {
                let writer = sqlite::open_writer(path, config)?.watched(damage.clone());
                let writer = sqlite::Writer::new(writer, queues.0, wakes.clone(), config);
                let writer = writer.at(Place::of(path)).marking(mark.clone());
                (start_sqlite(path, config, (writer, queues.1), &damage)?, 1, None)
            }
            DatabaseUrl::Postgres(url) => {
                let (threads, told) = start_postgres(url, config, queues, (&wakes, &damage))?;
                (threads, config.writer_threads.max(1), Some(told))
            }
        };
        let glances = match &config.database {
            DatabaseUrl::Sqlite(path) => {
                let open = |_| Ok(sqlite::open_reader(path, config)?.watched(damage.clone()));
                (0..GLANCES_MAX).map(open).collect::<Result<_>>()?
            }
            DatabaseUrl::Postgres(_) => Vec::new(),
        };
        let (engine, threads, glances) = (config.database.engine(), Mutex::new(threads), Mutex::new(glances));
        let (watch, waited_ms) = (config.watch.clone(), AtomicU64::new(0));
        let overload = Incident::new(Part::Queues, config.watch.clone());
        Ok(Store {
            inner: Arc::new(Inner {
                engine,
                write,
                read,
                wakes,
                glances,
                threads,
                writers,
                watch,
                waited_ms,
                overload,
                told,
                damage,
                mark,
                expected,
                is_unmarked: AtomicBool::new(false),
                after_unit: config.after_unit.clone(),
                _presence: presence,
            }),
        })
    }

    /// Runs `work` in a transaction and answers after its COMMIT is on the disk.
    ///
    /// What `work` returns as `Err` rolls back this unit alone and comes back as it is. `work` may be run more than once:
    /// it takes ids and the time from outside and touches nothing but `tx`. Dropping the future does not undo the work.
    ///
    /// # Errors
    /// The unit's own, or a store [`Error`] in the unit's error type.
    pub async fn write<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let now_ms = || self.inner.watch.as_ref().map_or(0, Watch::now_ms);
        let began = now_ms();
        let answer = self.write_aside(work).await;
        let took = u64::try_from(now_ms() - began).unwrap_or(0);
        self.inner.waited_ms.fetch_add(took, Ordering::Relaxed);
        answer
    }

    /// [`Store::write`] for work that gives way to others': [`Store::waited`] does not count it.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_aside<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.answer(hear(self.send_write(work)?.await)).await
    }

    /// Queues a unit that writes; one that would go into a damaged database is refused.
    fn send_write<T, E>(
        &self,
        work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T, E>>, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        if let Some(error) = self.inner.damage.error() {
            return Err(error.into());
        }
        if self.inner.mark.is_some() {
            self.inner.is_unmarked.store(true, Ordering::Relaxed);
        }
        self.inner.send(&self.inner.write, Span::Unit, work)
    }

    /// Runs `work` on one snapshot, beside the writers. Changes are refused.
    ///
    /// # Errors
    /// The unit's own, or a store [`Error`] in the unit's error type.
    pub async fn read<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.answer(hear(self.inner.send(&self.inner.read, Span::Unit, work)?.await)).await
    }

    /// [`Store::glance`] by a single statement: no transaction is opened around it, which saves two of three round trips on
    /// PostgreSQL. A second statement is refused on both engines.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn read_one<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let work = move |tx: &mut Tx| {
            tx.allow_one();
            work(tx)
        };
        self.look(Span::Statement, work).await
    }

    /// [`Store::read`] for a few rows that are found by their keys: an embedded store looks them up on the calling thread,
    /// where a connection is free, which takes less than asking another thread to.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn glance<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.look(Span::Unit, work).await
    }

    async fn look<T, E>(&self, span: Span, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let free = self.glances().pop();
        let Some(mut tx) = free else {
            return self.answer(hear(self.inner.send(&self.inner.read, span, work)?.await)).await;
        };
        let answer = sqlite::read_here(&mut tx, span, &work);
        self.glances().push(tx);
        self.answer(answer).await
    }

    /// Gives the answer of a unit, after the hook of tests.
    async fn answer<T>(&self, answer: T) -> T {
        if let Some(hook) = &self.inner.after_unit {
            (hook.0)().await;
        }
        answer
    }

    fn glances(&self) -> MutexGuard<'_, Vec<Tx>> {
        self.inner.glances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`Store::write`] for the command line. Panics on a thread of an async runtime.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub fn write_blocking<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        hear(self.send_write(work)?.blocking_recv())
    }

    /// [`Store::read`] for the command line. Panics on a thread of an async runtime.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_blocking<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        hear(self.inner.send(&self.inner.read, Span::Unit, work)?.blocking_recv())
    }

    /// Registers for the wakes of a workspace. Do it before you look.
    #[must_use]
    pub fn subscribe(&self, workspace_id: Uuid) -> Waiter {
        self.inner.wakes.subscribe(workspace_id)
    }

    /// The wakes themselves, for those who wait for any workspace.
    #[must_use]
    pub fn wakes(&self) -> &Wakes {
        &self.inner.wakes
    }

    /// The engine behind it.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.inner.engine
    }

    /// Units waiting to write and to read, for the metrics.
    #[must_use]
    pub fn queued(&self) -> (usize, usize) {
        (self.inner.write.len(), self.inner.read.len())
    }

    /// How long all units of [`Store::write`] together took until their answers, since the opening. What is added in a
    /// second is how many of them waited at any moment of it, on average.
    #[must_use]
    pub fn waited(&self) -> Duration {
        Duration::from_millis(self.inner.waited_ms.load(Ordering::Relaxed))
    }

    /// What the engine said when the database was first found damaged. From then on nothing is written until the process
    /// starts again, and reads still try.
    #[must_use]
    pub fn damage(&self) -> Option<Arc<str>> {
        self.inner.damage.cause()
    }

    /// Comes back once the database was found damaged.
    pub async fn damaged(&self) {
        self.inner.damage.met().await;
    }

    /// How many commits the mark beside the database said that it had when it was opened; 0 without a mark.
    #[must_use]
    pub fn expected_commits(&self) -> u64 {
        self.inner.expected
    }

    /// Lets the mark begin again at what the database has.
    pub fn reset_mark(&self, commits: u64) {
        if let Some(mark) = &self.inner.mark {
            mark.record(commits);
        }
    }

    /// Brings the mark up to date; to be called now and then. SQLite's writer keeps the mark with each commit;
    /// PostgreSQL has many writers, so there one commit in a while is counted.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn keep_mark(&self) -> Result<()> {
        let Some(mark) = &self.inner.mark else { return Ok(()) };
        if !self.inner.is_unmarked.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        if self.inner.engine == Engine::Postgres {
            let count = |tx: &mut Tx| crate::instance::count_commit(tx);
            let commits = hear::<_, Error>(self.inner.send(&self.inner.write, Span::Unit, count)?.await)?;
            mark.record(commits);
        }
        Ok(())
    }

    /// Brings the mark to the disk. Blocks.
    pub fn flush_mark(&self) {
        if let Some(mark) = &self.inner.mark {
            mark.flush();
        }
    }

    /// Lets the queued units finish, ends the threads and closes the connections; later units are refused. Blocks.
    pub fn close(&self) {
        let threads = std::mem::take(&mut *self.inner.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for at in 0..threads.len() {
            let queue = if at < self.inner.writers { &self.inner.write } else { &self.inner.read };
            let _ = queue.send(Message::Stop);
        }
        for thread in threads {
            let _ = thread.join();
        }
        // A command that ended before this would be heard of late.
        let _ = self.inner.told.as_ref().map(|told| told.recv_timeout(TELL_MAX));
        self.glances().clear();
    }
}

impl Inner {
    fn send<T, E>(
        &self,
        queue: &Sender<Message>,
        span: Span,
        work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T, E>>, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (unit, receiver) = Unit::new(span, work);
        match queue.try_send(Message::Work(Box::new(unit))) {
            Ok(()) => {
                self.overload.worked();
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

fn hear<T, E: From<Error>>(answer: Result<Result<T, E>, oneshot::error::RecvError>) -> Result<T, E> {
    answer.unwrap_or_else(|_| Err(closed().into()))
}

fn closed() -> Error {
    Error::unavailable("the store is closed")
}

/// Runs `work` on a thread of its own and waits for it.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|_| Err(Error::Panicked("while opening the store".into())))
}

type Queues = (Receiver<Message>, Receiver<Message>);

fn start_sqlite(
    path: &Path,
    config: &StoreConfig,
    (writer, read_queue): (sqlite::Writer, Receiver<Message>),
    damage: &Damage,
) -> Result<Vec<JoinHandle<()>>> {
    let mut threads = vec![spawn("db-write".into(), move || writer.run())?];
    let incident = Arc::new(Incident::new(Part::Reads, config.watch.clone()));
    for n in 0..config.reader_threads.max(1) {
        let (tx, queue) = (sqlite::open_reader(path, config)?.watched(damage.clone()), read_queue.clone());
        let incident = incident.clone();
        threads.push(spawn(format!("db-read-{n}"), move || sqlite::read_loop(tx, &queue, &incident))?);
    }
    Ok(threads)
}

/// The threads, and what is cut off when all that they did was told to the other processes.
type Telling = (Vec<JoinHandle<()>>, Receiver<()>);

fn start_postgres(
    url: &str,
    config: &StoreConfig,
    queues: Queues,
    (wakes, damage): (&Wakes, &Damage),
) -> Result<Telling> {
    use postgres::{Mode, Shared, Worker};
    let (write_queue, read_queue) = queues;
    let (notifier, told) = notify::Notifier::start(url, wakes, config.serving)?;
    let shared = Arc::new(Shared::new(url, config, (wakes.clone(), damage.clone()), notifier));
    let mut threads = Vec::new();
    let kinds = [
        (Mode::Write, "write", config.writer_threads, write_queue),
        (Mode::Read, "read", config.reader_threads, read_queue),
    ];
    for (mode, name, count, queue) in kinds {
        for n in 0..count.max(1) {
            let (worker, queue) = (Worker::new(shared.clone(), mode), queue.clone());
            threads.push(spawn(format!("db-{name}-{n}"), move || worker.run(&queue))?);
        }
    }
    Ok((threads, told))
}

fn spawn(name: String, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name).spawn(body).map_err(Error::unavailable)
}
