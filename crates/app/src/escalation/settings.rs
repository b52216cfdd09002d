//! Reads and changes the escalation settings of workspaces and inboxes.

use std::net::IpAddr;

use posthouse_domain::{
    Caller, ClaimStatus, ErrorCode, EscalationDelivery, EscalationSettings, InboxEscalation, InboxId, QuietHours,
    Refusal, TriggerChanges, TriggerSet, WorkspaceId,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, escalations, inboxes, workspaces};

use super::contacts::{self, AskingClient, ContactList, OnCallContactState};
use crate::{
    access::visible, escalation::record::raise, limits::confirmations::ConfirmationCounter,
    mailbox::recipient::served_domains, service::Service,
};

/// The escalation settings of a workspace, with its contacts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkspaceOnCall {
    pub settings: EscalationSettings,
    pub contacts: Vec<OnCallContactState>,
}

/// The escalation settings of an inbox, with its contacts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboxOnCall {
    pub settings: InboxEscalation,
    pub contacts: Vec<OnCallContactState>,
}

/// A change of a setting that may be absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum OptionChange<T> {
    /// No change.
    #[default]
    Keep,
    /// Remove the value.
    Clear,
    /// Set a value.
    Set(T),
}

/// A change of the escalation settings of a workspace. Absent members keep their values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkspaceOnCallChange {
    /// The addresses of all contacts.
    pub contacts: Option<Vec<Address>>,
    /// The triggers to switch on or off.
    pub triggers: TriggerChanges,
    /// How escalations are sent.
    pub delivery: Option<EscalationDelivery>,
    /// The maximum number of mails in an hour.
    pub max_per_hour: Option<u32>,
    /// When no escalation is sent.
    pub quiet_hours: OptionChange<QuietHours>,
    /// Whether mails contain the start of the message's text.
    pub include_excerpt: Option<bool>,
}

/// A change of the escalation settings of an inbox. Absent members keep their values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InboxOnCallChange {
    /// Whether the inbox has contacts of its own.
    pub overrides: Option<bool>,
    /// The addresses of all contacts.
    pub contacts: Option<Vec<Address>>,
    /// The triggers to switch on or off; cleared, those of the workspace apply.
    pub triggers: OptionChange<TriggerChanges>,
}

/// Returns the escalation settings of the workspace.
pub async fn of_workspace(service: &Service, caller: Caller) -> Result<WorkspaceOnCall, Refusal> {
    service.read(caller.workspace, move |tx| Ok(load(tx, caller.workspace)?)).await
}

/// Returns the escalation settings of an inbox.
///
/// # Errors
/// Returns `not_found`.
pub async fn of_inbox(service: &Service, caller: Caller, id: InboxId) -> Result<InboxOnCall, Refusal> {
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, id)?;
        Ok::<_, Refusal>(load_inbox(tx, inbox.workspace, inbox.id)?)
    };
    service.read(caller.workspace, work).await
}

/// Changes the escalation settings of the workspace, and asks new contacts to confirm. `network` is the one that counts as
/// one client.
///
/// # Errors
/// Returns `invalid_request` for contacts at this service, `recipient_suppressed`, or `rate_limited` if too many
/// confirmation mails were requested.
pub async fn change_workspace(
    service: &Service,
    caller: Caller,
    change: WorkspaceOnCallChange,
    network: IpAddr,
) -> Result<WorkspaceOnCall, Refusal> {
    let (ids, now, asking) = (service.clock.ids(), service.clock.now(), asking(service, network)?);
    let work = move |tx: &mut Tx| {
        require_claimed(tx, caller.workspace)?;
        inboxes::take_workspace(tx, caller.workspace)?;
        let before = escalations::settings(tx, caller.workspace)?;
        let after = changed(&before, &change);
        if after != before {
            escalations::set_settings(tx, caller.workspace, &after)?;
            raise::reconsider(tx, caller.workspace, &ids.clone(), now)?;
        }
        if let Some(addresses) = &change.contacts {
            let list = ContactList { workspace: caller.workspace, inbox: None };
            contacts::replace(tx, list, addresses, &asking, &ids.clone(), now)?;
        }
        Ok::<_, Refusal>(load(tx, caller.workspace)?)
    };
    service.write(work).await
}

