//! Throttle state: running jobs by destination domain and class, permits by destination.

use std::{collections::HashMap, collections::VecDeque, hash::DefaultHasher, hash::Hash, hash::Hasher, sync::Arc};

use posthouse_domain::{
    HOUR_MS, MailboxProvider, ThrottleSignal, ThrottleState, ThrottleStatus, Time, WorkspaceId, pacing::SLOW_MS,
};
use posthouse_store::jobs::due::{CapacityShare, GroupCapacity};
use tokio::sync::oneshot;

use super::{DestinationRules, job_counts::FreeCapacity, job_counts::JobCounts};

/// The maximum number of running jobs of a domain whose mail exchangers are unknown.
const RUNNING_AT_FIRST: usize = 2;
/// The maximum number of running jobs per connection to a fast destination: while one message is transmitted, others
/// are loaded, signed and settled.
const RUNNING_PER_CONNECTION: usize = 6;
/// The delivery time from which a destination gets fewer jobs per connection, in milliseconds: transmission then takes
/// most of the time.
const MODERATE_MS: i64 = 100;
/// The maximum number of running jobs per connection to such a destination.
const RUNNING_PER_MODERATE_CONNECTION: usize = 2;
/// The maximum number of running jobs for a paused destination. Each ends immediately.
const RUNNING_WHILE_PAUSED: usize = 64;
/// The number of domains, or destinations, above which idle ones are dropped.
const TRACKED_MAX: usize = 20_000;
/// The idle time after which one is dropped, in milliseconds.
const IDLE_MS: i64 = HOUR_MS;

/// The class that a destination's connections count against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DestinationClass {
    Quick,
    Unknown,
    Slow,
}

/// A change of the class of a destination.
#[derive(Clone, Copy)]
struct ClassChange {
    before: DestinationClass,
    after: DestinationClass,
}

#[derive(Default)]
pub(super) struct LimiterState {
    domains: HashMap<String, DomainState>,
    destinations: HashMap<Arc<str>, DestinationState>,
    /// Running jobs, by class.
    running: [JobCounts; 3],
    permits: HashMap<u64, ActivePermit>,
    /// Permits by start time, to find overdue ones; some have ended.
    in_order: VecDeque<(Time, u64)>,
    permits_granted: u64,
    /// Destinations with a waiting attempt that needs only a free connection.
    starving: VecDeque<Arc<str>>,
    next_at: Option<Time>,
}

#[derive(Default)]
struct DomainState {
    destination: Option<Arc<str>>,
    running: JobCounts,
    seen: Time,
}

struct DestinationState {
    pace: ThrottleState,
    /// Running jobs of its domains.
    running: JobCounts,
    /// Permits in use.
    in_use: u32,
    /// Permits in use for at least `SLOW_MS`.
    overdue: u32,
    waiting: VecDeque<oneshot::Sender<u64>>,
    is_starved: bool,
    seen: Time,
    class: DestinationClass,
}

struct ActivePermit {
    destination: Arc<str>,
    at: Time,
    is_overdue: bool,
}

/// A request for a permit.
pub(super) struct PermitRequest<'a> {
    pub(super) domain: &'a str,
    pub(super) destination: &'a str,
    pub(super) provider: Option<&'static MailboxProvider>,
    pub(super) ignores_limits: bool,
}

/// The result of a request for a permit.
pub(super) enum PermitDecision {
    Granted(u64),
    Wait(oneshot::Receiver<u64>),
    NotBefore(Time),
}

impl LimiterState {
    pub(super) fn available(
        &mut self,
        rules: &DestinationRules,
        workspace: WorkspaceId,
        domain: &str,
        now: Time,
    ) -> GroupCapacity {
        self.mark_overdue(now);
        let found = self.domains.get(domain);
        let destination =
            found.and_then(|domain| domain.destination.as_ref()).and_then(|key| self.destinations.get_key_value(key));
        let (own, class) = match (destination, found) {
            (Some((key, destination)), _) => {
                let (max, next_at) = destination.running_max(now);
                self.next_at = self.next_at.into_iter().chain(next_at).min();
                (shares((1, key), destination.running.free(max, workspace), workspace), destination.class)
            }
            (None, found) => {
                let max = if rules.single { usize::MAX } else { RUNNING_AT_FIRST };
                let free = found
                    .map_or(JobCounts::free_share(&[], max, workspace), |domain| domain.running.free(max, workspace));
                (shares((0, domain), free, workspace), DestinationClass::Unknown)
            }
        };
        let [of_class, of_workspace] = self.of_class(class, rules, workspace);
        GroupCapacity { shares: [own[0], own[1], of_class, of_workspace] }
    }

