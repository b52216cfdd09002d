//! The dispatcher of one workspace: leases attempts in batches, makes a bounded number per webhook at once, and settles
//! their results in the next batch.

use std::{collections::HashMap, collections::HashSet, collections::VecDeque, sync::Arc};

use bytes::Bytes;
use posthouse_domain::{EventId, SECOND_MS, Time, Webhook, WebhookDeliveryId, WebhookId, WorkspaceId};
use posthouse_store::{Result, WakeWaiter, webhook_deliveries as deliveries, webhook_deliveries::AttemptRef};
use tokio::task::{Id, JoinError, JoinSet};

use super::earlier;
use crate::webhooks::attempt::{self, FinishedAttempt};
use crate::webhooks::batch::{self, DispatchState, QueueCapacities};
use crate::webhooks::payloads::{self, BodyForm};
use crate::webhooks::{AttemptOrder, LeasedAttempt, subscriptions::ending};
use crate::{limits::write_pressure::WritePressure, service::Service};

/// Maximum concurrent attempts of one webhook.
const AT_ONCE: usize = 16;
/// Maximum concurrent attempts of a failing webhook, so that a dead receiver holds few sockets.
const AT_ONCE_FAILING: usize = 2;
/// Maximum attempts of one webhook in memory, running ones included.
const IN_MEMORY: usize = 64;
/// Maximum events rendered in one read.
const RENDERED_AT_ONCE: usize = 32;
/// Bytes of rendered events kept for other webhooks.
const KEPT_BYTES: usize = 8 * 1024 * 1024;
/// Time between two batches, in milliseconds. Under load, each batch then settles many attempts and reads many events.
const GAP_MS: i64 = 5;
/// The same under write pressure, where mail has priority; [`IN_MEMORY`] bounds the attempts per batch.
const PRESSURE_GAP_MS: i64 = 150;
/// Longest sleep, in milliseconds. Covers lost wakeups from other processes.
const POLL_MS: i64 = 5 * SECOND_MS;
/// The delay after a failed batch, in milliseconds.
const FAILED_GAP_MS: i64 = SECOND_MS;
/// How long the shutdown waits for running attempts, in milliseconds.
const DRAIN_MS: i64 = 6 * SECOND_MS;
/// An attempt begins only if its lease outlasts its time limit by this margin, in milliseconds.
const LEASE_MARGIN_MS: i64 = 5 * SECOND_MS;

/// The attempts of one webhook in memory.
#[derive(Default)]
struct WebhookQueue {
    webhook: Option<Arc<Webhook>>,
    ready: VecDeque<LeasedAttempt>,
    running: Vec<RunningAttempt>,
    /// The ready and running attempts.
    in_memory: HashSet<WebhookDeliveryId>,
    failing: bool,
}

/// A running attempt.
#[derive(Clone, Copy)]
struct RunningAttempt {
    webhook: WebhookId,
    delivery: WebhookDeliveryId,
    order: AttemptOrder,
}

/// The dispatcher of a workspace.
pub(super) struct WebhookDispatcher {
    service: Arc<Service>,
    workspace: WorkspaceId,
    memory: DispatchState,
    queues: HashMap<WebhookId, WebhookQueue>,
    bodies: BodyCache,
    tasks: JoinSet<FinishedAttempt>,
    /// Notices of the end of subscriptions.
    notices: JoinSet<()>,
    /// The attempt of each task.
    attempts: HashMap<Id, RunningAttempt>,
    finished: Vec<FinishedAttempt>,
    next: Time,
    /// When to retry after a failed batch; no wakeup shortens the delay.
    not_before: Option<Time>,
    write_pressure: WritePressure,
}

/// Rendered events, kept only while an attempt needs them: later renderings reflect deleted mail.
#[derive(Default)]
struct BodyCache {
    cached: HashMap<(EventId, BodyForm), Option<Bytes>>,
    order: VecDeque<(EventId, BodyForm)>,
    bytes: usize,
}

impl WebhookDispatcher {
    pub(super) fn new(service: Arc<Service>, workspace: WorkspaceId) -> Self {
        let (next, write_pressure) = (service.clock.now(), WritePressure::start(&service));
        Self {
            service,
            workspace,
            memory: DispatchState::default(),
            queues: HashMap::new(),
            bodies: BodyCache::default(),
            tasks: JoinSet::new(),
            notices: JoinSet::new(),
            attempts: HashMap::new(),
            finished: Vec::new(),
            next,
            not_before: None,
            write_pressure,
        }
    }

