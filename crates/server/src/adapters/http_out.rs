//! POSTs to other servers, over connections that are kept for a moment (port [`HttpOut`]).
//!
//! HTTP/1.1, to the addresses it is handed and no others: it resolves no name, follows no redirect and asks no proxy. It
//! never waits by itself: who gives up a request drops it, and its connection with it.

mod wire;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use posthouse_domain::time::Time;
use tokio::net::TcpStream;

use self::wire::{Failure, Wire};
use super::smtp_out::tls::Connectors;
use crate::ports::{Clock, HttpAnswer, HttpOut, Pending, Posting};

/// How long an unused connection is kept, in milliseconds: less than the 5 seconds after which many servers close theirs.
const IDLE_MS_MAX: i64 = 4_000;
/// Unused connections to one server.
const IDLE_PER_SERVER_MAX: usize = 16;
/// Unused connections in all.
const IDLE_MAX: usize = 1_000;
/// How long one of several addresses may take to connect, in milliseconds, before the next is tried.
const CONNECT_MS_MAX: u64 = 3_000;

/// What two requests must have in common to share a connection.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    address: SocketAddr,
    host: String,
    https: bool,
}

struct Unused {
    wire: Wire,
    since: Time,
}

/// Unused connections by server, the one used last at the end.
#[derive(Default)]
struct Pool {
    unused: HashMap<Key, Vec<Unused>>,
    count: usize,
}

/// The client of the process.
pub struct HttpClient {
    clock: Arc<dyn Clock>,
    connectors: Connectors,
    pool: Mutex<Pool>,
}

impl Pool {
    fn take(&mut self, key: &Key, since: Time) -> Option<Wire> {
        let last = self.unused.get_mut(key)?.pop_if(|unused| unused.since >= since)?;
        self.count -= 1;
        Some(last.wire)
    }

    fn put(&mut self, key: Key, wire: Wire, now: Time) {
        if self.count >= IDLE_MAX {
            self.forget_unused_since(now.plus_ms(-IDLE_MS_MAX));
        }
        let list = self.unused.entry(key).or_default();
        if self.count < IDLE_MAX && list.len() < IDLE_PER_SERVER_MAX {
            list.push(Unused { wire, since: now });
            self.count += 1;
        }
    }

    fn forget_unused_since(&mut self, until: Time) {
        for list in self.unused.values_mut() {
            list.retain(|unused| unused.since > until);
        }
        self.unused.retain(|_, list| !list.is_empty());
        self.count = self.unused.values().map(Vec::len).sum();
    }
}

impl HttpClient {
    /// A client without any connection.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, connectors: Connectors::default(), pool: Mutex::default() }
    }

    /// Closes unused connections as their time comes, for ever.
    pub async fn tend(&self) {
        loop {
            self.clock.sleep_until(self.clock.now().plus_ms(IDLE_MS_MAX)).await;
            self.pool().forget_unused_since(self.clock.now().plus_ms(-IDLE_MS_MAX));
        }
    }

    async fn post(&self, posting: &Posting) -> Result<HttpAnswer, String> {
        let since = self.clock.now().plus_ms(-IDLE_MS_MAX);
        for address in &posting.addresses {
            let key = Key { address: *address, host: posting.host.clone(), https: posting.https };
            let used = self.pool().take(&key, since);
            if let Some(mut wire) = used {
                match wire.exchange(posting).await {
                    Ok(answer) => return Ok(self.keep(key, wire, answer)),
                    // The server may have closed it while it was unused: that says nothing about this request.
                    Err(Failure { is_stale: true, .. }) => break,
                    Err(failure) => return Err(failure.what),
                }
            }
        }
        let (key, mut wire) = self.open(posting).await?;
        match wire.exchange(posting).await {
            Ok(answer) => Ok(self.keep(key, wire, answer)),
            Err(failure) => Err(failure.what),
        }
    }

    fn keep(&self, key: Key, wire: Wire, answer: HttpAnswer) -> HttpAnswer {
        if wire.is_ready() {
            self.pool().put(key, wire, self.clock.now());
        }
        answer
    }

    /// Connects to the first address that lets us.
    async fn open(&self, posting: &Posting) -> Result<(Key, Wire), String> {
        let mut why = "there is no address to connect to".to_owned();
        let last = posting.addresses.len().saturating_sub(1);
        for (at, address) in posting.addresses.iter().enumerate() {
            let connecting = TcpStream::connect(address);
            let connected = match at == last {
                true => connecting.await,
                false => tokio::time::timeout(Duration::from_millis(CONNECT_MS_MAX), connecting)
                    .await
                    .unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into())),
            };
            match connected {
                Ok(socket) => {
                    // A request is written whole: Nagle's algorithm would only delay its end.
                    let _ = socket.set_nodelay(true);
                    let key = Key { address: *address, host: posting.host.clone(), https: posting.https };
                    return Ok((key, self.begin(posting, *address, socket).await?));
                }
                Err(error) => why = format!("{} cannot be connected to: {error}", address.ip()),
            }
        }
        Err(why)
    }

    async fn begin(&self, posting: &Posting, address: SocketAddr, socket: TcpStream) -> Result<Wire, String> {
        if !posting.https {
            return Wire::over(socket).await;
        }
        let connector = self.connectors.of(true).map_err(|error| error.to_string())?;
        let name = self.connectors.server_name(&posting.host, address);
        let stream = connector.connect(name, socket).await.map_err(|error| format!("TLS: {error}"))?;
        Wire::over(stream).await
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpOut for HttpClient {
    fn post(&self, posting: Posting) -> Pending<'_, Result<HttpAnswer, String>> {
        Box::pin(async move { self.post(&posting).await })
    }
}