    /// Returns the free connections of a class: slow destinations get at most half of all, slow and unknown ones
    /// together at most three quarters.
    fn of_class(
        &self,
        class: DestinationClass,
        rules: &DestinationRules,
        workspace: WorkspaceId,
    ) -> [CapacityShare; 2] {
        let all = rules.connections_max;
        let [_, unknown, slow] = &self.running;
        let free = if rules.single || class == DestinationClass::Quick {
            FreeCapacity { total: usize::MAX, of_workspace: usize::MAX }
        } else {
            let both = JobCounts::free_share(&[unknown, slow], (all * 3 / 4).max(1), workspace);
            let half = JobCounts::free_share(&[slow], (all / 2).max(1), workspace);
            if class == DestinationClass::Slow {
                FreeCapacity {
                    total: both.total.min(half.total),
                    of_workspace: both.of_workspace.min(half.of_workspace),
                }
            } else {
                both
            }
        };
        // Slow and unknown destinations share one limit.
        shares((2, if class == DestinationClass::Quick { "quick" } else { "uncertain" }), free, workspace)
    }

    pub(super) fn record_start(&mut self, workspace: WorkspaceId, domain: &str, now: Time) {
        self.drop_idle(now);
        let entry = self.domains.entry(domain.to_owned()).or_default();
        entry.running.add(workspace, 1);
        entry.seen = now;
        let class = match entry.destination.as_ref().and_then(|key| self.destinations.get_mut(key)) {
            Some(destination) => {
                destination.running.add(workspace, 1);
                destination.class
            }
            None => DestinationClass::Unknown,
        };
        self.running[class as usize].add(workspace, 1);
    }

    pub(super) fn release(&mut self, workspace: WorkspaceId, domain: &str) {
        let Some(entry) = self.domains.get_mut(domain) else { return };
        if entry.running.take(workspace, 1) == 0 {
            return;
        }
        let class = match entry.destination.as_ref().and_then(|key| self.destinations.get_mut(key)) {
            Some(destination) => {
                destination.running.take(workspace, 1);
                destination.class
            }
            None => DestinationClass::Unknown,
        };
        self.running[class as usize].take(workspace, 1);
    }

    pub(super) fn is_paused(&self, domain: &str, now: Time) -> bool {
        let destination = self
            .domains
            .get(domain)
            .and_then(|domain| domain.destination.as_ref())
            .and_then(|key| self.destinations.get(key));
        destination.is_some_and(|destination| destination.pace.paused_until(now).is_some())
    }

    pub(super) fn next_at(&mut self) -> Option<Time> {
        self.next_at.take()
    }

    pub(super) fn enter(&mut self, rules: &DestinationRules, entry: &PermitRequest<'_>, now: Time) -> PermitDecision {
        self.mark_overdue(now);
        let key = self.destination_key(rules, entry, now);
        self.assign(entry.domain, &key);
        let Some(destination) = self.destinations.get_mut(&key) else { return PermitDecision::NotBefore(now) };
        if !entry.ignores_limits
            && let Some(until) = destination.pace.paused_until(now).or_else(|| destination.pace.next_at(now))
        {
            return PermitDecision::NotBefore(until);
        }
        let is_free = destination.in_use < destination.pace.window();
        let is_left = self.permits.len() < rules.connections_max;
        if entry.ignores_limits || (is_free && is_left && destination.waiting.is_empty()) {
            return PermitDecision::Granted(self.begin(&key, now));
        }
        let (sender, receiver) = oneshot::channel();
        destination.waiting.push_back(sender);
        if is_free {
            self.enqueue_starving(&key);
        }
        PermitDecision::Wait(receiver)
    }

    /// Returns the start time of a permit and the limits of its destination.
    pub(super) fn started_at(&self, permit_id: u64) -> Option<(Time, posthouse_domain::pacing::DestinationLimits)> {
        let permit = self.permits.get(&permit_id)?;
        Some((permit.at, self.destinations.get(&permit.destination)?.pace.limits()))
    }