    /// Returns the workspace.
    pub(super) fn workspace(&self) -> WorkspaceId {
        self.workspace
    }

    /// Runs until the process ends or the workspace has no webhooks left.
    pub(super) async fn run(mut self) {
        let mut waiter = self.service.store.subscribe(self.workspace.0);
        while !self.service.lifecycle.is_draining() {
            let began = self.service.clock.now();
            self.not_before = match self.run_batch().await {
                Ok(()) => None,
                Err(error) => {
                    crate::telemetry::log_deferred("webhook batch", &error);
                    Some(began.plus_ms(FAILED_GAP_MS))
                }
            };
            // After a failed batch the webhooks are unknown.
            let is_idle = self.queues.is_empty() && self.tasks.is_empty() && self.notices.is_empty();
            if self.not_before.is_none() && is_idle {
                return;
            }
            self.start().await;
            self.wait(&mut waiter, began).await;
        }
        self.end().await;
    }

    /// Runs one batch with all its attempts, and returns how many there were. For tests.
    pub(super) async fn run_once(&mut self) -> Result<usize> {
        self.run_batch().await?;
        let mut count = 0;
        loop {
            self.start().await;
            let Some(ended) = self.tasks.join_next_with_id().await else { break };
            count += 1;
            self.record_end(ended);
        }
        while self.notices.join_next().await.is_some() {}
        if !self.finished.is_empty() {
            self.run_batch().await?;
        }
        Ok(count + self.queues.values().map(|queue| queue.ready.len()).sum::<usize>())
    }

