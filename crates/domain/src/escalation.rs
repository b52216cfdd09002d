//! Escalation: mail to people on call when an agent or the service needs one.

mod quiet_hours;
mod schedule;

pub use quiet_hours::{ClockTime, QuietHours};
pub use schedule::{EscalationQueue, EscalationStep, MailWindow, PendingEscalation, next_step};

use crate::{
    id::{DraftId, EscalationId, InboxId, MessageId, OnCallContactId, WorkspaceId},
    label,
    time::{DAY_MS, HOUR_MS, Time},
};

/// The maximum number of contacts of a workspace, and of an inbox.
pub const CONTACTS_MAX: usize = 5;
/// The maximum of `max_per_hour`.
pub const PER_HOUR_MAX: u32 = 60;
/// The default of `max_per_hour`.
pub const PER_HOUR_DEFAULT: u32 = 10;
/// The window of `max_per_hour`, in milliseconds.
pub const RATE_WINDOW_MS: i64 = HOUR_MS;
/// The maximum number of pending escalations of one trigger and inbox. A digest says that there may be more.
pub const ESCALATIONS_PENDING_MAX: u64 = 200;
/// How many characters of a text `include_excerpt` adds to a mail.
pub const EXCERPT_CHARS: usize = 500;
/// How long the service remembers the mails that it sent to people on call, in milliseconds. A reply to an older one
/// is an ordinary message.
pub const MAIL_RETENTION_MS: i64 = 400 * DAY_MS;

named! {
    /// What causes an escalation.
    EscalationTrigger {
        /// A message has the label `ai:needs-human`.
        NeedsHuman = "needs_human",
        /// A received message has the label `ai:phishing`.
        Phishing = "phishing",
        /// A receive list blocked a message.
        Blocked = "blocked",
        /// A scheduled draft could not be sent.
        DraftFailed = "draft_failed",
        /// The emergency stop was activated.
        EmergencyStop = "emergency_stop",
        /// A received message is held for review.
        Held = "held",
        /// A draft was created.
        DraftCreated = "draft_created",
    }

    /// How escalations are sent.
    #[derive(Default)]
    EscalationDelivery {
        /// One mail for each, as long as `max_per_hour` allows.
        #[default]
        Immediate = "immediate",
        /// One mail per inbox and hour.
        Digest = "digest",
    }

    /// What a mail to a person on call, to an owner, or in response is about.
    OnCallMailKind {
        /// It asks a person to confirm.
        Confirmation = "confirmation",
        /// It tells an owner that a person confirmed.
        OwnerNotice = "owner_notice",
        /// It escalates something.
        Escalation = "escalation",
        /// It is a received report about one of the others.
        Response = "response",
    }
}

impl EscalationTrigger {
    /// Returns what the labels of a message cause that are new.
    pub fn of_labels<'a>(added: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let trigger = |label: &str| match label {
            label::NEEDS_HUMAN => Some(Self::NeedsHuman),
            label::PHISHING => Some(Self::Phishing),
            label::BLOCKED => Some(Self::Blocked),
            _ => None,
        };
        added.into_iter().filter_map(trigger).collect()
    }
}

/// A set of triggers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriggerSet(u8);

impl Default for TriggerSet {
    fn default() -> Self {
        use EscalationTrigger::{DraftFailed, EmergencyStop, Held, NeedsHuman, Phishing};
        Self::of(&[NeedsHuman, Phishing, DraftFailed, EmergencyStop, Held])
    }
}

impl TriggerSet {
    /// Creates the set of the given triggers.
    #[must_use]
    pub fn of(list: &[EscalationTrigger]) -> Self {
        list.iter().fold(Self(0), |set, trigger| set.with(*trigger, true))
    }

    /// Returns the set with a trigger switched on or off.
    #[must_use]
    pub const fn with(self, trigger: EscalationTrigger, is_on: bool) -> Self {
        let bit = 1 << trigger as u8;
        Self(if is_on { self.0 | bit } else { self.0 & !bit })
    }

    /// Returns whether a trigger is on.
    #[must_use]
    pub const fn has(self, trigger: EscalationTrigger) -> bool {
        self.0 & (1 << trigger as u8) != 0
    }

