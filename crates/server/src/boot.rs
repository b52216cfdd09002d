//! From a configuration to a running service and back: the only place that knows concrete adapters.
//!
//! Order: listeners are bound, the store is opened, an empty store is set up, tasks start, the ready file appears. The
//! end goes backwards. Nothing that exists is ever overwritten by a start.

pub mod belonging;
mod first;
mod private;
mod ready;
pub mod web;

pub use ready::ReadyFile;

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use posthouse_domain::time::MINUTE_MS;
use posthouse_store::{DatabaseUrl, Store, StoreConfig, Watch, backup::BLOBS_DIR, blobs::Blobs};
use tokio::task::JoinSet;

use self::belonging::Belonging;
use crate::{
    adapters::{acme::Authorities, clock::SystemClock, dns, http_out::HttpClient, smtp_out::SmtpClient},
    app::{App, Ports, keep_certificate, signing},
    config::{Config, ConfigError, Problem},
    http::listener,
    jobs::{index, runner, webhooks},
    ports::{Clock, Dns, HttpOut, SmtpOut},
    shutdown::{DRAIN_MS_MAX, Hangups, Signals},
    smtp::listener::{Door, House, Listener},
};

/// How often it is looked whether there is another certificate, in milliseconds.
const CERTIFICATE_LOOK_MS: i64 = MINUTE_MS;

/// How often the count of commits is brought to the disk, in milliseconds.
const MARK_MS: i64 = 5_000;

/// A part of the work that a process can take on (`--roles`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The API.
    Http,
    /// The mail exchanger.
    Smtp,
    /// Submission by mail programs.
    Submission,
    /// Jobs.
    Worker,
}

impl Role {
    /// The name on the command line.
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

/// How a process runs.
#[derive(Debug)]
pub struct Plan {
    /// What it does.
    pub roles: Vec<Role>,
    /// What it writes when it is ready.
    pub ready_file: Option<ReadyFile>,
    /// Whether a new store begins where there are remains of one whose database is gone.
    pub new_store: bool,
}

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// A directory or file.
    #[error("{what}: {cause}")]
    Io {
        /// What was to be done.
        what: String,
        /// What the operating system says.
        cause: io::Error,
    },
    /// The ready file.
    #[error(
        "--ready-file {path} cannot be written ({cause}); it must be a file in a directory that is there and that this user \
         can write"
    )]
    ReadyFile {
        /// Which.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// An address.
    #[error("{key}: {address} cannot be listened on: {cause}; {}", next_step(cause, key))]
    Listen {
        /// The key that names it.
        key: String,
        /// Where.
        address: SocketAddr,
        /// What the operating system says.
        cause: io::Error,
    },
    /// What the configuration names cannot be used.
    #[error("{0}")]
    Config(ConfigError),
    /// The certificate.
    #[error("{0}")]
    Tls(String),
    /// The keys that sign mail.
    #[error("{0}")]
    Signing(String),
    /// The store.
    #[error("the store cannot be used: {0}")]
    Store(String),
    /// There was a store here, and its database is gone or empty.
    #[error(
        "{directory} has remains of a store ({remains}), and its database {database} is gone or empty. Nothing was changed. \
         To get the store back, {restore}. To begin a new store without its mail, posthouse serve --new-store: it moves the \
         remains aside"
    )]
    Gone {
        /// Which database.
        database: String,
        /// The data directory.
        directory: String,
        /// What shows that there was a store.
        remains: String,
        /// How to get it back.
        restore: &'static str,
    },
    /// The database is that of another store.
    #[error(
        "the database {database} and the data directory {directory} are of different stores. Nothing was changed. Correct \
         database_url or data_dir; if they do belong together, remove {}", file.display()
    )]
    OtherStore {
        /// Which database, and its store.
        database: String,
        /// Which data directory, and its store.
        directory: String,
        /// The file that names the directory's store.
        file: PathBuf,
    },
    /// The database contradicts itself or is none.
    #[error("the database is damaged ({0}): restore a backup into a new data_dir, and keep this one")]
    Damaged(String),
}

