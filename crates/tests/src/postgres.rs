//! A throwaway PostgreSQL cluster for tests, from the installed binaries.
//!
//! If `POSTHOUSE_TEST_PG_URL` is set (`scripts/test-postgres.sh`, and so `make test`), one cluster serves the whole
//! run; otherwise each test process starts its own on demand. The cluster ends with the process that started it, even
//! if that is killed. Each test has its own database.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use posthouse_store::{DatabaseUrl, migrate};

/// The script that starts and stops the cluster.
const SCRIPT: &str = include_str!("postgres.sh");
/// The advisory lock of the processes that make the template of test databases: "template" in ASCII.
const TEMPLATE_LOCK: i64 = 0x7465_6d70_6c61_7465;

/// A running cluster. Dropping it stops it and removes its files.
pub struct Cluster {
    url: String,
    /// `None` if another process started the cluster.
    shell_handle: Option<Mutex<ClusterShell>>,
    databases: AtomicU32,
}

/// A database that is dropped with this value: a thousand tests would otherwise leave 15 GB until the cluster ends.
pub struct TemporaryDatabase {
    url: String,
    admin_url: String,
}

impl TemporaryDatabase {
    /// Returns the URL of the database.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TemporaryDatabase {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", database_name(&self.url));
        // A failure must not hide the result of the test; the end of the cluster removes what is left.
        let _ = try_execute(&self.admin_url, [drop]);
    }
}

