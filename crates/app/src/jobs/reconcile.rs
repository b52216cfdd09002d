//! The reconciliation sweep: once a minute, recreates lost jobs and deletes expired rows.
//!
//! The count of recreated jobs should stay at zero: every recreated job is the sign of a bug.

use std::sync::Arc;

use posthouse_domain::{
    DAY_MS, JobKind, JobReason, MINUTE_MS, Time, agent::report, escalation, event, identity,
    queue::DELETED_RETENTION_MS, suspension,
};
use posthouse_store::{
    Result, Tx, agent_keys, agent_reports, cancelled_waits, confirmations as stored_confirmations, file_links,
    greylist, identity_requests, identity_sign_ins, identity_tokens, incidents, jobs, jobs::recovery,
    jobs::recovery::LostJob, local_deliveries, metrics, on_call, queue, readings, sessions, sign_ins, signups,
    sweep as store, webhooks,
};

use super::{certificate, retention};
use crate::outbound::{deliver, local_delivery, local_delivery::run::LocalDeliveryRef};
use crate::{
    ReadScope, Service, connectors, inboxes::wipe, limits::confirmations, messages::claim,
    messages::digest::READINGS_KEPT_MS, signing::keys, webhooks::change::prune_attempts,
};

/// The interval of the sweep, in milliseconds.
pub const EVERY_MS: i64 = MINUTE_MS;
/// How long responses are kept for idempotency keys, in milliseconds (`docs/reference/conventions.md#idempotency`).
const IDEMPOTENCY_KEPT_MS: i64 = DAY_MS;
/// The age at which an unreferenced blob is deleted, in milliseconds.
const BLOB_KEPT_MS: i64 = DAY_MS;
/// Maximum jobs recreated in one sweep; the rest waits for the next sweep.
const LOST_MAX: u32 = 500;
/// Rows deleted in one transaction, so that other writers don't wait long.
const ROWS_MAX: u32 = 1_000;
/// Maximum transactions per sweep for each kind of row.
const ROUNDS_MAX: usize = 50;

/// Runs one sweep and returns how many jobs it recreated.
pub async fn run(service: &Arc<Service>) -> Result<u64> {
    let now = service.clock.now();
    certificate::ensure(service, now).await?;
    let recreated = recreate(service, now).await?;
    fail_dead_envelopes(service).await?;
    discard(service, now).await?;
    prune_queues(service, now).await?;
    retention::run(service, now).await?;
    sweep_blobs(service, now).await?;
    if let Err(error) = keys::maintain(service).await {
        tracing::error!(cause = %error, "signing_key.not_rotated");
    }
    Ok(recreated)
}

/// Recreates the jobs that rows need and don't have ([`recovery`]).
async fn recreate(service: &Arc<Service>, now: Time) -> Result<u64> {
    let read = |tx: &mut Tx| {
        let mut lost: Vec<(JobKind, LostJob)> = Vec::new();
        for kind in JobKind::ALL {
            lost.extend(recovery::lost(tx, *kind, LOST_MAX)?.into_iter().map(|lost| (*kind, lost)));
        }
        Ok::<_, posthouse_store::Error>(lost)
    };
    let lost = service.read(ReadScope::Service, read).await?;
    if lost.is_empty() {
        return Ok(0);
    }
    let ids = service.clock.ids();
    let made = lost.into_iter().map(|(kind, lost)| {
        jobs::NewJob::new(kind, JobReason::Recreated, lost.workspace, lost.subject, ids.next(), now)
            .in_group(lost.group)
            .due_at(lost.run_at.max(now))
    });
    let (lost, made): (Vec<_>, Vec<_>) = made.map(|job| (job.clone(), job)).unzip();
    service.write(move |tx| made.iter().try_for_each(|job| jobs::enqueue_missing(tx, job))).await?;
    for job in &lost {
        let kind = job.kind.text();
        tracing::warn!(kind, workspace_id = %job.workspace, subject_id = %job.subject, "job.recreated");
        service.metrics.job(kind, "recreated");
    }
    Ok(lost.len() as u64)
}

/// Marks the envelopes and local deliveries of dead jobs as failed, and appends their events.
async fn fail_dead_envelopes(service: &Arc<Service>) -> Result<()> {
    for dead in service.read(ReadScope::Service, |tx| store::envelopes_dead(tx, LOST_MAX)).await? {
        let why = format!("not sent: given up after {} attempts ({})", dead.attempts, dead.why);
        let reference = deliver::EnvelopeRef { workspace: dead.workspace, envelope: dead.id };
        if deliver::fail_envelope(service, reference, why).await? {
            tracing::error!(envelope = %dead.id, attempts = dead.attempts, reason = dead.why, "delivery.attempts_used_up");
        }
    }
    for dead in service.read(ReadScope::Service, |tx| local_deliveries::dead(tx, LOST_MAX)).await? {
        let why = format!("not delivered: given up after {} attempts ({})", dead.attempts, dead.why);
        let reference = LocalDeliveryRef { workspace: dead.workspace, id: dead.id };
        if local_delivery::run::give_up(service, reference, why).await? {
            tracing::error!(envelope = %dead.id, attempts = dead.attempts, reason = dead.why, "delivery.attempts_used_up");
        }
    }
    Ok(())
}

