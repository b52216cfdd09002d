//! A whole server inside the test: a fresh store, real listeners on ports of the machine's choice, a manual clock, a
//! faked outside world, and a close look at what is left at the end.
//!
//! The server has a runtime of its own, so that a crash is what it is: every task is gone between two steps. It never
//! runs a job by itself; [`TestServer::settle`] does, at the time that the clock stands at.

use std::{
    net::SocketAddr,
    sync::{Arc, Barrier},
    time::Duration,
};

use posthouse_server::{
    adapters::{acme::Authorities, http_out::HttpClient, smtp_out::SmtpClient},
    app::{App, Ports, keep_certificate, signing::key_file},
    boot::web::{self, Web},
    config::Config,
    http::listener,
    ports::{Clock, Dns},
    readiness::CHECK_MS,
    smtp::listener::{Door, House, Listener},
};
use posthouse_store::{Blobs, DatabaseUrl, Engine, Error, Store, StoreConfig, Watch, backup::BLOBS_DIR, instance};
use tokio::{runtime::Runtime, task::JoinHandle};

use crate::{
    audit::{Allowed, complaints},
    breakpoint::{Breakpoint, Units},
    clock::ManualClock,
    dir::ScratchDir,
    dns::FakeDns,
    fault::FailingWrites,
    http::Api,
    log::LogBook,
    postgres::Cluster,
};

/// Threads of the server's runtime.
const SERVER_THREADS: usize = 2;
/// Threads of the store that read.
const READER_THREADS: usize = 2;
/// Threads of the store that write, PostgreSQL only.
const WRITER_THREADS: usize = 3;
/// How long a server may drain by its own clock, in milliseconds.
const DRAIN_MS_MAX: i64 = 10_000;
/// How long a test waits for a server to drain before it fails, in seconds.
const DRAIN_S_MAX: u64 = 30;
/// How long a test waits for a server to become ready again before it fails, in seconds.
const READY_S_MAX: u64 = 30;
/// How far time goes on for what is tried again after a pause, in milliseconds.
const PAUSES_MS_MAX: i64 = 1_000;
/// Lines of the log that a failing test shows.
const LINES_SHOWN: usize = 60;

/// A change to the configuration.
type Configure = Box<dyn FnOnce(&mut Config)>;

/// What is special about one server; [`Options::default`] is the loopback profile on the engine of the run.
#[derive(Default)]
pub struct Options {
    configure: Vec<Configure>,
    engine: Option<Engine>,
    sqlite_pages_max: Option<u32>,
    database: Option<DatabaseUrl>,
    writes: Option<FailingWrites>,
    seed: u64,
}

impl Options {
    /// Changes the configuration.
    #[must_use]
    pub fn configure(mut self, change: impl FnOnce(&mut Config) + 'static) -> Self {
        self.configure.push(Box::new(change));
        self
    }

