//! The desk of one workspace: takes attempts out of the store round by round, makes so many of each webhook at once, hands
//! their ends to the next round.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use posthouse_domain::{
    event::Payload,
    id::{EventId, WebhookDeliveryId, WebhookId, WorkspaceId},
    time::{SECOND_MS, Time},
    webhook::Webhook,
};
use posthouse_store::{
    Result, Waiter,
    webhook_deliveries::{self as deliveries, Place},
};
use tokio::task::{Id, JoinError, JoinSet};

use super::earlier;
use crate::{
    app::{
        App,
        webhooks::{
            Errand, Turn,
            attempt::{self, Ended},
            bodies,
            round::{self, Memory, Rooms},
        },
    },
    rush::Rush,
    telemetry,
};

/// Attempts of one webhook that are under way at once.
const AT_ONCE: usize = 16;
/// The same of one whose last attempts failed: a dead receiver holds few sockets.
const AT_ONCE_FAILING: usize = 2;
/// Attempts of one webhook that are in memory, those under way included.
const IN_MEMORY: usize = 64;
/// Events that are rendered in one read.
const RENDERED_AT_ONCE: usize = 32;
/// Bytes of rendered events that are kept for other webhooks.
const KEPT_BYTES: usize = 8 * 1024 * 1024;
/// Time between two rounds, in milliseconds: under load each then has many ends to write and many events to take.
const GAP_MS: i64 = 5;
/// The same while much is being written, for mail goes first: what is in memory bounds how many attempts that leaves.
const RUSH_GAP_MS: i64 = 150;
/// How long it sleeps at most, in milliseconds: for wakes of other processes that were lost.
const POLL_MS: i64 = 5 * SECOND_MS;
/// The gap after a round that failed, in milliseconds.
const FAILED_GAP_MS: i64 = SECOND_MS;
/// How long attempts under way are waited for at the end, in milliseconds.
const DRAIN_MS: i64 = 6 * SECOND_MS;
/// An attempt is begun only if its lease lasts so much longer than its time limit, in milliseconds.
const LEASE_MARGIN_MS: i64 = 5 * SECOND_MS;

/// What is in memory of one webhook.
#[derive(Default)]
struct Queue {
    webhook: Option<Arc<Webhook>>,
    ready: VecDeque<Errand>,
    running: Vec<Carried>,
    /// The attempts that are ready or under way.
    held: HashSet<WebhookDeliveryId>,
    failing: bool,
}

/// An attempt that is under way.
#[derive(Clone, Copy)]
struct Carried {
    webhook: WebhookId,
    delivery: WebhookDeliveryId,
    turn: Turn,
}

/// The desk of a workspace.
pub(super) struct Desk {
    app: Arc<App>,
    workspace: WorkspaceId,
    memory: Memory,
    queues: HashMap<WebhookId, Queue>,
    bodies: Bodies,
    tasks: JoinSet<Ended>,
    /// What each task carries.
    under_way: HashMap<Id, Carried>,
    ended: Vec<Ended>,
    next: Time,
    /// When the round after one that failed is: nothing makes it come sooner.
    not_before: Option<Time>,
    rush: Rush,
}

/// Rendered events, for as long as an attempt waits that wants them: later ones show what is left of the mail by then.
#[derive(Default)]
struct Bodies {
    kept: HashMap<(EventId, Payload), Option<Bytes>>,
    order: VecDeque<(EventId, Payload)>,
    bytes: usize,
}

impl Desk {
    pub(super) fn new(app: Arc<App>, workspace: WorkspaceId) -> Self {
        let (next, rush) = (app.clock.now(), Rush::watch(&app));
        Self {
            app,
            workspace,
            memory: Memory::default(),
            queues: HashMap::new(),
            bodies: Bodies::default(),
            tasks: JoinSet::new(),
            under_way: HashMap::new(),
            ended: Vec::new(),
            next,
            not_before: None,
            rush,
        }
    }

    /// Whose events it carries.
    pub(super) fn workspace(&self) -> WorkspaceId {
        self.workspace
    }

    /// Works until the process ends or the workspace has no webhooks any more.
    pub(super) async fn run(mut self) {
        let mut waiter = self.app.store.subscribe(self.workspace.0);
        while !self.app.life.is_draining() {
            let began = self.app.clock.now();
            self.not_before = match self.round().await {
                Ok(()) => None,
                Err(error) => {
                    telemetry::put_off("webhook round", &error);
                    Some(began.plus_ms(FAILED_GAP_MS))
                }
            };
            // After a round that failed nothing is known of the webhooks.
            if self.not_before.is_none() && self.queues.is_empty() && self.tasks.is_empty() {
                return;
            }
            self.start().await;
            self.wait(&mut waiter, began).await;
        }
        self.end().await;
    }

    /// One round and all its attempts to their ends; says how many there were. For tests.
    pub(super) async fn run_once(&mut self) -> Result<usize> {
        self.round().await?;
        let mut count = 0;
        loop {
            self.start().await;
            let Some(ended) = self.tasks.join_next_with_id().await else { break };
            count += 1;
            self.note(ended);
        }
        if !self.ended.is_empty() {
            self.round().await?;
        }
        Ok(count + self.queues.values().map(|queue| queue.ready.len()).sum::<usize>())
    }

