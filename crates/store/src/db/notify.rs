//! Cross-process wakes on PostgreSQL: NOTIFY after the commit, LISTEN on a dedicated connection.
//!
//! NOTIFY isn't part of the business transaction: PostgreSQL would then hold one cluster-wide lock from before the
//! COMMIT until after its flush, which would serialize such commits across all processes. Instead, one thread announces
//! commits afterward, with many workspaces per message. If the process dies between COMMIT and NOTIFY, waiters in
//! *other* processes only find the change at their next timed poll, so every waiter must have one.

use crate::db::connection::PgConnection;
use crate::db::presence;
use crate::db::wakes::Wakes;
use crate::{Error, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use postgres::fallible_iterator::FallibleIterator;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;
use uuid::Uuid;

/// IDs per message: 37 bytes each, and PostgreSQL limits a payload to less than 8,000 bytes.
const IDS_PER_MESSAGE: usize = 200;
/// Commits waiting to be announced. Beyond that, a single message wakes all waiters instead.
const QUEUE_LEN: usize = 4096;
/// Pause before the next connection attempt; also the longest a thread takes to notice that the store was closed.
const PAUSE: Duration = Duration::from_millis(500);
/// The payload that wakes all waiters.
const EVERYTHING: &str = "*";

/// Announces commits to the other processes.
pub(crate) struct WakeNotifier {
    queue: Sender<Vec<Uuid>>,
    /// Set when an announcement couldn't be queued or sent: the next message wakes all waiters.
    overflow: Arc<AtomicBool>,
    /// Dropped with the `WakeNotifier`, which ends the listening thread.
    _listening: Sender<()>,
}

impl WakeNotifier {
    /// Starts the sending and the listening thread. Both end soon after the `WakeNotifier` is dropped. The listening
    /// connection is permanent, so it also holds the lock that marks the store as served.
    ///
    /// The returned receiver disconnects once everything is announced.
    pub(crate) fn start(url: &str, wakes: &Wakes, serving: bool) -> Result<(Self, Receiver<()>)> {
        let mut first = PgConnection::connect(url)?;
        if serving {
            presence::serve_on(&mut first)?;
        }
        let (queue, receiver) = bounded(QUEUE_LEN);
        let overflow = Arc::new(AtomicBool::new(false));
        let own_pid = Arc::new(AtomicI32::new(0));
        let (listening, ended) = bounded(0);
        let (sending, sent) = bounded(0);
        let (overflowed, own) = (overflow.clone(), own_pid.clone());
        let sender =
            WakeSender { url: url.to_owned(), queue: receiver, overflow: overflowed, own_pid: own, _sending: sending };
        let listener = WakeListener { url: url.to_owned(), wakes: wakes.clone(), own_pid, ended, serving };
        spawn("db-notify", move || sender.run())?;
        spawn("db-listen", move || listener.run(first))?;
        Ok((WakeNotifier { queue, overflow, _listening: listening }, sent))
    }

    pub(crate) fn notify(&self, workspace_ids: Vec<Uuid>) {
        if !workspace_ids.is_empty()
            && let Err(TrySendError::Full(_)) = self.queue.try_send(workspace_ids)
        {
            self.overflow.store(true, Ordering::Relaxed);
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).map(|_| ()).map_err(Error::unavailable)
}

struct WakeSender {
    url: String,
    queue: Receiver<Vec<Uuid>>,
    overflow: Arc<AtomicBool>,
    own_pid: Arc<AtomicI32>,
    /// Dropped at the end.
    _sending: Sender<()>,
}

impl WakeSender {
    fn run(self) {
        let (mut connection, mut has_unsent, mut is_open) = (None, false, true);
        while is_open {
            // Unsent announcements are retried until they succeed, even if nothing is committed in the meantime.
            let batch = if has_unsent { self.queue.recv_timeout(PAUSE) } else { self.queue.recv().map_err(Into::into) };
            is_open = batch != Err(RecvTimeoutError::Disconnected);
            let ids: BTreeSet<Uuid> = batch.into_iter().chain(self.queue.try_iter()).flatten().collect();
            if ids.is_empty() && !has_unsent {
                continue;
            }
            // A broken idle connection is only detected by sending, so this retries once on a new one.
            let sent = self.send(&mut connection, &ids).or_else(|_| {
                self.overflow.store(true, Ordering::Relaxed);
                connection = None;
                self.send(&mut connection, &ids)
            });
            has_unsent = sent.is_err();
            if let Err(error) = sent {
                tracing::debug!(cause = error.internal(), "failed to announce commits to other processes");
                self.overflow.store(true, Ordering::Relaxed);
                connection = None;
            }
        }
    }

    fn send(&self, connection: &mut Option<PgConnection>, ids: &BTreeSet<Uuid>) -> Result<()> {
        let connection = match connection {
            Some(connection) => connection,
            empty => {
                let mut fresh = PgConnection::connect(&self.url)?;
                self.own_pid.store(fresh.client().query_one("SELECT pg_backend_pid()", &[])?.get(0), Ordering::Relaxed);
                empty.insert(fresh)
            }
        };
        if self.overflow.swap(false, Ordering::Relaxed) {
            return connection.batch("NOTIFY posthouse_wakes, '*'");
        }
        let ids: Vec<_> = ids.iter().collect();
        for chunk in ids.chunks(IDS_PER_MESSAGE) {
            let text = chunk.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            connection.batch(&format!("NOTIFY posthouse_wakes, '{text}'"))?; // UUIDs need no escaping
        }
        Ok(())
    }
}

struct WakeListener {
    url: String,
    wakes: Wakes,
    own_pid: Arc<AtomicI32>,
    ended: Receiver<()>,
    serving: bool,
}

impl WakeListener {
    fn run(self, first: PgConnection) {
        let mut first = Some(first);
        while !self.is_ended_after(Duration::ZERO) {
            if let Err(error) = self.connection(first.take()).and_then(|connection| self.listen(connection)) {
                tracing::debug!(error = error.internal(), "listening for wakes was interrupted");
                if self.is_ended_after(PAUSE) {
                    return;
                }
            }
        }
    }

    fn is_ended_after(&self, pause: Duration) -> bool {
        self.ended.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected)
    }

    fn connection(&self, first: Option<PgConnection>) -> Result<PgConnection> {
        if let Some(first) = first {
            return Ok(first);
        }
        let mut connection = PgConnection::connect(&self.url)?;
        if self.serving {
            presence::serve_on(&mut connection)?;
        }
        Ok(connection)
    }

    fn listen(&self, mut connection: PgConnection) -> Result<()> {
        connection.batch("LISTEN posthouse_wakes")?;
        self.wakes.publish_all(); // covers announcements made while not listening
        while !self.is_ended_after(Duration::ZERO) {
            self.forward_notifications(&mut connection)?;
            if connection.client().is_closed() {
                return Err(Error::unavailable("the listening connection was closed"));
            }
        }
        Ok(())
    }

    /// Forwards notifications to the waiters of this process until none arrives for [`PAUSE`].
    fn forward_notifications(&self, connection: &mut PgConnection) -> Result<()> {
        let mut notifications = connection.client().notifications();
        let mut iter = notifications.timeout_iter(PAUSE);
        while let Some(notification) = iter.next()? {
            if notification.process_id() == self.own_pid.load(Ordering::Relaxed) {
                continue;
            }
            if notification.payload() == EVERYTHING {
                self.wakes.publish_all();
            } else {
                self.wakes
                    .publish(&notification.payload().split(',').filter_map(|id| id.parse().ok()).collect::<Vec<_>>());
            }
        }
        Ok(())
    }
}
