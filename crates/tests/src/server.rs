//! A whole server inside the test: a new store, real listeners on free ports, a manual clock, fakes for everything
//! outside, and checks on the leftovers at the end.
//!
//! The server has its own runtime, so that a crash stops every task between two steps. It runs jobs only when the test
//! calls [`TestServer::settle`], at the clock's current time.

use posthouse_app::Service;
use std::{
    net::SocketAddr,
    sync::{Arc, Barrier},
    time::Duration,
};

use posthouse_app::{
    Ports,
    domains::certificate,
    keyring::proof,
    ports::{Clock, Dns},
    settings::Categoriser,
    signing::keys as signing_keys,
};
use posthouse_http::{
    connection::listeners::{self, HttpListeners},
    pages::readiness::RESULT_VALID_MS,
};
use posthouse_server::{
    adapters::{acme::InstantAcmeClient, http_out::HttpClient, smtp_out::SmtpClient},
    boot::web::{self, BoundHttp},
    config::{Configuration, ListenConfig},
    smtp::{
        frontend::{ConnectionKind, SmtpFrontend},
        listener::Listener,
    },
};
use posthouse_store::{
    BlobStore, DatabaseUrl, Engine, Error, Store, StoreClock, StoreConfig, backup::BLOBS_DIR, instance,
};
use tokio::{runtime::Runtime, task::JoinHandle};

use crate::{
    audit::{AllowedLeftovers, violations},
    breakpoint::{Breakpoint, UnitCounter},
    clock::ManualClock,
    dir::ScratchDir,
    dns::FakeDns,
    fault::FailingWrites,
    file_reader::InProcessReader,
    http::Api,
    log::LogCapture,
    ports::ReservedPort,
    postgres::{Cluster, TemporaryDatabase},
};

/// Threads of the server's runtime.
const SERVER_THREADS: usize = 2;
/// Reader threads of the store.
const READER_THREADS: usize = 2;
/// Writer threads of the store (PostgreSQL only).
const WRITER_THREADS: usize = 3;
/// How long a server may drain by the manual clock, in milliseconds.
const DRAIN_MS_MAX: i64 = 10_000;
/// How long a test waits for a server to drain before it fails, in seconds of real time.
const DRAIN_S_MAX: u64 = 30;
/// How long a test waits for a server to become ready again before it fails, in seconds of real time.
const READY_S_MAX: u64 = 30;
/// How far the clock moves for retries after a pause, in milliseconds.
const PAUSES_MS_MAX: i64 = 1_000;
/// Number of log lines that a failing test prints.
const LINES_SHOWN: usize = 60;

/// A change to the configuration.
type ConfigChange = Box<dyn FnOnce(&mut Configuration)>;

/// The options of a test server. [`ServerOptions::default`] is the loopback profile on the engine of the run.
#[derive(Default)]
pub struct ServerOptions {
    configure: Vec<ConfigChange>,
    engine: Option<Engine>,
    sqlite_pages_max: Option<u32>,
    database: Option<DatabaseUrl>,
    writes: Option<FailingWrites>,
    seed: u64,
}

impl ServerOptions {
    /// Changes the configuration.
    #[must_use]
    pub fn configure(mut self, change: impl FnOnce(&mut Configuration) + 'static) -> Self {
        self.configure.push(Box::new(change));
        self
    }

