//! The end of attempts: their rows, the next attempt, the counts, and the end of a webhook that never works (decision 9).

use std::collections::BTreeMap;

use posthouse_domain::{
    id::{Ids, WebhookId, WorkspaceId},
    time::Time,
    webhook::{Delivery, DeliveryStatus, Webhook, gap_ms},
};
use posthouse_store::{
    Result, Tx,
    jobs::{self, NewJob},
    webhook_deliveries::{self as deliveries},
    webhooks::{self, Counts},
};

use super::attempt::Ended;

/// What the attempts that are given up with a webhook say.
const GIVEN_UP: &str = "the webhook was disabled, because every attempt failed for 5 days";

/// How often it is tried to tell the owner.
const NOTICE_ATTEMPTS_MAX: u32 = 48;

/// What follows from ended attempts.
#[derive(Clone, Debug, Default)]
pub(super) struct Settled {
    /// Webhooks that are disabled now because they never work.
    pub given_up: Vec<Webhook>,
    /// When the first of the next attempts is due.
    pub next: Option<Time>,
}

/// Writes how attempts of a workspace ended.
pub(super) fn settle(
    tx: &mut Tx,
    workspace: WorkspaceId,
    (ended, start_ms): (&[Ended], i64),
    ids: &Ids,
) -> Result<Settled> {
    let mut by_webhook: BTreeMap<WebhookId, Vec<&Ended>> = BTreeMap::new();
    for one in ended {
        by_webhook.entry(one.errand.webhook).or_default().push(one);
    }
    let mut settled = Settled::default();
    for (id, ended) in by_webhook {
        // A webhook that was deleted has no attempts any more.
        let Some(webhook) = webhooks::get(tx, workspace, id)? else { continue };
        let mut own = Vec::with_capacity(ended.len());
        for one in ended {
            let delivery = with_next(one, webhook.enabled, start_ms);
            if deliveries::settle(tx, workspace, one.errand.token, &delivery)? {
                own.push(one);
                settled.next = settled.next.into_iter().chain(delivery.next_attempt_at).min();
            }
        }
        note(tx, workspace, id, &own)?;
        if let Some(webhook) = give_up(tx, (workspace, id), &own, ids)? {
            settled.given_up.push(webhook);
        }
    }
    Ok(settled)
}

/// The attempt with the time of the next one, if one follows.
fn with_next(ended: &Ended, enabled: bool, start_ms: i64) -> Delivery {
    let mut delivery = ended.delivery.clone();
    if delivery.status == DeliveryStatus::Failed && enabled {
        let gap = gap_ms(start_ms, delivery.attempt, ended.chance);
        delivery.next_attempt_at = gap.map(|gap| ended.at.plus_ms(gap));
    }
    delivery
}

/// Counts the attempts, and notes since when all have failed.
fn note(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, ended: &[&Ended]) -> Result<()> {
    let Some(last) = ended.iter().map(|one| one.at).max() else { return Ok(()) };
    let is_failed = |one: &&&Ended| one.delivery.status == DeliveryStatus::Failed;
    let failed: Vec<&&Ended> = ended.iter().filter(is_failed).collect();
    let counts = Counts { deliveries: ended.len() as u64, failed: failed.len() as u64 };
    webhooks::add_counts(tx, workspace, id, (counts, last))?;
    let succeeded_at = ended.iter().filter(|one| !is_failed(one)).map(|one| one.at).max();
    if let Some(at) = succeeded_at {
        webhooks::succeeded(tx, workspace, id, at)?;
    }
    let since = failed.iter().map(|one| one.began_at).filter(|began| succeeded_at.is_none_or(|at| *began > at)).min();
    let last_failure: Option<Time> = failed.iter().map(|one| one.at).max();
    match (since, last_failure) {
        (Some(since), Some(at)) => webhooks::failed(tx, workspace, id, (since, at)),
        (None, Some(at)) => webhooks::failed_before(tx, workspace, id, at),
        _ => Ok(()),
    }
}

/// Disables the webhook if an attempt failed and all have for too long.
fn give_up(
    tx: &mut Tx,
    (workspace, id): (WorkspaceId, WebhookId),
    ended: &[&Ended],
    ids: &Ids,
) -> Result<Option<Webhook>> {
    let Some(at) = ended.iter().map(|one| one.at).max() else { return Ok(None) };
    let webhook = webhooks::get(tx, workspace, id)?.filter(|webhook| webhook.enabled && webhook.is_given_up(at));
    if webhook.is_some() {
        webhooks::disable(tx, workspace, id)?;
        deliveries::cancel(tx, workspace, id, GIVEN_UP)?;
        let job = NewJob {
            id: ids.next(),
            kind: jobs::WEBHOOK_NOTICE,
            workspace,
            subject: id.0,
            lane: String::new(),
            run_at: at,
            attempt_max: NOTICE_ATTEMPTS_MAX,
            why: "disabled",
            created_at: at,
        };
        jobs::enqueue(tx, &job)?;
    }
    Ok(webhook)
}
