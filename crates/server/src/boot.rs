//! Starts and stops the service. Only this module knows the concrete adapters.
//!
//! A start binds the listeners, opens the store, sets up an empty store, starts the tasks and writes the ready file. A
//! stop does the reverse. A start never overwrites existing data.

mod descriptors;
mod first_start;
pub mod inspect;
mod listeners;
pub mod new_store;
pub mod owner;
mod private;
mod ready;
pub mod store_identity;
pub mod web;

use posthouse_app::Service;
pub use ready::ReadyFile;

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use posthouse_domain::time::MINUTE_MS;
use posthouse_store::{DatabaseUrl, Store, StoreClock, StoreConfig, backup::BLOBS_DIR, blobs::BlobStore};
use tokio::task::JoinSet;

use self::listeners::{SubmissionListeners, bind_smtp, bind_submission};
use crate::boot::store_identity::StoreIdentity;
use crate::{
    adapters::{
        acme::InstantAcmeClient, clock::SystemClock, dns, file_worker::FileWorker, http_out::HttpClient,
        smtp_out::SmtpClient,
    },
    config::{self, Configuration, SmtpConfig, absolute},
    smtp::{frontend::SmtpFrontend, listener::Listener},
};
use posthouse_app::{
    Ports,
    domains::{certificate, dkim},
    jobs::{index, runner},
    lifecycle::{DRAIN_MS_MAX, HangupSignals, Signals},
    people::first_owner::first_owner,
    ports::{Clock, Dns, OutboundHttp, SmtpTransport},
    settings::problem::{ConfigError, ConfigProblem},
    signing,
    webhooks::dispatch,
};

/// How often the certificate is checked for changes, in milliseconds.
const CERTIFICATE_INTERVAL_MS: i64 = MINUTE_MS;

/// How often the commit count is written to disk, in milliseconds.
const MARK_MS: i64 = 5_000;

/// A part of the service that a process can run (`--roles`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The API.
    Http,
    /// The mail exchanger.
    Smtp,
    /// Submission by mail programs.
    Submission,
    /// Background jobs.
    Worker,
}

impl Role {
    /// Returns the name on the command line.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Role::Http => "http",
            Role::Smtp => "smtp",
            Role::Submission => "submission",
            Role::Worker => "worker",
        }
    }
}

/// The options of a process.
#[derive(Debug)]
pub struct ServeOptions {
    /// The parts of the service to run.
    pub roles: Vec<Role>,
    /// The file to write when the process is ready.
    pub ready_file: Option<ReadyFile>,
    /// Whether to start a new store if only remains of the previous one are left.
    pub new_store: bool,
    /// What serves HTTP.
    pub http: web::HttpServer,
}

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// A directory or file can't be read or written.
    #[error("{what}: {cause}")]
    Io {
        /// What failed.
        what: String,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The ready file can't be written.
    #[error(
        "cannot write --ready-file {path} ({cause}); it must be a file in an existing directory that this \
         user can write"
    )]
    ReadyFile {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A listener can't be bound.
    #[error("{key}: cannot listen on {address}: {cause}; {}", next_step(cause, key))]
    Listen {
        /// The configuration key with the address.
        key: String,
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The configuration is invalid, or something it names can't be used.
    #[error("{0}")]
    Config(ConfigError),
    /// The certificate can't be used.
    #[error("{0}")]
    Tls(String),
    /// The DKIM keys or the instance key can't be used.
    #[error("{0}")]
    Signing(String),
    /// The store can't be opened.
    #[error("cannot use the store: {0}")]
    Store(String),
    /// The data directory belongs to a store whose database is missing or empty.
    #[error(
        "{directory} has remains of a store ({remains}), but its database {database} is missing or empty. Nothing was \
         changed. To recover the store, {restore}. To start a new store without its mail, run posthouse serve \
         --new-store, which moves the remains aside"
    )]
    DatabaseLost {
        /// The database.
        database: String,
        /// The data directory.
        directory: String,
        /// The file or directory that shows that there was a store.
        remains: String,
        /// How to recover the store.
        restore: &'static str,
    },
    /// There is no store for a command to work on.
    #[error(
        "there is no store in {location}: nothing was changed. Name the store with --config FILE or --data-dir DIR; a new \
         store begins with posthouse serve"
    )]
    NoStore {
        /// The data directory or the database.
        location: String,
    },
    /// The database belongs to another store than the data directory.
    #[error(
        "the database {database} and the data directory {directory} are of different stores. Nothing was changed. \
         Correct database_url or data_dir, or, if they belong together, remove {}", file.display()
    )]
    OtherStore {
        /// The database, with the id of its store.
        database: String,
        /// The data directory, with the id of its store.
        directory: String,
        /// The file with the store id of the directory.
        file: PathBuf,
    },
    /// The database is damaged, or the file isn't a database.
    #[error("the database is damaged ({0}): restore a backup into a new data_dir, and keep this one")]
    Damaged(String),
}

