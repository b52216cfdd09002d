//! Delivers one envelope: one message to one recipient. An attempt has three steps: `prepare` loads the rows and
//! checks again whether the message may be sent, `call` signs and transmits it without an open transaction, and
//! `settle` writes the result in one transaction, fenced by the caller.
//!
//! Each recipient has its own return path, so that a bounce identifies its message and recipient whatever its content.
//! Recipients of one domain therefore get separate transactions, over reused connections.
//!
//! A crash between a server's 250 reply and the settling transaction sends the message again with the same
//! `Message-ID`: delivery is at least once.

mod call;
pub(super) mod local;
mod not_attempted;
pub mod prepare;
mod relay;
mod route;
mod settle;
mod source_addresses;

use std::{sync::Arc, time::Duration};

use not_attempted::NotAttempted;
use posthouse_domain::{
    AttemptReport, EnvelopeId, JobReason, OutboundMode, RecipientDelivery, RetryDeadline, Time, WorkspaceId,
};
use posthouse_mail::smtp::client::DeliveryResult;
use posthouse_store::{Result as StoreResult, Tx, recipients};
use prepare::LoadResult;

use crate::{persist::persist, service::ReadScope, service::Service, settings::DeliveryMode};

/// Identifies an envelope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnvelopeRef {
    pub workspace: WorkspaceId,
    pub envelope: EnvelopeId,
}

/// The next step for an envelope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryStep {
    /// All recipients are settled, or the envelope was deleted.
    Done,
    /// Retry the recipients that are still queued.
    Retry {
        /// Time of the next attempt.
        at: Time,
        /// Reason.
        why: JobReason,
    },
    /// No attempt was made and none is counted: the workspace or the inbox may not send now, or the destination is
    /// throttled.
    Hold {
        /// Reason.
        why: JobReason,
        /// Time of the next check, if known.
        at: Option<Time>,
    },
}

/// Records the next step in the settling transaction and returns whether the caller's lease is still valid. If it
/// returns `false`, another worker owns the envelope and nothing is written.
pub type SettleFence = Arc<dyn Fn(&mut Tx, DeliveryStep) -> StoreResult<bool> + Send + Sync>;

/// The timeout of the network part of an attempt, in milliseconds. It exceeds the 10 minutes that a client waits for
/// the reply at the end of the data (RFC 5321 §4.5.3.2.6).
pub const ATTEMPT_MS_MAX: u64 = 12 * 60_000;

/// The minimum delay for mail to a throttled destination, in milliseconds.
const POSTPONE_MS_MIN: i64 = 500;

/// Makes one delivery attempt for an envelope and settles it. Settling is retried until it is committed or another
/// worker owns the envelope, because a server may already have accepted the message.
///
/// # Errors
/// Returns an error if the database call fails. Then nothing was sent, or the result can't be written; the job runs
/// again.
pub async fn deliver(service: &Arc<Service>, reference: EnvelopeRef, fence: SettleFence) -> StoreResult<DeliveryStep> {
    let mode = mode(service);
    let wants_raw = mode != OutboundMode::Capture;
    let served = crate::mailbox::recipient::served_domains(service);
    let prepared = service.read(ReadScope::Lookup, move |tx| prepare::load(tx, reference, wants_raw, &served)).await?;
    let (load, reports, end) = match prepared {
        LoadResult::Gone => return finish(service, fence, DeliveryStep::Done).await,
        LoadResult::Hold(reason) => return finish(service, fence, DeliveryStep::Hold { why: reason, at: None }).await,
        LoadResult::Impossible(load, why) => {
            let (reports, end) = (AttemptResult::Failed(why.to_owned()), end(service, &load));
            return settle(service, FinishedDelivery { load: *load, reports, mode, end }, fence).await;
        }
        LoadResult::Ready(load) if load.pending.len() > 1 => return split(service, reference, fence).await,
        LoadResult::Ready(load) => {
            // Computed before the attempt, because its result may pause the destination.
            let end = end(service, &load);
            let _memory_permit = service.capacity.memory.acquire(load.raw.as_ref().map_or(0, |raw| raw.bytes)).await;
            let called = tokio::time::timeout(Duration::from_millis(ATTEMPT_MS_MAX), call::call(service, &load)).await;
            let all = |report: AttemptReport| vec![report; load.pending.len()];
            let timeout =
                |_| Ok(all(AttemptReport::local(DeliveryResult::Temporary, "4.4.1", "the delivery attempt timed out")));
            let reports = match called.unwrap_or_else(timeout) {
                Ok(reports) => AttemptResult::Called(reports),
                Err(NotAttempted::Later(why)) => {
                    tracing::error!(envelope = %reference.envelope, why, "delivery.local_failure");
                    AttemptResult::Called(all(AttemptReport::local_failure("4.3.0", why)))
                }
                Err(NotAttempted::Never(why)) => AttemptResult::Failed(why.to_owned()),
                Err(NotAttempted::NotBefore(at, host)) => return postpone(service, &load, at, &host, fence).await,
            };
            (load, reports, end)
        }
    };
    settle(service, FinishedDelivery { load: *load, reports, mode, end }, fence).await
}

