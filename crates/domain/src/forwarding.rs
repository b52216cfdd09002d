//! Automatic forwarding: the confirmed addresses of an inbox, and which received messages are forwarded.

use crate::{
    id::{ForwardId, ForwardingAddressId, InboxId, MessageId, WorkspaceId},
    label::UNVERIFIED_REPORT,
    send::BOUNCE_LABEL,
    time::{DAY_MS, Time},
};

/// The maximum number of forwarding addresses of an inbox.
pub const ADDRESSES_MAX: usize = 3;
/// How long a confirmation link is valid, in milliseconds.
pub const CONFIRMATION_LINK_MS: i64 = 7 * DAY_MS;
/// How long a message may wait for a limit, in milliseconds. A stop or a pause may last longer.
pub const WAIT_MS_MAX: i64 = 5 * DAY_MS;
/// Labels of messages that `skip_flagged` excludes: phishing, injection risk, failed DMARC.
pub const FLAG_LABELS: [&str; 4] = ["ai:phishing", "ai:injection-risk", "local:injection-risk", "dmarc-fail"];

/// An address that an inbox forwards received messages to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForwardingAddress {
    pub workspace: WorkspaceId,
    pub id: ForwardingAddressId,
    /// The inbox that forwards.
    pub inbox: InboxId,
    /// The destination, in canonical form.
    pub address: String,
    /// Whether flagged messages are not forwarded.
    pub skip_flagged: bool,
    /// When the address's owner confirmed it; nothing is forwarded before.
    pub confirmed_at: Option<Time>,
    /// When the newest confirmation mail was created.
    pub confirmation_sent_at: Time,
    /// When a message was last forwarded.
    pub last_forwarded_at: Option<Time>,
    /// The number of forwarded messages.
    pub forwarded_count: u64,
    /// Why the newest message was not forwarded, if it wasn't.
    pub failure: Option<ForwardingFailure>,
    pub created_at: Time,
}

/// Why a message was not forwarded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForwardingFailure {
    /// The error code.
    pub code: String,
    /// The error message.
    pub message: String,
}

impl ForwardingAddress {
    /// Returns `pending` or `confirmed`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        if self.confirmed_at.is_some() { "confirmed" } else { "pending" }
    }
}

/// A received message to forward to an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingForward {
    pub workspace: WorkspaceId,
    pub id: ForwardId,
    pub message: MessageId,
    pub to: ForwardingAddressId,
    /// When the message was received.
    pub created_at: Time,
}

/// The facts that decide whether a received message is forwarded.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForwardingFacts<'a> {
    /// The labels of the message.
    pub labels: &'a [String],
    /// Whether flagged messages are not forwarded.
    pub skip_flagged: bool,
    /// Whether the message is also withheld from agents.
    pub withheld: bool,
    /// Whether the message passed this inbox before, or was sent by it.
    pub is_loop: bool,
    /// Whether it is an automatic reply to a forwarded message, or was sent by the forwarding address itself.
    pub answers_itself: bool,
}

/// Why a message is not forwarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForwardingSkipReason {
    /// A receive list blocked it, or it is held for review.
    Withheld,
    /// It is a delivery report about sent mail.
    Report,
    /// Forwarding it would create a loop.
    Loop,
    /// It is flagged.
    Flagged,
}

impl ForwardingSkipReason {
    /// Returns a short name for operators.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            ForwardingSkipReason::Withheld => "withheld",
            ForwardingSkipReason::Report => "report",
            ForwardingSkipReason::Loop => "loop",
            ForwardingSkipReason::Flagged => "flagged",
        }
    }
}

/// Checks whether a received message is forwarded.
///
/// # Errors
/// Returns the first reason why it isn't.
pub fn check_forwarding(facts: &ForwardingFacts<'_>) -> Result<(), ForwardingSkipReason> {
    let has = |label: &str| facts.labels.iter().any(|own| own == label);
    let reasons = [
        (facts.withheld, ForwardingSkipReason::Withheld),
        // An unverified report may still be a server's response to a forwarded message; forwarding it would create a
        // loop.
        (has(BOUNCE_LABEL) || has(UNVERIFIED_REPORT), ForwardingSkipReason::Report),
        (facts.is_loop || facts.answers_itself, ForwardingSkipReason::Loop),
        (facts.skip_flagged && FLAG_LABELS.iter().any(|flag| has(flag)), ForwardingSkipReason::Flagged),
    ];
    reasons.into_iter().find(|(holds, _)| *holds).map_or(Ok(()), |(_, why)| Err(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_forwarded_unless_a_rule_applies() {
        let labels = |all: &[&str]| all.iter().map(|label| (*label).to_owned()).collect::<Vec<String>>();
        let mail = ForwardingFacts { skip_flagged: true, ..ForwardingFacts::default() };
        for harmless in [&[][..], &["spf-fail", "ai:sales", "local:spam", "own"]] {
            assert_eq!(check_forwarding(&ForwardingFacts { labels: &labels(harmless), ..mail }), Ok(()));
        }
        for flag in FLAG_LABELS {
            let labels = labels(&["own", flag]);
            assert_eq!(
                check_forwarding(&ForwardingFacts { labels: &labels, ..mail }),
                Err(ForwardingSkipReason::Flagged)
            );
            assert_eq!(check_forwarding(&ForwardingFacts { labels: &labels, skip_flagged: false, ..mail }), Ok(()));
        }
        let report = labels(&[BOUNCE_LABEL, "dmarc-fail"]);
        for label in [BOUNCE_LABEL, UNVERIFIED_REPORT] {
            let labels = labels(&[label, "dmarc-fail"]);
            assert_eq!(
                check_forwarding(&ForwardingFacts { labels: &labels, skip_flagged: false, ..mail }),
                Err(ForwardingSkipReason::Report)
            );
        }
        assert_eq!(check_forwarding(&ForwardingFacts { is_loop: true, ..mail }), Err(ForwardingSkipReason::Loop));
        assert_eq!(
            check_forwarding(&ForwardingFacts { answers_itself: true, ..mail }),
            Err(ForwardingSkipReason::Loop)
        );
        assert_eq!(
            check_forwarding(&ForwardingFacts { withheld: true, labels: &report, ..mail }),
            Err(ForwardingSkipReason::Withheld)
        );
    }
}
