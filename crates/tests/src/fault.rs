//! Faults from outside the process: a cut network, a locked database, failing writes.
//!
//! For a crash of the server use [`crate::TestServer::crash`], for a full disk
//! [`crate::ServerOptions::sqlite_pages_max`].

use std::{
    net::SocketAddr,
    path::PathBuf,
    str::FromStr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_store::{DatabaseUrl, Error, Store, StoreConfig, WriteFaults, WritePoint};
use tokio::{
    io::{AsyncRead, AsyncWrite, copy_bidirectional},
    net::{TcpListener, TcpStream, UnixStream},
    sync::{oneshot, watch},
    task::JoinHandle,
};

/// A TCP proxy in front of a PostgreSQL database. A test can cut its connections.
pub struct Proxy {
    url: String,
    /// Whether connections are allowed. A change to false ends the open ones; new ones end at once.
    open: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// The address of the real database.
#[derive(Clone)]
enum Upstream {
    Tcp(String, u16),
    Unix(PathBuf),
}

impl Proxy {
    /// Starts a proxy in front of the database at `url`.
    ///
    /// # Panics
    /// Panics if `url` is not a PostgreSQL URL.
    pub async fn in_front_of(url: &str) -> Self {
        let config = postgres::Config::from_str(url).expect("a PostgreSQL URL");
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let upstream = match config.get_hosts().first().expect("a URL with a host") {
            postgres::config::Host::Tcp(host) => Upstream::Tcp(host.clone(), port),
            postgres::config::Host::Unix(dir) => Upstream::Unix(dir.join(format!(".s.PGSQL.{port}"))),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let (user, name) = (config.get_user().unwrap_or("postgres"), config.get_dbname().unwrap_or("postgres"));
        let url = format!("postgres://{user}@{address}/{name}");
        let open = watch::Sender::new(true);
        let task = tokio::spawn(serve(listener, upstream, open.clone()));
        Self { url, open, task }
    }

    /// Returns the URL of the database through the proxy.
    #[must_use]
    pub fn url(&self) -> DatabaseUrl {
        DatabaseUrl::Postgres(self.url.clone())
    }

    /// Ends every connection, and each new one at once.
    pub fn cut(&self) {
        self.open.send_replace(false);
    }

    /// Allows connections again.
    pub fn restore(&self) {
        self.open.send_replace(true);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

async fn serve(listener: TcpListener, upstream: Upstream, open: watch::Sender<bool>) {
    while let Ok((client, _)) = listener.accept().await {
        let mut state = open.subscribe();
        if !*state.borrow() {
            continue;
        }
        let upstream = upstream.clone();
        tokio::spawn(async move {
            let cut = async {
                // The sender is dropped with the proxy, which also cuts.
                let _ = state.wait_for(|open| !open).await;
            };
            tokio::select! {
                () = cut => {}
                () = forward(client, upstream) => {}
            }
        });
    }
}

async fn forward(client: TcpStream, upstream: Upstream) {
    async fn both(mut client: TcpStream, mut server: impl AsyncRead + AsyncWrite + Unpin) {
        // Ends the connection when either side ends it, for any reason.
        let _ = copy_bidirectional(&mut client, &mut server).await;
    }
    match upstream {
        Upstream::Tcp(host, port) => {
            if let Ok(server) = TcpStream::connect((host.as_str(), port)).await {
                both(client, server).await;
            }
        }
        Upstream::Unix(path) => {
            if let Ok(server) = UnixStream::connect(path).await {
                both(client, server).await;
            }
        }
    }
}

/// The write lock of an SQLite file, held by another connection until it is released or dropped.
pub struct HeldLock {
    release: Option<oneshot::Sender<()>>,
    store: Store,
}

impl HeldLock {
    /// Acquires the lock and holds it.
    ///
    /// # Panics
    /// Panics if the file can't be opened.
    pub async fn acquire(database: &DatabaseUrl) -> Self {
        let store = Store::open(StoreConfig::new(database.clone())).expect("the file can be opened twice");
        let (release, wait) = oneshot::channel::<()>();
        let (taken, is_taken) = oneshot::channel::<()>();
        let once = Arc::new(Mutex::new(Some((taken, wait))));
        let holder = store.clone();
        tokio::spawn(async move {
            let hold = move |_: &mut posthouse_store::Tx| -> Result<(), Error> {
                if let Some((taken, wait)) = once.lock().unwrap().take() {
                    let _ = taken.send(());
                    let _ = wait.blocking_recv();
                }
                Ok(())
            };
            let _ = holder.write(hold).await;
        });
        is_taken.await.expect("the unit that holds the lock begins");
        Self { release: Some(release), store }
    }

    /// Releases the lock and waits until it is free.
    pub async fn release(mut self) {
        self.release = None;
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.close()).await.expect("closing does not panic");
    }
}

/// Write transactions of a server that fail on request. Clones share the plan.
#[derive(Clone, Default)]
pub struct FailingWrites(Arc<Mutex<WriteFaultPlan>>);

/// Which writes fail.
#[derive(Default)]
struct WriteFaultPlan {
    point: Option<WritePoint>,
    /// Writes at the point that still succeed before the first failure.
    spared: u64,
    /// Writes that fail after that.
    failing: u64,
    failed: u64,
}

impl FailingWrites {
    /// Fails the `n`th write at that point from now on, counted from 1. Writes before and after it succeed.
    pub fn fail_nth(&self, point: WritePoint, n: u64) {
        *self.plan() = WriteFaultPlan { point: Some(point), spared: n.saturating_sub(1), failing: 1, failed: 0 };
    }

    /// Fails `failing` writes at that point, after the next `spared` ones.
    pub fn fail_range(&self, point: WritePoint, spared: u64, failing: u64) {
        *self.plan() = WriteFaultPlan { point: Some(point), spared, failing, failed: 0 };
    }

    /// Fails every write at that point from now on.
    pub fn fail_every(&self, point: WritePoint) {
        *self.plan() = WriteFaultPlan { point: Some(point), spared: 0, failing: u64::MAX, failed: 0 };
    }

    /// Fails no more writes and returns how many have failed.
    pub fn stop(&self) -> u64 {
        std::mem::take(&mut *self.plan()).failed
    }

    /// Returns how many writes have failed under the current plan.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.plan().failed
    }

    /// Returns the hook that the store calls at each write point.
    pub(crate) fn faults(&self) -> WriteFaults {
        let plan = self.clone();
        WriteFaults::new(move |point| plan.pass(point))
    }

    fn pass(&self, point: WritePoint) -> Result<(), Error> {
        let mut plan = self.plan();
        if plan.point != Some(point) {
            return Ok(());
        }
        if plan.spared > 0 {
            plan.spared -= 1;
            return Ok(());
        }
        if plan.failing == 0 {
            return Ok(());
        }
        plan.failing -= 1;
        plan.failed += 1;
        Err(Error::Unavailable("a test made this write fail".into()))
    }

    fn plan(&self) -> MutexGuard<'_, WriteFaultPlan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns an address without a listener.
///
/// # Panics
/// Panics if no port is free.
pub async fn closed_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    listener.local_addr().expect("a bound listener has an address")
}
