//! Loads the rows of an envelope and checks again whether the workspace and the inbox may send; both can change while
//! mail is queued. See `docs/FLOWS.md`.

use posthouse_domain::{
    DeliveryStatus, IdGenerator, Inbox, JobKind, JobReason, OutboundEnvelope, RecipientDelivery, Time, Workspace,
};
use posthouse_store::contents::{self, StoredRaw};
use posthouse_store::jobs::{self, NewJob};
use posthouse_store::{Result, Tx, inboxes, mail_domains, messages, recipients, workspaces};

use super::EnvelopeRef;

/// The records that a delivery attempt needs.
#[derive(Clone)]
pub(super) struct LoadedEnvelope {
    pub(super) envelope: OutboundEnvelope,
    pub(super) inbox: Inbox,
    /// The queued recipients.
    pub(super) pending: Vec<RecipientDelivery>,
    /// The stored bytes; not loaded in capture mode.
    pub(super) raw: Option<StoredRaw>,
    /// Another server receives the mail of the inbox's domain, including bounces.
    pub(super) is_elsewhere: bool,
}

/// The result of [`load`].
pub(super) enum LoadResult {
    /// The envelope or one of its records was deleted.
    Gone,
    /// The message is held, for this reason.
    Hold(JobReason),
    /// The message can never be sent, for a reason unrelated to the recipient.
    Impossible(Box<LoadedEnvelope>, &'static str),
    /// The message can be sent now.
    Ready(Box<LoadedEnvelope>),
}

/// Loads an envelope and its records; `served` lists the service's own domains.
pub(super) fn load(tx: &mut Tx, reference: EnvelopeRef, wants_raw: bool, served: &[String]) -> Result<LoadResult> {
    let EnvelopeRef { workspace: workspace_id, envelope: id } = reference;
    let Some(envelope) = recipients::envelope(tx, workspace_id, id)? else { return Ok(LoadResult::Gone) };
    let pending = pending(tx, reference)?;
    let message = messages::get(tx, workspace_id, envelope.message)?;
    let workspace = workspaces::get(tx, workspace_id)?;
    let (Some(message), Some(workspace)) = (message, workspace) else {
        return Ok(LoadResult::Gone);
    };
    let Some(inbox) = inboxes::get(tx, workspace_id, message.inbox)? else { return Ok(LoadResult::Gone) };
    if let Some(reason) = hold_reason(&workspace, &inbox) {
        return Ok(LoadResult::Hold(reason));
    }
    let raw = if wants_raw { contents::raw(tx, workspace_id, message.content)? } else { None };
    let deleted = inbox.deleted_at.is_some();
    let is_elsewhere = wants_raw
        && !served.contains(&inbox.domain)
        && mail_domains::by_name(tx, workspace_id, &inbox.domain)?.is_some_and(|domain| !domain.receiving);
    let load = Box::new(LoadedEnvelope { envelope, inbox, pending, raw, is_elsewhere });
    if deleted {
        // A deleted inbox can't be resumed, so holding would never end.
        return Ok(LoadResult::Impossible(load, "not sent: the inbox was deleted before the message was sent"));
    }
    if wants_raw && load.raw.is_none() {
        return Ok(LoadResult::Impossible(load, "not sent: the content of the message is missing"));
    }
    Ok(LoadResult::Ready(load))
}

/// Returns the records of an envelope whose job is dead; `None` if one of them was deleted.
pub(super) fn rows(tx: &mut Tx, reference: EnvelopeRef) -> Result<Option<LoadedEnvelope>> {
    let EnvelopeRef { workspace: workspace_id, envelope: id } = reference;
    let Some(envelope) = recipients::envelope(tx, workspace_id, id)? else { return Ok(None) };
    let pending = pending(tx, reference)?;
    let Some(message) = messages::get(tx, workspace_id, envelope.message)? else { return Ok(None) };
    let inbox = inboxes::get(tx, workspace_id, message.inbox)?;
    Ok(inbox.map(|inbox| LoadedEnvelope { envelope, inbox, pending, raw: None, is_elsewhere: false }))
}

/// Returns the queued recipients of an envelope.
fn pending(tx: &mut Tx, reference: EnvelopeRef) -> Result<Vec<RecipientDelivery>> {
    let all = recipients::of_envelope(tx, reference.workspace, reference.envelope)?.into_iter().map(|of| of.delivery);
    Ok(all.filter(|delivery| delivery.status == DeliveryStatus::Queued).collect())
}

/// Moves each queued recipient except the first to a new envelope with its own job.
pub(super) fn split(tx: &mut Tx, reference: EnvelopeRef, ids: &IdGenerator, now: Time) -> Result<()> {
    let Some(envelope) = recipients::envelope(tx, reference.workspace, reference.envelope)? else { return Ok(()) };
    for entry in pending(tx, reference)?.iter().skip(1) {
        let own = OutboundEnvelope { id: ids.next(), ..envelope.clone() };
        recipients::move_to(tx, own.workspace, own.message, entry.position, own.id)?;
        recipients::insert_envelope(tx, &own)?;
        let job = NewJob::new(JobKind::Outbound, JobReason::Queued, own.workspace, own.id.0, ids.next(), now)
            .in_group(own.destination);
        jobs::enqueue(tx, &job)?;
    }
    Ok(())
}

/// Returns why queued mail must be held, checked in the order of the gate
/// (`docs/decisions/sending.md#0029-queued-mail-is-held`).
pub fn hold_reason(workspace: &Workspace, inbox: &Inbox) -> Option<JobReason> {
    if workspace.stopped_at.is_some() {
        Some(JobReason::WorkspaceStopped)
    } else if inbox.is_paused() && inbox.deleted_at.is_none() {
        Some(JobReason::InboxPaused)
    } else if workspace.suspended {
        Some(JobReason::WorkspaceSuspended)
    } else {
        None
    }
}
