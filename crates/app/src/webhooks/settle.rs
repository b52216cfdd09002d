//! Settles attempts: stores results and counts, schedules the next attempt, disables webhooks that always fail.

use std::collections::BTreeMap;

use posthouse_domain::{
    AttemptCounts, IdGenerator, JobKind, JobReason, Time, Webhook, WebhookDelivery, WebhookDeliveryStatus, WebhookId,
    WorkspaceId, webhook::gap_ms,
};
use posthouse_store::{Result, Tx, jobs, jobs::NewJob, webhook_deliveries as deliveries, webhooks};

use super::attempt::FinishedAttempt;
use super::subscriptions::ending::{self, SubscriptionEnd};

/// The status of a receiver that wants no more deliveries (RFC 9110 §15.5.11). It ends a subscription.
const STATUS_GONE: u16 = 410;
/// The status of a receiver for which a body is too large (RFC 9110 §15.5.14). A subscription doesn't repeat it.
const STATUS_TOO_LARGE: u16 = 413;
/// The error of attempts that were canceled because the webhook was disabled.
const GIVEN_UP: &str = "the webhook was disabled, because every attempt failed for 5 days";

/// The outcome of settling attempts.
#[derive(Clone, Debug, Default)]
pub(super) struct Settled {
    /// Webhooks disabled now because every attempt failed.
    pub given_up: Vec<Webhook>,
    /// When the first of the next attempts is due.
    pub next: Option<Time>,
}

/// Stores the results of a workspace's finished attempts.
pub(super) fn settle(
    tx: &mut Tx,
    workspace: WorkspaceId,
    finished: &[FinishedAttempt],
    start_ms: i64,
    ids: &IdGenerator,
) -> Result<Settled> {
    let mut by_webhook: BTreeMap<WebhookId, Vec<&FinishedAttempt>> = BTreeMap::new();
    for one in finished {
        by_webhook.entry(one.leased_attempt.webhook).or_default().push(one);
    }
    let mut settled = Settled::default();
    for (id, finished) in by_webhook {
        // The attempts of a deleted webhook are deleted with it.
        let Some(webhook) = webhooks::get(tx, workspace, id)? else { continue };
        let mut own = Vec::with_capacity(finished.len());
        for one in finished {
            let delivery = with_next(one, &webhook, start_ms);
            if deliveries::settle(tx, workspace, one.leased_attempt.token, &delivery, one.exchange.as_ref())? {
                own.push(one);
                settled.next = settled.next.into_iter().chain(delivery.next_attempt_at).min();
            }
        }
        record(tx, workspace, id, &own)?;
        if webhook.subscription.is_some() {
            let is_gone = own.iter().any(|one| one.delivery.response_status == Some(STATUS_GONE));
            if is_gone {
                ending::end(tx, workspace, id, SubscriptionEnd::Gone)?;
            }
            continue;
        }
        if let Some(webhook) = disable_if_failing(tx, workspace, id, &own, ids)? {
            settled.given_up.push(webhook);
        }
    }
    Ok(settled)
}

/// Returns the delivery record with the time of the next attempt, if there is one.
fn with_next(finished: &FinishedAttempt, webhook: &Webhook, start_ms: i64) -> WebhookDelivery {
    let mut delivery = finished.delivery.clone();
    let is_final = webhook.subscription.is_some() && delivery.response_status == Some(STATUS_TOO_LARGE);
    if delivery.status == WebhookDeliveryStatus::Failed && webhook.enabled && !is_final {
        let gap = gap_ms(start_ms, delivery.attempt, finished.chance);
        delivery.next_attempt_at = gap.map(|gap| finished.at.plus_ms(gap));
    }
    delivery
}

/// Counts the attempts and updates `failing_since`.
fn record(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, finished: &[&FinishedAttempt]) -> Result<()> {
    let Some(last) = finished.iter().map(|one| one.at).max() else { return Ok(()) };
    let is_failed = |one: &&&FinishedAttempt| one.delivery.status == WebhookDeliveryStatus::Failed;
    let failed: Vec<&&FinishedAttempt> = finished.iter().filter(is_failed).collect();
    let counts = AttemptCounts { deliveries: finished.len() as u64, failed: failed.len() as u64 };
    webhooks::add_counts(tx, workspace, id, counts, last)?;
    let succeeded_at = finished.iter().filter(|one| !is_failed(one)).map(|one| one.at).max();
    if let Some(at) = succeeded_at {
        webhooks::succeeded(tx, workspace, id, at)?;
    }
    let since = failed.iter().map(|one| one.began_at).filter(|began| succeeded_at.is_none_or(|at| *began > at)).min();
    let last_failure: Option<Time> = failed.iter().map(|one| one.at).max();
    match (since, last_failure) {
        (Some(since), Some(at)) => webhooks::failed(tx, workspace, id, webhooks::FailureRun { since, last_at: at }),
        (None, Some(at)) => webhooks::failed_before(tx, workspace, id, at),
        _ => Ok(()),
    }
}

/// Disables the webhook if an attempt failed and all attempts have failed for too long.
fn disable_if_failing(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: WebhookId,
    finished: &[&FinishedAttempt],
    ids: &IdGenerator,
) -> Result<Option<Webhook>> {
    let Some(at) = finished.iter().map(|one| one.at).max() else { return Ok(None) };
    let webhook =
        webhooks::get(tx, workspace, id)?.filter(|webhook| webhook.enabled && webhook.is_failing_too_long(at));
    if webhook.is_some() {
        webhooks::disable(tx, workspace, id)?;
        deliveries::cancel(tx, workspace, id, GIVEN_UP)?;
        let job = NewJob::new(JobKind::WebhookNotice, JobReason::Disabled, workspace, id.0, ids.next(), at);
        jobs::enqueue(tx, &job)?;
    }
    Ok(webhook)
}
