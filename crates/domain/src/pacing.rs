//! How many messages a destination gets at once, and how fast: what it bears is learnt from what it says.
//!
//! Pure. A destination is what shares its limits: a large provider with all its exchangers ([`provider_of`]), else one mail
//! exchanger. It begins with few connections; each message that is taken allows more, a push back («421», «too many», no
//! answer) halves them, and one that pushes back again and again is left alone for a while, longer each time.

mod news;
mod provider;
mod rate;
#[cfg(test)]
mod tests;

use crate::time::{MINUTE_MS, SECOND_MS, Time};

pub use news::{News, of_failure, of_reports};
pub use provider::{PROVIDERS, Provider, provider_of};

use self::rate::Rate;

/// Connections to a destination that nothing is known of.
pub const CONNECTIONS_AT_FIRST: u32 = 2;
/// A destination whose messages take so long is slow, in milliseconds.
pub const SLOW_MS: i64 = SECOND_MS;
/// Push backs in a row after which a destination is left alone.
pub const STRIKES_TO_REST: u32 = 4;
/// The first time of leaving alone, in milliseconds; it doubles with each push back that follows.
pub const REST_MS: i64 = SECOND_MS;
/// The longest time of leaving alone, in milliseconds.
pub const REST_MS_MAX: i64 = 5 * MINUTE_MS;

/// What is never exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections_max: u32,
    /// Messages over one connection.
    pub messages_per_connection_max: u32,
    /// Messages in a minute; none: as many as it takes.
    pub per_minute_max: Option<u32>,
}

/// What is known of one destination.
#[derive(Clone, PartialEq, Debug)]
pub struct Pace {
    limits: Limits,
    window: f64,
    /// Nothing was pushed back yet: each message that is taken allows one connection more.
    is_starting: bool,
    rate: Rate,
    strikes: u32,
    /// Attempts that began up to then are of the round that was pushed back: their push backs are the same one.
    struck_at: Option<Time>,
    rests_until: Option<Time>,
    took_ms: Option<i64>,
}

/// Where a destination stands, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Nothing holds it back.
    Open,
    /// It has pushed back, and gets less than it might.
    Narrowed,
    /// It is left alone for a while.
    Resting,
}

impl Pace {
    /// Of a destination that nothing is known of.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let limits = Limits { connections_max: limits.connections_max.max(1), ..limits };
        Self {
            limits,
            window: f64::from(CONNECTIONS_AT_FIRST.min(limits.connections_max)),
            is_starting: true,
            rate: Rate::new(limits.per_minute_max),
            strikes: 0,
            struck_at: None,
            rests_until: None,
            took_ms: None,
        }
    }

    /// The bounds it was made with.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Connections that it may have now.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the window is at least 1 and bounded")]
    pub fn window(&self) -> u32 {
        self.window as u32
    }

    /// How many attempts may begin now beside those under way.
    #[must_use]
    pub fn room(&self, under_way: u32, now: Time) -> u32 {
        if self.rests_until(now).is_some() {
            return 0;
        }
        self.window().saturating_sub(under_way).min(self.rate.room(now))
    }

    /// Until when it is left alone.
    #[must_use]
    pub fn rests_until(&self, now: Time) -> Option<Time> {
        self.rests_until.filter(|until| *until > now)
    }

    /// When its rate allows the next attempt, if not now.
    #[must_use]
    pub fn next_at(&self, now: Time) -> Option<Time> {
        self.rate.next_at(now)
    }

    /// Notes that an attempt begins.
    pub fn begin(&mut self, now: Time) {
        self.rate.take(now);
    }

    /// Whether anything was heard of it.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.took_ms.is_some()
    }

    /// Whether its messages take long, or it does not take any: it may then hold up nobody but itself.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.strikes > 0 || self.took_ms.is_some_and(|ms| ms >= SLOW_MS)
    }

    /// How long a message takes there, smoothed, in milliseconds; none while nothing was heard.
    #[must_use]
    pub const fn took_ms(&self) -> Option<i64> {
        self.took_ms
    }

    /// Where it stands.
    #[must_use]
    pub fn standing(&self, now: Time) -> Standing {
        if self.rests_until(now).is_some() {
            Standing::Resting
        } else if !self.is_starting && self.window() < self.limits.connections_max || self.rate.is_cut() {
            Standing::Narrowed
        } else {
            Standing::Open
        }
    }

    /// Learns from an attempt that began at `began` and ended at `now`.
    pub fn heard(&mut self, news: News, began: Time, now: Time) {
        let ms = now.since_ms(began).max(0);
        self.took_ms = Some(self.took_ms.map_or(ms, |before| (before * 3 + ms) / 4));
        match news {
            News::Took => {
                self.works();
                self.rate.took(now);
                let more = if self.is_starting { 1.0 } else { 1.0 / self.window };
                self.window = (self.window + more).min(f64::from(self.limits.connections_max));
            }
            News::Answered => self.works(),
            News::PushedBack { too_fast } => self.struck(too_fast, began, now),
            News::Unreachable => self.struck(false, began, now),
        }
    }

    fn works(&mut self) {
        self.strikes = 0;
        self.rests_until = None;
    }

    fn struck(&mut self, too_fast: bool, began: Time, now: Time) {
        if self.struck_at.is_some_and(|at| began <= at) {
            return;
        }
        self.struck_at = Some(now);
        self.strikes = self.strikes.saturating_add(1);
        self.is_starting = false;
        self.window = (self.window / 2.0).max(1.0);
        if too_fast {
            self.rate.cut(now);
        }
        if self.strikes >= STRIKES_TO_REST {
            let doublings = (self.strikes - STRIKES_TO_REST).min(20);
            self.rests_until = Some(now.plus_ms((REST_MS << doublings).min(REST_MS_MAX)));
            self.window = 1.0;
        }
    }
}
