//! When sending is suspended: too many bounces or complaints among enough sends (API document, States and Limits; contract
//! §13.3). Pure: what was counted is passed in.

use crate::{metrics::Counters, time::DAY_MS};

/// How far back is counted, in milliseconds.
pub const WINDOW_MS: i64 = 7 * DAY_MS;
/// Sends in the window below which nothing is suspended.
pub const SENT_MIN: u64 = 20;
/// Share of bounced messages over which sending is suspended.
pub const BOUNCE_RATE_MAX: f64 = 0.05;
/// Share of complaints over which sending is suspended.
pub const COMPLAINT_RATE_MAX: f64 = 0.001;

/// Why sending is suspended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// More than 5 % of the messages bounced.
    Bounces,
    /// More than 0.1 % of the messages were called spam.
    Complaints,
}

impl Ground {
    /// The word for the log.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Bounces => "bounces",
            Self::Complaints => "complaints",
        }
    }
}

/// Whether what was counted in the window suspends.
#[must_use]
pub fn ground(counted: &Counters) -> Option<Ground> {
    // Whole numbers, so that exactly 5 % is not over 5 %.
    if counted.sent < SENT_MIN {
        None
    } else if counted.bounced.saturating_mul(20) > counted.sent {
        Some(Ground::Bounces)
    } else if counted.complained.saturating_mul(1_000) > counted.sent {
        Some(Ground::Complaints)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_must_be_exceeded_among_enough_sends() {
        let table = [
            ((0, 0, 0), None),
            ((19, 19, 19), None),
            ((20, 0, 0), None),
            ((20, 1, 0), None),
            ((20, 2, 0), Some(Ground::Bounces)),
            ((39, 2, 0), Some(Ground::Bounces)),
            ((40, 2, 0), None),
            ((20, 0, 1), Some(Ground::Complaints)),
            ((999, 0, 1), Some(Ground::Complaints)),
            ((1_000, 0, 1), None),
            ((20, 2, 1), Some(Ground::Bounces)),
        ];
        for ((sent, bounced, complained), expected) in table {
            let counted = Counters { sent, bounced, complained, ..Counters::default() };
            assert_eq!(ground(&counted), expected, "{counted:?}");
        }
    }

    #[test]
    fn the_whole_numbers_are_the_shares() {
        assert_eq!((BOUNCE_RATE_MAX * 20.0, COMPLAINT_RATE_MAX * 1_000.0), (1.0, 1.0));
    }
}