    /// Returns the names of the triggers that are on, separated by commas.
    #[must_use]
    pub fn text(self) -> String {
        let on = EscalationTrigger::ALL.iter().filter(|trigger| self.has(**trigger));
        on.map(|trigger| trigger.text()).collect::<Vec<_>>().join(",")
    }

    /// Parses [`Self::text`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let names = text.split(',').filter(|name| !name.is_empty());
        let list = names.map(EscalationTrigger::parse).collect::<Option<Vec<_>>>()?;
        Some(Self::of(&list))
    }
}

/// The changes of a partial map of triggers, in the order of the request.
pub type TriggerChanges = Vec<(EscalationTrigger, bool)>;

/// The escalation settings of a workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EscalationSettings {
    /// What escalates.
    pub triggers: TriggerSet,
    /// How escalations are sent.
    pub delivery: EscalationDelivery,
    /// The maximum number of mails in an hour.
    pub max_per_hour: u32,
    /// When no escalation is sent.
    pub quiet_hours: Option<QuietHours>,
    /// Whether mails contain the start of the message's text.
    pub include_excerpt: bool,
}

impl Default for EscalationSettings {
    fn default() -> Self {
        Self {
            triggers: TriggerSet::default(),
            delivery: EscalationDelivery::default(),
            max_per_hour: PER_HOUR_DEFAULT,
            quiet_hours: None,
            include_excerpt: false,
        }
    }
}

/// The escalation settings of an inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InboxEscalation {
    /// Whether the inbox has contacts of its own.
    pub overrides: bool,
    /// What escalates; `None` means as in the workspace.
    pub triggers: Option<TriggerSet>,
}

/// A person on call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OnCallContact {
    pub workspace: WorkspaceId,
    pub id: OnCallContactId,
    /// The inbox it belongs to; `None` for a contact of the workspace.
    pub inbox: Option<InboxId>,
    /// The address, in canonical form.
    pub address: String,
    /// When the person confirmed; nothing else is sent before.
    pub confirmed_at: Option<Time>,
    /// The mail about the contact that must still be sent.
    pub mail_due: Option<OnCallMailKind>,
    /// When it was added.
    pub created_at: Time,
}

impl OnCallContact {
    /// Returns `pending` or `confirmed`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        if self.confirmed_at.is_some() { "confirmed" } else { "pending" }
    }
}

/// Something to escalate that waits to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Escalation {
    pub workspace: WorkspaceId,
    pub id: EscalationId,
    /// The inbox it is about; `None` if it is about the workspace.
    pub inbox: Option<InboxId>,
    /// Its cause.
    pub trigger: EscalationTrigger,
    /// The message it is about.
    pub message: Option<MessageId>,
    /// The draft it is about.
    pub draft: Option<DraftId>,
    /// The digest that it waits for, if it could not be sent at once.
    pub digest_at: Option<Time>,
    /// When it happened.
    pub created_at: Time,
}

/// A mail that was sent to people on call or about them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnCallMail {
    pub workspace: WorkspaceId,
    pub message: MessageId,
    /// What it is about.
    pub kind: OnCallMailKind,
    /// When it was stored.
    pub created_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigger_sets_round_trip_and_have_the_documented_defaults() {
        let default = TriggerSet::default();
        assert_eq!(default.text(), "needs_human,phishing,draft_failed,emergency_stop,held");
        assert_eq!(TriggerSet::parse(&default.text()), Some(default));
        assert_eq!(TriggerSet::parse(""), Some(TriggerSet::of(&[])));
        assert_eq!(TriggerSet::parse("needs_human,other"), None);
        for trigger in EscalationTrigger::ALL {
            assert!(TriggerSet::of(&[]).with(*trigger, true).has(*trigger));
            assert!(!TriggerSet::of(EscalationTrigger::ALL).with(*trigger, false).has(*trigger));
        }
    }

    #[test]
    fn labels_cause_their_triggers() {
        let causes = EscalationTrigger::of_labels(["own", "ai:needs-human", "ai:phishing", "blocked", "ai:urgent"]);
        use EscalationTrigger::{Blocked, NeedsHuman, Phishing};
        assert_eq!(causes, [NeedsHuman, Phishing, Blocked]);
    }
}
