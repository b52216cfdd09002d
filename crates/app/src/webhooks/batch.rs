//! One batch of a workspace: settles finished attempts, fans out new events and leases due attempts in one write.
//! Nothing is written if there is nothing to do.
//!
//! The transaction that stores the attempts moves a webhook's position by compare-and-set, so that only one of several
//! processes fans an event out. Events that no webhook wants move the position in memory only, until there is something
//! to store. A stored position is read back from the store: after a failed write, the next batch finds the same events
//! again.

use std::{collections::HashMap, collections::HashSet, sync::Arc};

use posthouse_domain::{
    Event, EventId, EventKind, IdGenerator, MINUTE_MS, Time, Webhook, WebhookDelivery, WebhookDeliveryId,
    WebhookDeliveryStatus, WebhookId, WorkspaceId, webhook::RECEIVERS_MAX,
};
use posthouse_store::webhook_deliveries::{self as deliveries, AttemptLease, AttemptRef, PendingAttempt};
use posthouse_store::{Result, Tx, events, webhooks};
use uuid::Uuid;

use super::subscriptions::ending::{self, SubscriptionEnd};
use super::{LeasedAttempt, OrderingKey, attempt::FinishedAttempt, settle};
use crate::events::log::{self, EventBatch, EventFilter, EventReadLimits};
use crate::service::{ReadScope, Service};
use crate::webhooks::ordering::{self, FirstAttempt};

/// How long an attempt is leased, in milliseconds: the time in the queue and of the request.
const LEASE_MS: i64 = MINUTE_MS;
/// Maximum events read in one batch.
const STEP: usize = 200;
/// Maximum waiting attempts read per webhook in one batch, in order of time.
const WAITING_MAX: u32 = 64;
/// A webhook's position is stored after this many events that it did not want.
const UNSTORED_MAX: i64 = 1_000;

/// The dispatcher's state between batches.
#[derive(Clone, Debug, Default)]
pub struct DispatchState {
    positions: HashMap<WebhookId, LogPosition>,
    /// The lease token of a failed write. The write may have been committed, with attempts that this process does not
    /// know of.
    in_doubt: Option<Uuid>,
}

/// A webhook's positions in the log: the stored one, and the one after events that it did not want.
#[derive(Clone, Copy, Debug)]
struct LogPosition {
    stored: i64,
    seen: i64,
}

/// The result of a batch.
#[derive(Clone, Debug, Default)]
pub struct BatchResult {
    /// The webhooks of the workspace.
    pub webhooks: Vec<Arc<Webhook>>,
    /// Newly leased attempts.
    pub leased_attempts: Vec<LeasedAttempt>,
    /// When the next attempt is due.
    pub next: Option<Time>,
    /// Whether the log has more events that fit in the queues.
    pub has_more: bool,
    /// Webhooks that were disabled because every attempt failed for 5 days.
    pub given_up: Vec<Arc<Webhook>>,
    /// Subscriptions that were ended because access was revoked.
    pub revoked: Vec<Arc<Webhook>>,
}

/// New events to store as attempts for one webhook.
#[derive(Clone, Debug)]
struct FanOut {
    webhook: WebhookId,
    from: i64,
    to: i64,
    events: Vec<Event>,
}

#[derive(Clone, Debug, Default)]
struct BatchPlan {
    found: BatchResult,
    fresh: Vec<FanOut>,
    due: Vec<DueAttempt>,
    ended: Vec<(Arc<Webhook>, SubscriptionEnd)>,
}

/// An attempt that is due.
#[derive(Clone, Debug)]
struct DueAttempt {
    webhook: WebhookId,
    waiting: PendingAttempt,
    /// The ordering key, for first attempts.
    first: Option<FirstAttempt>,
}

/// How many attempts each queue can accept.
#[derive(Clone, Debug, Default)]
pub struct QueueCapacities {
    /// Capacity by webhook.
    pub known: HashMap<WebhookId, usize>,
    /// Capacity of each webhook not in `known`.
    pub other: usize,
    /// Attempts that this process holds in memory.
    pub own: HashSet<WebhookDeliveryId>,
}