    /// Ends a permit with its result, and grants the free connection to a waiting attempt.
    pub(super) fn end(&mut self, rules: &DestinationRules, permit_id: u64, signal: Option<ThrottleSignal>, now: Time) {
        let Some(permit) = self.permits.remove(&permit_id) else { return };
        let Some(destination) = self.destinations.get_mut(&permit.destination) else { return };
        destination.in_use = destination.in_use.saturating_sub(1);
        destination.overdue = destination.overdue.saturating_sub(u32::from(permit.is_overdue));
        destination.seen = now;
        if let Some(signal) = signal {
            destination.pace.record(signal, permit.at, now);
        }
        self.classify(&permit.destination);
        self.enqueue_starving(&permit.destination);
        // Round robin over destinations, so that a busy one doesn't keep every connection that it frees.
        while self.permits.len() < rules.connections_max {
            let Some(key) = self.starving.pop_front() else { return };
            if let Some(destination) = self.destinations.get_mut(&key) {
                destination.is_starved = false;
            }
            if self.grant_next(&key, now) {
                self.enqueue_starving(&key);
            }
        }
    }

    /// Queues the destination for the next free connection if an attempt waits there.
    fn enqueue_starving(&mut self, key: &Arc<str>) {
        let Some(destination) = self.destinations.get_mut(key) else { return };
        if !destination.is_starved && !destination.waiting.is_empty() {
            destination.is_starved = true;
            self.starving.push_back(key.clone());
        }
    }

    pub(super) fn count_by_status(&self, now: Time) -> impl Fn(ThrottleStatus) -> usize + use<> {
        let all: Vec<ThrottleStatus> =
            self.destinations.values().map(|destination| destination.pace.status(now)).collect();
        move |status| all.iter().filter(|one| **one == status).count()
    }

    /// Grants a permit to the longest waiting attempt of a destination with capacity; cancels all waits if the
    /// destination is paused or at its rate limit. Returns whether a permit was granted.
    fn grant_next(&mut self, key: &Arc<str>, now: Time) -> bool {
        loop {
            let Some(destination) = self.destinations.get_mut(key) else { return false };
            if destination.pace.paused_until(now).is_some() || destination.pace.next_at(now).is_some() {
                destination.waiting.clear();
            }
            if destination.in_use >= destination.pace.window() {
                return false;
            }
            let Some(next) = destination.waiting.pop_front() else { return false };
            let permit_id = self.begin(key, now);
            if next.send(permit_id).is_ok() {
                return true;
            }
            // The attempt stopped waiting: undo the grant.
            self.permits.remove(&permit_id);
            if let Some(destination) = self.destinations.get_mut(key) {
                destination.in_use = destination.in_use.saturating_sub(1);
            }
        }
    }

    fn begin(&mut self, key: &Arc<str>, now: Time) -> u64 {
        self.permits_granted += 1;
        if let Some(destination) = self.destinations.get_mut(key) {
            destination.pace.begin(now);
            destination.in_use += 1;
        }
        self.permits
            .insert(self.permits_granted, ActivePermit { destination: key.clone(), at: now, is_overdue: false });
        self.in_order.push_back((now, self.permits_granted));
        self.permits_granted
    }

    fn destination_key(&mut self, rules: &DestinationRules, entry: &PermitRequest<'_>, now: Time) -> Arc<str> {
        if let Some((key, _)) = self.destinations.get_key_value(entry.destination) {
            return key.clone();
        }
        let key: Arc<str> = entry.destination.into();
        let pace = ThrottleState::new(rules.limits(entry.provider));
        let destination = DestinationState {
            pace,
            running: JobCounts::default(),
            in_use: 0,
            overdue: 0,
            waiting: VecDeque::new(),
            is_starved: false,
            seen: now,
            class: DestinationClass::Unknown,
        };
        self.destinations.insert(key.clone(), destination);
        key
    }

    /// Counts the running jobs of a domain against a destination from now on.
    fn assign(&mut self, domain: &str, key: &Arc<str>) {
        let entry = self.domains.entry(domain.to_owned()).or_default();
        if entry.destination.as_ref() == Some(key) {
            return;
        }
        let (before, running) = (entry.destination.replace(key.clone()), entry.running.clone());
        let mut nowhere = running.clone();
        let from = before.as_ref().and_then(|key| self.destinations.get_mut(key));
        let from = from.map_or((&mut nowhere, DestinationClass::Unknown), |destination| {
            (&mut destination.running, destination.class)
        });
        let (mut moved, class_before) = (JobCounts::default(), from.1);
        moved.move_from(from.0, &running);
        let Some(destination) = self.destinations.get_mut(key) else { return };
        destination.running.move_from(&mut moved, &running);
        let class = destination.class;
        self.reclass(ClassChange { before: class_before, after: class }, &running);
    }