    /// Sleeps until there may be work for a round, which is at least [`GAP_MS`] behind the last, or [`RUSH_GAP_MS`]. Attempts
    /// that end meanwhile make room for others at once.
    async fn wait(&mut self, waiter: &mut Waiter, began: Time) {
        let is_rush = self.rush.is_on(&self.app);
        let gap_end = began.plus_ms(if is_rush { RUSH_GAP_MS } else { GAP_MS });
        let gap_end = self.not_before.unwrap_or(gap_end);
        let mut until = if is_rush { self.next.max(gap_end) } else { self.next };
        if self.not_before.is_some() {
            until = gap_end;
        }
        let life = self.app.life.clone();
        loop {
            if !self.ended.is_empty() {
                until = gap_end;
            }
            tokio::select! {
                () = life.drained() => return,
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.note(ended);
                    while let Some(ended) = self.tasks.try_join_next_with_id() {
                        self.note(ended);
                    }
                    self.start().await;
                }
                () = waiter.changed(), if until > gap_end => until = gap_end,
                () = self.app.clock.sleep_until(until) => return,
            }
        }
    }

    async fn round(&mut self) -> Result<()> {
        let ended = Arc::new(std::mem::take(&mut self.ended));
        let held = self.queues.values().flat_map(|queue| &queue.held).copied();
        let rooms = Rooms {
            known: self.queues.iter().map(|(id, queue)| (*id, queue.room())).collect(),
            other: IN_MEMORY,
            own: held.chain(ended.iter().map(|one| one.errand.delivery)).collect(),
        };
        let found = round::round(&self.app, self.workspace, &mut self.memory, (ended.clone(), rooms)).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                self.ended.extend(ended.iter().cloned());
                return Err(error);
            }
        };
        for one in ended.iter() {
            let outcome = if one.delivery.error.is_none() { "succeeded" } else { "failed" };
            self.app.metrics.webhook(outcome);
        }
        let now = self.app.clock.now();
        self.know(found.webhooks);
        for errand in found.errands {
            self.queues.entry(errand.webhook).or_default().push(errand);
        }
        self.next = earlier(found.next, now.plus_ms(POLL_MS));
        if found.has_more {
            self.next = now;
        }
        Ok(())
    }

    /// Takes on the webhooks as they are now. What was waiting for one that is gone or disabled is forgotten; its attempts
    /// were given up by whoever ended it.
    fn know(&mut self, webhooks: Vec<Arc<Webhook>>) {
        self.queues.retain(|id, queue| {
            let is_there = webhooks.iter().any(|webhook| webhook.id == *id);
            if !is_there {
                queue.forget_ready();
            }
            is_there || !queue.running.is_empty()
        });
        for webhook in webhooks {
            let queue = self.queues.entry(webhook.id).or_default();
            let was_enabled = queue.webhook.as_ref().is_some_and(|known| known.enabled);
            if was_enabled && !webhook.enabled {
                queue.forget_ready();
            }
            queue.failing = webhook.failing_since.is_some();
            queue.webhook = Some(webhook);
        }
    }

    /// Begins what there is room for.
    async fn start(&mut self) {
        loop {
            let missing = self.missing();
            if missing.is_empty() {
                break;
            }
            match bodies::render(&self.app, self.workspace, missing).await {
                Ok(rendered) => rendered.into_iter().for_each(|body| self.bodies.keep(body)),
                Err(error) => return telemetry::put_off("rendering of events", &error),
            }
            self.begin_rendered();
            // Only now: what is forgotten was begun.
            self.bodies.trim();
        }
        self.begin_rendered();
        self.bodies.keep_only(&self.wanted());
    }

    /// What the attempts that are ready will send.
    fn wanted(&self) -> HashSet<(EventId, Payload)> {
        let mut wanted = HashSet::new();
        for queue in self.queues.values() {
            let Some(form) = queue.webhook.as_ref().map(|webhook| webhook.payload) else { continue };
            wanted.extend(queue.ready.iter().map(|errand| (errand.event, form)));
        }
        wanted
    }

    /// The events that the next attempts need and that are not rendered, and those of the attempts behind them.
    fn missing(&mut self) -> Vec<(EventId, Payload)> {
        let mut wanted = Vec::new();
        let mut ahead = Vec::new();
        for queue in self.queues.values() {
            let Some(form) = queue.webhook.as_ref().map(|webhook| webhook.payload) else { continue };
            let first = queue.next_at().map(|at| queue.ready[at].event);
            let key = first.map(|event| (event, form)).filter(|key| !self.bodies.kept.contains_key(key));
            wanted.extend(key);
            let more = queue.ready.iter().map(|errand| (errand.event, form));
            ahead.extend(more.filter(|key| !self.bodies.kept.contains_key(key)).take(AT_ONCE));
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
        let (now, limit) = (self.app.clock.now(), self.app.config.webhooks.timeout_ms);
        for queue in self.queues.values_mut() {
            let Some(webhook) = queue.webhook.clone() else { continue };
            while let Some(at) = queue.next_at() {
                let key = (queue.ready[at].event, webhook.payload);
                let Some(body) = self.bodies.kept.get(&key).cloned() else { break };
                let Some(errand) = queue.ready.remove(at) else { break };
                // What waited too long here is due again when its lease ends.
                if errand.until < now.plus_ms(limit + LEASE_MARGIN_MS) {
                    queue.held.remove(&errand.delivery);
                    continue;
                }
                let carried = Carried { webhook: errand.webhook, delivery: errand.delivery, turn: errand.turn() };
                queue.running.push(carried);
                let task = self.tasks.spawn(attempt::attempt(self.app.clone(), webhook.clone(), errand, body));
                self.under_way.insert(task.id(), carried);
            }
        }
    }

    fn note(&mut self, ended: std::result::Result<(Id, Ended), JoinError>) {
        let task = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        if let Some(carried) = self.under_way.remove(&task)
            && let Some(queue) = self.queues.get_mut(&carried.webhook)
        {
            queue.running.retain(|other| other.delivery != carried.delivery);
            queue.held.remove(&carried.delivery);
        }
        match ended {
            Ok((_, ended)) => self.ended.push(ended),
            // The attempt panicked: its lease runs out, and it is made again.
            Err(error) => tracing::error!(cause = %error, "webhook attempt lost"),
        }
    }

    /// Waits for what is under way, writes how it ended, and hands the rest back.
    async fn end(mut self) {
        let deadline = self.app.clock.now().plus_ms(DRAIN_MS);
        while !self.tasks.is_empty() {
            tokio::select! {
                Some(ended) = self.tasks.join_next_with_id() => self.note(ended),
                () = self.app.clock.sleep_until(deadline) => break,
            }
        }
        self.tasks.shutdown().await;
        let left: Vec<Errand> = self.queues.values_mut().flat_map(|queue| queue.ready.drain(..)).collect();
        let ended = Arc::new(std::mem::take(&mut self.ended));
        loop {
            let (ended, now) = ((ended.clone(), Rooms::default()), self.app.clock.now());
            match round::round(&self.app, self.workspace, &mut self.memory, ended).await {
                // What is not settled in time is made again.
                Err(error) if now >= deadline => telemetry::put_off("end of webhook attempts", &error),
                Err(_) => {
                    self.app.clock.sleep_until(now.plus_ms(FAILED_GAP_MS).min(deadline)).await;
                    continue;
                }
                Ok(_) => {}
            }
            break;
        }
        let now = self.app.clock.now();
        let workspace = self.workspace;
        let release = move |tx: &mut posthouse_store::Tx| {
            left.iter().try_for_each(|errand| {
                let place = Place { workspace, webhook: errand.webhook, id: errand.delivery };
                deliveries::release(tx, place, errand.token, now)
            })
        };
        if let Err(error) = self.app.store.write(release).await {
            telemetry::put_off("handing back of webhook attempts", &error);
        }
    }
}