    /// Sleeps until the next batch may have work, at least [`GAP_MS`] or [`PRESSURE_GAP_MS`] after the last one. Meanwhile
    /// starts ready attempts as others end.
    async fn wait(&mut self, waiter: &mut WakeWaiter, began: Time) {
        let is_under_pressure = self.write_pressure.is_on(&self.service);
        let gap_end = began.plus_ms(if is_under_pressure { PRESSURE_GAP_MS } else { GAP_MS });
        let gap_end = self.not_before.unwrap_or(gap_end);
        let mut until = if is_under_pressure { self.next.max(gap_end) } else { self.next };
        if self.not_before.is_some() {
            until = gap_end;
        }
        let life = self.service.lifecycle.clone();
        loop {
            if !self.finished.is_empty() {
                until = gap_end;
            }
            tokio::select! {
                () = life.drained() => return,
                Some(_) = self.notices.join_next() => {}
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.record_end(ended);
                    while let Some(ended) = self.tasks.try_join_next_with_id() {
                        self.record_end(ended);
                    }
                    self.start().await;
                }
                () = waiter.changed(), if until > gap_end => until = gap_end,
                () = self.service.clock.sleep_until(until) => return,
            }
        }
    }

    async fn run_batch(&mut self) -> Result<()> {
        let finished = Arc::new(std::mem::take(&mut self.finished));
        let in_memory = self.queues.values().flat_map(|queue| &queue.in_memory).copied();
        let capacities = QueueCapacities {
            known: self.queues.iter().map(|(id, queue)| (*id, queue.free_slots())).collect(),
            other: IN_MEMORY,
            own: in_memory.chain(finished.iter().map(|one| one.leased_attempt.delivery)).collect(),
        };
        let found = batch::run(&self.service, self.workspace, &mut self.memory, finished.clone(), capacities).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                self.finished.extend(finished.iter().cloned());
                return Err(error);
            }
        };
        for one in finished.iter() {
            let outcome = if one.delivery.error.is_none() { "succeeded" } else { "failed" };
            self.service.metrics.webhook(outcome);
        }
        while self.notices.try_join_next().is_some() {}
        for webhook in found.revoked {
            self.notices.spawn(ending::notify(self.service.clone(), webhook));
        }
        let now = self.service.clock.now();
        self.update_webhooks(found.webhooks);
        for leased in found.leased_attempts {
            self.queues.entry(leased.webhook).or_default().push(leased);
        }
        self.next = earlier(found.next, now.plus_ms(POLL_MS));
        if found.has_more {
            self.next = now;
        }
        Ok(())
    }

    /// Updates the known webhooks. Drops the ready attempts of those that are gone or disabled; their rows are already
    /// canceled.
    fn update_webhooks(&mut self, webhooks: Vec<Arc<Webhook>>) {
        self.queues.retain(|id, queue| {
            let is_there = webhooks.iter().any(|webhook| webhook.id == *id);
            if !is_there {
                queue.drop_ready();
            }
            is_there || !queue.running.is_empty()
        });
        for webhook in webhooks {
            let queue = self.queues.entry(webhook.id).or_default();
            let was_enabled = queue.webhook.as_ref().is_some_and(|known| known.enabled);
            if was_enabled && !webhook.enabled {
                queue.drop_ready();
            }
            queue.failing = webhook.failing_since.is_some();
            queue.webhook = Some(webhook);
        }
    }

    /// Starts as many attempts as allowed.
    async fn start(&mut self) {
        loop {
            let missing = self.missing();
            if missing.is_empty() {
                break;
            }
            match payloads::render(&self.service, self.workspace, missing).await {
                Ok(rendered) => rendered.into_iter().for_each(|body| self.bodies.cache(body)),
                Err(error) => return crate::telemetry::log_deferred("rendering events", &error),
            }
            self.begin_rendered();
            // Trim only after starting, so that the attempts for trimmed bodies have already begun.
            self.bodies.trim();
        }
        self.begin_rendered();
        self.bodies.keep_only(&self.events_to_render());
    }

    /// Returns the events that ready attempts will send, with their form.
    fn events_to_render(&self) -> HashSet<(EventId, BodyForm)> {
        let mut wanted = HashSet::new();
        for queue in self.queues.values() {
            let Some(form) = queue.webhook.as_deref().map(BodyForm::of) else { continue };
            wanted.extend(queue.ready.iter().map(|leased| (leased.event, form)));
        }
        wanted
    }

    /// Returns the events to render for the next attempts, with those of the attempts behind them.
    fn missing(&mut self) -> Vec<(EventId, BodyForm)> {
        let mut wanted = Vec::new();
        let mut ahead = Vec::new();
        for queue in self.queues.values() {
            let Some(form) = queue.webhook.as_deref().map(BodyForm::of) else { continue };
            let first = queue.next_at().map(|at| queue.ready[at].event);
            let key = first.map(|event| (event, form)).filter(|key| !self.bodies.cached.contains_key(key));
            wanted.extend(key);
            let more = queue.ready.iter().map(|leased| (leased.event, form));
            ahead.extend(more.filter(|key| !self.bodies.cached.contains_key(key)).take(AT_ONCE));
        }
        if !wanted.is_empty() {
            wanted.extend(ahead);
        }
        let mut seen = HashSet::new();
        wanted.retain(|key| seen.insert(*key));
        wanted.truncate(RENDERED_AT_ONCE);
        wanted
    }

    fn begin_rendered(&mut self) {
        let (now, limit) = (self.service.clock.now(), self.service.config.webhooks.timeout_ms);
        for queue in self.queues.values_mut() {
            let Some(webhook) = queue.webhook.clone() else { continue };
            while let Some(at) = queue.next_at() {
                let key = (queue.ready[at].event, BodyForm::of(&webhook));
                let Some(body) = self.bodies.cached.get(&key).cloned() else { break };
                let Some(leased) = queue.ready.remove(at) else { break };
                // An attempt that waited too long here is due again when its lease ends.
                if leased.until < now.plus_ms(limit + LEASE_MARGIN_MS) {
                    queue.in_memory.remove(&leased.delivery);
                    continue;
                }
                let running =
                    RunningAttempt { webhook: leased.webhook, delivery: leased.delivery, order: leased.order() };
                queue.running.push(running);
                let task = self.tasks.spawn(attempt::attempt(self.service.clone(), webhook.clone(), leased, body));
                self.attempts.insert(task.id(), running);
            }
        }
    }

    fn record_end(&mut self, ended: std::result::Result<(Id, FinishedAttempt), JoinError>) {
        let task = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        if let Some(running) = self.attempts.remove(&task)
            && let Some(queue) = self.queues.get_mut(&running.webhook)
        {
            queue.running.retain(|other| other.delivery != running.delivery);
            queue.in_memory.remove(&running.delivery);
        }
        match ended {
            Ok((_, finished)) => self.finished.push(finished),
            // The attempt panicked: it is made again when its lease ends.
            Err(error) => tracing::error!(cause = %error, "webhook attempt panicked"),
        }
    }

    /// Waits for running attempts, settles them, and releases the rest.
    async fn end(mut self) {
        let deadline = self.service.clock.now().plus_ms(DRAIN_MS);
        while !self.tasks.is_empty() {
            tokio::select! {
                Some(ended) = self.tasks.join_next_with_id() => self.record_end(ended),
                () = self.service.clock.sleep_until(deadline) => break,
            }
        }
        self.tasks.shutdown().await;
        let left: Vec<LeasedAttempt> = self.queues.values_mut().flat_map(|queue| queue.ready.drain(..)).collect();
        let finished = Arc::new(std::mem::take(&mut self.finished));
        loop {
            let (finished, capacities, now) = (finished.clone(), QueueCapacities::default(), self.service.clock.now());
            match batch::run(&self.service, self.workspace, &mut self.memory, finished, capacities).await {
                // Unsettled attempts are made again.
                Err(error) if now >= deadline => crate::telemetry::log_deferred("settling webhook attempts", &error),
                Err(_) => {
                    self.service.clock.sleep_until(now.plus_ms(FAILED_GAP_MS).min(deadline)).await;
                    continue;
                }
                Ok(_) => {}
            }
            break;
        }
        let now = self.service.clock.now();
        let workspace = self.workspace;
        let release = move |tx: &mut posthouse_store::Tx| {
            left.iter().try_for_each(|leased| {
                let attempt = AttemptRef { workspace, webhook: leased.webhook, id: leased.delivery };
                deliveries::release(tx, attempt, leased.token, now)
            })
        };
        if let Err(error) = self.service.write(release).await {
            crate::telemetry::log_deferred("releasing webhook attempts", &error);
        }
    }
}