/// What to do where an address cannot be listened on.
fn next_step(cause: &io::Error, key: &str) -> String {
    match cause.kind() {
        io::ErrorKind::AddrInUse => match key {
            "http.listen" | "smtp.listen" | "submission.listen" => {
                let flag = key.replace('.', "-");
                format!("stop what listens there, or set {key} to another address (or give --{flag})")
            }
            _ => format!("stop what listens there, or set {key} to another address"),
        },
        io::ErrorKind::PermissionDenied => {
            format!("ports below 1024 need the capability CAP_NET_BIND_SERVICE, or set {key} to another one")
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
            posthouse_store::Error::Corrupt(cause) | posthouse_store::Error::Damaged(cause) => {
                Self::Damaged(cause.to_string())
            }
            error => Self::Store(format!("{error} ({})", error.internal())),
        }
    }
}

/// The clock of the machine.
#[must_use]
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// Where the database is; files of the store that others could read are narrowed before anybody opens them.
///
/// # Errors
/// When the embedded one's directory cannot be made.
pub fn database_url(config: &Config) -> Result<DatabaseUrl, BootError> {
    let url = match &config.database_url {
        Some(url) => url.parse()?,
        None => {
            make_private_directory(&config.data_dir)?;
            DatabaseUrl::Sqlite(config.data_dir.join("posthouse.db"))
        }
    };
    private::narrow(config, &url);
    Ok(url)
}

/// Opens the store and applies pending migrations.
///
/// # Errors
/// The store's own, and when its directory cannot be made.
pub fn open_store(config: &Config) -> Result<Store, BootError> {
    open(config, Opening::Beside)
}

/// Looks whether the database is the one of the data directory, and is there.
///
/// # Errors
/// [`BootError::Gone`], [`BootError::OtherStore`], and where it cannot be read.
pub fn check_belonging(config: &Config) -> Result<(), BootError> {
    Belonging::find(config, &database_url(config)?, false).map(drop)
}

/// Applies pending migrations; gives their names.
///
/// # Errors
/// As [`open_store`].
pub fn migrate(config: &Config) -> Result<Vec<&'static str>, BootError> {
    make_private_directory(&config.data_dir)?;
    let url = database_url(config)?;
    Belonging::find(config, &url, false)?;
    let applied = posthouse_store::migrate::apply(&url, posthouse_store::migrate::MIGRATIONS)?;
    // Opening it notes which store it is.
    open_store(config)?.close();
    Ok(applied)
}

/// What a store is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opening {
    /// A command, beside a service that may be running.
    Beside,
    /// The service, which may begin a new store where the one that was here is gone.
    Serving { new_store: bool },
}

fn open(config: &Config, opening: Opening) -> Result<Store, BootError> {
    // Keys and certificates live there, wherever the database is.
    make_private_directory(&config.data_dir)?;
    let url = database_url(config)?;
    let belonging = Belonging::find(config, &url, opening == Opening::Serving { new_store: true })?;
    let (clock, serving) = (clock(), opening != Opening::Beside);
    let watched = Arc::clone(&clock);
    let watch = Some(Watch::new(move || watched.now().millis()));
    let mark = Some(belonging.mark());
    let store = Store::open(StoreConfig { watch, serving, mark, ..StoreConfig::new(url) })?;
    belonging.settle(&store, serving, clock.as_ref())?;
    Ok(store)
}

/// Makes a directory that only its owner can read: it holds keys and mail.
fn make_private_directory(path: &std::path::Path) -> Result<(), BootError> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(BootError::io(format!("the directory {} cannot be made", path.display())))
}

