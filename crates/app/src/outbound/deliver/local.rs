//! Settles a sent message for recipients in another workspace of this service, as a delivery by SMTP is settled.

use posthouse_domain::{
    AttemptReport, DeliveryStatus, IdGenerator, OutboundEnvelope, OutboundMode, RecipientDelivery, RetryDeadline, Time,
};
use posthouse_mail::smtp::client::{DeliveryResult, SmtpStage};
use posthouse_store::{
    Result, Tx, inboxes, local_deliveries::LocalDelivery, local_deliveries::LocalOutcome, recipients,
};

use super::{AttemptResult, FinishedDelivery, prepare::LoadedEnvelope, settle as settlement};

/// The detail of an entry whose recipient has no inbox on this service.
pub(in crate::outbound) const NO_SUCH_INBOX: &str = "There is no such inbox on this server.";

/// Settles the recipients that are still queued. Does nothing if they were settled before, or if the message was
/// deleted.
pub(in crate::outbound) fn settle(
    tx: &mut Tx,
    delivery: &LocalDelivery,
    outcome: &LocalOutcome,
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    let Some(load) = load(tx, delivery, now)? else { return Ok(()) };
    let reports = match outcome {
        LocalOutcome::Failed(why) => AttemptResult::Failed(why.clone()),
        LocalOutcome::Stored { missing } => {
            let is_gone = |entry: &RecipientDelivery| missing.contains(&entry.position);
            AttemptResult::Called(load.pending.iter().map(|entry| report(is_gone(entry))).collect())
        }
    };
    let end = RetryDeadline::of(&[], now, 0);
    let finished = FinishedDelivery { load, reports, mode: OutboundMode::Direct, end };
    let plan = settlement::plan(&finished, now);
    settlement::write(tx, &finished, &plan, None, ids, now).map(drop)
}

/// Settles an attempt that found the recipients' workspace full, as a server's 452 is settled, with the intervals of
/// `delivery.retry_schedule`. Returns when to try again; `None` if the message has expired, or nothing is left to settle.
pub(in crate::outbound) fn settle_full(
    tx: &mut Tx,
    delivery: &LocalDelivery,
    storage_max: u64,
    schedule_ms: &[i64],
    ids: &IdGenerator,
    now: Time,
) -> Result<Option<Time>> {
    let Some(load) = load(tx, delivery, now)? else { return Ok(None) };
    let text = format!("The recipient's storage is full (plans.*.storage_bytes is {storage_max}).");
    let report = AttemptReport {
        smtp_code: Some(452),
        stage: SmtpStage::RcptTo,
        ..AttemptReport::local(DeliveryResult::Temporary, "4.2.2", text)
    };
    let reports = AttemptResult::Called(load.pending.iter().map(|_| report.clone()).collect());
    // A delivery that waited behind an earlier one skipped attempts.
    let end = RetryDeadline::of(schedule_ms, delivery.created_at.plus_ms(schedule_ms.iter().sum()), 0).by_time_alone();
    let finished = FinishedDelivery { load, reports, mode: OutboundMode::Direct, end };
    let plan = settlement::plan(&finished, now);
    let schedules = settlement::RetrySchedules { usual: schedule_ms.to_vec(), greylist: Vec::new() };
    let next = plan.next_at(&finished, &schedules, now);
    settlement::write(tx, &finished, &plan, next, ids, now)?;
    Ok(next)
}

/// Loads the recipients that are still queued; `None` if no recipient is left or the message was deleted.
fn load(tx: &mut Tx, delivery: &LocalDelivery, now: Time) -> Result<Option<LoadedEnvelope>> {
    let workspace = delivery.sender_workspace;
    let entries = recipients::of_envelope(tx, workspace, delivery.id)?.into_iter().map(|of| of.delivery);
    let pending: Vec<_> = entries.filter(|entry| entry.status == DeliveryStatus::Queued).collect();
    let Some(inbox) = inboxes::get(tx, workspace, delivery.sender_inbox)?.filter(|_| !pending.is_empty()) else {
        return Ok(None);
    };
    let envelope = OutboundEnvelope {
        workspace,
        id: delivery.id,
        message: delivery.message,
        destination: String::new(),
        expires_at: now,
        signed: None,
    };
    Ok(Some(LoadedEnvelope { envelope, inbox, pending, raw: None, is_elsewhere: false }))
}

/// Returns the report for a recipient: delivered, or a permanent failure if its inbox is gone.
fn report(is_gone: bool) -> AttemptReport {
    if !is_gone {
        return AttemptReport { enhanced_code: None, ..AttemptReport::local(DeliveryResult::Delivered, "", "") };
    }
    AttemptReport {
        smtp_code: Some(550),
        stage: SmtpStage::RcptTo,
        ..AttemptReport::local(DeliveryResult::Permanent, "5.1.1", NO_SUCH_INBOX)
    }
}