    fn classify(&mut self, key: &Arc<str>) {
        let Some(destination) = self.destinations.get_mut(key) else { return };
        let class = match (destination.overdue > 0 || destination.pace.is_slow(), destination.pace.is_known()) {
            (true, _) => DestinationClass::Slow,
            (false, true) => DestinationClass::Quick,
            (false, false) => DestinationClass::Unknown,
        };
        if class != destination.class {
            let (before, running) = (std::mem::replace(&mut destination.class, class), destination.running.clone());
            self.reclass(ClassChange { before, after: class }, &running);
        }
    }

    fn reclass(&mut self, change: ClassChange, running: &JobCounts) {
        let ClassChange { before, after } = change;
        if before != after {
            let mut from = std::mem::take(&mut self.running[before as usize]);
            self.running[after as usize].move_from(&mut from, running);
            self.running[before as usize] = from;
        }
    }

    /// Marks permits in use for at least `SLOW_MS` as overdue, which makes their destinations slow before a result is
    /// known.
    fn mark_overdue(&mut self, now: Time) {
        while let Some((at, permit_id)) = self.in_order.front().copied() {
            let ended = !self.permits.contains_key(&permit_id);
            if !ended && now.since_ms(at) < SLOW_MS {
                return;
            }
            self.in_order.pop_front();
            let Some(permit) = self.permits.get_mut(&permit_id) else { continue };
            permit.is_overdue = true;
            let key = permit.destination.clone();
            if let Some(destination) = self.destinations.get_mut(&key) {
                destination.overdue += 1;
            }
            self.classify(&key);
        }
    }

    fn drop_idle(&mut self, now: Time) {
        if self.domains.len() >= TRACKED_MAX {
            self.domains.retain(|_, domain| domain.running.all() > 0 || now.since_ms(domain.seen) < IDLE_MS);
            if self.domains.len() >= TRACKED_MAX {
                self.domains.retain(|_, domain| domain.running.all() > 0);
            }
        }
        if self.destinations.len() >= TRACKED_MAX {
            let is_used = |destination: &DestinationState| destination.running.all() > 0 || destination.in_use > 0;
            self.destinations.retain(|_, destination| is_used(destination) || now.since_ms(destination.seen) < IDLE_MS);
            if self.destinations.len() >= TRACKED_MAX {
                self.destinations.retain(|_, destination| is_used(destination));
            }
            let destinations = &self.destinations;
            self.domains.retain(|_, domain| {
                domain.running.all() > 0 || domain.destination.as_ref().is_none_or(|key| destinations.contains_key(key))
            });
        }
    }
}

impl DestinationState {
    /// Returns the maximum number of running jobs, and when a rate limit allows more.
    fn running_max(&self, now: Time) -> (usize, Option<Time>) {
        if self.pace.paused_until(now).is_some() {
            return (RUNNING_WHILE_PAUSED, None);
        }
        if let Some(at) = self.pace.next_at(now) {
            return (0, Some(at));
        }
        let window = self.pace.window() as usize;
        let max = match self.pace.took_ms() {
            // A quarter more than the window, reserved for workspaces without a running job.
            _ if self.class == DestinationClass::Slow => (window * 5).div_ceil(4),
            Some(ms) if ms < MODERATE_MS => window * RUNNING_PER_CONNECTION,
            _ => window * RUNNING_PER_MODERATE_CONNECTION,
        };
        // Rate limits apply to starts, not to running jobs.
        (max, None)
    }
}

/// Returns the shares of a limit: the free part in total, and for one workspace.
fn shares(of: impl Hash, free: FreeCapacity, workspace: WorkspaceId) -> [CapacityShare; 2] {
    let name = |owner: Option<WorkspaceId>| {
        let mut hasher = DefaultHasher::new();
        (&of, owner.map(|owner| owner.0)).hash(&mut hasher);
        hasher.finish()
    };
    [
        CapacityShare { of: name(None), free: free.total },
        CapacityShare { of: name(Some(workspace)), free: free.of_workspace },
    ]
}