impl Queue {
    fn room(&self) -> usize {
        let most = if self.failing { 2 * AT_ONCE_FAILING } else { IN_MEMORY };
        most.saturating_sub(self.running.len() + self.ready.len())
    }

    fn push(&mut self, errand: Errand) {
        self.held.insert(errand.delivery);
        self.ready.push_back(errand);
    }

    fn forget_ready(&mut self) {
        for errand in self.ready.drain(..) {
            self.held.remove(&errand.delivery);
        }
    }

    /// The next attempt that may begin: one that overtakes neither what runs nor what waits in front of it.
    fn next_at(&self) -> Option<usize> {
        let most = if self.failing { AT_ONCE_FAILING } else { AT_ONCE };
        if self.running.len() >= most {
            return None;
        }
        let mut ahead: Vec<Turn> = self.running.iter().map(|carried| carried.turn).collect();
        self.ready.iter().position(|errand| {
            let turn = errand.turn();
            let is_free = !ahead.iter().any(|other| turn.is_behind(*other));
            ahead.push(turn);
            is_free
        })
    }
}

impl Bodies {
    fn keep(&mut self, body: bodies::Body) {
        self.bytes += body.json.as_ref().map_or(0, Bytes::len);
        self.order.push_back((body.event, body.form));
        self.kept.insert((body.event, body.form), body.json);
    }

    fn trim(&mut self) {
        while self.order.len() > 2 * RENDERED_AT_ONCE || (self.bytes > KEPT_BYTES && self.order.len() > 1) {
            let Some(oldest) = self.order.pop_front() else { break };
            self.forget(&oldest);
        }
    }

    fn keep_only(&mut self, wanted: &HashSet<(EventId, Payload)>) {
        let all = std::mem::take(&mut self.order);
        let (kept, gone): (VecDeque<_>, VecDeque<_>) = all.into_iter().partition(|key| wanted.contains(key));
        self.order = kept;
        gone.iter().for_each(|key| self.forget(key));
    }

    fn forget(&mut self, key: &(EventId, Payload)) {
        let gone = self.kept.remove(key).flatten();
        self.bytes -= gone.map_or(0, |json| json.len());
    }
}