impl WebhookQueue {
    fn free_slots(&self) -> usize {
        let max = if self.failing { 2 * AT_ONCE_FAILING } else { IN_MEMORY };
        max.saturating_sub(self.running.len() + self.ready.len())
    }

    fn push(&mut self, leased: LeasedAttempt) {
        self.in_memory.insert(leased.delivery);
        self.ready.push_back(leased);
    }

    fn drop_ready(&mut self) {
        for leased in self.ready.drain(..) {
            self.in_memory.remove(&leased.delivery);
        }
    }

    /// Returns the next attempt that may begin without overtaking a running or earlier one.
    fn next_at(&self) -> Option<usize> {
        let max = if self.failing { AT_ONCE_FAILING } else { AT_ONCE };
        if self.running.len() >= max {
            return None;
        }
        let mut ahead: Vec<AttemptOrder> = self.running.iter().map(|running| running.order).collect();
        self.ready.iter().position(|leased| {
            let order = leased.order();
            let is_free = !ahead.iter().any(|other| order.waits_for(*other));
            ahead.push(order);
            is_free
        })
    }
}

impl BodyCache {
    fn cache(&mut self, body: payloads::RenderedEvent) {
        self.bytes += body.json.as_ref().map_or(0, Bytes::len);
        self.order.push_back((body.event, body.form));
        self.cached.insert((body.event, body.form), body.json);
    }

    fn trim(&mut self) {
        while self.order.len() > 2 * RENDERED_AT_ONCE || (self.bytes > KEPT_BYTES && self.order.len() > 1) {
            let Some((event, form)) = self.order.pop_front() else { break };
            self.drop_cached(event, form);
        }
    }

    fn keep_only(&mut self, wanted: &HashSet<(EventId, BodyForm)>) {
        let all = std::mem::take(&mut self.order);
        let (wanted, removed): (VecDeque<_>, VecDeque<_>) = all.into_iter().partition(|key| wanted.contains(key));
        self.order = wanted;
        removed.into_iter().for_each(|(event, form)| self.drop_cached(event, form));
    }

    fn drop_cached(&mut self, event: EventId, form: BodyForm) {
        let removed = self.cached.remove(&(event, form)).flatten();
        self.bytes -= removed.map_or(0, |json| json.len());
    }
}
