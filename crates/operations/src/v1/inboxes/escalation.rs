//! `/v1/inboxes/{id}/escalation`: people on call for one inbox.

use posthouse_api::views::escalation::InboxEscalationView;
use posthouse_api::wire::{Patch, Replacement};
use posthouse_app::escalation::settings::{self, InboxOnCall, InboxOnCallChange};
use posthouse_app::limits::client_network;
use posthouse_call::prelude::*;

use crate::v1::escalation::{ContactAddresses, TriggersBody, addresses, contact_views, option_change};

/// Path of the settings of an inbox.
const INBOX: &str = "/v1/inboxes/{id}/escalation";
/// The error codes of a change.
const CHANGE_ERROR_CODES: &[ErrorCode] =
    &[ErrorCode::NotFound, ErrorCode::RecipientSuppressed, ErrorCode::RateLimited, ErrorCode::UnclaimedWorkspace];

pub(super) fn operations() -> Vec<Operation> {
    use Permission::EscalationManage;
    vec![
        Operation::new(Method::Get, INBOX, "getInboxEscalation", EscalationManage)
            .summary("Returns the escalation settings of an inbox, which replace those of its workspace.")
            .responds::<InboxEscalationView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(read_inbox),
        Operation::new(Method::Put, INBOX, "updateInboxEscalation", EscalationManage)
            .summary(
                "Sets the contacts and triggers of an inbox. Absent members keep their values. New contacts get a mail that \
                 asks them to confirm.",
            )
            .responds::<InboxEscalationView<'_>>(200)
            .errors(CHANGE_ERROR_CODES)
            .handle(update_inbox),
    ]
}

object! {
    /// Changes of the escalation settings of an inbox.
    struct UpdateInboxEscalationBody {
        /// Whether mails about the inbox go to its own contacts instead of those of the workspace.
        overrides = "override": Replacement<bool>,
        /// The addresses of all people on call for the inbox. They replace the list.
        contacts: Replacement<ContactAddresses>,
        /// What is escalated; null for what the workspace escalates.
        triggers: Patch<TriggersBody>,
    }
}

fn render_inbox(found: &InboxOnCall) -> Result<Outcome, Refusal> {
    Outcome::json(200, &InboxEscalationView::of(&found.settings, contact_views(&found.contacts)))
}

async fn read_inbox(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: InboxId = input.path.id("id", "inbox")?;
    render_inbox(&settings::of_inbox(&service, input.caller, id).await?)
}

async fn update_inbox(
    service: Arc<Service>,
    input: Input<EmptyInput, UpdateInboxEscalationBody>,
) -> Result<Outcome, Refusal> {
    let id: InboxId = input.path.id("id", "inbox")?;
    let body = input.body;
    let change = InboxOnCallChange {
        overrides: body.overrides.0,
        contacts: body.contacts.0.map(addresses),
        triggers: option_change(body.triggers, TriggersBody::changes),
    };
    render_inbox(
        &settings::change_inbox(&service, input.caller, id, change, client_network(input.request.client_ip)).await?,
    )
}
