//! A messages-per-minute limit: the configured one, and one learned from "too fast" responses.

use crate::time::{MINUTE_MS, Time};

/// A limit is learned only from this many messages per minute; below that, "too fast" must have another reason.
const LEARN_FROM_MIN: f64 = 60.0;
/// The lowest limit that is learned, in messages per minute.
const LEARNED_MIN: f64 = 10.0;
/// How much each accepted message raises a learned limit, in messages per minute: about half of the limit each minute.
const GROWTH: f64 = 0.5;
/// A learned limit is dropped once it has grown to this multiple of its first value.
const DROP_AT: f64 = 8.0;
/// The share of a minute's messages that may be sent in a burst.
const BURST: f64 = 0.1;
/// A minute, in milliseconds.
#[expect(clippy::cast_precision_loss, reason = "60,000")]
const MINUTE: f64 = MINUTE_MS as f64;

/// The limits and their use, as a token bucket.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ThrottleRate {
    configured: Option<f64>,
    learned: Option<LearnedLimit>,
    tokens: f64,
    filled_at: Option<Time>,
    /// The minute that is being counted, and the number of messages accepted in the previous and in this minute.
    minute: i64,
    accepted_counts: [u32; 2],
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct LearnedLimit {
    first: f64,
    now: f64,
}

impl ThrottleRate {
    pub(super) fn new(configured: Option<u32>) -> Self {
        let configured = configured.map(|configured| f64::from(configured.max(1)));
        let tokens = configured.map_or(0.0, burst);
        Self { configured, learned: None, tokens, filled_at: None, minute: 0, accepted_counts: [0; 2] }
    }

    /// Returns how many messages may begin now.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "tokens are bounded and not negative")]
    pub(super) fn available(&self, now: Time) -> u32 {
        if self.limit().is_none() { u32::MAX } else { self.tokens_at(now) as u32 }
    }

    /// Returns when the next message may begin, or `None` if it may begin now.
    #[expect(clippy::cast_possible_truncation, reason = "at most a minute")]
    pub(super) fn next_at(&self, now: Time) -> Option<Time> {
        let (limit, missing) = (self.limit()?, 1.0 - self.tokens_at(now));
        (missing > 0.0).then(|| now.plus_ms((missing * MINUTE / limit).ceil() as i64))
    }

    pub(super) fn consume(&mut self, now: Time) {
        if self.limit().is_some() {
            self.tokens = (self.tokens_at(now) - 1.0).max(0.0);
            self.filled_at = Some(now);
        }
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.learned.is_some()
    }

    /// Records an accepted message.
    pub(super) fn record_accepted(&mut self, now: Time) {
        self.advance_to(now);
        self.accepted_counts[1] = self.accepted_counts[1].saturating_add(1);
        let Some(learned) = &mut self.learned else { return };
        learned.now += GROWTH;
        if learned.now >= learned.first * DROP_AT {
            self.learned = None;
        }
    }

    /// Records a "too fast" response: halves the messages accepted in the last minute, or the learned limit.
    pub(super) fn cut(&mut self, now: Time) {
        self.advance_to(now);
        let accepted = f64::from(self.accepted_counts[0].max(self.accepted_counts[1]));
        let before = match self.learned {
            Some(learned) => learned.now,
            None if accepted >= LEARN_FROM_MIN => accepted,
            None => return,
        };
        let half = (before / 2.0).max(LEARNED_MIN);
        self.learned = Some(LearnedLimit { first: half, now: half });
        self.tokens = 1.0;
        self.filled_at = Some(now);
    }

    fn advance_to(&mut self, now: Time) {
        let minute = now.millis().div_euclid(MINUTE_MS);
        match minute - self.minute {
            0 => return,
            1 => self.accepted_counts = [self.accepted_counts[1], 0],
            _ => self.accepted_counts = [0; 2],
        }
        self.minute = minute;
    }

    /// Returns the effective limit, in messages per minute.
    fn limit(&self) -> Option<f64> {
        let learned = self.learned.map(|learned| learned.now);
        match (self.configured, learned) {
            (Some(configured), Some(learned)) => Some(configured.min(learned)),
            (configured, learned) => configured.or(learned),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "differences of times are small")]
    fn tokens_at(&self, now: Time) -> f64 {
        let (Some(limit), Some(at)) = (self.limit(), self.filled_at) else { return self.tokens };
        let refill = now.since_ms(at).max(0) as f64 / MINUTE * limit;
        (self.tokens + refill).min(burst(limit))
    }
}

fn burst(limit: f64) -> f64 {
    (limit * BURST).max(1.0)
}
