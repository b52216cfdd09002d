//! The only reader of real time and of the system's randomness.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use posthouse_domain::time::Time;

use crate::ports::{Clock, Pending};

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, time: Time) -> Pending<'static, ()> {
        let left_ms = u64::try_from(time.since_ms(self.now())).unwrap_or(0);
        Box::pin(tokio::time::sleep(Duration::from_millis(left_ms)))
    }

    fn random(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system gives random bytes");
    }
}