/// Runs the service until the operator ends it.
///
/// # Errors
/// When it could not start.
pub async fn serve(mut config: Config, mut plan: Plan) -> Result<(), BootError> {
    let has = |role| plan.roles.contains(&role);
    let mut signals = Signals::hear().map_err(BootError::io("signals cannot be heard"))?;
    raise_descriptor_limit();
    let hangups = Hangups::hear().map_err(BootError::io("signals cannot be heard"))?;
    let http = if has(Role::Http) { Some(web::bind(&config).await?) } else { None };
    let smtp = if has(Role::Smtp) { bind_smtp(&config).await? } else { Vec::new() };
    let (mut submission, submission_tls) =
        if has(Role::Submission) { bind_submission(&config).await? } else { Default::default() };
    let first = |listeners: &[Listener]| listeners.first().and_then(|listener| listener.local_addr().ok());
    let bound = ready::Bound {
        http: http.as_ref().and_then(|bound| bound.address()),
        https: http.as_ref().and_then(|bound| bound.https_addresses().first().copied()),
        smtp: first(&smtp),
        submission: first(&submission),
        submission_tls: first(&submission_tls),
    };
    submission.extend(submission_tls);
    follow_listener(&mut config, bound.http);
    if let Some(file) = &plan.ready_file {
        // It may be in the data directory, which a first start makes.
        make_private_directory(&config.data_dir)?;
        file.try_place()?;
    }
    let store = open(&config, Opening::Serving { new_store: plan.new_store })?;
    let blobs = open_blobs(&config)?;
    prepare_blobs(&config, &blobs).await?;
    let (ports, ways_out) = ports(&config)?;
    let app = Arc::new(App::new(config, (store, blobs), ports));
    if app.blobs.are_remote() {
        // A service that is away does not hold up the start; the first look at `/readyz` asks it.
        app.shortage.doubt_blobs();
    }
    prepare_signing(&app).await?;
    if bound.wants_certificate() {
        prepare_tls(&app).await?;
    }
    // Last of what can fail: the first start shows a key that no other start can show again.
    let first_run = if has(Role::Http) { first::run(&app).await? } else { None };

    let mut tasks = JoinSet::new();
    tasks.spawn(watch_certificate(Arc::clone(&app), hangups));
    tasks.spawn(keep_mark(Arc::clone(&app)));
    if let Some(http) = http {
        tasks.spawn(listener::serve(http.entries(&app)?, Arc::clone(&app)));
    }
    open_doors(&app, &mut tasks, (smtp, submission))?;
    if has(Role::Worker) {
        begin_work(&app, &mut tasks, ways_out);
    }
    app.life.ready();
    ready::announce(&app, &mut plan, &bound, first_run.as_ref())?;
    if let (Some(first), Some(listener)) = (first_run, bound.smtp) {
        tasks.spawn(first::welcome(Arc::clone(&app), listener, first.address));
    }
    let signal = signals.asked().await;
    if let Some(file) = plan.ready_file {
        file.withdraw();
    }
    end(&app, tasks, signal).await;
    Ok(())
}

/// The jobs, and the care for connections that they leave open.
fn begin_work(app: &Arc<App>, tasks: &mut JoinSet<()>, ways_out: WaysOut) {
    tasks.spawn(unless_damaged(Arc::clone(app), runner::run(Arc::clone(app))));
    tasks.spawn(unless_damaged(Arc::clone(app), index::run(Arc::clone(app))));
    tasks.spawn(unless_damaged(Arc::clone(app), webhooks::run(Arc::clone(app))));
    let life = app.life.clone();
    tasks.spawn(async move {
        tokio::select! {
            () = life.drained() => ways_out.smtp.close_idle(0).await,
            () = ways_out.smtp.tend() => {}
            () = ways_out.http.tend() => {}
        }
    });
}

/// Ends work when the database is found damaged: what came of it could not be stored, and would be done again.
async fn unless_damaged(app: Arc<App>, work: impl Future<Output = ()>) {
    tokio::select! {
        () = work => {}
        () = app.store.damaged() => {}
    }
}

