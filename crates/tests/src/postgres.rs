//! A throw-away PostgreSQL cluster for tests, from the machine's own binaries.
//!
//! One cluster serves a whole run where `POSTHOUSE_TEST_PG_URL` names it (`scripts/test-postgres.sh`, so `make test`);
//! otherwise each test process starts its own on demand. Either way the cluster ends with the process that started it,
//! even when that is killed, and each test has a database of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The script that starts and stops the cluster.
const SCRIPT: &str = include_str!("postgres.sh");

/// A running cluster. Dropping it stops it and removes its files.
pub struct Cluster {
    url: String,
    /// `None` where somebody else started it.
    keeper: Option<Mutex<Keeper>>,
    databases: AtomicU32,
}

/// The shell that runs the cluster and ends it when our end of its input closes.
struct Keeper {
    shell: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Cluster {
    /// The cluster of this test process: the one `POSTHOUSE_TEST_PG_URL` names, or one started now.
    ///
    /// # Panics
    /// Where PostgreSQL is not installed or does not start: a missing engine is a failed test.
    pub fn shared() -> &'static Cluster {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| match std::env::var("POSTHOUSE_TEST_PG_URL") {
            Ok(url) if !url.is_empty() => Cluster { url, keeper: None, databases: AtomicU32::new(0) },
            _ => Cluster::start(),
        })
    }

    /// Starts a cluster of one's own, for tests that stop and restart it.
    ///
    /// # Panics
    /// As [`Cluster::shared`].
    pub fn start() -> Cluster {
        Self::start_with(&[])
    }

    /// Starts a cluster that also listens on a port of 127.0.0.1; with a directory that holds `server.crt` and
    /// `server.key`, with TLS there. The address to connect to.
    ///
    /// # Panics
    /// As [`Cluster::shared`].
    pub fn start_on_port(tls: Option<&std::path::Path>) -> (Cluster, std::net::SocketAddr) {
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.expect("a free port");
        let mut settings = vec![("POSTHOUSE_TEST_PG_PORT", address.port().to_string())];
        settings.extend(tls.map(|dir| ("POSTHOUSE_TEST_PG_TLS", dir.display().to_string())));
        (Self::start_with(&settings), address)
    }

    fn start_with(settings: &[(&str, String)]) -> Cluster {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT])
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let orders = shell.stdin.take();
        let mut answers = BufReader::new(shell.stdout.take().expect("stdout is piped"));
        let mut url = String::new();
        answers.read_line(&mut url).expect("the script answers");
        assert!(url.starts_with("postgres://"), "PostgreSQL did not start: see the message above");
        let keeper = Some(Mutex::new(Keeper { shell, orders, answers }));
        Cluster { url: url.trim().to_owned(), keeper, databases: AtomicU32::new(0) }
    }

    /// Makes an empty database and returns its URL.
    ///
    /// # Panics
    /// Where the cluster does not answer.
    pub fn create_database(&self) -> String {
        let name = format!("test_{}_{}", std::process::id(), self.databases.fetch_add(1, Ordering::Relaxed));
        let url = self.url.clone();
        let sql = [format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"), format!("CREATE DATABASE {name}")];
        // On a thread of its own, since the driver must not be called on a thread of an async runtime.
        let made = std::thread::spawn(move || {
            let mut client = postgres::Client::connect(&url, postgres::NoTls)?;
            sql.iter().try_for_each(|s| client.batch_execute(s))
        });
        made.join().expect("the thread does not panic").expect("the cluster makes a database");
        let (head, tail) = self.url.split_at(self.url.find('?').unwrap_or(self.url.len()));
        let (server, _) = head.rsplit_once('/').expect("the URL names a database");
        format!("{server}/{name}{tail}")
    }

    /// Gives an order to a cluster that was started by [`Cluster::start`] and waits until it is done: `start`, `stop`
    /// (connections are ended, everything is kept), `crash` (as if killed).
    ///
    /// # Panics
    /// Where somebody else started the cluster.
    pub fn order(&self, order: &str) {
        let keeper = self.keeper.as_ref().expect("only a cluster of one's own takes orders");
        let mut keeper = keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let orders = keeper.orders.as_mut().expect("the input is open until the drop");
        writeln!(orders, "{order}").expect("the script listens");
        let mut answer = String::new();
        keeper.answers.read_line(&mut answer).expect("the script answers");
        assert_eq!(answer.trim(), "done", "order {order}");
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.orders = None; // end of input: the script stops the cluster
        let _ = self.shell.wait();
    }
}
