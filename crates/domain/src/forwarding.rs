//! Addresses that the mail of an inbox is passed on to, once their owner has said yes, and which mail that is (contract §3.3,
//! decision 30).

use crate::{
    id::{ForwardId, ForwardingAddressId, InboxId, MessageId, WorkspaceId},
    label::UNVERIFIED_REPORT,
    send::BOUNCE_LABEL,
    time::{DAY_MS, Time},
};

/// Addresses that an inbox may have.
pub const ADDRESSES_MAX: usize = 3;
/// How long the link of a confirmation works, in milliseconds (decision 30).
pub const LINK_MS: i64 = 7 * DAY_MS;
/// How long a mail may wait for a limit to free, in milliseconds; a stop or a pause may last longer.
pub const WAIT_MS_MAX: i64 = 5 * DAY_MS;
/// Labels of mail that `skip_flagged` leaves where it is: phishing, injection risk, a failed DMARC check.
pub const FLAGS: [&str; 4] = ["ai:phishing", "ai:injection-risk", "local:injection-risk", "dmarc-fail"];

/// An address that mail is passed on to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForwardingAddress {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: ForwardingAddressId,
    /// The inbox whose mail it gets.
    pub inbox: InboxId,
    /// Where the mail goes, in canonical form.
    pub address: String,
    /// Whether flagged mail stays where it is.
    pub skip_flagged: bool,
    /// When its owner said yes; nothing is passed on before.
    pub confirmed_at: Option<Time>,
    /// When the newest confirmation mail was written.
    pub confirmation_sent_at: Time,
    /// When the newest mail was passed on.
    pub last_forwarded_at: Option<Time>,
    /// How many were.
    pub forwarded_count: u64,
    /// Why the newest mail was not passed on, if it was not.
    pub failure: Option<Failure>,
    /// When it was made.
    pub created_at: Time,
}

/// Why a mail was not passed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The code of the refusal.
    pub code: String,
    /// What was wrong.
    pub message: String,
}

impl ForwardingAddress {
    /// `pending` or `confirmed`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        if self.confirmed_at.is_some() { "confirmed" } else { "pending" }
    }
}

/// A received message that is to be passed on to an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forward {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: ForwardId,
    /// The message.
    pub message: MessageId,
    /// The address.
    pub to: ForwardingAddressId,
    /// When the message came.
    pub created_at: Time,
}

/// What decides whether a received mail is passed on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The labels of the mail.
    pub labels: &'a [String],
    /// Whether flagged mail stays.
    pub skip_flagged: bool,
    /// Its content is held back from the agents too.
    pub withheld: bool,
    /// It has been at the inbox before, or is one that the inbox sent.
    pub goes_round: bool,
    /// It is an automatic answer to a mail that was passed on, or one from the very address.
    pub answers_itself: bool,
}

/// Why a mail stays where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    /// A receive list stopped it, or it waits for a person.
    Withheld,
    /// It is a report about sent mail.
    Report,
    /// It went round.
    Loop,
    /// It is flagged.
    Flagged,
}

impl Stays {
    /// A short name for operators.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Stays::Withheld => "withheld",
            Stays::Report => "report",
            Stays::Loop => "loop",
            Stays::Flagged => "flagged",
        }
    }
}

/// Whether a received mail is passed on.
///
/// # Errors
/// The first reason why it stays.
pub fn judge(facts: &Facts<'_>) -> Result<(), Stays> {
    let has = |label: &str| facts.labels.iter().any(|own| own == label);
    let reasons = [
        (facts.withheld, Stays::Withheld),
        // One that does not count may still be the answer of a server to what was passed on: forwarding it would go round.
        (has(BOUNCE_LABEL) || has(UNVERIFIED_REPORT), Stays::Report),
        (facts.goes_round || facts.answers_itself, Stays::Loop),
        (facts.skip_flagged && FLAGS.iter().any(|flag| has(flag)), Stays::Flagged),
    ];
    reasons.into_iter().find(|(holds, _)| *holds).map_or(Ok(()), |(_, why)| Err(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_and_what_is_passed_on() {
        let labels = |all: &[&str]| all.iter().map(|label| (*label).to_owned()).collect::<Vec<String>>();
        let mail = Facts { skip_flagged: true, ..Facts::default() };
        for harmless in [&[][..], &["spf-fail", "ai:sales", "local:spam", "own"]] {
            assert_eq!(judge(&Facts { labels: &labels(harmless), ..mail }), Ok(()));
        }
        for flag in FLAGS {
            let labels = labels(&["own", flag]);
            assert_eq!(judge(&Facts { labels: &labels, ..mail }), Err(Stays::Flagged));
            assert_eq!(judge(&Facts { labels: &labels, skip_flagged: false, ..mail }), Ok(()));
        }
        let report = labels(&[BOUNCE_LABEL, "dmarc-fail"]);
        for label in [BOUNCE_LABEL, UNVERIFIED_REPORT] {
            let labels = labels(&[label, "dmarc-fail"]);
            assert_eq!(judge(&Facts { labels: &labels, skip_flagged: false, ..mail }), Err(Stays::Report));
        }
        assert_eq!(judge(&Facts { goes_round: true, ..mail }), Err(Stays::Loop));
        assert_eq!(judge(&Facts { answers_itself: true, ..mail }), Err(Stays::Loop));
        assert_eq!(judge(&Facts { withheld: true, labels: &report, ..mail }), Err(Stays::Withheld));
    }
}