    /// Runs on that engine, whatever the run asks for: for tests about what only one engine has.
    #[must_use]
    pub fn on(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Bounds the SQLite file in pages of 4 KiB, so that the disk is full early.
    #[must_use]
    pub fn sqlite_pages_max(mut self, pages: u32) -> Self {
        self.sqlite_pages_max = Some(pages);
        self.on(Engine::Sqlite)
    }

    /// Uses a database that exists, as behind a [`crate::fault::Proxy`].
    #[must_use]
    pub fn database(mut self, url: DatabaseUrl) -> Self {
        self.engine = Some(url.engine());
        self.database = Some(url);
        self
    }

    /// Lets writes fail as that says.
    #[must_use]
    pub fn failing_writes(mut self, writes: &FailingWrites) -> Self {
        self.writes = Some(writes.clone());
        self
    }

    /// Starts randomness from another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// The engine of this run: `POSTHOUSE_TEST_DATABASE`.
///
/// # Panics
/// Where the variable names no engine.
#[must_use]
pub fn engine_of_run() -> Engine {
    match std::env::var("POSTHOUSE_TEST_DATABASE").as_deref() {
        Err(_) | Ok("" | "sqlite") => Engine::Sqlite,
        Ok("postgres") => Engine::Postgres,
        Ok(other) => panic!("POSTHOUSE_TEST_DATABASE={other} names no engine"),
    }
}

/// A server of a test. Give it back with [`TestServer::finish`].
pub struct TestServer {
    /// The time.
    pub clock: ManualClock,
    /// The names.
    pub dns: FakeDns,
    /// What the server logged.
    pub log: LogBook,
    config: Config,
    store: StoreConfig,
    units: Units,
    running: Option<Running>,
    allowed: Allowed,
    dir: ScratchDir,
    is_finished: bool,
}

/// What ends with a crash.
struct Running {
    app: Arc<App>,
    runtime: Runtime,
    tasks: Vec<JoinHandle<()>>,
}

impl TestServer {
    /// Starts a server with a fresh store.
    ///
    /// # Panics
    /// Where it does not start.
    pub async fn start(options: Options) -> Self {
        let dir = ScratchDir::new();
        let mut config = Config::loopback();
        config.data_dir = dir.path().to_owned();
        config.http.listen.set_port(0);
        config.smtp.listen.iter_mut().for_each(|address| address.set_port(0));
        config.submission.listen.iter_mut().for_each(|address| address.set_port(0));
        options.configure.into_iter().for_each(|change| change(&mut config));
        let database = options.database.unwrap_or_else(|| match options.engine.unwrap_or_else(engine_of_run) {
            Engine::Sqlite => DatabaseUrl::Sqlite(dir.path().join("posthouse.db")),
            Engine::Postgres => {
                let url = Cluster::shared().create_database();
                DatabaseUrl::Postgres(url)
            }
        });
        let mut store = StoreConfig::new(database);
        store.reader_threads = READER_THREADS;
        store.writer_threads = WRITER_THREADS;
        store.sqlite_pages_max = options.sqlite_pages_max;
        store.faults = options.writes.as_ref().map(FailingWrites::faults);
        let clock = ManualClock::new(options.seed);
        let watch = clock.clone();
        store.watch = options.writes.map(|_| Watch::new(move || watch.now().millis()));
        let units = Units::default();
        store.after_unit = Some(units.hook());
        let mut server = Self {
            clock,
            dns: FakeDns::default(),
            log: LogBook::open(),
            config,
            store,
            units,
            running: None,
            allowed: Allowed::default(),
            dir,
            is_finished: false,
        };
        server.run().await;
        server
    }

    /// Starts with no special options.
    pub async fn plain() -> Self {
        Self::start(Options::default()).await
    }

    /// The program itself, to look behind the doors.
    ///
    /// # Panics
    /// While the server is down.
    #[must_use]
    pub fn app(&self) -> &Arc<App> {
        &self.running.as_ref().expect("the server runs").app
    }

    /// The store of the server.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.app().store
    }

    /// The API without a key.
    #[must_use]
    pub fn anonymous(&self) -> Api {
        Api::new(&format!("http://{}", self.config.http.listen))
    }

    /// Where the API is.
    #[must_use]
    pub fn http_address(&self) -> SocketAddr {
        self.config.http.listen
    }

    /// Where the mail exchanger is.
    #[must_use]
    pub fn smtp_address(&self) -> SocketAddr {
        self.config.smtp.listen[0]
    }

    /// Where mail programs hand in mail: STARTTLS.
    #[must_use]
    pub fn submission_address(&self) -> SocketAddr {
        self.config.submission.listen[0]
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The directory of the server.
    #[must_use]
    pub fn data_dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// What may be left at the end of this test.
    pub fn allow(&mut self) -> &mut Allowed {
        &mut self.allowed
    }

    /// Runs due jobs and attempts at webhooks until none is due, at the time that the clock stands at.
    ///
    /// # Panics
    /// Where the store fails.
    pub async fn settle(&self) {
        loop {
            posthouse_server::jobs::runner::run_due(self.app()).await;
            if posthouse_server::jobs::webhooks::run_due(self.app()).await.expect("the store of a test works") == 0 {
                return;
            }
        }
    }

    /// The same where writes fail: what is tried again after a pause gets a second of time in all, too little for anything else
    /// to run into its end.
    pub async fn settle_in_spite(&self) {
        self.clock.go_on(PAUSES_MS_MAX, self.settle()).await;
    }

    /// Moves the clock on and settles.
    pub async fn advance(&self, millis: i64) {
        self.clock.advance(millis);
        self.settle().await;
    }

    /// How many units of its store the server has run.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units.ended()
    }

    /// Stops the request that runs the `count`th unit from now, right after that unit. There is one breakpoint at a time.
    #[must_use]
    pub fn break_after(&self, count: u64) -> Breakpoint {
        self.units.break_after(count)
    }

    /// Waits until `/readyz` says yes: the store tries a database that was away again after a pause of real time.
    ///
    /// # Panics
    /// Where it never does.
    pub async fn until_ready(&self) {
        let api = self.anonymous();
        let works = async { while instance::probe(self.store()).await.is_err() {} };
        tokio::time::timeout(Duration::from_secs(READY_S_MAX), works).await.expect("the store works again");
        self.clock.advance(CHECK_MS);
        api.get("/readyz").await.expect(200);
    }

    /// Ends the server as a signal does and starts it again on the same store and addresses.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.run().await;
    }