/// Runs a batch.
///
/// # Errors
/// Returns an error if the database call fails; settle the finished attempts in another batch then.
pub async fn run(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    memory: &mut DispatchState,
    finished: Arc<Vec<FinishedAttempt>>,
    capacities: QueueCapacities,
) -> Result<BatchResult> {
    let now = service.clock.now();
    if let Some(token) = memory.in_doubt {
        service.store.write_background(move |tx| free(tx, workspace, token, now)).await?;
        memory.in_doubt = None;
    }
    let before = memory.clone();
    let (mut plan, positions) =
        service.read(ReadScope::Service, move |tx| plan_batch(tx, workspace, &capacities, &before, now)).await?;
    memory.positions = positions;
    if finished.is_empty() && plan.fresh.is_empty() && plan.due.is_empty() && plan.ended.is_empty() {
        return Ok(plan.found);
    }
    let (ids, start_ms) = (service.clock.ids(), service.config.webhooks.backoff_start_ms);
    let (fresh, due) = (std::mem::take(&mut plan.fresh), std::mem::take(&mut plan.due));
    let ended = std::mem::take(&mut plan.ended);
    let is_revoked = |(_, why): &&(Arc<Webhook>, SubscriptionEnd)| *why == SubscriptionEnd::Revoked;
    let revoked = ended.iter().filter(is_revoked).map(|(webhook, _)| Arc::clone(webhook)).collect();
    let moves: Vec<(WebhookId, i64)> = fresh.iter().map(|one| (one.webhook, one.to)).collect();
    let lease = AttemptLease { token: ids.next(), until: now.plus_ms(LEASE_MS) };
    let write = move |tx: &mut Tx| {
        let ids = ids.clone();
        let settled = settle::settle(tx, workspace, &finished, start_ms, &ids)?;
        for (webhook, why) in &ended {
            ending::end_if(tx, webhook, *why)?;
        }
        let mut leased_attempts = Vec::new();
        // Attempts that another process leased come before newer events, so that process continues with those too.
        let mut taken_by_others = HashSet::new();
        for due in &due {
            let attempt = AttemptRef { workspace, webhook: due.webhook, id: due.waiting.id };
            match lease_attempt(tx, attempt, due, &ids, lease, now)? {
                Some(leased) => leased_attempts.push(leased),
                None if due.first.is_some() => {
                    taken_by_others.insert(due.webhook);
                }
                None => {}
            }
        }
        for one in fresh.iter().filter(|one| !taken_by_others.contains(&one.webhook)) {
            fan_out(tx, workspace, one, &ids, lease, &mut leased_attempts)?;
        }
        Ok::<_, posthouse_store::Error>((leased_attempts, settled))
    };
    let written = service.store.write_background(write).await;
    let (leased_attempts, settled) = written.inspect_err(|_| memory.in_doubt = Some(lease.token))?;
    for (webhook, to) in moves {
        // If the compare-and-set failed, another process moved the position.
        memory.positions.insert(webhook, LogPosition { stored: to, seen: to });
    }
    let given_up = settled.given_up.into_iter().map(Arc::new).collect();
    // The plan was read before the write and misses the retries that the write scheduled.
    let next = plan.found.next.into_iter().chain(settled.next).min();
    Ok(BatchResult { leased_attempts, given_up, revoked, next, ..plan.found })
}

/// Releases the attempts leased with a token.
fn free(tx: &mut Tx, workspace: WorkspaceId, token: Uuid, now: Time) -> Result<()> {
    for webhook in webhooks::of(tx, workspace, RECEIVERS_MAX)? {
        deliveries::release_leases(tx, workspace, webhook.id, token, now)?;
    }
    Ok(())
}

