//! The system clock and random number generator. Nothing else reads them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use posthouse_domain::time::Time;

use posthouse_app::ports::{BoxFuture, Clock};

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, time: Time) -> BoxFuture<'static, ()> {
        let remaining_ms = u64::try_from(time.since_ms(self.now())).unwrap_or(0);
        Box::pin(tokio::time::sleep(Duration::from_millis(remaining_ms)))
    }

    fn random(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system provides random bytes");
    }
}