/// Changes the escalation settings of an inbox, and asks new contacts to confirm.
///
/// # Errors
/// Returns `not_found`, and the errors of [`change_workspace`].
pub async fn change_inbox(
    service: &Service,
    caller: Caller,
    id: InboxId,
    change: InboxOnCallChange,
    network: IpAddr,
) -> Result<InboxOnCall, Refusal> {
    let (ids, now, asking) = (service.clock.ids(), service.clock.now(), asking(service, network)?);
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, id)?;
        require_claimed(tx, inbox.workspace)?;
        inboxes::take_workspace(tx, inbox.workspace)?;
        let before = escalations::settings_of_inbox(tx, inbox.workspace, inbox.id)?;
        let triggers = match &change.triggers {
            OptionChange::Keep => before.triggers,
            OptionChange::Clear => None,
            OptionChange::Set(changes) => {
                let of_workspace = escalations::settings(tx, inbox.workspace)?.triggers;
                Some(switched(before.triggers.unwrap_or(of_workspace), changes))
            }
        };
        let after = InboxEscalation { overrides: change.overrides.unwrap_or(before.overrides), triggers };
        if after != before {
            escalations::set_settings_of_inbox(tx, inbox.workspace, inbox.id, after)?;
        }
        if let Some(addresses) = &change.contacts {
            let list = ContactList { workspace: inbox.workspace, inbox: Some(inbox.id) };
            contacts::replace(tx, list, addresses, &asking, &ids.clone(), now)?;
        }
        Ok::<_, Refusal>(load_inbox(tx, inbox.workspace, inbox.id)?)
    };
    service.write(work).await
}

fn asking(service: &Service, network: IpAddr) -> Result<AskingClient, Refusal> {
    Ok(AskingClient { served: served_domains(service), counter: ConfirmationCounter::of(service, network)? })
}

/// Checks that a person owns the workspace: an agent alone could have the service write to strangers.
fn require_claimed(tx: &mut Tx, id: WorkspaceId) -> Result<(), Refusal> {
    let workspace = workspaces::get(tx, id)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    if workspace.claim == ClaimStatus::Unclaimed {
        let refusal = Refusal::new(ErrorCode::UnclaimedWorkspace, "An unclaimed workspace can't have people on call.");
        return Err(refusal.with_fix("Have a person claim the workspace first: `POST /v1/signup/claim`."));
    }
    Ok(())
}

fn load(tx: &mut Tx, workspace: WorkspaceId) -> StoreResult<WorkspaceOnCall> {
    let settings = escalations::settings(tx, workspace)?;
    Ok(WorkspaceOnCall { settings, contacts: contacts::states(tx, workspace, None)? })
}

fn load_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> StoreResult<InboxOnCall> {
    let settings = escalations::settings_of_inbox(tx, workspace, inbox)?;
    Ok(InboxOnCall { settings, contacts: contacts::states(tx, workspace, Some(inbox))? })
}

/// Returns the settings after a change.
fn changed(before: &EscalationSettings, change: &WorkspaceOnCallChange) -> EscalationSettings {
    EscalationSettings {
        triggers: switched(before.triggers, &change.triggers),
        delivery: change.delivery.unwrap_or(before.delivery),
        max_per_hour: change.max_per_hour.unwrap_or(before.max_per_hour),
        quiet_hours: match &change.quiet_hours {
            OptionChange::Keep => before.quiet_hours.clone(),
            OptionChange::Clear => None,
            OptionChange::Set(quiet) => Some(quiet.clone()),
        },
        include_excerpt: change.include_excerpt.unwrap_or(before.include_excerpt),
    }
}

fn switched(before: TriggerSet, changes: &TriggerChanges) -> TriggerSet {
    changes.iter().fold(before, |set, (trigger, is_on)| set.with(*trigger, *is_on))
}
