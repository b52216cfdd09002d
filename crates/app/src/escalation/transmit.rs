//! Sends what waits in a workspace to its people on call.
//!
//! The next step is decided from the rows each time (`domain::escalation::next_step`). The transaction that stores a
//! mail deletes its escalations and checks the limit again, so that neither a crash nor a second worker sends an
//! escalation twice or too many mails.

use std::sync::Arc;

use posthouse_api::{views::event::data, views::inbox::InboxView};
use posthouse_domain::{
    Caller, ErrorCode, Escalation, EscalationDelivery, EscalationId, EscalationQueue, EscalationStep, EventKind,
    IdGenerator, InboxId, JobReason, MailWindow, MessageId, NewEvent, OnCallMailKind, Refusal, SECOND_MS,
    ServiceMailKind, Time, WorkspaceId, escalation::RATE_WINDOW_MS, escalation::next_step,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, drafts, escalations, events, inboxes, messages, on_call, workspaces};

use super::text::{EscalationItem, EscalationText, ITEMS_DESCRIBED_MAX, ItemDetails, LinkTarget};
use super::{contact_mail, contacts, recipients};
use crate::inboxes::{first_agent, view};
use crate::outbound::{accept::AcceptHook, service_mail, service_mail::ServiceMail, written_mail::WrittenMail};
use crate::service::{ReadScope, Service};
use crate::{
    escalation::record::effective, limits::service_mails::ServiceMailCounter, mailbox::recipient::served_domains,
};

/// The maximum number of escalations that one step considers; the others wait for the next.
const PENDING_READ_MAX: u32 = 2_000;
/// The maximum number of steps of one run.
const STEPS_MAX: usize = 200;

/// When a workspace must be looked at again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransmitResult {
    /// Nothing waits.
    Done,
    /// Something waits.
    Wait {
        /// When to continue.
        at: Time,
        /// Why it waits.
        why: JobReason,
    },
}

/// A mail that can be sent now.
struct EscalationMail {
    escalations: Vec<Escalation>,
    mode: EscalationDelivery,
    /// An agent of the workspace; `None` if it has none.
    agent: Option<String>,
    /// The inbox that it is about, as the event shows it.
    about: Option<InboxView>,
    to: Vec<Address>,
    items: Vec<EscalationItem>,
    max_per_hour: u32,
}

/// Sends everything that may be sent now.
///
/// # Errors
/// Returns a refusal of the gate.
pub async fn run(service: &Arc<Service>, workspace: WorkspaceId) -> Result<TransmitResult, Refusal> {
    for _ in 0..STEPS_MAX {
        let now = service.clock.now();
        match service.read(ReadScope::Service, move |tx| step(tx, workspace, now)).await? {
            EscalationStep::Done => return Ok(TransmitResult::Done),
            EscalationStep::Wait(at) => return Ok(TransmitResult::Wait { at, why: JobReason::NotDue }),
            EscalationStep::Defer { until } => {
                service.write(move |tx| escalations::defer(tx, workspace, until)).await?;
            }
            EscalationStep::Send { ids, mode } => {
                let served = served_domains(service);
                let plans = service.config.plans;
                let load = move |tx: &mut Tx| {
                    let mut mail = load(tx, workspace, &ids, mode, &served)?;
                    mail.about = view_of(tx, &mail.escalations, &plans, now)?;
                    Ok::<_, Refusal>(mail)
                };
                let mail = service.read(ReadScope::Service, load).await?;
                if let Some(wait_s) = send(service, workspace, mail).await? {
                    let at = service.clock.now().plus_ms(i64::try_from(wait_s).unwrap_or_default() * SECOND_MS);
                    return Ok(TransmitResult::Wait { at, why: JobReason::Refused });
                }
            }
        }
    }
    Ok(TransmitResult::Wait { at: service.clock.now(), why: JobReason::NotDue })
}

