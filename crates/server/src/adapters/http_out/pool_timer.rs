//! The timer of idle connections. Their age is measured with the [`Clock`] of the process; only the pauses between two
//! checks are real time.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};
use hyper_util::rt::TokioTimer;
use posthouse_domain::time::Time;

use posthouse_app::ports::Clock;

/// A timer that follows the clock of the process.
#[derive(Clone)]
pub(super) struct PoolTimer {
    clock: Arc<dyn Clock>,
    /// The clock's time at `base`.
    began_at: Time,
    base: Instant,
}

impl PoolTimer {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { began_at: clock.now(), clock, base: TokioTimer::new().now() }
    }
}

impl Timer for PoolTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        TokioTimer::new().sleep(duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        self.sleep(deadline.saturating_duration_since(self.now()))
    }

    fn now(&self) -> Instant {
        let passed_ms = u64::try_from(self.clock.now().since_ms(self.began_at)).unwrap_or(0);
        self.base.checked_add(Duration::from_millis(passed_ms)).unwrap_or(self.base)
    }
}