/// Returns what to do if an address can't be bound.
fn next_step(cause: &io::Error, key: &str) -> String {
    match cause.kind() {
        io::ErrorKind::AddrInUse => {
            let flag = config::keys().find(|known| known.name == key).and_then(|known| known.flag);
            let flag = flag.map(|flag| format!(" (or {flag})")).unwrap_or_default();
            format!("stop the program that uses it, or set {key}{flag} to another address")
        }
        io::ErrorKind::PermissionDenied => {
            format!("ports below 1024 need the capability CAP_NET_BIND_SERVICE; or set {key} to another port")
        }
        _ => format!("set {key} to an address of this machine"),
    }
}

impl BootError {
    fn listen(key: &str, address: SocketAddr) -> impl FnOnce(io::Error) -> Self {
        let key = key.to_owned();
        move |cause| Self::Listen { key, address, cause }
    }

    fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }
}

impl From<posthouse_store::Error> for BootError {
    fn from(error: posthouse_store::Error) -> Self {
        match error {
            posthouse_store::Error::Inconsistent(cause) | posthouse_store::Error::DatabaseDamaged(cause) => {
                Self::Damaged(cause.to_string())
            }
            error => Self::Store(format!("{error} ({})", error.internal())),
        }
    }
}

/// Returns the system clock.
#[must_use]
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::default())
}

/// Returns the clock of a process with this configuration: the system clock, except in a rehearsal.
#[must_use]
pub fn clock_of(config: &Configuration) -> Arc<dyn Clock> {
    Arc::new(SystemClock { ahead_ms: config.clock_ahead_ms })
}

/// Returns the URL of the database. Removes the permissions of other users from existing files of the store first.
///
/// # Errors
/// Returns an error if the data directory of an embedded database can't be created.
pub fn database_url(config: &Configuration) -> Result<DatabaseUrl, BootError> {
    if config.database_url.is_none() {
        private::make_directory(&config.data_dir)?;
    }
    let url = configured_database(config)?;
    private::make_private(config, &url);
    Ok(url)
}

fn configured_database(config: &Configuration) -> Result<DatabaseUrl, BootError> {
    match &config.database_url {
        Some(url) => Ok(match url.parse()? {
            DatabaseUrl::Sqlite(path) => DatabaseUrl::Sqlite(absolute(&path)),
            postgres @ DatabaseUrl::Postgres(_) => postgres,
        }),
        None => Ok(DatabaseUrl::Sqlite(config.data_dir.join("posthouse.db"))),
    }
}

/// Checks that there is a store, without creating anything.
///
/// # Errors
/// Returns [`BootError::NoStore`], or an error if the database can't be read.
pub fn require_store(config: &Configuration) -> Result<(), BootError> {
    let url = configured_database(config)?;
    StoreIdentity::inspect(config, &url)?;
    if posthouse_store::migrate::inspect_read_only(&url)?.is_some() {
        return Ok(());
    }
    let location = match &config.database_url {
        None => format!("the directory {}", absolute(&config.data_dir).display()),
        Some(_) => format!("the database {url}"),
    };
    Err(BootError::NoStore { location })
}

/// Opens the store and applies pending migrations. Begins a store in an empty directory; see [`require_store`].
///
/// # Errors
/// Returns an error if the store can't be opened or its directory can't be created.
pub fn open_store(config: &Configuration) -> Result<Store, BootError> {
    open(config, Opening::Shared)
}

/// Checks that the database exists and belongs to the data directory.
///
/// # Errors
/// Returns [`BootError::DatabaseLost`], [`BootError::OtherStore`], or an error if the database can't be read.
pub fn check_store_identity(config: &Configuration) -> Result<(), BootError> {
    StoreIdentity::find(config, &database_url(config)?, false).map(drop)
}