/// Deletes old rows in small transactions.
async fn discard(service: &Arc<Service>, now: Time) -> Result<()> {
    let (answers, events) = (now.plus_ms(-IDEMPOTENCY_KEPT_MS), now.plus_ms(-event::EVENT_RETENTION_MS));
    repeat(service, move |tx| store::delete_idempotency(tx, answers, ROWS_MAX)).await?;
    repeat(service, move |tx| store::delete_events(tx, events, ROWS_MAX)).await?;
    repeat(service, move |tx| greylist::prune(tx, now, ROWS_MAX)).await?;
    let unread_since = now.plus_ms(-READINGS_KEPT_MS);
    repeat(service, move |tx| readings::prune(tx, unread_since, ROWS_MAX)).await?;
    repeat(service, move |tx| signups::prune_challenges(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| agent_keys::prune_nonces(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| signups::prune_usage(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| sign_ins::prune(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| sessions::prune(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| file_links::prune(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| cancelled_waits::prune(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| identity_requests::prune(tx, now, ROWS_MAX)).await?;
    repeat(service, move |tx| identity_tokens::prune(tx, now, ROWS_MAX)).await?;
    let sign_ins_before = now.plus_ms(-identity::HISTORY_MS);
    repeat(service, move |tx| identity_sign_ins::prune(tx, sign_ins_before, ROWS_MAX)).await?;
    let incidents_before = now.plus_ms(-suspension::WINDOW_MS);
    repeat(service, move |tx| incidents::delete_older(tx, incidents_before, ROWS_MAX)).await?;
    let reports_before = now.plus_ms(-report::REPORT_RETENTION_MS);
    repeat(service, move |tx| agent_reports::prune(tx, reports_before, ROWS_MAX)).await?;
    let requests_before = now.plus_ms(-confirmations::WINDOW_MS);
    repeat(service, move |tx| stored_confirmations::prune(tx, requests_before, ROWS_MAX)).await?;
    let mails_before = now.plus_ms(-escalation::MAIL_RETENTION_MS);
    repeat(service, move |tx| on_call::prune_mails(tx, mails_before, ROWS_MAX)).await?;
    // Attempts are kept as long as the events they name.
    prune_attempts(service, events).await?;
    service.write(move |tx| webhooks::prune_counts(tx, now)).await?;
    connectors::expire::run(service, now).await?;
    service.write(move |tx| metrics::prune(tx, now)).await
}

/// Moves messages with used-up deliveries to the dead letters, and deletes old rows of removed queue entries.
async fn prune_queues(service: &Arc<Service>, now: Time) -> Result<()> {
    repeat(service, move |tx| claim::dead_letter_exhausted(tx, None, now, LOST_MAX)).await?;
    let before = now.plus_ms(-DELETED_RETENTION_MS);
    repeat(service, move |tx| queue::delete_gone(tx, before, ROWS_MAX)).await
}

/// Repeats a step, each time in its own transaction, until no rows are left.
async fn repeat(
    service: &Arc<Service>,
    some: impl Fn(&mut Tx) -> Result<u64> + Clone + Send + Sync + 'static,
) -> Result<()> {
    for _ in 0..ROUNDS_MAX {
        if service.write(some.clone()).await? == 0 {
            break;
        }
    }
    Ok(())
}

/// Deletes unreferenced blobs in one of the 256 shards of the blob store, a different shard each time.
async fn sweep_blobs(service: &Arc<Service>, now: Time) -> Result<()> {
    let before_ms = now.plus_ms(-BLOB_KEPT_MS).millis();
    let shard = u8::try_from((now.millis() / EVERY_MS).rem_euclid(256)).unwrap_or(0);
    for digest in service.blobs.list(shard, before_ms).await? {
        let name = digest.to_string();
        let named =
            service.read(ReadScope::Statement, move |tx| posthouse_store::contents::references_blob(tx, &name)).await?;
        if !named && wipe::remove_unnamed(service, &digest.to_string(), before_ms).await? {
            tracing::info!(blob = %digest, "blob.removed");
        }
    }
    Ok(())
}