    /// Uses this engine instead of the engine of the run, for tests of engine-specific behavior.
    #[must_use]
    pub fn on(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Limits the SQLite file to this many pages of 4 KiB, so that the disk is full early.
    #[must_use]
    pub fn sqlite_pages_max(mut self, pages: u32) -> Self {
        self.sqlite_pages_max = Some(pages);
        self.on(Engine::Sqlite)
    }

    /// Uses an existing database, for example behind a [`crate::fault::Proxy`].
    #[must_use]
    pub fn database(mut self, url: DatabaseUrl) -> Self {
        self.engine = Some(url.engine());
        self.database = Some(url);
        self
    }

    /// Makes writes fail according to this plan.
    #[must_use]
    pub fn failing_writes(mut self, writes: &FailingWrites) -> Self {
        self.writes = Some(writes.clone());
        self
    }

    /// Seeds the random bytes.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// Returns the engine of this run: `POSTHOUSE_TEST_DATABASE`.
///
/// # Panics
/// Panics if the variable does not name an engine.
#[must_use]
pub fn engine_of_run() -> Engine {
    match std::env::var("POSTHOUSE_TEST_DATABASE").as_deref() {
        Err(_) | Ok("" | "sqlite") => Engine::Sqlite,
        Ok("postgres") => Engine::Postgres,
        Ok(other) => panic!("POSTHOUSE_TEST_DATABASE={other} is not an engine"),
    }
}

/// A server of a test. End the test with [`TestServer::finish`].
pub struct TestServer {
    /// The server's clock.
    pub clock: ManualClock,
    /// The server's DNS.
    pub dns: FakeDns,
    /// The server's log.
    pub log: LogCapture,
    config: Configuration,
    store: StoreConfig,
    units: UnitCounter,
    /// Keeps the ports of the listeners while the server is down.
    _ports: Vec<ReservedPort>,
    running: Option<Running>,
    /// Dropped after the server that uses it.
    _temporary_database: Option<TemporaryDatabase>,
    allowed: AllowedLeftovers,
    dir: ScratchDir,
    is_finished: bool,
}

/// The parts that a crash ends.
struct Running {
    service: Arc<Service>,
    runtime: Runtime,
    tasks: Vec<JoinHandle<()>>,
}

impl TestServer {
    /// Starts a server with a new store.
    ///
    /// # Panics
    /// Panics if the server does not start.
    pub async fn start(options: ServerOptions) -> Self {
        let dir = ScratchDir::new();
        let mut config = Configuration::loopback();
        config.data_dir = dir.path().to_owned();
        config.listen.http.set_port(0);
        config.listen.smtp.iter_mut().for_each(|address| address.set_port(0));
        config.listen.submission.iter_mut().for_each(|address| address.set_port(0));
        // Most tests are about other things than what a categoriser says about their mail.
        config.ai.categoriser = Categoriser::Off;
        options.configure.into_iter().for_each(|change| change(&mut config));
        config.apply_listeners();
        let ports = reserve_ports(&mut config.listen);
        if config.base_url_follows_listener {
            config.base_url = format!("http://{}", config.listen.http);
        }
        let mut temporary = None;
        let database = options.database.unwrap_or_else(|| match options.engine.unwrap_or_else(engine_of_run) {
            Engine::Sqlite => DatabaseUrl::Sqlite(dir.path().join("posthouse.db")),
            Engine::Postgres => {
                let created = temporary.insert(Cluster::shared().create_temporary_database());
                DatabaseUrl::Postgres(created.url().to_owned())
            }
        });
        let mut store = StoreConfig::new(database);
        store.reader_threads = READER_THREADS;
        store.statement_ms = Some(config.limits.statement_ms);
        store.reads_per_workspace = config.limits.reads_per_workspace;
        store.writer_threads = WRITER_THREADS;
        store.sqlite_pages_max = options.sqlite_pages_max;
        store.faults = options.writes.as_ref().map(FailingWrites::faults);
        let clock = ManualClock::new(options.seed);
        let watch = clock.clone();
        store.watch = options.writes.map(|_| StoreClock::new(move || watch.now().millis()));
        let units = UnitCounter::default();
        store.after_unit = Some(units.hook());
        let mut server = Self {
            clock,
            dns: FakeDns::default(),
            log: LogCapture::open(),
            config,
            store,
            units,
            _ports: ports,
            running: None,
            _temporary_database: temporary,
            allowed: AllowedLeftovers::default(),
            dir,
            is_finished: false,
        };
        server.run().await;
        server
    }

    /// Starts a server with default options.
    pub async fn plain() -> Self {
        Self::start(ServerOptions::default()).await
    }

    /// Returns the service, for access below the public interfaces.
    ///
    /// # Panics
    /// Panics if the server is down.
    #[must_use]
    pub fn service(&self) -> &Arc<Service> {
        &self.running.as_ref().expect("the server runs").service
    }

    /// Returns the store of the server.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.service().store
    }

    /// Returns an API client without a key.
    #[must_use]
    pub fn anonymous(&self) -> Api {
        Api::new(&format!("http://{}", self.config.listen.http))
    }

    /// Returns the address of the API.
    #[must_use]
    pub fn http_address(&self) -> SocketAddr {
        self.config.listen.http
    }

    /// Returns the address of the inbound SMTP listener.
    #[must_use]
    pub fn smtp_address(&self) -> SocketAddr {
        self.config.listen.smtp[0]
    }

    /// Returns the address of the submission listener with STARTTLS.
    #[must_use]
    pub fn submission_address(&self) -> SocketAddr {
        self.config.listen.submission[0]
    }

    /// Returns the configuration, with the actual listener addresses.
    #[must_use]
    pub fn config(&self) -> &Configuration {
        &self.config
    }

    /// Returns the data directory of the server.
    #[must_use]
    pub fn data_dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// Declares leftovers that are allowed at the end of this test.
    pub fn allow(&mut self) -> &mut AllowedLeftovers {
        &mut self.allowed
    }

    /// Runs due jobs and webhook deliveries until none is due at the clock's current time.
    ///
    /// # Panics
    /// Panics if the store fails.
    pub async fn settle(&self) {
        // The jobs run on the thread of the test.
        self.log.capture_this_thread();
        loop {
            posthouse_app::jobs::runner::run_due(self.service()).await;
            if posthouse_app::webhooks::dispatch::run_due(self.service()).await.expect("the store of a test works") == 0
            {
                return;
            }
        }
    }

    /// Settles while writes fail. Retries after a pause get one second of clock time in all, too little for any other
    /// deadline.
    pub async fn settle_with_failing_writes(&self) {
        self.clock.advance_until(PAUSES_MS_MAX, self.settle()).await;
    }

    /// Moves the clock forward and settles.
    pub async fn advance(&self, millis: i64) {
        self.clock.advance(millis);
        self.settle().await;
    }

    /// Returns the number of store units that the server has run.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units.ended()
    }