/// Applies pending migrations and returns their names.
///
/// # Errors
/// Returns the same errors as [`open_store`].
pub fn migrate(config: &Configuration) -> Result<Vec<&'static str>, BootError> {
    private::make_directory(&config.data_dir)?;
    let url = database_url(config)?;
    StoreIdentity::find(config, &url, false)?;
    let applied = posthouse_store::migrate::apply(&url, posthouse_store::migrate::MIGRATIONS)?;
    // Opening the store records its id.
    open_store(config)?.close();
    Ok(applied)
}

/// The purpose of opening a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opening {
    /// For a command; a service may be running.
    Shared,
    /// For the service, which may start a new store.
    Serving { new_store: bool },
}

fn open(config: &Configuration, opening: Opening) -> Result<Store, BootError> {
    // It has keys and certificates even if the database is elsewhere.
    private::make_directory(&config.data_dir)?;
    let url = database_url(config)?;
    let identity = StoreIdentity::find(config, &url, opening == Opening::Serving { new_store: true })?;
    let (clock, serving) = (clock_of(config), opening != Opening::Shared);
    let watched = Arc::clone(&clock);
    let watch = Some(StoreClock::new(move || watched.now().millis()));
    let mark = Some(identity.mark());
    // Commands may read for long, such as `posthouse check`.
    let statement_ms = serving.then_some(config.limits.statement_ms);
    let reads_per_workspace = config.limits.reads_per_workspace;
    let settings = StoreConfig { watch, serving, mark, statement_ms, reads_per_workspace, ..StoreConfig::new(url) };
    let store = Store::open(settings)?;
    // Closed, so that no thread writes to the files of a store that is discarded.
    identity.settle(&store, serving, clock.as_ref()).inspect_err(|_| store.close())?;
    Ok(store)
}

/// Runs the service until a signal stops it.
///
/// # Errors
/// Returns an error if the service can't start.
pub async fn serve(mut config: Configuration, mut plan: ServeOptions) -> Result<(), BootError> {
    let has = |role| plan.roles.contains(&role);
    let mut signals = Signals::install().map_err(BootError::io("cannot install signal handlers"))?;
    let descriptors = descriptors::raise_limit();
    descriptors::limit_smtp(&mut config.smtp, descriptors);
    config.http.connections_max = descriptors::http_connections_max(&config, descriptors);
    let hangups = HangupSignals::install().map_err(BootError::io("cannot install signal handlers"))?;
    let http = if has(Role::Http) { Some(web::bind(&config).await?) } else { None };
    let smtp = if has(Role::Smtp) { bind_smtp(&config).await? } else { Vec::new() };
    let SubmissionListeners { starttls: mut submission, tls: submission_tls } =
        if has(Role::Submission) { bind_submission(&config).await? } else { Default::default() };
    let first = |listeners: &[Listener]| listeners.first().and_then(|listener| listener.local_addr().ok());
    let bound = ready::BoundAddresses {
        http: http.as_ref().and_then(|bound| bound.address()),
        https: http.as_ref().and_then(|bound| bound.https_addresses().first().copied()),
        smtp: first(&smtp),
        submission: first(&submission),
        submission_tls: first(&submission_tls),
    };
    submission.extend(submission_tls);
    follow_listener(&mut config, bound.http);
    if let Some(file) = &plan.ready_file {
        // The file may be in the data directory, which a first start creates.
        private::make_directory(&config.data_dir)?;
        file.check_writable()?;
    }
    let store = open(&config, Opening::Serving { new_store: plan.new_store })?;
    let blobs = open_blobs(&config)?;
    prepare_blobs(&config, &blobs).await?;
    let (ports, smtp_client) = ports(&config)?;
    let service = Arc::new(Service::new(config.app.clone(), store, blobs, ports));
    if service.blobs.are_remote() {
        // An unavailable blob store doesn't block the start; the first request of `/readyz` checks it.
        service.storage_health.mark_blobs_unknown();
    }
    prepare_signing(&service).await?;
    if bound.wants_certificate() {
        prepare_tls(&service).await?;
    }
    // After everything that can fail, because the API key is shown only on the first start.
    let first_run = if has(Role::Http) { first_start::run(&service).await? } else { None };

    let mut tasks = JoinSet::new();
    tasks.spawn(watch_certificate(Arc::clone(&service), hangups));
    tasks.spawn(keep_mark(Arc::clone(&service)));
    if let Some(http) = http {
        tasks.spawn((plan.http)(Arc::clone(&service), config.http.clone(), http)?);
    }
    serve_smtp(&service, &config.smtp, &mut tasks, smtp, submission)?;
    if has(Role::Worker) {
        begin_work(&service, &mut tasks, smtp_client);
    }
    service.lifecycle.ready();
    let owner = if has(Role::Http) { first_owner(&service).await.unwrap_or_default() } else { None };
    ready::announce(&service, &mut plan, &bound, first_run.as_ref(), owner.as_ref())?;
    if let (Some(first), Some(listener)) = (first_run, bound.smtp) {
        tasks.spawn(first_start::send_welcome(Arc::clone(&service), listener, first.address));
    }
    let signal = signals.wait_for_signal().await;
    if let Some(file) = plan.ready_file {
        file.remove();
    }
    end(&service, tasks, signal).await;
    Ok(())
}