/// Opens the blob store; nothing is read or written yet.
///
/// # Errors
/// When its URL or its options are wrong.
pub fn open_blobs(config: &Config) -> Result<Blobs, BootError> {
    match &config.blob_url {
        Some(url) => Ok(Blobs::open(url, &config.blob_options.0)?),
        None => Ok(Blobs::files(config.data_dir.join(BLOBS_DIR))),
    }
}

/// Sees that there is a directory for blobs that can be written. A disk that is full now may have room later.
async fn prepare_blobs(config: &Config, blobs: &Blobs) -> Result<(), BootError> {
    match (blobs.prepare().await, &config.blob_url) {
        (Ok(()) | Err(posthouse_store::Error::Full(_)), _) => Ok(()),
        (Err(error), None) => Err(error.into()),
        (Err(error), Some(url)) => Err(BootError::Config(ConfigError(vec![Problem {
            key: "blob_url".to_owned(),
            value: Some(format!("{url:?}")),
            problem: format!("cannot be used: {}; a directory that can be written is wanted", error.internal()),
        }]))),
    }
}

/// Takes as many descriptors as the machine gives: every waiting client holds one, and the usual soft limit is 1,024.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        tracing::warn!(cause = %error, "the limit of open files stays as it was");
    }
}

/// Without a `base_url` of its own, the service is where it listens.
fn follow_listener(config: &mut Config, http: Option<SocketAddr>) {
    if let (true, Some(mut address)) = (config.base_url_follows_listener, http) {
        if address.ip().is_unspecified() {
            address.set_ip([127, 0, 0, 1].into());
        }
        config.base_url = format!("http://{address}");
    }
}

async fn bind_smtp(config: &Config) -> Result<Vec<Listener>, BootError> {
    bind_all("smtp.listen", &config.smtp.listen, Door::Clear).await
}

/// Those of STARTTLS, and those of TLS from the first byte.
async fn bind_submission(config: &Config) -> Result<(Vec<Listener>, Vec<Listener>), BootError> {
    let clear = bind_all("submission.listen", &config.submission.listen, Door::Clear).await?;
    Ok((clear, bind_all("submission.listen_tls", &config.submission.listen_tls, Door::Tls).await?))
}

async fn bind_all(key: &str, addresses: &[SocketAddr], door: Door) -> Result<Vec<Listener>, BootError> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        let bound = Listener::bind_door(*address, door).await;
        listeners.push(bound.map_err(BootError::listen(key, *address))?);
    }
    Ok(listeners)
}

/// Looks after the certificate until the process drains: every minute, and at once when SIGHUP asks.
async fn watch_certificate(app: Arc<App>, mut hangups: Hangups) {
    loop {
        let later = app.clock.sleep_until(app.clock.now().plus_ms(CERTIFICATE_LOOK_MS));
        tokio::select! {
            () = app.life.drained() => return,
            () = later => {}
            () = hangups.next() => tracing::info!("tls.look_asked_for"),
        }
        keep_certificate::look(&app).await;
    }
}

/// Keeps the count of commits outside the database until the process drains.
async fn keep_mark(app: Arc<App>) {
    loop {
        tokio::select! {
            () = app.life.drained() => return,
            () = app.clock.sleep_until(app.clock.now().plus_ms(MARK_MS)) => {}
        }
        // What it could not count now is counted the next time; the failure is told by whoever else meets it.
        let _ = app.store.keep_mark().await;
        let store = app.store.clone();
        let _ = tokio::task::spawn_blocking(move || store.flush_mark()).await;
    }
}

/// Serves the doors for mail: that of other servers, and that of mail programs.
fn open_doors(
    app: &Arc<App>,
    tasks: &mut JoinSet<()>,
    (smtp, submission): (Vec<Listener>, Vec<Listener>),
) -> Result<(), BootError> {
    let tls = app.tls.server_config(&[]).map_err(|error| BootError::Tls(error.to_string()))?;
    let exchanger = House::new(Arc::clone(app), Some(Arc::clone(&tls)));
    let office = House::submission(Arc::clone(app), tls);
    for (listeners, house) in [(smtp, exchanger), (submission, office)] {
        for listener in listeners {
            tasks.spawn(listener.serve(Arc::clone(&house)));
        }
    }
    Ok(())
}

