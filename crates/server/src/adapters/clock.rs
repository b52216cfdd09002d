//! The system clock and random number generator. Nothing else reads them.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use posthouse_domain::time::Time;

use posthouse_app::ports::{BoxFuture, Clock};

/// The first time that the duration of work was measured.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock {
    /// Milliseconds that are added to the time of the system: 0 except in a rehearsal.
    pub ahead_ms: i64,
}

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)).plus_ms(self.ahead_ms)
    }

    fn elapsed_us(&self) -> i64 {
        let began = *BEGAN;
        i64::try_from(began.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn sleep_until(&self, time: Time) -> BoxFuture<'static, ()> {
        let remaining_ms = u64::try_from(time.since_ms(self.now())).unwrap_or(0);
        Box::pin(tokio::time::sleep(Duration::from_millis(remaining_ms)))
    }

    fn random(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system provides random bytes");
    }
}
