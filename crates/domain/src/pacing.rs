//! Limits concurrency and rate per destination, adapting to the destination's responses.
//!
//! Pure. A destination is the unit that shares limits: a large provider with all of its mail exchangers
//! ([`provider_of`]), or a single mail exchanger. It starts with a few connections. Each accepted message allows
//! another connection; each pushback (421, "too many", no response) halves the number. After repeated pushbacks the
//! destination is paused, longer each time.

mod provider;
mod rate;
mod signal;
#[cfg(test)]
mod tests;

use crate::time::{MINUTE_MS, SECOND_MS, Time};

pub use provider::{MAILBOX_PROVIDERS, MailboxProvider, provider_of};
pub use signal::{ThrottleSignal, of_failure, of_reports};

use self::rate::ThrottleRate;

/// The number of connections to a destination without history.
pub const INITIAL_CONNECTIONS: u32 = 2;
/// A destination is slow if a message takes this long, in milliseconds.
pub const SLOW_MS: i64 = SECOND_MS;
/// The number of consecutive pushbacks after which a destination is paused.
pub const STRIKES_TO_PAUSE: u32 = 4;
/// The first pause, in milliseconds. It doubles with each further pushback.
pub const PAUSE_MS: i64 = SECOND_MS;
/// The longest pause, in milliseconds.
pub const PAUSE_MS_MAX: i64 = 5 * MINUTE_MS;

/// The upper bounds for a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DestinationLimits {
    /// Concurrent connections.
    pub connections_max: u32,
    pub messages_per_connection_max: u32,
    /// Messages per minute; `None` means no limit.
    pub per_minute_max: Option<u32>,
}

/// The state of one destination.
#[derive(Clone, PartialEq, Debug)]
pub struct ThrottleState {
    limits: DestinationLimits,
    window: f64,
    /// Slow start: nothing was pushed back yet, and each accepted message allows one more connection.
    is_starting: bool,
    rate: ThrottleRate,
    strikes: u32,
    /// Attempts that began at or before this time belong to the cycle that was pushed back, and count as the same
    /// pushback.
    last_pushback_at: Option<Time>,
    paused_until: Option<Time>,
    duration_ms: Option<i64>,
}

/// The state of a destination, for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrottleStatus {
    /// Not limited.
    Open,
    /// Limited after a pushback.
    Limited,
    /// Paused.
    Paused,
}

impl ThrottleState {
    /// Creates the state of a destination without history.
    #[must_use]
    pub fn new(limits: DestinationLimits) -> Self {
        let limits = DestinationLimits { connections_max: limits.connections_max.max(1), ..limits };
        Self {
            limits,
            window: f64::from(INITIAL_CONNECTIONS.min(limits.connections_max)),
            is_starting: true,
            rate: ThrottleRate::new(limits.per_minute_max),
            strikes: 0,
            last_pushback_at: None,
            paused_until: None,
            duration_ms: None,
        }
    }

    /// Returns the upper bounds.
    #[must_use]
    pub const fn limits(&self) -> DestinationLimits {
        self.limits
    }

    /// Returns the number of connections allowed now.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the window is at least 1 and bounded")]
    pub fn window(&self) -> u32 {
        self.window as u32
    }

    /// Returns how many attempts may begin now, given `running` running attempts.
    #[must_use]
    pub fn available(&self, running: u32, now: Time) -> u32 {
        if self.paused_until(now).is_some() {
            return 0;
        }
        self.window().saturating_sub(running).min(self.rate.available(now))
    }

    /// Returns the end of the current pause.
    #[must_use]
    pub fn paused_until(&self, now: Time) -> Option<Time> {
        self.paused_until.filter(|until| *until > now)
    }

    /// Returns when the rate limit allows the next attempt, or `None` if it does so now.
    #[must_use]
    pub fn next_at(&self, now: Time) -> Option<Time> {
        self.rate.next_at(now)
    }

    /// Records that an attempt begins.
    pub fn begin(&mut self, now: Time) {
        self.rate.consume(now);
    }

    /// Returns whether any attempt has finished.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.duration_ms.is_some()
    }

    /// Returns whether the destination is slow or not accepting mail, so that it must not delay others.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.strikes > 0 || self.duration_ms.is_some_and(|ms| ms >= SLOW_MS)
    }

    /// Returns the smoothed duration of a delivery, in milliseconds, or `None` before the first result.
    #[must_use]
    pub const fn took_ms(&self) -> Option<i64> {
        self.duration_ms
    }

    /// Returns the current state for display.
    #[must_use]
    pub fn status(&self, now: Time) -> ThrottleStatus {
        if self.paused_until(now).is_some() {
            ThrottleStatus::Paused
        } else if !self.is_starting && self.window() < self.limits.connections_max || self.rate.is_cut() {
            ThrottleStatus::Limited
        } else {
            ThrottleStatus::Open
        }
    }

    /// Records the result of an attempt that began at `began` and ended at `now`.
    pub fn record(&mut self, signal: ThrottleSignal, began: Time, now: Time) {
        let ms = now.since_ms(began).max(0);
        self.duration_ms = Some(self.duration_ms.map_or(ms, |before| (before * 3 + ms) / 4));
        match signal {
            ThrottleSignal::Accepted => {
                self.reset_strikes();
                self.rate.record_accepted(now);
                let more = if self.is_starting { 1.0 } else { 1.0 / self.window };
                self.window = (self.window + more).min(f64::from(self.limits.connections_max));
            }
            ThrottleSignal::Responded => self.reset_strikes(),
            ThrottleSignal::PushedBack { too_fast } => self.add_strike(too_fast, began, now),
            ThrottleSignal::Unreachable => self.add_strike(false, began, now),
        }
    }

    fn reset_strikes(&mut self) {
        self.strikes = 0;
        self.paused_until = None;
    }

    fn add_strike(&mut self, too_fast: bool, began: Time, now: Time) {
        if self.last_pushback_at.is_some_and(|at| began <= at) {
            return;
        }
        self.last_pushback_at = Some(now);
        self.strikes = self.strikes.saturating_add(1);
        self.is_starting = false;
        self.window = (self.window / 2.0).max(1.0);
        if too_fast {
            self.rate.cut(now);
        }
        if self.strikes >= STRIKES_TO_PAUSE {
            let doublings = (self.strikes - STRIKES_TO_PAUSE).min(20);
            self.paused_until = Some(now.plus_ms((PAUSE_MS << doublings).min(PAUSE_MS_MAX)));
            self.window = 1.0;
        }
    }
}
