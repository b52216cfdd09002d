//! When sending is suspended: too many bounces or complaints among enough sends, from enough recipients
//! (docs/journeys/bounces.md). Pure: what was counted is passed in.

use crate::{metrics::Counters, time::DAY_MS};

/// How far back is counted, in milliseconds.
pub const WINDOW_MS: i64 = 7 * DAY_MS;
/// Sends in the window below which nothing is suspended.
pub const SENT_MIN: u64 = 20;
/// Share of bounced messages over which sending is suspended.
pub const BOUNCE_RATE_MAX: f64 = 0.05;
/// Share of complaints over which sending is suspended.
pub const COMPLAINT_RATE_MAX: f64 = 0.001;
/// Different recipients that must have bounced hard.
pub const HARD_BOUNCES_MIN: u64 = 5;
/// Different recipients that must have complained.
pub const COMPLAINANTS_MIN: u64 = 3;

/// What can happen to sent mail at a recipient that counts against its sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incident {
    /// The recipient's server refused it for good.
    HardBounce,
    /// The recipient called it spam.
    Complaint,
}

impl Incident {
    /// The name in the store.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::HardBounce => "hard_bounce",
            Self::Complaint => "complaint",
        }
    }
}

/// Why sending is suspended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// More than 5 % of the messages bounced, hard at 5 recipients or more.
    Bounces,
    /// More than 0.1 % of the messages were called spam, by 3 recipients or more.
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

    /// What is counted by recipients, and how many of them it takes: a rate alone can be the work of one person.
    #[must_use]
    pub const fn recipients_min(self) -> (Incident, u64) {
        match self {
            Self::Bounces => (Incident::HardBounce, HARD_BOUNCES_MIN),
            Self::Complaints => (Incident::Complaint, COMPLAINANTS_MIN),
        }
    }
}

/// The rates that what was counted in the window exceeds. Sending is suspended for the first of them that enough recipients
/// stand behind ([`Ground::recipients_min`]).
pub fn exceeded(counted: &Counters) -> impl Iterator<Item = Ground> {
    let enough = counted.sent >= SENT_MIN;
    // Whole numbers, so that exactly 5 % is not over 5 %.
    let bounces = counted.bounced.saturating_mul(20) > counted.sent;
    let complaints = counted.complained.saturating_mul(1_000) > counted.sent;
    let all = [(bounces, Ground::Bounces), (complaints, Ground::Complaints)];
    all.into_iter().filter(move |(over, _)| enough && *over).map(|(_, ground)| ground)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_must_be_exceeded_among_enough_sends() {
        let (bounces, complaints) = (Ground::Bounces, Ground::Complaints);
        type Row<'a> = ((u64, u64, u64), &'a [Ground]);
        let table: [Row<'_>; 11] = [
            ((0, 0, 0), &[]),
            ((19, 19, 19), &[]),
            ((20, 0, 0), &[]),
            ((20, 1, 0), &[]),
            ((20, 2, 0), &[bounces]),
            ((39, 2, 0), &[bounces]),
            ((40, 2, 0), &[]),
            ((20, 0, 1), &[complaints]),
            ((999, 0, 1), &[complaints]),
            ((1_000, 0, 1), &[]),
            ((20, 2, 1), &[bounces, complaints]),
        ];
        for ((sent, bounced, complained), expected) in table {
            let counted = Counters { sent, bounced, complained, ..Counters::default() };
            assert_eq!(exceeded(&counted).collect::<Vec<_>>(), expected, "{counted:?}");
        }
    }

    #[test]
    fn the_whole_numbers_are_the_shares() {
        assert_eq!((BOUNCE_RATE_MAX * 20.0, COMPLAINT_RATE_MAX * 1_000.0), (1.0, 1.0));
    }
}