/// Plans a batch and returns it with the new log positions. Only reads.
fn plan_batch(
    tx: &mut Tx,
    workspace: WorkspaceId,
    capacities: &QueueCapacities,
    memory: &DispatchState,
    now: Time,
) -> Result<(BatchPlan, HashMap<WebhookId, LogPosition>)> {
    let head = events::head(tx, workspace)?;
    let (mut plan, mut positions) = (BatchPlan::default(), HashMap::new());
    let mut batches: Vec<(i64, EventBatch)> = Vec::new();
    for webhook in webhooks::of(tx, workspace, RECEIVERS_MAX)? {
        if let Some(why) = ending::must_end(tx, &webhook, now)? {
            plan.ended.push((Arc::new(webhook), why));
            continue;
        }
        let mut capacity = capacities.known.get(&webhook.id).copied().unwrap_or(capacities.other);
        let waiting = deliveries::pending(tx, workspace, webhook.id, WAITING_MAX)?;
        let mut ahead = ordering::first_attempts(tx, workspace, &waiting, &capacities.own)?;
        plan.found.next = plan.found.next.into_iter().chain(next_after(&waiting, now)).min();
        let due = due(&webhook, waiting, &mut ahead, capacity, now);
        capacity -= due.len().min(capacity);
        plan.due.extend(due);
        let position = log_position(&webhook, memory, head);
        let position = if webhook.enabled && capacity > 0 && position.seen < head {
            let event_batch = event_batch(tx, workspace, position.seen, &mut batches)?;
            let (fresh, is_closed) = new_attempts(&webhook, position, event_batch, capacity, &ahead);
            plan.found.has_more |= fresh.to < head && fresh.events.len() < capacity && !is_closed;
            if !fresh.events.is_empty() || fresh.to - position.stored >= UNSTORED_MAX {
                // Moves once the attempts are stored.
                plan.fresh.push(fresh);
                position
            } else {
                LogPosition { stored: position.stored, seen: fresh.to }
            }
        } else {
            position
        };
        positions.insert(webhook.id, position);
        plan.found.webhooks.push(Arc::new(webhook));
    }
    Ok((plan, positions))
}

/// Returns when the next attempt that is not due yet becomes due.
fn next_after(waiting: &[PendingAttempt], now: Time) -> Option<Time> {
    waiting.iter().map(|one| one.run_at).find(|run_at| *run_at > now)
}

/// Returns the due attempts that fit, and removes them from `ahead`.
fn due(
    webhook: &Webhook,
    mut waiting: Vec<PendingAttempt>,
    ahead: &mut Vec<FirstAttempt>,
    capacity: usize,
    now: Time,
) -> Vec<DueAttempt> {
    // At most half of the capacity, so that a long backlog doesn't delay new events.
    let is_due = |one: &PendingAttempt| one.run_at <= now;
    // Attempts that were released together have the same time.
    waiting.sort_by_key(|one| (one.run_at, one.id.0));
    let mut due: Vec<DueAttempt> = waiting
        .into_iter()
        .filter(is_due)
        .take(capacity.div_ceil(2))
        .map(|waiting| {
            let at = ahead.iter().position(|first| first.id == waiting.id);
            DueAttempt { webhook: webhook.id, first: at.map(|at| ahead.swap_remove(at)), waiting }
        })
        .collect();
    // First attempts keep the order of the log.
    due.sort_by_key(|due| due.first.as_ref().map(|first| first.id.0));
    due
}

/// Returns where to continue for a webhook. If the stored position is not the known one, another process moved it.
fn log_position(webhook: &Webhook, memory: &DispatchState, head: i64) -> LogPosition {
    let known = memory.positions.get(&webhook.id).filter(|seen| seen.stored == webhook.cursor);
    // After a restore from a backup, the log may end before the position.
    known.copied().unwrap_or(LogPosition { stored: webhook.cursor, seen: webhook.cursor.min(head) })
}

/// Returns the events after a position, read once for all webhooks at that position.
fn event_batch<'a>(
    tx: &mut Tx,
    workspace: WorkspaceId,
    from: i64,
    known: &'a mut Vec<(i64, EventBatch)>,
) -> Result<&'a EventBatch> {
    let at = match known.iter().position(|(position, _)| *position == from) {
        Some(at) => at,
        None => {
            let bounds = EventReadLimits { events: STEP, scanned: STEP };
            known.push((from, log::after(tx, workspace, &EventFilter::default(), from, bounds)?));
            known.len() - 1
        }
    };
    Ok(&known[at].1)
}