/// Decides the next step.
fn step(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> StoreResult<EscalationStep> {
    let settings = escalations::settings(tx, workspace)?;
    let pending = escalations::pending(tx, workspace, PENDING_READ_MAX)?;
    let sent = MailWindow { sent_at: sent_at(tx, workspace, now)?, max: settings.max_per_hour };
    Ok(next_step(&EscalationQueue { settings: &settings, pending: &pending, sent }, now))
}

fn sent_at(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> StoreResult<Vec<Time>> {
    on_call::sent_since(tx, workspace, OnCallMailKind::Escalation, now.plus_ms(-RATE_WINDOW_MS))
}

/// Sends a mail. Returns the seconds to wait if the budget of the service is used up.
async fn send(service: &Arc<Service>, workspace: WorkspaceId, mail: EscalationMail) -> Result<Option<u64>, Refusal> {
    let EscalationMail { escalations: about, mode, agent, about: view, to, items, max_per_hour } = mail;
    let ids: Vec<EscalationId> = about.iter().map(|escalation| escalation.id).collect();
    if to.is_empty() || items.is_empty() {
        // Everyone was removed, or doesn't receive mail any more; the settings show it.
        tracing::warn!(workspace_id = %workspace, count = ids.len(), "escalation.nobody_on_call");
        service.write(move |tx| escalations::delete(tx, workspace, &ids)).await?;
        return Ok(None);
    }
    let inbox_name = view.as_ref().map(InboxView::address).or(agent.as_deref()).unwrap_or("your workspace");
    let text =
        EscalationText { base_url: &service.config.base_url, inbox: inbox_name, items: &items, count: about.len() };
    let mail = WrittenMail::new(service.clock.ids().next(), to.clone(), text.subject(), text.text());
    let mail = ServiceMail { kind: ServiceMailKind::OnCall, workspace: Some(workspace), mail };
    let event = event_data(&about, mode, view, to.iter().map(Address::canonical).collect());
    let hook = EscalationHook {
        workspace,
        ids,
        about: about[0].inbox,
        detail_json: data::text(&event),
        max_per_hour,
        counter: ServiceMailCounter::of(service)?,
        to,
    };
    match service_mail::send(service, mail, Box::new(hook)).await {
        // Another worker sent some of them or used up the limit: decide again.
        Err(refusal) if refusal.code == ErrorCode::NotFound => Ok(None),
        Err(refusal) if refusal.limit().is_some() && refusal.retry_after_s.is_some() => {
            service.metrics.refused(&refusal);
            Ok(refusal.retry_after_s)
        }
        sent => sent.map(|()| None),
    }
}

/// The changes in the transaction that stores a mail.
struct EscalationHook {
    workspace: WorkspaceId,
    ids: Vec<EscalationId>,
    about: Option<InboxId>,
    detail_json: String,
    max_per_hour: u32,
    counter: ServiceMailCounter,
    to: Vec<Address>,
}

impl AcceptHook for EscalationHook {
    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let deleted = escalations::delete(tx, self.workspace, &self.ids)?;
        if deleted == self.ids.len() as u64 {
            return Ok(());
        }
        Err(Refusal::not_found("escalation"))
    }

    fn settle(&self, tx: &mut Tx, message: MessageId, _: &Caller, ids: &IdGenerator, now: Time) -> Result<(), Refusal> {
        if sent_at(tx, self.workspace, now)?.len() as u64 >= u64::from(self.max_per_hour) {
            return Err(Refusal::not_found("escalation"));
        }
        contact_mail::count_members(tx, &self.counter, &self.to, now)?;
        contact_mail::record(tx, self.workspace, message, OnCallMailKind::Escalation, now)?;
        let event = NewEvent::new(EventKind::EscalationSent, self.workspace, ids.next(), now)
            .in_inbox(self.about)
            .with_detail(self.detail_json.clone());
        Ok(events::append(tx, &event)?)
    }
}

fn event_data(
    about: &[Escalation],
    mode: EscalationDelivery,
    inbox: Option<InboxView>,
    recipients: Vec<String>,
) -> data::EscalationSent {
    let only = if let [only] = about { Some(only) } else { None };
    let first = about.first().map(|escalation| escalation.trigger);
    let same = first.filter(|first| about.iter().all(|escalation| escalation.trigger == *first));
    data::EscalationSent {
        trigger: same.map(posthouse_domain::escalation::EscalationTrigger::text),
        mode: mode.text(),
        inbox,
        message_id: only.and_then(|only| only.message).map(Into::into),
        draft_id: only.and_then(|only| only.draft).map(Into::into),
        recipients,
        items: about.iter().map(data::EscalatedItem::of).collect(),
    }
}

/// Loads what the mail about these escalations needs.
fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    ids: &[EscalationId],
    mode: EscalationDelivery,
    served: &[String],
) -> StoreResult<EscalationMail> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(escalations::get(tx, workspace, *id)?);
    }
    let about = found.first().and_then(|first| first.inbox);
    let effective = effective::load(tx, workspace, about)?;
    let states = contacts::with_state(tx, effective.contacts)?;
    let to = recipients::reachable(tx, &states, served)?;
    let agent = first_agent::of(tx, workspace)?.map(|agent| agent.address);
    let settings = &effective.settings;
    let mut items = Vec::new();
    for escalation in found.iter().take(ITEMS_DESCRIBED_MAX) {
        items.extend(item(tx, escalation, settings.include_excerpt)?);
    }
    let max_per_hour = settings.max_per_hour;
    Ok(EscalationMail { escalations: found, mode, agent, about: None, to, items, max_per_hour })
}

