//! When sending is suspended: the bounce or complaint rate is exceeded with enough sends and enough affected recipients
//! (docs/decisions/sending.md#0024-suspension-needs-distinct-recipients). Pure: the counters are passed in.

use crate::{
    error::{ErrorCode, Refusal},
    metrics::Counters,
    time::{DAY_MS, Time},
};

/// The length of the window that is counted, in milliseconds.
pub const WINDOW_MS: i64 = 7 * DAY_MS;
/// Sending is not suspended with fewer sends than this in the window.
pub const SENT_MIN: u64 = 20;
/// The share of bounced messages above which sending is suspended.
pub const BOUNCE_RATE_MAX: f64 = 0.05;
/// The share of complaints above which sending is suspended.
pub const COMPLAINT_RATE_MAX: f64 = 0.001;
/// The number of distinct parties that must have bounced hard.
pub const HARD_BOUNCES_MIN: u64 = 5;
/// The number of distinct parties that must have complained.
pub const COMPLAINANTS_MIN: u64 = 3;

/// An event at a recipient that counts against the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incident {
    /// The recipient's server rejected the message permanently.
    HardBounce,
    /// The recipient marked the message as spam.
    Complaint,
}

impl Incident {
    /// Returns the name in the database.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::HardBounce => "hard_bounce",
            Self::Complaint => "complaint",
        }
    }
}

named! {
    /// The reason why sending is suspended.
    SuspensionReason {
        /// More than 5 % of the messages bounced, with hard bounces at 5 or more parties.
        Bounces = "bounces",
        /// Parties complained about more than 0.1 % of the messages, and 3 or more did.
        Complaints = "complaints",
        /// The operator suspended the workspace.
        Operator = "operator",
    }
}

impl SuspensionReason {
    /// Returns the incident to count and the number of distinct parties required, because a single one can exceed a
    /// rate; `None` for a decision of the operator.
    #[must_use]
    pub const fn parties_min(self) -> Option<(Incident, u64)> {
        match self {
            Self::Bounces => Some((Incident::HardBounce, HARD_BOUNCES_MIN)),
            Self::Complaints => Some((Incident::Complaint, COMPLAINANTS_MIN)),
            Self::Operator => None,
        }
    }
}

/// The suspension of a workspace. It ends when the operator ends it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspension {
    /// Why sending is suspended.
    pub reason: SuspensionReason,
    pub since: Time,
    /// The parties whose bounces or complaints counted: domains, and addresses at large mailbox providers.
    pub parties: Vec<String>,
    /// When an owner asked for a review.
    pub review_requested_at: Option<Time>,
    /// What the owner wrote to the operator.
    pub review_note: Option<String>,
}

impl Suspension {
    /// Creates a suspension that starts now.
    #[must_use]
    pub const fn new(reason: SuspensionReason, since: Time, parties: Vec<String>) -> Self {
        Self { reason, since, parties, review_requested_at: None, review_note: None }
    }

    /// Returns the refusal of a send: who counted, and since when.
    #[must_use]
    pub fn refusal(&self) -> Refusal {
        let what = match self.reason {
            SuspensionReason::Complaints => "complained about its mail",
            SuspensionReason::Bounces => "rejected its mail for good",
            SuspensionReason::Operator => {
                return Refusal::new(ErrorCode::OrgSuspended, "The operator suspended sending for this workspace.");
            }
        };
        let (parties, since) = (self.parties.join(", "), self.since);
        let message = format!("Sending is suspended for this workspace since {since}: {parties} {what}.");
        Refusal::new(ErrorCode::OrgSuspended, message)
    }
}

/// Returns the reasons whose rate is exceeded; `complained` counts parties, not messages. Sending is suspended for the
/// first one that also affects enough parties ([`SuspensionReason::parties_min`]).
pub fn exceeded(counted: &Counters) -> impl Iterator<Item = SuspensionReason> {
    let enough = counted.sent >= SENT_MIN;
    // Integer arithmetic, so that exactly 5 % doesn't exceed 5 %.
    let bounces = counted.bounced.saturating_mul(20) > counted.sent;
    let complaints = counted.complained.saturating_mul(1_000) > counted.sent;
    let all = [(bounces, SuspensionReason::Bounces), (complaints, SuspensionReason::Complaints)];
    all.into_iter().filter(move |(over, _)| enough && *over).map(|(_, ground)| ground)
}

/// The end of a suspension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuspensionRecovery {
    /// When it ended.
    pub at: Time,
    /// The counters of that quarter hour up to then.
    pub counted: Counters,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_must_be_exceeded_among_enough_sends() {
        let (bounces, complaints) = (SuspensionReason::Bounces, SuspensionReason::Complaints);
        type Row<'a> = ((u64, u64, u64), &'a [SuspensionReason]);
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
    fn integer_thresholds_match_the_documented_rates() {
        assert_eq!((BOUNCE_RATE_MAX * 20.0, COMPLAINT_RATE_MAX * 1_000.0), (1.0, 1.0));
    }
}