/// Selects the events for a webhook that fit and don't overtake an attempt `ahead`, and returns whether one had to
/// wait.
fn new_attempts(
    webhook: &Webhook,
    position: LogPosition,
    event_batch: &EventBatch,
    capacity: usize,
    ahead: &[FirstAttempt],
) -> (FanOut, bool) {
    let (mut taken, mut to, mut is_closed) = (Vec::new(), event_batch.seen, false);
    for event in &event_batch.events {
        let takes = webhook.accepts(event);
        is_closed = takes && ordering::is_closed(event, ahead);
        if taken.len() == capacity || is_closed {
            to = taken.last().map_or(position.seen, |event: &Event| event.seq);
            break;
        }
        if takes {
            taken.push(event.clone());
        }
    }
    (FanOut { webhook: webhook.id, from: position.stored, to, events: taken }, is_closed)
}

fn fan_out(
    tx: &mut Tx,
    workspace: WorkspaceId,
    fresh: &FanOut,
    ids: &IdGenerator,
    lease: AttemptLease,
    leased_attempts: &mut Vec<LeasedAttempt>,
) -> Result<()> {
    if !webhooks::advance(tx, workspace, fresh.webhook, fresh.from..fresh.to)? {
        return Ok(());
    }
    for event in &fresh.events {
        let delivery = pending(ids.next(), fresh.webhook, &event.event.id, event.event.kind, 1, ids.time());
        deliveries::insert(tx, workspace, &delivery, Some(lease))?;
        let inbox = event.event.inbox;
        leased_attempts.push(LeasedAttempt { inbox, key: ordering::of(event), ..leased_attempt(&delivery, lease) });
    }
    Ok(())
}

/// Leases a due attempt, or creates its successor.
fn lease_attempt(
    tx: &mut Tx,
    attempt: AttemptRef,
    DueAttempt { waiting, first, .. }: &DueAttempt,
    ids: &IdGenerator,
    lease: AttemptLease,
    now: Time,
) -> Result<Option<LeasedAttempt>> {
    if waiting.status == WebhookDeliveryStatus::Pending {
        let ours = deliveries::claim(tx, attempt, lease, now)?;
        let delivery = pending(waiting.id, attempt.webhook, &waiting.event, waiting.kind, waiting.attempt, now);
        let (inbox, key) = first.as_ref().map_or((None, OrderingKey::None), |first| (first.inbox, first.key));
        return Ok(ours.then(|| LeasedAttempt { inbox, key, ..leased_attempt(&delivery, lease) }));
    }
    if !deliveries::claim_next(tx, attempt, now)? {
        return Ok(None);
    }
    let delivery = pending(ids.next(), attempt.webhook, &waiting.event, waiting.kind, waiting.attempt + 1, now);
    deliveries::insert(tx, attempt.workspace, &delivery, Some(lease))?;
    Ok(Some(leased_attempt(&delivery, lease)))
}

/// Returns a pending attempt.
pub(super) fn pending(
    id: WebhookDeliveryId,
    webhook: WebhookId,
    event: &EventId,
    kind: EventKind,
    attempt: u32,
    created_at: Time,
) -> WebhookDelivery {
    WebhookDelivery {
        id,
        webhook,
        event: *event,
        kind,
        attempt,
        status: WebhookDeliveryStatus::Pending,
        response_status: None,
        response_excerpt: None,
        error: None,
        duration_ms: None,
        created_at,
        next_attempt_at: None,
    }
}

fn leased_attempt(delivery: &WebhookDelivery, lease: AttemptLease) -> LeasedAttempt {
    LeasedAttempt {
        webhook: delivery.webhook,
        delivery: delivery.id,
        event: delivery.event,
        kind: delivery.kind,
        attempt: delivery.attempt,
        created_at: delivery.created_at,
        inbox: None,
        key: OrderingKey::None,
        token: lease.token,
        until: lease.until,
    }
}
