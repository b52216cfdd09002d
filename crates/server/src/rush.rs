//! Whether much is being written now: then work that can wait a little gives way to mail that somebody is handing over.

use std::time::Duration;

use posthouse_domain::time::Time;

use crate::app::App;

/// Over how long it is judged at least, in milliseconds.
const WINDOW_MS: i64 = 100;
/// It is a rush when so many writes wait for their commit at any moment, on average. Two hundred mails a second, each
/// committed within a few milliseconds, are far below it; twenty clients that hand over one mail after the other are above.
const WAITING_MIN: u128 = 3;

/// What one who gives way remembers between two looks.
#[derive(Clone, Copy, Debug)]
pub struct Rush {
    since: Time,
    waited: Duration,
    is_on: bool,
}

impl Rush {
    /// Begins to watch.
    #[must_use]
    pub fn watch(app: &App) -> Self {
        Self { since: app.clock.now(), waited: app.store.waited(), is_on: false }
    }

    /// Whether it was one since the last look, which is some time ago; else the last answer.
    pub fn is_on(&mut self, app: &App) -> bool {
        let (now, waited) = (app.clock.now(), app.store.waited());
        let passed_ms = u128::try_from(now.since_ms(self.since)).unwrap_or(0);
        if now.since_ms(self.since) >= WINDOW_MS {
            let is_on = is_rush(waited.saturating_sub(self.waited), passed_ms);
            if is_on != self.is_on {
                tracing::debug!(is_on, "store.rush");
            }
            *self = Self { since: now, waited, is_on };
        }
        self.is_on
    }
}

/// Little's law: the time that all of them waited, by the time that passed, is how many waited at any moment.
fn is_rush(waited: Duration, passed_ms: u128) -> bool {
    waited.as_millis() >= WAITING_MIN * passed_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_that_wait_long_are_a_rush() {
        for (writes, each_ms, is) in [(0, 0, false), (200, 5, false), (2_000, 3, true), (50, 100, true)] {
            assert_eq!(is_rush(Duration::from_millis(writes * each_ms), 1_000), is, "{writes} of {each_ms} ms");
        }
    }
}