/// Starts the background jobs, and the task that closes idle connections to mail servers.
fn begin_work(service: &Arc<Service>, tasks: &mut JoinSet<()>, smtp: Arc<SmtpClient>) {
    tasks.spawn(run_unless_damaged(Arc::clone(service), runner::run(Arc::clone(service))));
    tasks.spawn(run_unless_damaged(Arc::clone(service), index::run(Arc::clone(service))));
    tasks.spawn(run_unless_damaged(Arc::clone(service), dispatch::run(Arc::clone(service))));
    let life = service.lifecycle.clone();
    tasks.spawn(async move {
        tokio::select! {
            () = life.drained() => smtp.close_idle(0).await,
            () = smtp.close_idle_loop() => {}
        }
    });
}

/// Stops work when the database is damaged. Its results couldn't be stored, so it would be repeated.
async fn run_unless_damaged(service: Arc<Service>, work: impl Future<Output = ()>) {
    tokio::select! {
        () = work => {}
        () = service.store.damaged() => {}
    }
}

/// Opens the blob store without reading or writing.
///
/// # Errors
/// Returns an error if the URL or the options are invalid.
pub fn open_blobs(config: &Configuration) -> Result<BlobStore, BootError> {
    match &config.blob_url {
        Some(url) => Ok(BlobStore::open(url, &config.blob_options.0)?),
        None => Ok(BlobStore::files(config.data_dir.join(BLOBS_DIR))),
    }
}

/// Checks that the blob store is writable. A full disk isn't an error, because space may be freed later.
async fn prepare_blobs(config: &Configuration, blobs: &BlobStore) -> Result<(), BootError> {
    match (blobs.prepare().await, &config.blob_url) {
        (Ok(()) | Err(posthouse_store::Error::StorageFull(_)), _) => Ok(()),
        (Err(error), None) => Err(error.into()),
        (Err(error), Some(url)) => Err(BootError::Config(ConfigError(vec![ConfigProblem {
            key: "blob_url".to_owned(),
            value: Some(format!("{url:?}")),
            problem: format!("cannot be used: {}; set it to a writable directory", error.internal()),
        }]))),
    }
}

/// Derives `base_url` from the listener if it isn't configured.
fn follow_listener(config: &mut Configuration, http: Option<SocketAddr>) {
    if let (true, Some(address)) = (config.base_url_follows_listener, http) {
        config.base_url = Configuration::base_url_of(address);
    }
}

/// Reloads a changed certificate every minute and on SIGHUP, until the process drains.
async fn watch_certificate(service: Arc<Service>, mut hangups: HangupSignals) {
    loop {
        let later = service.clock.sleep_until(service.clock.now().plus_ms(CERTIFICATE_INTERVAL_MS));
        tokio::select! {
            () = service.lifecycle.drained() => return,
            () = later => {}
            () = hangups.next() => tracing::info!("tls.reload_requested"),
        }
        certificate::reload(&service).await;
    }
}

/// Records the commit count outside the database until the process drains.
async fn keep_mark(service: Arc<Service>) {
    let mut is_draining = false;
    while !is_draining {
        is_draining = tokio::select! {
            () = service.lifecycle.drained() => true,
            () = service.clock.sleep_until(service.clock.now().plus_ms(MARK_MS)) => false,
        };
        // A failure is ignored: the next cycle records the count, and other users of the store report the error.
        let _ = service.store.keep_mark().await;
        let store = service.store.clone();
        let _ = tokio::task::spawn_blocking(move || store.flush_mark()).await;
    }
}

