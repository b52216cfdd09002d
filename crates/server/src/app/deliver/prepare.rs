//! The rows of an envelope and the gate again: what changed since the mail was accepted decides (architecture, «Mail out»).

use posthouse_domain::{
    id::{Ids, JobId},
    inbox::Inbox,
    message::{Delivery, DeliveryStatus},
    time::Time,
    workspace::Workspace,
};
use posthouse_store::{
    Result, Tx,
    contents::{self, Raw},
    inboxes,
    jobs::{self, NewJob},
    mail_domains, messages,
    recipients::{self, Envelope},
    workspaces,
};

use super::Errand;

/// Attempts of the job of a recipient that was split off; the end of its envelope comes long before.
const SPLIT_ATTEMPT_MAX: u32 = 200;

/// Everything that an attempt needs.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) envelope: Envelope,
    pub(super) inbox: Inbox,
    /// The recipients that are not settled.
    pub(super) pending: Vec<Delivery>,
    /// Where the bytes are; not looked for where nothing leaves.
    pub(super) raw: Option<Raw>,
    /// Mail for the inbox's domain goes to another server, and bounces with it.
    pub(super) is_elsewhere: bool,
}

/// Whether there is something to send.
pub(super) enum Prepared {
    /// Nothing is left to do.
    Gone,
    /// Not now.
    Hold(&'static str),
    /// Never, by no fault of a recipient.
    Impossible(Box<Load>, &'static str),
    /// Now.
    Ready(Box<Load>),
}

/// Loads an envelope with what belongs to it; `served` are the service's own domains.
pub(super) fn load(tx: &mut Tx, errand: Errand, wants_raw: bool, served: &[String]) -> Result<Prepared> {
    let Errand { workspace: tenant, envelope: id } = errand;
    let Some(envelope) = recipients::envelope(tx, tenant, id)? else { return Ok(Prepared::Gone) };
    let pending = pending(tx, errand)?;
    let message = messages::get(tx, tenant, envelope.message)?;
    let workspace = workspaces::get(tx, tenant)?;
    let (Some(message), Some(workspace)) = (message, workspace) else {
        return Ok(Prepared::Gone);
    };
    let Some(inbox) = inboxes::get(tx, tenant, message.inbox)? else { return Ok(Prepared::Gone) };
    if let Some(why) = hold(&workspace, &inbox) {
        return Ok(Prepared::Hold(why));
    }
    let raw = if wants_raw { contents::raw(tx, tenant, message.content)? } else { None };
    let deleted = inbox.deleted_at.is_some();
    let is_elsewhere = wants_raw
        && !served.contains(&inbox.domain)
        && mail_domains::by_name(tx, tenant, &inbox.domain)?.is_some_and(|domain| !domain.receiving);
    let load = Box::new(Load { envelope, inbox, pending, raw, is_elsewhere });
    if deleted {
        // Nobody can resume a deleted inbox, so holding would be for ever.
        return Ok(Prepared::Impossible(load, "not sent: the inbox was deleted before the message left"));
    }
    if wants_raw && load.raw.is_none() {
        return Ok(Prepared::Impossible(load, "not sent: the bytes of the message are not there any more"));
    }
    Ok(Prepared::Ready(load))
}

/// The rows of an envelope that is to be given up; none where it is gone.
pub(super) fn rows(tx: &mut Tx, errand: Errand) -> Result<Option<Load>> {
    let Errand { workspace: tenant, envelope: id } = errand;
    let Some(envelope) = recipients::envelope(tx, tenant, id)? else { return Ok(None) };
    let pending = pending(tx, errand)?;
    let Some(message) = messages::get(tx, tenant, envelope.message)? else { return Ok(None) };
    let inbox = inboxes::get(tx, tenant, message.inbox)?;
    Ok(inbox.map(|inbox| Load { envelope, inbox, pending, raw: None, is_elsewhere: false }))
}

/// The recipients of an envelope that are not settled.
fn pending(tx: &mut Tx, errand: Errand) -> Result<Vec<Delivery>> {
    let all = recipients::of_envelope(tx, errand.workspace, errand.envelope)?.into_iter().map(|of| of.delivery);
    Ok(all.filter(|delivery| delivery.status == DeliveryStatus::Queued).collect())
}

/// Moves all recipients that wait in an envelope, but the first, into envelopes of their own.
pub(super) fn split(tx: &mut Tx, errand: Errand, ids: &Ids, now: Time) -> Result<()> {
    let Some(envelope) = recipients::envelope(tx, errand.workspace, errand.envelope)? else { return Ok(()) };
    for entry in pending(tx, errand)?.iter().skip(1) {
        let own = Envelope { id: ids.next(), ..envelope.clone() };
        recipients::move_to(tx, own.workspace, (own.message, entry.position), own.id)?;
        recipients::insert_envelope(tx, &own)?;
        let job = NewJob {
            id: ids.next::<JobId>(),
            kind: jobs::OUTBOUND,
            workspace: own.workspace,
            subject: own.id.0,
            lane: own.destination,
            run_at: now,
            attempt_max: SPLIT_ATTEMPT_MAX,
            why: "queued",
            created_at: now,
        };
        jobs::enqueue(tx, &job)?;
    }
    Ok(())
}

/// The standing rules of the gate, in its order (decision 14): queued mail is held, not dropped.
pub(in crate::app) fn hold(workspace: &Workspace, inbox: &Inbox) -> Option<&'static str> {
    if workspace.stopped_at.is_some() {
        Some("workspace_stopped")
    } else if inbox.is_paused() && inbox.deleted_at.is_none() {
        Some("inbox_paused")
    } else if workspace.suspended {
        Some("workspace_suspended")
    } else {
        None
    }
}
