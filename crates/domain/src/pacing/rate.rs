//! Messages in a minute: a bound that is given, and one that a destination taught us by «too fast».

use crate::time::{MINUTE_MS, Time};

/// Messages in a minute from which «too fast» is learnt from: who gets fewer meant something else.
const LEARNT_FROM: f64 = 60.0;
/// The lowest bound that is ever learnt, in messages a minute.
const LEARNT_MIN: f64 = 10.0;
/// How much of a message a minute each message that was taken adds to a learnt bound: half more every minute.
const GROWTH: f64 = 0.5;
/// A learnt bound that has grown to so many times its first value is forgotten.
const FORGOTTEN_AT: f64 = 8.0;
/// Share of a minute's messages that may go at once.
const BURST: f64 = 0.1;
/// A minute, in milliseconds.
#[expect(clippy::cast_precision_loss, reason = "60,000")]
const MINUTE: f64 = MINUTE_MS as f64;

/// The bounds and what was used of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rate {
    given: Option<f64>,
    learnt: Option<Learnt>,
    tokens: f64,
    filled_at: Option<Time>,
    /// The minute that is counted now, and how many were taken in it and in the one before.
    minute: i64,
    taken: [u32; 2],
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Learnt {
    first: f64,
    now: f64,
}

impl Rate {
    pub(super) fn new(given: Option<u32>) -> Self {
        let given = given.map(|given| f64::from(given.max(1)));
        let tokens = given.map_or(0.0, burst);
        Self { given, learnt: None, tokens, filled_at: None, minute: 0, taken: [0; 2] }
    }

    /// How many may begin now.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "tokens are bounded and not negative")]
    pub(super) fn room(&self, now: Time) -> u32 {
        if self.bound().is_none() { u32::MAX } else { self.tokens_at(now) as u32 }
    }

    /// When the next may begin, if not now.
    #[expect(clippy::cast_possible_truncation, reason = "at most a minute")]
    pub(super) fn next_at(&self, now: Time) -> Option<Time> {
        let (bound, missing) = (self.bound()?, 1.0 - self.tokens_at(now));
        (missing > 0.0).then(|| now.plus_ms((missing * MINUTE / bound).ceil() as i64))
    }

    pub(super) fn take(&mut self, now: Time) {
        if self.bound().is_some() {
            self.tokens = (self.tokens_at(now) - 1.0).max(0.0);
            self.filled_at = Some(now);
        }
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.learnt.is_some()
    }

    /// A message was taken.
    pub(super) fn took(&mut self, now: Time) {
        self.turn_to(now);
        self.taken[1] = self.taken[1].saturating_add(1);
        let Some(learnt) = &mut self.learnt else { return };
        learnt.now += GROWTH;
        if learnt.now >= learnt.first * FORGOTTEN_AT {
            self.learnt = None;
        }
    }

    /// The destination said that it was too fast: half of what it took in the last minute, or half of what it was allowed.
    pub(super) fn cut(&mut self, now: Time) {
        self.turn_to(now);
        let seen = f64::from(self.taken[0].max(self.taken[1]));
        let before = match self.learnt {
            Some(learnt) => learnt.now,
            None if seen >= LEARNT_FROM => seen,
            None => return,
        };
        let half = (before / 2.0).max(LEARNT_MIN);
        self.learnt = Some(Learnt { first: half, now: half });
        self.tokens = 1.0;
        self.filled_at = Some(now);
    }

    fn turn_to(&mut self, now: Time) {
        let minute = now.millis().div_euclid(MINUTE_MS);
        match minute - self.minute {
            0 => return,
            1 => self.taken = [self.taken[1], 0],
            _ => self.taken = [0; 2],
        }
        self.minute = minute;
    }

    /// Messages a minute.
    fn bound(&self) -> Option<f64> {
        let learnt = self.learnt.map(|learnt| learnt.now);
        match (self.given, learnt) {
            (Some(given), Some(learnt)) => Some(given.min(learnt)),
            (given, learnt) => given.or(learnt),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "differences of times are small")]
    fn tokens_at(&self, now: Time) -> f64 {
        let (Some(bound), Some(at)) = (self.bound(), self.filled_at) else { return self.tokens };
        let fresh = now.since_ms(at).max(0) as f64 / MINUTE * bound;
        (self.tokens + fresh).min(burst(bound))
    }
}

fn burst(bound: f64) -> f64 {
    (bound * BURST).max(1.0)
}
