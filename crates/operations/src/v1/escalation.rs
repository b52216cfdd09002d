//! `/v1/escalation`: people on call for the workspace.

use posthouse_api::views::escalation::{EscalationView, OnCallContactView};
use posthouse_api::wire::{AddressText, BoundedInt, Patch, Replacement, member};
use posthouse_app::escalation::contacts::OnCallContactState;
use posthouse_app::escalation::settings::{self, OptionChange, WorkspaceOnCall, WorkspaceOnCallChange};
use posthouse_app::limits::client_network;
use posthouse_call::prelude::*;
use posthouse_domain::escalation::{CONTACTS_MAX, PER_HOUR_MAX};
use posthouse_domain::{ClockTime, EscalationDelivery, EscalationTrigger, NamedTimeZone, QuietHours, TriggerChanges};
use serde_json::{Map, Value};

/// Path of the settings of the workspace.
const WORKSPACE: &str = "/v1/escalation";
/// The error codes of a change.
const CHANGE_ERROR_CODES: &[ErrorCode] =
    &[ErrorCode::RecipientSuppressed, ErrorCode::RateLimited, ErrorCode::UnclaimedWorkspace];
pub(crate) fn operations() -> Vec<Operation> {
    use Permission::EscalationManage;
    vec![
        Operation::new(Method::Get, WORKSPACE, "getEscalation", EscalationManage)
            .workspace_wide()
            .summary("Returns the people on call for the workspace, and what is escalated to them.")
            .responds::<EscalationView<'_>>(200)
            .handle(read),
        Operation::new(Method::Put, WORKSPACE, "updateEscalation", EscalationManage)
            .workspace_wide()
            .summary(
                "Changes the people on call and what is escalated to them. Absent members keep their values. New \
                 contacts get a mail that asks them to confirm.",
            )
            .responds::<EscalationView<'_>>(200)
            .errors(CHANGE_ERROR_CODES)
            .handle(update),
    ]
}

/// The addresses of contacts.
pub(super) type ContactAddresses = BoundedList<AddressText, 0, CONTACTS_MAX>;

object! {
    /// Triggers to switch on or off. Absent ones keep their state.
    pub(super) struct TriggersBody {
        /// A message gets the label `ai:needs-human`.
        needs_human: Replacement<bool>,
        /// A received message gets the label `ai:phishing`.
        phishing: Replacement<bool>,
        /// A receive list blocks a message.
        blocked: Replacement<bool>,
        /// A scheduled draft can't be sent.
        draft_failed: Replacement<bool>,
        /// The emergency stop is activated.
        emergency_stop: Replacement<bool>,
        /// A received message is held for review.
        held: Replacement<bool>,
        /// A draft is created.
        draft_created: Replacement<bool>,
    }
}

object! {
    /// A daily period without mails, by the wall clock. Escalations within it are sent at its end.
    struct QuietHoursBody {
        /// The start, as `HH:MM`.
        start: ClockTime,
        /// The end, as `HH:MM`. If it is before the start, it is on the next day. It differs from the start.
        end: ClockTime,
        /// The IANA time zone.
        timezone: NamedTimeZone,
    }
    check end_differs;
}

object! {
    /// Changes of the escalation settings of the workspace.
    struct UpdateEscalationBody {
        /// The addresses of all people on call. They replace the list; those that stay keep their confirmation.
        contacts: Replacement<ContactAddresses>,
        /// What is escalated.
        triggers: Replacement<TriggersBody>,
        /// `immediate`: one mail for each escalation up to `max_per_hour`, the rest in the next digest. `digest`: one
        /// mail per inbox and hour.
        delivery: Replacement<EscalationDelivery>,
        /// Maximum number of mails in an hour.
        max_per_hour: Replacement<BoundedInt<1, { PER_HOUR_MAX as i64 }>>,
        /// When no mail is sent; null for no such period.
        quiet_hours: Patch<QuietHoursBody>,
        /// Whether mails contain the first 500 characters of the message's text.
        include_excerpt: Replacement<bool>,
    }
}

/// Reports quiet hours that end when they start.
fn end_differs(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    if given.contains_key("end") && given.get("start") == given.get("end") {
        problems.add::<()>(&member(path, "end"), "must differ from `start`");
    }
}

impl TriggersBody {
    pub(super) fn changes(self) -> TriggerChanges {
        use EscalationTrigger::{Blocked, DraftCreated, DraftFailed, EmergencyStop, Held, NeedsHuman, Phishing};
        let given = [
            (NeedsHuman, self.needs_human),
            (Phishing, self.phishing),
            (Blocked, self.blocked),
            (DraftFailed, self.draft_failed),
            (EmergencyStop, self.emergency_stop),
            (Held, self.held),
            (DraftCreated, self.draft_created),
        ];
        given.into_iter().filter_map(|(trigger, is_on)| Some((trigger, is_on.0?))).collect()
    }
}

/// Converts a change of a member that null clears.
pub(super) fn option_change<T, U>(patch: Patch<T>, convert: impl FnOnce(T) -> U) -> OptionChange<U> {
    match patch {
        Patch::Keep => OptionChange::Keep,
        Patch::Clear => OptionChange::Clear,
        Patch::Set(value) => OptionChange::Set(convert(value)),
    }
}

pub(super) fn addresses(list: ContactAddresses) -> Vec<posthouse_mail::address::Address> {
    list.0.into_iter().map(|address| address.0).collect()
}

pub(super) fn contact_views(states: &[OnCallContactState]) -> Vec<OnCallContactView<'_>> {
    states.iter().map(|state| OnCallContactView::of(&state.contact, state.failure.as_ref())).collect()
}

fn render(found: &WorkspaceOnCall) -> Result<Outcome, Refusal> {
    Outcome::json(200, &EscalationView::of(&found.settings, contact_views(&found.contacts)))
}

async fn read(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    render(&settings::of_workspace(&service, input.caller).await?)
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateEscalationBody>) -> Result<Outcome, Refusal> {
    let body = input.body;
    let quiet = |body: QuietHoursBody| QuietHours { start: body.start, end: body.end, timezone: body.timezone };
    let change = WorkspaceOnCallChange {
        contacts: body.contacts.0.map(addresses),
        triggers: body.triggers.0.map(TriggersBody::changes).unwrap_or_default(),
        delivery: body.delivery.0,
        max_per_hour: body.max_per_hour.0.and_then(|max| u32::try_from(max.0).ok()),
        quiet_hours: option_change(body.quiet_hours, quiet),
        include_excerpt: body.include_excerpt.0,
    };
    render(&settings::change_workspace(&service, input.caller, change, client_network(input.request.client_ip)).await?)
}
