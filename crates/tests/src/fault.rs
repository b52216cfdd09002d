//! Faults that come from outside the process: a network that is cut, a database that is held by somebody else, writes that
//! fail.
//!
//! A crash of the server itself is [`crate::TestServer::crash`]; a full disk is [`crate::Options::sqlite_pages_max`].

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

/// A TCP proxy in front of a PostgreSQL database, whose connections a test can cut.
pub struct Proxy {
    url: String,
    /// Whether connections live; a change to false ends those there are, and new ones end at once.
    open: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// Where the database really is.
#[derive(Clone)]
enum Upstream {
    Tcp(String, u16),
    Unix(PathBuf),
}

impl Proxy {
    /// A proxy in front of the database of that URL.
    ///
    /// # Panics
    /// Where the URL is none of PostgreSQL.
    pub async fn before(url: &str) -> Self {
        let config = postgres::Config::from_str(url).expect("a URL of PostgreSQL");
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

    /// The database through the proxy.
    #[must_use]
    pub fn url(&self) -> DatabaseUrl {
        DatabaseUrl::Postgres(self.url.clone())
    }

    /// Ends every connection, and every new one at once.
    pub fn cut(&self) {
        self.open.send_replace(false);
    }

    /// Lets connections through again.
    pub fn mend(&self) {
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
                // The sender may go with the proxy, which cuts as well.
                let _ = state.wait_for(|open| !open).await;
            };
            tokio::select! {
                () = cut => {}
                () = carry(client, upstream) => {}
            }
        });
    }
}

async fn carry(client: TcpStream, upstream: Upstream) {
    async fn both(mut client: TcpStream, mut server: impl AsyncRead + AsyncWrite + Unpin) {
        // The end of either side is the end of the connection, however it came.
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

/// The write lock of an SQLite file, held by somebody else until it is dropped.
pub struct HeldLock {
    release: Option<oneshot::Sender<()>>,
    store: Store,
}

impl HeldLock {
    /// Takes the lock and holds it.
    ///
    /// # Panics
    /// Where the file cannot be opened.
    pub async fn on(database: &DatabaseUrl) -> Self {
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

    /// Lets the lock go and waits until it is free.
    pub async fn release(mut self) {
        self.release = None;
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.close()).await.expect("closing does not panic");
    }
}

/// Write transactions of a server that fail when a test wants it. Clones are the same.
#[derive(Clone, Default)]
pub struct FailingWrites(Arc<Mutex<Plan>>);

/// Which writes fail.
#[derive(Default)]
struct Plan {
    point: Option<WritePoint>,
    /// Passings of the point that go well before.
    spared: u64,
    /// Passings that fail then.
    failing: u64,
    failed: u64,
}

impl FailingWrites {
    /// Fails the `n`th write from now on, from 1, at that point; those before and behind it go well.
    pub fn nth(&self, point: WritePoint, n: u64) {
        *self.plan() = Plan { point: Some(point), spared: n.saturating_sub(1), failing: 1, failed: 0 };
    }

    /// Fails so many writes at that point behind the first `spared` from now on.
    pub fn some(&self, point: WritePoint, spared: u64, failing: u64) {
        *self.plan() = Plan { point: Some(point), spared, failing, failed: 0 };
    }

    /// Fails every write at that point from now on.
    pub fn all(&self, point: WritePoint) {
        *self.plan() = Plan { point: Some(point), spared: 0, failing: u64::MAX, failed: 0 };
    }

    /// Fails none any more; says how many have failed.
    pub fn end(&self) -> u64 {
        std::mem::take(&mut *self.plan()).failed
    }

    /// How many have failed since it was said which do.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.plan().failed
    }

    /// What the store asks.
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

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An address on which nobody listens.
///
/// # Panics
/// Where no port is free.
pub async fn nobody_listens() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    listener.local_addr().expect("a bound listener has an address")
}
