//! Wakes between processes on PostgreSQL: NOTIFY after the commit, LISTEN on a connection of its own.
//!
//! NOTIFY is not sent inside the business transaction: PostgreSQL then takes one cluster-wide lock from before the COMMIT
//! until after its flush, so all such commits of all processes would stand in one line. Instead one thread sends what was
//! committed, many workspaces to a message. Should the process die between COMMIT and NOTIFY, waiters of *other*
//! processes find the change at their next timed look; a waiter must always have one.

use crate::db::postgres::PgConnection;
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

/// Ids in one message: 37 bytes each, and PostgreSQL takes less than 8,000.
const IDS_PER_MESSAGE: usize = 200;
/// Commits waiting to be told; beyond that the others are told to look at everything.
const QUEUE_LEN: usize = 4096;
/// Pause before the next attempt to connect, and the longest a thread takes to notice the end of the store.
const PAUSE: Duration = Duration::from_millis(500);
/// The message that wakes everybody.
const EVERYTHING: &str = "*";

/// Tells the other processes.
pub(crate) struct Notifier {
    queue: Sender<Vec<Uuid>>,
    /// Something could not be queued or sent: tell them to look at everything.
    overflow: Arc<AtomicBool>,
    /// Dropped with the `Notifier`; the listening thread ends when it hears that.
    _listening: Sender<()>,
}

impl Notifier {
    /// Starts the telling and the listening thread. Both end soon after the `Notifier` is dropped. The listening
    /// connection, which is there all the time, is also where a process that serves says so.
    ///
    /// The receiver is cut off when everything is told.
    pub(crate) fn start(url: &str, wakes: &Wakes, serving: bool) -> Result<(Self, Receiver<()>)> {
        let mut first = PgConnection::connect(url)?;
        if serving {
            presence::serve_on(&mut first)?;
        }
        let (queue, receiver) = bounded(QUEUE_LEN);
        let overflow = Arc::new(AtomicBool::new(false));
        let own_pid = Arc::new(AtomicI32::new(0));
        let (listening, ended) = bounded(0);
        let (telling, told) = bounded(0);
        let (overflowed, own) = (overflow.clone(), own_pid.clone());
        let teller =
            Teller { url: url.to_owned(), queue: receiver, overflow: overflowed, own_pid: own, _telling: telling };
        let listener = Listener { url: url.to_owned(), wakes: wakes.clone(), own_pid, ended, serving };
        spawn("db-tell", move || teller.run())?;
        spawn("db-listen", move || listener.run(first))?;
        Ok((Notifier { queue, overflow, _listening: listening }, told))
    }

    pub(crate) fn tell(&self, workspace_ids: Vec<Uuid>) {
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

struct Teller {
    url: String,
    queue: Receiver<Vec<Uuid>>,
    overflow: Arc<AtomicBool>,
    own_pid: Arc<AtomicI32>,
    /// Dropped at the end.
    _telling: Sender<()>,
}

impl Teller {
    fn run(self) {
        let (mut connection, mut is_untold, mut is_open) = (None, false, true);
        while is_open {
            // What could not be told is told as soon as that works, also when nothing is committed meanwhile.
            let news = if is_untold { self.queue.recv_timeout(PAUSE) } else { self.queue.recv().map_err(Into::into) };
            is_open = news != Err(RecvTimeoutError::Disconnected);
            let ids: BTreeSet<Uuid> = news.into_iter().chain(self.queue.try_iter()).flatten().collect();
            if ids.is_empty() && !is_untold {
                continue;
            }
            // A connection that broke while nothing was told is found out only now.
            let told = self.send(&mut connection, &ids).or_else(|_| {
                self.overflow.store(true, Ordering::Relaxed);
                connection = None;
                self.send(&mut connection, &ids)
            });
            is_untold = told.is_err();
            if let Err(error) = told {
                tracing::debug!(cause = error.internal(), "wakes were not told to other processes");
                self.overflow.store(true, Ordering::Relaxed);
                connection = None;
            }
        }
    }

    fn send(&self, connection: &mut Option<PgConnection>, ids: &BTreeSet<Uuid>) -> Result<()> {
        let connection = match connection {
            Some(connection) => connection,
            none => {
                let mut fresh = PgConnection::connect(&self.url)?;
                self.own_pid.store(fresh.client().query_one("SELECT pg_backend_pid()", &[])?.get(0), Ordering::Relaxed);
                none.insert(fresh)
            }
        };
        if self.overflow.swap(false, Ordering::Relaxed) {
            return connection.batch("NOTIFY posthouse_wakes, '*'");
        }
        let ids: Vec<_> = ids.iter().collect();
        for part in ids.chunks(IDS_PER_MESSAGE) {
            let text = part.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            connection.batch(&format!("NOTIFY posthouse_wakes, '{text}'"))?; // hexadecimal digits: nothing to escape
        }
        Ok(())
    }
}

struct Listener {
    url: String,
    wakes: Wakes,
    own_pid: Arc<AtomicI32>,
    ended: Receiver<()>,
    serving: bool,
}

impl Listener {
    fn run(self, first: PgConnection) {
        let mut first = Some(first);
        while !self.is_ended_after(Duration::ZERO) {
            if let Err(error) = self.connection(first.take()).and_then(|connection| self.listen(connection)) {
                tracing::debug!(error = error.internal(), "listening for wakes is interrupted");
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
        self.wakes.publish_all(); // whatever was told while nobody listened
        while !self.is_ended_after(Duration::ZERO) {
            self.hear(&mut connection)?;
            if connection.client().is_closed() {
                return Err(Error::unavailable("the listening connection was closed"));
            }
        }
        Ok(())
    }

    /// Passes on what is heard until nothing comes for a while.
    fn hear(&self, connection: &mut PgConnection) -> Result<()> {
        let mut notifications = connection.client().notifications();
        let mut iter = notifications.timeout_iter(PAUSE);
        while let Some(heard) = iter.next()? {
            if heard.process_id() == self.own_pid.load(Ordering::Relaxed) {
                continue;
            }
            if heard.payload() == EVERYTHING {
                self.wakes.publish_all();
            } else {
                self.wakes.publish(&heard.payload().split(',').filter_map(|id| id.parse().ok()).collect::<Vec<_>>());
            }
        }
        Ok(())
    }
}