/// The shell that runs the cluster and stops it when its standard input closes.
struct ClusterShell {
    shell: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Cluster {
    /// Returns the cluster of this test process: the one `POSTHOUSE_TEST_PG_URL` names, or one started now.
    ///
    /// # Panics
    /// Panics if PostgreSQL is not installed or does not start: a missing engine fails the test.
    pub fn shared() -> &'static Cluster {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| match std::env::var("POSTHOUSE_TEST_PG_URL") {
            Ok(url) if !url.is_empty() => Cluster { url, shell_handle: None, databases: AtomicU32::new(0) },
            _ => Cluster::start(),
        })
    }

    /// Starts a separate cluster, for tests that stop and restart it.
    ///
    /// # Panics
    /// Panics if [`Cluster::shared`] does.
    pub fn start() -> Cluster {
        Self::start_with(&[])
    }

    /// Starts a cluster that also listens on this address of 127.0.0.1. With a directory that holds `server.crt` and
    /// `server.key`, that port uses TLS.
    ///
    /// # Panics
    /// Panics if [`Cluster::shared`] does.
    pub fn start_on_port(port: &crate::ports::ReservedPort, tls: Option<&std::path::Path>) -> Cluster {
        let mut settings = vec![("POSTHOUSE_TEST_PG_PORT", port.address().port().to_string())];
        settings.extend(tls.map(|dir| ("POSTHOUSE_TEST_PG_TLS", dir.display().to_string())));
        Self::start_with(&settings)
    }

    fn start_with(settings: &[(&str, String)]) -> Cluster {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT])
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let commands = shell.stdin.take();
        let mut answers = BufReader::new(shell.stdout.take().expect("stdout is piped"));
        let mut url = String::new();
        answers.read_line(&mut url).expect("the script answers");
        assert!(url.starts_with("postgres://"), "PostgreSQL did not start: see the message above");
        let shell_handle = Some(Mutex::new(ClusterShell { shell, commands, answers }));
        Cluster { url: url.trim().to_owned(), shell_handle, databases: AtomicU32::new(0) }
    }

    /// Creates an empty database and returns its URL.
    ///
    /// # Panics
    /// Panics if the cluster does not answer.
    pub fn create_database(&self) -> String {
        self.create_database_from("template1")
    }

    /// Creates a database that is dropped with the returned value. It has the tables of this version and no data: a copy
    /// of a database that the first test of the cluster migrates, because copying takes a third of the time.
    ///
    /// # Panics
    /// Panics if the cluster does not answer.
    pub fn create_temporary_database(&self) -> TemporaryDatabase {
        let url = self.create_database_from(&self.migrated_template());
        TemporaryDatabase { url, admin_url: self.url.clone() }
    }

    fn create_database_from(&self, template: &str) -> String {
        let name = format!("test_{}_{}", std::process::id(), self.databases.fetch_add(1, Ordering::Relaxed));
        let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
        execute(&self.url, [format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"), create]);
        self.url_of(&name)
    }

    /// Returns the name of a database with the schema of this version. It refuses connections once it is complete,
    /// because a database with connections can't be copied.
    fn migrated_template(&self) -> String {
        let name = format!("migrated_{:016x}", schema_hash());
        let (admin_url, url) = (self.url.clone(), self.url_of(&name));
        on_own_thread(move || {
            let mut admin = postgres::Client::connect(&admin_url, postgres::NoTls).expect("the cluster answers");
            let is_complete = format!("SELECT 1 FROM pg_database WHERE datname = '{name}' AND NOT datallowconn");
            let has_template =
                |admin: &mut postgres::Client| !admin.query(&is_complete, &[]).expect("the catalog is read").is_empty();
            if !has_template(&mut admin) {
                // Released when the connection closes.
                admin.batch_execute(&format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).expect("the lock is free");
                if !has_template(&mut admin) {
                    let statements = [format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")];
                    statements.iter().for_each(|text| admin.batch_execute(text).expect("the database is created"));
                    let database = DatabaseUrl::Postgres(url);
                    migrate::apply(&database, migrate::MIGRATIONS).expect("the schema is valid");
                    let close = format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false");
                    admin.batch_execute(&close).expect("the database is closed");
                }
            }
            name
        })
    }

    fn url_of(&self, database: &str) -> String {
        let (head, tail) = self.url.split_at(self.url.find('?').unwrap_or(self.url.len()));
        let (server, _) = head.rsplit_once('/').expect("the URL names a database");
        format!("{server}/{database}{tail}")
    }

    /// Replaces the database `to` with a copy of the database `from`, both named by URL. Ends their connections.
    ///
    /// # Panics
    /// Panics if the cluster does not answer.
    pub fn copy_database(&self, from: &str, to: &str) {
        let (from, to) = (database_name(from), database_name(to));
        let end = format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{from}'");
        let drop = format!("DROP DATABASE IF EXISTS {to} WITH (FORCE)");
        execute(&self.url, [end, drop, format!("CREATE DATABASE {to} TEMPLATE {from}")]);
    }

    /// Sends a command to a cluster started by [`Cluster::start`] and waits until it is done: `start`, `stop` (ends
    /// connections and keeps the data) or `crash` (as if killed).
    ///
    /// # Panics
    /// Panics if another process started the cluster.
    pub fn command(&self, command: &str) {
        let shell_handle = self.shell_handle.as_ref().expect("only a cluster started here accepts commands");
        let mut shell_handle = shell_handle.lock().unwrap_or_else(PoisonError::into_inner);
        let commands = shell_handle.commands.as_mut().expect("the input is open until the drop");
        writeln!(commands, "{command}").expect("the script listens");
        let mut answer = String::new();
        shell_handle.answers.read_line(&mut answer).expect("the script answers");
        assert_eq!(answer.trim(), "done", "command {command}");
    }
}

/// Runs statements in a database, one after another.
///
/// # Panics
/// Panics if the cluster does not answer or refuses a statement.
pub fn execute<const N: usize>(url: &str, statements: [String; N]) {
    try_execute(url, statements).expect("the cluster executes the statements");
}

fn try_execute<const N: usize>(url: &str, statements: [String; N]) -> Result<(), postgres::Error> {
    let url = url.to_owned();
    on_own_thread(move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls)?;
        statements.iter().try_for_each(|statement| client.batch_execute(statement))
    })
}

/// Runs work of the driver, which blocks and so must not run on a thread of an async runtime.
fn on_own_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(work).join().expect("the thread does not panic")
}

/// Returns a number that changes with the schema.
fn schema_hash() -> u64 {
    let mut hasher = DefaultHasher::new();
    migrate::MIGRATIONS.iter().for_each(|migration| migration.text.hash(&mut hasher));
    hasher.finish()
}

fn database_name(url: &str) -> &str {
    let head = url.split('?').next().unwrap_or(url);
    head.rsplit_once('/').expect("the URL names a database").1
}

impl Drop for ClusterShell {
    fn drop(&mut self) {
        self.commands = None; // The script stops the cluster when its input ends.
        let _ = self.shell.wait();
    }
}