    /// Ends every task between two steps, as a kill does, and starts again on the same store and addresses. What the
    /// store had taken in may be committed or not.
    pub async fn crash(&mut self) {
        self.kill().await;
        self.run().await;
    }

    /// Ends the server as a signal does. [`TestServer::run`] starts it again.
    pub async fn stop(&mut self) {
        let Some(Running { app, runtime, tasks }) = self.running.take() else { return };
        app.life.drain();
        let ended = tokio::time::timeout(Duration::from_secs(DRAIN_S_MAX), drained(&self.clock, tasks)).await;
        ended.expect("the server drains; does a client hold a connection?");
        close(app, runtime).await;
    }

    /// Ends every task between two steps. [`TestServer::run`] starts the server again.
    pub async fn kill(&mut self) {
        let Some(Running { app, runtime, .. }) = self.running.take() else { return };
        close(app, runtime).await;
    }

    /// Starts the server on its store; at the addresses it had, when it ran before.
    ///
    /// # Panics
    /// Where it does not start.
    pub async fn run(&mut self) {
        assert!(self.running.is_none(), "the server runs already");
        let book = self.log.clone();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(SERVER_THREADS)
            .thread_name("server")
            .on_thread_start(move || book.own_this_thread())
            .enable_all()
            .build()
            .expect("a runtime can be started");
        let (http, smtp, submission) = self.bind(&runtime).await;
        let opened = self.store.clone();
        let opened = tokio::task::spawn_blocking(move || Store::open(opened)).await.expect("opening does not panic");
        let store = opened.unwrap_or_else(|error| panic!("the store: {error:?}"));
        own_threads(&store, &self.store, &self.log).await;
        let clock = Arc::new(self.clock.clone());
        let dns: Arc<dyn Dns> = Arc::new(self.dns.clone());
        let smtp_out = Arc::new(SmtpClient::new(clock.clone(), self.config.delivery.connections_max));
        let http_out = Arc::new(HttpClient::new(clock.clone()));
        let ports = Ports { clock, dns: dns.clone(), smtp_out, http_out, authority: Arc::new(Authorities::new(dns)) };
        let blobs = Blobs::files(self.dir.path().join(BLOBS_DIR));
        let app = Arc::new(App::new(self.config.clone(), (store, blobs), ports));
        let settling = app.clone();
        let settled = runtime.spawn(async move { key_file::settle(&settling).await });
        settled.await.expect("reading does not panic").expect("the instance key is that of the store");
        let begun = app.clone();
        let begun = runtime.spawn(async move { keep_certificate::begin(&begun).await });
        begun.await.expect("reading does not panic").expect("there is a certificate");
        let certificate = app.tls.server_config(&[]).expect("a certificate can be used");
        let house = House::new(app.clone(), Some(certificate.clone()));
        let office = House::submission(app.clone(), certificate);
        let entries = http.entries(&app).expect("TLS can be set up");
        let mut tasks = vec![runtime.spawn(listener::serve(entries, app.clone())), runtime.spawn(smtp.serve(house))];
        tasks.extend(submission.into_iter().map(|listener| runtime.spawn(listener.serve(office.clone()))));
        app.life.ready();
        self.running = Some(Running { app, runtime, tasks });
    }

