//! The escalation settings of workspaces and inboxes.

use posthouse_domain::{
    escalation::{EscalationSettings, EscalationTrigger, InboxEscalation, OnCallContact, QuietHours, TriggerSet},
    suppression::Suppression,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::TimestampView;

view! {
    /// The escalation settings of a workspace.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Escalation")]
    pub struct EscalationView<'a> of settings: &'a EscalationSettings, contacts: Vec<OnCallContactView<'a>> {
        /// People on call.
        contacts: Vec<OnCallContactView<'a>> = contacts,
        /// Triggers and whether they are on.
        triggers: TriggersView = TriggersView::of(settings.triggers),
        /// `immediate` or `digest`.
        delivery: &'static str = settings.delivery.text(),
        /// Maximum number of mails in an hour.
        max_per_hour: u32 = settings.max_per_hour,
        /// Daily period without mails; null without one.
        quiet_hours: Option<QuietHoursView<'a>> = settings.quiet_hours.as_ref().map(QuietHoursView::of),
        /// Whether mails contain the first 500 characters of the message's text.
        include_excerpt: bool = settings.include_excerpt,
    }
}

/// The escalation settings of an inbox.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxEscalation")]
pub struct InboxEscalationView<'a> {
    /// Whether mails go to the contacts of the inbox instead of those of the workspace.
    r#override: bool,
    /// People on call for this inbox.
    contacts: Vec<OnCallContactView<'a>>,
    /// Triggers and whether they are on; null if those of the workspace apply.
    triggers: Option<TriggersView>,
}

view! {
    /// A person on call.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "OnCallContact")]
    pub struct OnCallContactView<'a> of contact: &'a OnCallContact, failure: Option<&'a Suppression> {
        /// Address.
        email: &'a str = &contact.address,
        /// `pending` until the person confirms, then `confirmed`.
        status: &'static str = contact.status(),
        /// Time of the confirmation; null before.
        confirmed_at: Option<TimestampView> = contact.confirmed_at.map(Into::into),
        /// Reason why nothing is sent to this person any more; null if mail arrives.
        error: Option<OnCallErrorView<'a>> = failure.map(|failure| OnCallErrorView {
            code: failure.reason.text(),
            message: failure.detail.as_deref(),
            since: failure.created_at.into(),
        }),
    }
}

/// The reason why nothing is sent to a person on call.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OnCallContactError")]
struct OnCallErrorView<'a> {
    /// `bounce` or `complaint`.
    code: &'static str,
    /// Text of the remote server.
    message: Option<&'a str>,
    /// Time of the bounce or complaint.
    since: TimestampView,
}

/// The triggers of escalations and whether they are on.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EscalationTriggers")]
pub struct TriggersView {
    /// Message with the label `ai:needs-human`.
    needs_human: bool,
    /// Received message with the label `ai:phishing`.
    phishing: bool,
    /// Message that a receive list blocked.
    blocked: bool,
    /// Scheduled draft that could not be sent.
    draft_failed: bool,
    /// Emergency stop.
    emergency_stop: bool,
    /// Received message that is held for review.
    held: bool,
    /// New draft.
    draft_created: bool,
}

/// A daily period by the wall clock.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuietHours")]
pub struct QuietHoursView<'a> {
    /// Start, as `HH:MM`.
    start: String,
    /// End, as `HH:MM`; on the next day if it is before the start.
    end: String,
    /// IANA time zone.
    timezone: &'a str,
}

impl<'a> InboxEscalationView<'a> {
    /// Returns the view of settings and contacts.
    #[must_use]
    pub fn of(settings: &InboxEscalation, contacts: Vec<OnCallContactView<'a>>) -> Self {
        Self { r#override: settings.overrides, contacts, triggers: settings.triggers.map(TriggersView::of) }
    }
}

impl TriggersView {
    fn of(set: TriggerSet) -> Self {
        use EscalationTrigger::{Blocked, DraftCreated, DraftFailed, EmergencyStop, Held, NeedsHuman, Phishing};
        Self {
            needs_human: set.has(NeedsHuman),
            phishing: set.has(Phishing),
            blocked: set.has(Blocked),
            draft_failed: set.has(DraftFailed),
            emergency_stop: set.has(EmergencyStop),
            held: set.has(Held),
            draft_created: set.has(DraftCreated),
        }
    }
}

impl<'a> QuietHoursView<'a> {
    fn of(quiet: &'a QuietHours) -> Self {
        Self { start: quiet.start.to_string(), end: quiet.end.to_string(), timezone: &quiet.timezone.name }
    }
}
