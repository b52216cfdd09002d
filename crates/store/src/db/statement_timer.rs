//! The time limit of statements on a SQLite connection. SQLite calls the progress handler on the thread that runs the
//! statement, so nothing has to be interrupted from outside.

use crossbeam_channel::{Receiver, after};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Result;

/// Instructions of SQLite's virtual machine between two checks of the time: well below a millisecond.
const STEPS: i32 = 10_000;

/// The timer of a connection.
#[derive(Clone)]
pub(crate) struct StatementTimer {
    limit: Duration,
    running: Arc<Mutex<Option<Receiver<Instant>>>>,
}

/// A running statement; dropping it stops the timer.
pub(crate) struct TimedStatement(StatementTimer);

impl StatementTimer {
    /// Limits the statements of a connection.
    pub(crate) fn install(connection: &mut rusqlite::Connection, limit_ms: u64) -> Result<Self> {
        let timer = StatementTimer { limit: Duration::from_millis(limit_ms), running: Arc::default() };
        let watched = timer.clone();
        connection.progress_handler(STEPS, Some(move || watched.is_over()))?;
        Ok(timer)
    }

    /// Starts the time of a statement.
    pub(crate) fn start(&self) -> TimedStatement {
        *self.running() = Some(after(self.limit));
        TimedStatement(self.clone())
    }

    fn is_over(&self) -> bool {
        self.running().as_ref().is_some_and(|timer| timer.try_recv().is_ok())
    }

    fn running(&self) -> MutexGuard<'_, Option<Receiver<Instant>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TimedStatement {
    fn drop(&mut self) {
        *self.0.running() = None;
    }
}