    /// Pauses the request that runs the `count`th unit from now, right after that unit. Only one breakpoint can be set.
    #[must_use]
    pub fn break_after(&self, count: u64) -> Breakpoint {
        self.units.break_after(count)
    }

    /// Waits until `/readyz` succeeds. The store reconnects to a database after a pause of real time.
    ///
    /// # Panics
    /// Panics if the service does not become ready.
    pub async fn until_ready(&self) {
        let api = self.anonymous();
        let works = async { while instance::probe(self.store()).await.is_err() {} };
        tokio::time::timeout(Duration::from_secs(READY_S_MAX), works).await.expect("the store works again");
        self.clock.advance(RESULT_VALID_MS);
        api.get("/readyz").await.expect(200);
    }

    /// Stops the server as a signal does and starts it again on the same store and addresses.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.run().await;
    }

    /// Kills every task between two steps and starts the server again on the same store and addresses. Writes that the
    /// store had accepted may or may not be committed.
    pub async fn crash(&mut self) {
        self.kill().await;
        self.run().await;
    }

    /// Stops the server as a signal does. [`TestServer::run`] starts it again.
    pub async fn stop(&mut self) {
        let Some(Running { service, runtime, tasks }) = self.running.take() else { return };
        service.lifecycle.drain();
        let ended = tokio::time::timeout(Duration::from_secs(DRAIN_S_MAX), drained(&self.clock, tasks)).await;
        ended.expect("the server drains; does a client hold a connection?");
        close(service, runtime).await;
    }

    /// Kills every task between two steps. [`TestServer::run`] starts the server again.
    pub async fn kill(&mut self) {
        let Some(Running { service, runtime, .. }) = self.running.take() else { return };
        close(service, runtime).await;
    }

    /// Starts the server on its store, at its earlier addresses if it ran before.
    ///
    /// # Panics
    /// Panics if the server does not start.
    pub async fn run(&mut self) {
        assert!(self.running.is_none(), "the server runs already");
        let capture = self.log.clone();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(SERVER_THREADS)
            .thread_name("server")
            .on_thread_start(move || capture.capture_this_thread())
            .enable_all()
            .build()
            .expect("a runtime can be started");
        let (http, smtp, submission) = self.bind(&runtime).await;
        let opened = self.store.clone();
        let opened = tokio::task::spawn_blocking(move || Store::open(opened)).await.expect("opening does not panic");
        let store = opened.unwrap_or_else(|error| panic!("the store: {error:?}"));
        capture_threads(&store, &self.store, &self.log).await;
        let clock = Arc::new(self.clock.clone());
        let dns: Arc<dyn Dns> = Arc::new(self.dns.clone());
        let smtp_out = Arc::new(SmtpClient::new(clock.clone(), self.config.delivery.connections_max));
        let http_out = Arc::new(HttpClient::new(clock.clone(), dns.clone()));
        let authority = Arc::new(InstantAcmeClient::new(http_out.clone()));
        let file_reader = Arc::new(InProcessReader);
        let ports = Ports { clock, dns, smtp_out, http_out, authority, file_reader };
        let blobs = BlobStore::files(self.dir.path().join(BLOBS_DIR));
        let service = Arc::new(Service::new(self.config.app.clone(), store, blobs, ports));
        let settling = service.clone();
        let settled = runtime.spawn(async move { proof::settle(&settling).await });
        settled.await.expect("reading does not panic").expect("the instance key is that of the store");
        let signing = service.clone();
        let signing = runtime.spawn(async move { signing_keys::prepare(&signing).await });
        signing.await.expect("preparing does not panic").expect("the signing keys can be created");
        let prepared = service.clone();
        let prepared = runtime.spawn(async move { certificate::begin(&prepared).await });
        prepared.await.expect("reading does not panic").expect("there is a certificate");
        let certificate = service.tls.server_config(&[]).expect("a certificate can be used");
        let inbound_service = SmtpFrontend::new(service.clone(), &self.config.smtp, Some(certificate.clone()));
        let submission_service = SmtpFrontend::submission(service.clone(), &self.config.smtp, certificate);
        let BoundHttp { clear, tls, challenges, redirect_to_https } = http;
        let http = HttpListeners { clear, tls, challenges, redirect_to_https };
        let http = listeners::serve(service.clone(), self.config.http.clone(), posthouse::site(), http)
            .expect("TLS can be set up");
        let mut tasks = vec![runtime.spawn(http), runtime.spawn(smtp.serve(inbound_service))];
        tasks.extend(submission.into_iter().map(|listener| runtime.spawn(listener.serve(submission_service.clone()))));
        service.lifecycle.ready();
        self.running = Some(Running { service, runtime, tasks });
    }

    /// Binds the listeners.
    async fn bind(&self, runtime: &Runtime) -> (BoundHttp, Listener, Vec<Listener>) {
        let (config, smtp) = (self.config.clone(), self.config.listen.smtp[0]);
        let both = async move { (web::bind(&config).await, Listener::bind(smtp).await) };
        let (http, smtp) = runtime.spawn(both).await.expect("binding does not panic");
        let http = http.expect("the addresses of the API can be listened on");
        let smtp = smtp.expect("the address for mail can be listened on");
        let listen = &self.config.listen;
        let mut submission = Vec::new();
        for (addresses, kind) in
            [(&listen.submission, ConnectionKind::Plain), (&listen.submission_tls, ConnectionKind::Tls)]
        {
            for address in addresses {
                let bound = runtime.spawn(Listener::bind_as(*address, kind)).await.expect("binding does not panic");
                submission.push(bound.expect("the address for submission can be listened on"));
            }
        }
        (http, smtp, submission)
    }

    /// Settles, checks for undeclared leftovers and stops the server.
    ///
    /// # Panics
    /// Panics with the list of leftovers.
    pub async fn finish(mut self) {
        if self.running.is_none() {
            self.run().await;
        }
        self.settle().await;
        let mut wrong = violations(self.store(), self.clock.now(), &self.allowed).await;
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

/// Reserves the ports of all listeners, so that no other test gets them while the server is down.
fn reserve_ports(listen: &mut ListenConfig) -> Vec<ReservedPort> {
    let ListenConfig { http, http_tls, acme, smtp, submission, submission_tls, .. } = listen;
    let others = [http_tls, acme, smtp, submission, submission_tls].into_iter().flatten();
    let reserve = |address: &mut SocketAddr| {
        let port = ReservedPort::at(*address);
        *address = port.address();
        port
    };
    std::iter::once(http).chain(others).map(reserve).collect()
}

/// Waits for the listeners to end. The clock moves meanwhile, up to the drain limit, because some waits end by the
/// clock alone.
async fn drained(clock: &ManualClock, tasks: Vec<JoinHandle<()>>) {
    let all = async {
        for task in tasks {
            task.await.expect("a listener ends without a panic");
        }
    };
    clock.advance_until(DRAIN_MS_MAX, all).await;
}

/// Ends the tasks, then the store threads.
async fn close(service: Arc<Service>, runtime: Runtime) {
    let closed = tokio::task::spawn_blocking(move || {
        // Dropping a runtime ends its tasks at their next step and waits for its threads.
        drop(runtime);
        service.store.close();
    });
    closed.await.expect("closing does not panic");
}

/// Captures the logs of the store threads: runs as many units as threads, none of which ends before all have begun.
async fn capture_threads(store: &Store, config: &StoreConfig, capture: &LogCapture) {
    let writers = if store.engine() == Engine::Sqlite { 1 } else { config.writer_threads };
    let unit = |count: usize| {
        let (together, capture) = (Arc::new(Barrier::new(count)), capture.clone());
        move |_: &mut posthouse_store::Tx| -> Result<(), Error> {
            capture.capture_this_thread();
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