/// Starts the SMTP listeners: the mail exchanger and submission.
fn serve_smtp(
    service: &Arc<Service>,
    config: &SmtpConfig,
    tasks: &mut JoinSet<()>,
    smtp: Vec<Listener>,
    submission: Vec<Listener>,
) -> Result<(), BootError> {
    let tls = service.tls.server_config(&[]).map_err(|error| BootError::Tls(error.to_string()))?;
    let exchanger = SmtpFrontend::new(Arc::clone(service), config, Some(Arc::clone(&tls)));
    let submission_service = SmtpFrontend::submission(Arc::clone(service), config, tls);
    for (listeners, service) in [(smtp, exchanger), (submission, submission_service)] {
        for listener in listeners {
            tasks.spawn(listener.serve(Arc::clone(&service)));
        }
    }
    Ok(())
}

/// Builds the adapters of the process. Idle connections of the SMTP client must be closed.
fn ports(config: &Configuration) -> Result<(Ports, Arc<SmtpClient>), BootError> {
    let (clock, dns) = (clock_of(config), resolver(config)?);
    let smtp = Arc::new(SmtpClient::new(Arc::clone(&clock), config.delivery.connections_max));
    let smtp_out = Arc::clone(&smtp) as Arc<dyn SmtpTransport>;
    let http_out: Arc<dyn OutboundHttp> = Arc::new(HttpClient::new(Arc::clone(&clock), Arc::clone(&dns)));
    let authority = Arc::new(InstantAcmeClient::new(Arc::clone(&http_out)));
    let file_reader = Arc::new(FileWorker::new(Arc::clone(&clock), &config.files));
    Ok((Ports { clock, dns, smtp_out, http_out, authority, file_reader }, smtp))
}

/// Builds the configured resolver.
///
/// # Errors
/// Returns an error if the resolver can't be set up.
pub fn resolver(config: &Configuration) -> Result<Arc<dyn Dns>, BootError> {
    let made = dns::Resolver::new(&config.nameservers, clock_of(config));
    let made = made.map_err(BootError::io("dns.nameservers: cannot set up the resolver"))?;
    Ok(Arc::new(made.with_probe_domain(&config.mail.default_domain)))
}

/// Builds the service for a command, and verifies the instance key. A service may be running.
///
/// # Errors
/// Returns an error if the store can't be opened or the instance key belongs to another store.
pub async fn program(config: &Configuration) -> Result<Arc<Service>, BootError> {
    let service = bare_program(config)?;
    let settled = posthouse_app::keyring::proof::settle(&service).await;
    settled.map_err(|error| BootError::Signing(error.to_string()))?;
    Ok(service)
}

/// Builds the service without verifying the instance key, for commands that don't use it or check it themselves.
///
/// # Errors
/// Returns an error if the store can't be opened.
pub fn bare_program(config: &Configuration) -> Result<Arc<Service>, BootError> {
    let (ports, _) = ports(config)?;
    Ok(Arc::new(Service::new(config.app.clone(), open_store(config)?, open_blobs(config)?, ports)))
}

/// Closes the store on a blocking thread, because closing waits for the store's threads.
pub async fn close(store: Store) {
    let _ = tokio::task::spawn_blocking(move || store.close()).await;
}

/// Loads the certificate. Unusable certificate files are configuration errors.
async fn prepare_tls(service: &Service) -> Result<(), BootError> {
    let begun = certificate::begin(service).await;
    begun.map_err(|error| match error.in_configuration(&service.config) {
        Some(problem) => BootError::Config(ConfigError(vec![problem])),
        None => BootError::Tls(error.to_string()),
    })
}

/// Creates or decrypts the DKIM keys and the signing keys. No mail can be sent without them, and a wrong instance key must be found at the
/// start.
async fn prepare_signing(service: &Service) -> Result<(), BootError> {
    let records = dkim::prepare(service).await.map_err(|error| BootError::Signing(error.to_string()))?;
    for record in records {
        tracing::debug!(name = record.name, "dkim.key_ready");
    }
    signing::keys::prepare(service).await.map_err(|error| BootError::Signing(error.to_string()))
}

/// Stops accepting work, finishes accepted work and closes the store.
async fn end(service: &Arc<Service>, mut tasks: JoinSet<()>, signal: &str) {
    tracing::info!(signal, "draining");
    service.lifecycle.drain();
    let all = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(Duration::from_millis(DRAIN_MS_MAX), all).await.is_err() {
        tracing::warn!(left = tasks.len(), "drain.timed_out");
        tasks.abort_all();
    }
    close(service.store.clone()).await;
    tracing::info!("stopped");
}