    /// Listens on the addresses of the configuration and writes those into it that were picked.
    async fn bind(&mut self, runtime: &Runtime) -> (Web, Listener, Vec<Listener>) {
        let (config, smtp) = (self.config.clone(), self.config.smtp.listen[0]);
        let both = async move { (web::bind(&config).await, Listener::bind(smtp).await) };
        let (http, smtp) = runtime.spawn(both).await.expect("binding does not panic");
        let http = http.expect("the addresses of the API can be listened on");
        let smtp = smtp.expect("the address for mail can be listened on");
        self.config.http.listen = http.address().expect("a bound listener has an address");
        self.config.http.listen_tls = http.https_addresses();
        self.config.acme.listen = http.challenge_addresses();
        self.config.smtp.listen = vec![smtp.local_addr().expect("a bound listener has an address")];
        if self.config.base_url_follows_listener {
            self.config.base_url = format!("http://{}", self.config.http.listen);
        }
        let mut submission = Vec::new();
        let config = &mut self.config.submission;
        for (addresses, door) in [(&mut config.listen, Door::Clear), (&mut config.listen_tls, Door::Tls)] {
            for address in addresses {
                let bound = runtime.spawn(Listener::bind_door(*address, door)).await.expect("binding does not panic");
                let bound = bound.expect("the address for submission can be listened on");
                *address = bound.local_addr().expect("a bound listener has an address");
                submission.push(bound);
            }
        }
        (http, smtp, submission)
    }

    /// Settles, looks whether everything is as it must be after any test, and ends the server.
    ///
    /// # Panics
    /// With the list of what is wrong.
    pub async fn finish(mut self) {
        if self.running.is_none() {
            self.run().await;
        }
        self.settle().await;
        let mut wrong = complaints(self.store(), self.clock.now(), &self.allowed).await;
        self.stop().await;
        wrong.extend(self.allowed.undeclared(&self.log.errors()));
        self.is_finished = true;
        assert!(wrong.is_empty(), "at the end of the test:\n  {}", wrong.join("\n  "));
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            // A runtime must not wait for its tasks on a thread of another runtime.
            running.runtime.shutdown_background();
        }
        if std::thread::panicking() {
            let lines = self.log.lines();
            let first = lines.len().saturating_sub(LINES_SHOWN);
            lines[first..].iter().for_each(|line| eprintln!("{line}"));
        } else {
            assert!(self.is_finished, "the test must end with server.finish().await");
        }
    }
}

/// Waits for the listeners. Time goes on meanwhile, as far as a drain may take: some waits end by the clock alone.
async fn drained(clock: &ManualClock, tasks: Vec<JoinHandle<()>>) {
    let all = async {
        for task in tasks {
            task.await.expect("a listener ends without a panic");
        }
    };
    clock.go_on(DRAIN_MS_MAX, all).await;
}

/// Ends the tasks, then the threads of the store.
async fn close(app: Arc<App>, runtime: Runtime) {
    let closed = tokio::task::spawn_blocking(move || {
        // Dropping a runtime ends its tasks at their next step and waits for its threads.
        drop(runtime);
        app.store.close();
    });
    closed.await.expect("closing does not panic");
}

/// Makes the threads of the store log into the book: as many units as threads, none of which ends before all began.
async fn own_threads(store: &Store, config: &StoreConfig, book: &LogBook) {
    let writers = if store.engine() == Engine::Sqlite { 1 } else { config.writer_threads };
    let unit = |count: usize| {
        let (together, book) = (Arc::new(Barrier::new(count)), book.clone());
        move |_: &mut posthouse_store::Tx| -> Result<(), Error> {
            book.own_this_thread();
            together.wait();
            Ok(())
        }
    };
    let (write, read) = (unit(writers), unit(config.reader_threads));
    let mut units = tokio::task::JoinSet::new();
    for _ in 0..writers {
        let (store, unit) = (store.clone(), write.clone());
        units.spawn(async move { store.write(unit).await });
    }
    for _ in 0..config.reader_threads {
        let (store, unit) = (store.clone(), read.clone());
        units.spawn(async move { store.read(unit).await });
    }
    for done in units.join_all().await {
        done.unwrap_or_else(|error| panic!("the store: {error:?}"));
    }
}
