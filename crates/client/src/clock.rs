//! The clock of the client.

use std::time::{Duration, Instant, SystemTime};

/// Returns the time in Unix seconds.
pub(crate) fn unix_seconds() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// A point in time by which something must have happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline after this time.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// Returns the time until the deadline, zero once it has passed.
    pub(crate) fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

/// Measures how long something takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts measuring.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start in milliseconds.
    pub(crate) fn elapsed_ms(self) -> u128 {
        self.0.elapsed().as_millis()
    }
}