/// Settles an envelope whose job is dead: its queued recipients fail. Returns whether there was anything to settle.
pub async fn fail_envelope(service: &Arc<Service>, reference: EnvelopeRef, why: String) -> StoreResult<bool> {
    let EnvelopeRef { workspace, envelope } = reference;
    let Some(load) = service.read(ReadScope::Service, move |tx| prepare::rows(tx, reference)).await? else {
        return Ok(false);
    };
    // Another worker may have settled the envelope since the read.
    let fence: SettleFence = Arc::new(move |tx, _| Ok(recipients::envelope(tx, workspace, envelope)?.is_some()));
    let end = end(service, &load);
    let settling = FinishedDelivery { load, reports: AttemptResult::Failed(why), mode: mode(service), end };
    settle(service, settling, fence).await?;
    Ok(true)
}

/// Returns the deadline of retries. While the destination is paused, only the expiry counts, not the number of
/// attempts.
fn end(service: &Service, load: &prepare::LoadedEnvelope) -> RetryDeadline {
    let attempt_ms_max = i64::try_from(ATTEMPT_MS_MAX).unwrap_or(i64::MAX);
    let end = RetryDeadline::of(&service.config.delivery.retry_schedule_ms, load.envelope.expires_at, attempt_ms_max);
    let rests = service.capacity.limiter.is_paused(&load.envelope.destination, service.clock.now());
    if rests { end.by_time_alone() } else { end }
}

/// Returns how mail leaves this server.
fn mode(service: &Service) -> OutboundMode {
    match service.config.delivery.mode {
        DeliveryMode::Direct => OutboundMode::Direct,
        DeliveryMode::Relay(_) => OutboundMode::Relay,
        DeliveryMode::Capture => OutboundMode::Capture,
    }
}

/// The result of an attempt.
#[derive(Clone, Debug)]
enum AttemptResult {
    /// One report per pending recipient, in order.
    Called(Vec<AttemptReport>),
    /// The message can't be sent because of a local problem; the detail for all its delivery entries.
    Failed(String),
}

/// A finished attempt before its result is written.
#[derive(Clone)]
struct FinishedDelivery {
    load: prepare::LoadedEnvelope,
    reports: AttemptResult,
    mode: OutboundMode,
    /// The deadline of retries.
    end: RetryDeadline,
}

/// Records the next step of the envelope, without changing its recipients.
async fn finish(service: &Service, fence: SettleFence, next: DeliveryStep) -> StoreResult<DeliveryStep> {
    service.write(move |tx| fence(tx, next).map(|_| next)).await
}

/// Splits an envelope with several recipients, which older versions created per domain, into one envelope and job per
/// recipient. Makes no attempt; the first recipient keeps this envelope.
async fn split(service: &Service, reference: EnvelopeRef, fence: SettleFence) -> StoreResult<DeliveryStep> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let next = DeliveryStep::Hold { why: JobReason::RecipientsSplit, at: Some(now) };
    let write = move |tx: &mut Tx| {
        if fence(tx, next)? {
            prepare::split(tx, reference, &ids.clone(), now)?;
        }
        Ok(next)
    };
    service.write(write).await
}

/// Postpones the envelope without counting an attempt, because the destination is throttled. Entries without a detail
/// get one that states the reason.
async fn postpone(
    service: &Service,
    load: &prepare::LoadedEnvelope,
    at: Time,
    host: &str,
    fence: SettleFence,
) -> StoreResult<DeliveryStep> {
    let now = service.clock.now();
    let at = at.max(now.plus_ms(POSTPONE_MS_MIN)).min(load.envelope.expires_at.max(now.plus_ms(1)));
    let next = DeliveryStep::Hold { why: JobReason::DestinationPaused, at: Some(at) };
    let detail = format!("waiting: {host} accepts no more mail now; the next attempt is automatic");
    let without_detail: Vec<_> = load.pending.iter().filter(|entry| entry.detail.is_none()).cloned().collect();
    let (workspace, message) = (load.envelope.workspace, load.envelope.message);
    let write = move |tx: &mut Tx| {
        if fence(tx, next)? {
            for entry in &without_detail {
                let updated = RecipientDelivery { detail: Some(detail.clone()), updated_at: now, ..entry.clone() };
                recipients::update(tx, workspace, message, &updated)?;
            }
        }
        Ok(next)
    };
    service.write(write).await
}

/// Writes the result of an attempt and returns the next step.
async fn settle(service: &Service, mut settling: FinishedDelivery, fence: SettleFence) -> StoreResult<DeliveryStep> {
    // The write may wait a long time and doesn't need the bytes.
    settling.load.raw = None;
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let delivery = &service.config.delivery;
    let schedules = settle::RetrySchedules {
        usual: delivery.retry_schedule_ms.clone(),
        greylist: delivery.greylist_schedule_ms.clone(),
    };
    let write = move |tx: &mut Tx| {
        let plan = settle::plan(&settling, now);
        let next_at = plan.next_at(&settling, &schedules, now);
        let next = match next_at {
            None => DeliveryStep::Done,
            Some(at) => DeliveryStep::Retry { at, why: JobReason::TemporaryFailure },
        };
        if !fence(tx, next)? {
            return Ok(None);
        }
        let outcomes = settle::write(tx, &settling, &plan, next_at, &ids.clone(), now)?;
        Ok(Some((next, outcomes)))
    };
    let Some((next, outcomes)) = persist(service, write).await? else {
        tracing::warn!("delivery.lease_lost: another worker owns the envelope now; it may be delivered twice");
        return Ok(DeliveryStep::Done);
    };
    for (outcome, bounced) in outcomes {
        service.metrics.delivery(outcome);
        bounced.into_iter().for_each(|class| service.metrics.bounce(class));
    }
    Ok(next)
}