/// Returns the inbox that the escalations are about.
fn view_of(
    tx: &mut Tx,
    about: &[Escalation],
    plans: &posthouse_domain::plan::Plans,
    now: Time,
) -> StoreResult<Option<InboxView>> {
    let Some((workspace, id)) = about.first().and_then(|first| Some((first.workspace, first.inbox?))) else {
        return Ok(None);
    };
    let (Some(tenant), Some(inbox)) = (workspaces::get(tx, workspace)?, inboxes::get(tx, workspace, id)?) else {
        return Ok(None);
    };
    Ok(view::load_all(tx, &[inbox], plans.of(tenant.plan), now)?.pop())
}

/// Returns the description of an escalation; `None` if its subject is gone.
fn item(tx: &mut Tx, escalation: &Escalation, includes_excerpt: bool) -> StoreResult<Option<EscalationItem>> {
    let (link_to, details) = if let Some(id) = escalation.message {
        let Some(record) = messages::record(tx, escalation.workspace, id)? else { return Ok(None) };
        let message = &record.message;
        let link_to = LinkTarget::Message { inbox: message.inbox, thread: message.thread, message: message.id };
        let text = record.bodies.text.filter(|_| includes_excerpt);
        let is_open = !record.withheld;
        let details = ItemDetails {
            from: Some(message.shown_from(!is_open).to_owned()),
            subject: message.subject.clone().filter(|_| is_open),
            excerpt: text.filter(|_| is_open),
            ..ItemDetails::default()
        };
        (link_to, details)
    } else if let Some(id) = escalation.draft {
        let Some(draft) = drafts::get(tx, escalation.workspace, id)? else { return Ok(None) };
        let details = ItemDetails {
            to: Some(draft.content.to.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
            subject: draft.content.subject.clone(),
            reason: draft.failure.as_ref().map(|failure| failure.message.clone()),
            excerpt: draft.content.text.clone().filter(|_| includes_excerpt),
            from: None,
        };
        let link_to = LinkTarget::Draft { inbox: draft.inbox, draft: id };
        (link_to, details)
    } else {
        let workspace = workspaces::get(tx, escalation.workspace)?;
        let reason = workspace.and_then(|workspace| workspace.stop_reason);
        (LinkTarget::Workspace, ItemDetails { reason, ..ItemDetails::default() })
    };
    Ok(Some(EscalationItem { trigger: escalation.trigger, at: escalation.created_at, link_to, details }))
}
