//! SMTP to other servers over TCP and TLS, with connections that are used again (RFC 5321 §4.5.4, RFC 3207, RFC 7435).
//!
//! Drives the session of `posthouse_mail::smtp::client`; what a reply means is decided there, what follows from it above.
//! A host never gets more connections than allowed, nor do all hosts together; an idle one makes room for a new one.

mod connection;
mod pool;
pub(super) mod tls;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_mail::smtp::client::{ConnectionFailure, Message, RecipientOutcome, Stage};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::ports::{Answered, Clock, Peer, Pending, SmtpOut};
use connection::Connection;
use pool::{Key, Pool};
use tls::Connectors;

pub use crate::tls::ClientTlsError as TlsError;

/// How long an unused connection is kept open, in milliseconds.
pub const IDLE_MS_MAX: i64 = 10_000;
/// How often unused connections are looked at, in milliseconds.
const TENDING_MS: i64 = 2_000;
/// Hosts whose connections are counted before those that have none are forgotten.
const HOSTS_COUNTED_MAX: usize = 1_000;

/// The way out for mail.
pub struct SmtpClient {
    clock: Arc<dyn Clock>,
    connectors: Connectors,
    /// Connections to all hosts together (`delivery.max_connections`).
    connections_max: usize,
    pool: Mutex<Pool>,
    hosts: Mutex<HashMap<SocketAddr, Arc<Semaphore>>>,
    all: Semaphore,
}

/// The right to have a connection. The host's turn comes first, so that who waits for a busy host holds up no other.
struct Turn<'a> {
    _host: OwnedSemaphorePermit,
    _all: SemaphorePermit<'a>,
}

impl SmtpClient {
    /// A client without any connection, that may have so many to all hosts together.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, connections_max: usize) -> Self {
        Self {
            clock,
            connectors: Connectors::default(),
            connections_max,
            pool: Mutex::new(Pool::default()),
            hosts: Mutex::new(HashMap::new()),
            all: Semaphore::new(connections_max.max(1)),
        }
    }

    /// Closes unused connections as their time comes, for ever. Without it they are closed when others need the room.
    pub async fn tend(&self) {
        loop {
            self.clock.sleep_until(self.clock.now().plus_ms(TENDING_MS)).await;
            self.close_idle(IDLE_MS_MAX).await;
        }
    }

    /// Says good-bye on every connection that was unused for so long; 0 means on all of them.
    pub async fn close_idle(&self, idle_ms: i64) {
        let until = self.clock.now().plus_ms(-idle_ms);
        let old = lock(&self.pool).take_unused_since(until);
        for connection in old {
            connection.close().await;
        }
    }

    async fn turn(&self, peer: &Peer) -> Turn<'_> {
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
        Turn { _host: host, _all: self.all.acquire().await.expect(never_closed) }
    }

    async fn offer(&self, peer: &Peer, message: Message) -> Result<Answered, ConnectionFailure> {
        let _turn = self.turn(peer).await;
        let key = Key::of(peer);
        let since = self.clock.now().plus_ms(-IDLE_MS_MAX);
        let used = lock(&self.pool).take(&key, since);
        if let Some(mut connection) = used {
            let outcomes = connection.send(message.clone()).await;
            if !is_stale(&outcomes) {
                return Ok(self.finish((peer, key), connection, outcomes).await);
            }
        }
        self.make_room().await;
        let mut connection = Connection::open(peer, &self.connectors, self.clock.now()).await?;
        let outcomes = connection.send(message).await;
        Ok(self.finish((peer, key), connection, outcomes).await)
    }

    /// Keeps the connection for the next message, or closes it.
    async fn finish(
        &self,
        (peer, key): (&Peer, Key),
        mut connection: Connection,
        outcomes: Vec<RecipientOutcome>,
    ) -> Answered {
        let tls = connection.tls();
        if connection.is_ready().await {
            if connection.messages() < peer.messages_max {
                lock(&self.pool).put(key, connection, self.clock.now());
            } else {
                connection.close().await;
            }
        }
        Answered { outcomes, tls }
    }

    /// Closes the connection that is unused for longest, if there are as many as allowed.
    async fn make_room(&self) {
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

/// Whether a connection that was used before had died, or was ended by the server, before it heard of this message.
fn is_stale(outcomes: &[RecipientOutcome]) -> bool {
    let early = |outcome: &RecipientOutcome| {
        outcome.try_next_host && matches!(outcome.stage, Stage::MailFrom | Stage::Reset | Stage::Idle)
    };
    !outcomes.is_empty() && outcomes.iter().all(early)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SmtpOut for SmtpClient {
    fn offer(&self, peer: Peer, message: Message) -> Pending<'_, Result<Answered, ConnectionFailure>> {
        Box::pin(async move { self.offer(&peer, message).await })
    }
}
