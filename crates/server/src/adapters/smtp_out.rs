//! The SMTP client, which reuses connections (RFC 5321 §4.5.4, RFC 3207, RFC 7435).
//!
//! It drives the sessions of `posthouse_mail::smtp::client`, which interpret replies. Connections are limited per host
//! and in total; an idle connection is closed if a new one would exceed the limit.

mod connection;
mod pool;
pub(super) mod tls;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_mail::smtp::client::{ConnectionFailure, OutboundMessage, RecipientOutcome, SmtpStage};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use connection::Connection;
use pool::{SmtpConnectionKey, SmtpConnectionPool};
use posthouse_app::ports::{BoxFuture, Clock, Peer, SmtpResponse, SmtpTransport};
use tls::Connectors;

pub use posthouse_app::tls::TlsClientError;

/// How long an idle connection is kept open, in milliseconds.
pub const IDLE_MS_MAX: i64 = 10_000;
/// How often idle connections are checked, in milliseconds.
const IDLE_CHECK_MS: i64 = 2_000;
/// Number of hosts at which those without connections are removed.
const HOSTS_COUNTED_MAX: usize = 1_000;

/// The SMTP client of the process.
pub struct SmtpClient {
    clock: Arc<dyn Clock>,
    connectors: Connectors,
    /// Connections to all hosts together (`delivery.max_connections`).
    connections_max: usize,
    pool: Mutex<SmtpConnectionPool>,
    hosts: Mutex<HashMap<SocketAddr, Arc<Semaphore>>>,
    all: Semaphore,
}

/// A permit for one connection. The host's permit is acquired first, so that waiting for a busy host doesn't block
/// others.
struct OutboundPermit<'a> {
    _host: OwnedSemaphorePermit,
    _all: SemaphorePermit<'a>,
}

impl SmtpClient {
    /// Creates a client with a limit of connections to all hosts together.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, connections_max: usize) -> Self {
        Self {
            clock,
            connectors: Connectors::default(),
            connections_max,
            pool: Mutex::new(SmtpConnectionPool::default()),
            hosts: Mutex::new(HashMap::new()),
            all: Semaphore::new(connections_max.max(1)),
        }
    }

    /// Closes idle connections in a loop that never ends. Without it they are closed only at the connection limit.
    pub async fn close_idle_loop(&self) {
        loop {
            self.clock.sleep_until(self.clock.now().plus_ms(IDLE_CHECK_MS)).await;
            self.close_idle(IDLE_MS_MAX).await;
        }
    }

    /// Closes every connection that was idle for at least `idle_ms` with QUIT; 0 closes all idle ones.
    pub async fn close_idle(&self, idle_ms: i64) {
        let until = self.clock.now().plus_ms(-idle_ms);
        let old = lock(&self.pool).take_unused_since(until);
        for connection in old {
            connection.close().await;
        }
    }

    async fn permit(&self, peer: &Peer) -> OutboundPermit<'_> {
        let host = {
            let mut hosts = lock(&self.hosts);
            if hosts.len() >= HOSTS_COUNTED_MAX {
                hosts.retain(|_, host| Arc::strong_count(host) > 1);
            }
            let most = usize::try_from(peer.connections_max).unwrap_or(1).max(1);
            hosts.entry(peer.address).or_insert_with(|| Arc::new(Semaphore::new(most))).clone()
        };
        let never_closed = "the semaphores are never closed";
        let host = host.acquire_owned().await.expect(never_closed);
        OutboundPermit { _host: host, _all: self.all.acquire().await.expect(never_closed) }
    }

    async fn offer(&self, peer: &Peer, message: OutboundMessage) -> Result<SmtpResponse, ConnectionFailure> {
        let _permit = self.permit(peer).await;
        let key = SmtpConnectionKey::of(peer);
        let since = self.clock.now().plus_ms(-IDLE_MS_MAX);
        let used = lock(&self.pool).checkout(&key, since);
        if let Some(mut connection) = used {
            let outcomes = connection.send(message.clone()).await;
            if !is_stale(&outcomes) {
                return Ok(self.finish(peer, key, connection, outcomes).await);
            }
        }
        self.close_longest_idle().await;
        let mut connection = Connection::open(peer, &self.connectors, self.clock.now()).await?;
        let outcomes = connection.send(message).await;
        Ok(self.finish(peer, key, connection, outcomes).await)
    }

    /// Returns the connection to the pool, or closes it.
    async fn finish(
        &self,
        peer: &Peer,
        key: SmtpConnectionKey,
        mut connection: Connection,
        outcomes: Vec<RecipientOutcome>,
    ) -> SmtpResponse {
        let tls = connection.tls();
        if connection.is_ready().await {
            if connection.messages() < peer.messages_max {
                lock(&self.pool).checkin(key, connection, self.clock.now());
            } else {
                connection.close().await;
            }
        }
        SmtpResponse { outcomes, tls }
    }

    /// Closes the connection that is idle longest if the limit is reached.
    async fn close_longest_idle(&self) {
        let busy = self.connections_max.saturating_sub(self.all.available_permits());
        let oldest = {
            let mut pool = lock(&self.pool);
            if pool.len() + busy > self.connections_max { pool.take_oldest() } else { None }
        };
        if let Some(connection) = oldest {
            connection.close().await;
        }
    }
}

/// Returns whether a reused connection was closed before the server accepted the sender of this message.
fn is_stale(outcomes: &[RecipientOutcome]) -> bool {
    let early = |outcome: &RecipientOutcome| {
        outcome.try_next_host && matches!(outcome.stage, SmtpStage::MailFrom | SmtpStage::Reset | SmtpStage::Idle)
    };
    !outcomes.is_empty() && outcomes.iter().all(early)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SmtpTransport for SmtpClient {
    fn offer(&self, peer: Peer, message: OutboundMessage) -> BoxFuture<'_, Result<SmtpResponse, ConnectionFailure>> {
        Box::pin(async move { self.offer(&peer, message).await })
    }
}