/// The ways out, whose unused connections somebody has to close.
struct WaysOut {
    smtp: Arc<SmtpClient>,
    http: Arc<HttpClient>,
}

/// The outside world of a process that serves.
fn ports(config: &Config) -> Result<(Ports, WaysOut), BootError> {
    let (clock, dns) = (clock(), resolver(config)?);
    let smtp = Arc::new(SmtpClient::new(Arc::clone(&clock), config.delivery.connections_max));
    let http = Arc::new(HttpClient::new(Arc::clone(&clock)));
    let (smtp_out, http_out) = (Arc::clone(&smtp) as Arc<dyn SmtpOut>, Arc::clone(&http) as Arc<dyn HttpOut>);
    let authority = Arc::new(Authorities::new(Arc::clone(&dns)));
    Ok((Ports { clock, dns, smtp_out, http_out, authority }, WaysOut { smtp, http }))
}

/// The resolver of the configuration.
///
/// # Errors
/// When it cannot be set up.
pub fn resolver(config: &Config) -> Result<Arc<dyn Dns>, BootError> {
    let made = dns::Resolver::new(&config.nameservers, clock());
    let made = made.map_err(BootError::io("dns.nameservers: the resolver cannot be set up"))?;
    Ok(Arc::new(made.knowing(&config.mail.default_domain)))
}

/// The program beside a service that may be running: for commands. Its keys are those of the store.
///
/// # Errors
/// The store's, and when the instance key is not the store's.
pub async fn program(config: &Config) -> Result<Arc<App>, BootError> {
    let app = bare_program(config)?;
    let settled = signing::key_file::settle(&app).await;
    settled.map_err(|error| BootError::Signing(error.to_string()))?;
    Ok(app)
}

/// The program with whatever key it finds: for commands that use none, or look at it themselves.
///
/// # Errors
/// The store's.
pub fn bare_program(config: &Config) -> Result<Arc<App>, BootError> {
    let (ports, _) = ports(config)?;
    Ok(Arc::new(App::new(config.clone(), (open_store(config)?, open_blobs(config)?), ports)))
}

/// Closes the store. That waits for its threads, so it has a thread of its own.
pub async fn close(store: Store) {
    let _ = tokio::task::spawn_blocking(move || store.close()).await;
}

/// Opens the certificate. Files that the operator named are a part of the configuration.
async fn prepare_tls(app: &App) -> Result<(), BootError> {
    let begun = keep_certificate::begin(app).await;
    begun.map_err(|error| match error.in_configuration(&app.config) {
        Some(problem) => BootError::Config(ConfigError(vec![problem])),
        None => BootError::Tls(error.to_string()),
    })
}

/// Makes or opens the DKIM keys: without them nothing could be sent, and a wrong instance key is best told at the start.
async fn prepare_signing(app: &App) -> Result<(), BootError> {
    let records = signing::prepare(app).await.map_err(|error| BootError::Signing(error.to_string()))?;
    for record in records {
        tracing::debug!(name = record.name, "dkim.key_ready");
    }
    Ok(())
}

/// Stops accepting, finishes what was accepted, closes the store.
async fn end(app: &Arc<App>, mut tasks: JoinSet<()>, signal: &str) {
    tracing::info!(signal, "draining");
    app.life.drain();
    let all = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(Duration::from_millis(DRAIN_MS_MAX), all).await.is_err() {
        tracing::warn!(left = tasks.len(), "drain.cut_off");
        tasks.abort_all();
    }
    close(app.store.clone()).await;
    tracing::info!("stopped");
}
