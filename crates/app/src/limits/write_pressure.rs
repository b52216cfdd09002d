//! Detects write pressure: while many writes are pending, deferrable work yields to mail that clients are sending.

use std::time::Duration;

use posthouse_domain::Time;

use crate::service::Service;

/// Least measuring window, in milliseconds.
const WINDOW_MS: i64 = 100;
/// Average number of writes waiting for their commit that counts as pressure. Two hundred mails a second, each
/// committed within a few milliseconds, are far below; twenty clients that send one mail after the other are above.
const WAITING_MIN: u128 = 3;

/// The write pressure as measured by one deferrable task.
#[derive(Clone, Copy, Debug)]
pub struct WritePressure {
    since: Time,
    waited: Duration,
    is_on: bool,
}

impl WritePressure {
    /// Starts measuring.
    #[must_use]
    pub fn start(service: &Service) -> Self {
        Self { since: service.clock.now(), waited: service.store.waited(), is_on: false }
    }

    /// Returns whether there was write pressure since the last call; within the window, returns the last result.
    pub fn is_on(&mut self, service: &Service) -> bool {
        let (now, waited) = (service.clock.now(), service.store.waited());
        let passed_ms = u128::try_from(now.since_ms(self.since)).unwrap_or(0);
        if now.since_ms(self.since) >= WINDOW_MS {
            let is_on = is_high(waited.saturating_sub(self.waited), passed_ms);
            if is_on != self.is_on {
                tracing::debug!(is_on, "store.write_pressure");
            }
            *self = Self { since: now, waited, is_on };
        }
        self.is_on
    }
}

/// Applies Little's law: total waiting time divided by elapsed time is the average number of waiting writes.
fn is_high(waited: Duration, passed_ms: u128) -> bool {
    waited.as_millis() >= WAITING_MIN * passed_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_long_waits_are_write_pressure() {
        for (writes, each_ms, is) in [(0, 0, false), (200, 5, false), (2_000, 3, true), (50, 100, true)] {
            assert_eq!(is_high(Duration::from_millis(writes * each_ms), 1_000), is, "{writes} of {each_ms} ms");
        }
    }
}
