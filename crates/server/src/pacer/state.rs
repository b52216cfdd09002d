//! What is counted: jobs that run by lane, turns by destination, connections by class.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use posthouse_domain::{
    id::WorkspaceId,
    pacing::{News, Pace, Provider, SLOW_MS, Standing},
    time::{HOUR_MS, Time},
};
use posthouse_store::jobs::due::{Room, Share};
use tokio::sync::oneshot;

use super::{Rules, tally::Tally};

/// Jobs of a domain that may run while its exchangers are not known.
const RUNNING_AT_FIRST: usize = 2;
/// Jobs that may run for each connection to a quick destination: while one message is on the wire, others are loaded, signed
/// and settled.
const RUNNING_PER_CONNECTION: usize = 6;
/// As many for one that takes so long that this hides little, in milliseconds.
const LEISURELY_MS: i64 = 100;
const RUNNING_PER_LEISURELY_CONNECTION: usize = 2;
/// Jobs that may run for a destination that is left alone: each ends at once.
const RUNNING_WHILE_RESTING: usize = 64;
/// Lanes, or destinations, that are remembered before idle ones are forgotten.
const REMEMBERED_MAX: usize = 20_000;
/// How long an idle one is remembered once there are so many, in milliseconds.
const REMEMBERED_MS: i64 = HOUR_MS;

/// The class whose share of the connections a destination uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Quick,
    Unknown,
    Slow,
}

#[derive(Default)]
pub(super) struct State {
    lanes: HashMap<String, Lane>,
    sites: HashMap<Arc<str>, Site>,
    /// Jobs that run, by class.
    running: [Tally; 3],
    turns: HashMap<u64, Begun>,
    /// Turns by their beginning, for who takes too long; some have ended.
    in_order: VecDeque<(Time, u64)>,
    turns_given: u64,
    /// Destinations where somebody waits who may have a turn as soon as there is a connection.
    starved: VecDeque<Arc<str>>,
    next_at: Option<Time>,
}

#[derive(Default)]
struct Lane {
    site: Option<Arc<str>>,
    running: Tally,
    seen: Time,
}

struct Site {
    pace: Pace,
    /// Jobs that run in its lanes.
    running: Tally,
    /// Turns that are taken.
    under_way: u32,
    /// Turns that take longer than a quick destination needs.
    overdue: u32,
    waiting: VecDeque<oneshot::Sender<u64>>,
    is_starved: bool,
    seen: Time,
    class: Class,
}

struct Begun {
    site: Arc<str>,
    at: Time,
    is_overdue: bool,
}

/// Who wants a turn where.
pub(super) struct Entry<'a> {
    pub(super) lane: &'a str,
    pub(super) site: &'a str,
    pub(super) provider: Option<&'static Provider>,
    pub(super) at_any_rate: bool,
}

/// The answer.
pub(super) enum Given {
    Turn(u64),
    Wait(oneshot::Receiver<u64>),
    NotBefore(Time),
}

impl State {
    pub(super) fn room(&mut self, rules: &Rules, (workspace, lane): (WorkspaceId, &str), now: Time) -> Room {
        self.mark_overdue(now);
        let found = self.lanes.get(lane);
        let site = found.and_then(|lane| lane.site.as_ref()).and_then(|key| self.sites.get_key_value(key));
        let (own, class) = match (site, found) {
            (Some((key, site)), _) => {
                let (most, next_at) = site.running_max(now);
                self.next_at = self.next_at.into_iter().chain(next_at).min();
                (shares((1, key), site.running.free(most, workspace), workspace), site.class)
            }
            (None, found) => {
                let most = if rules.single { usize::MAX } else { RUNNING_AT_FIRST };
                let free =
                    found.map_or(Tally::free_beside(&[], most, workspace), |lane| lane.running.free(most, workspace));
                (shares((0, lane), free, workspace), Class::Unknown)
            }
        };
        let [of_class, of_workspace] = self.of_class(class, rules, workspace);
        Room { shares: [own[0], own[1], of_class, of_workspace] }
    }

    /// What is left of the connections for a class: half for the slow, three quarters for them and the unknown together.
    fn of_class(&self, class: Class, rules: &Rules, workspace: WorkspaceId) -> [Share; 2] {
        let all = rules.connections_max;
        let [_, unknown, slow] = &self.running;
        let free = if rules.single || class == Class::Quick {
            (usize::MAX, usize::MAX)
        } else {
            let both = Tally::free_beside(&[unknown, slow], (all * 3 / 4).max(1), workspace);
            let half = Tally::free_beside(&[slow], (all / 2).max(1), workspace);
            if class == Class::Slow { (both.0.min(half.0), both.1.min(half.1)) } else { both }
        };
        // The slow and the unknown draw on one purse.
        shares((2, if class == Class::Quick { "quick" } else { "uncertain" }), free, workspace)
    }

    pub(super) fn began(&mut self, (workspace, lane): (WorkspaceId, &str), now: Time) {
        self.forget_idle(now);
        let entry = self.lanes.entry(lane.to_owned()).or_default();
        entry.running.add(workspace, 1);
        entry.seen = now;
        let class = match entry.site.as_ref().and_then(|key| self.sites.get_mut(key)) {
            Some(site) => {
                site.running.add(workspace, 1);
                site.class
            }
            None => Class::Unknown,
        };
        self.running[class as usize].add(workspace, 1);
    }

    pub(super) fn ended(&mut self, (workspace, lane): (WorkspaceId, &str)) {
        let Some(entry) = self.lanes.get_mut(lane) else { return };
        if entry.running.take(workspace, 1) == 0 {
            return;
        }
        let class = match entry.site.as_ref().and_then(|key| self.sites.get_mut(key)) {
            Some(site) => {
                site.running.take(workspace, 1);
                site.class
            }
            None => Class::Unknown,
        };
        self.running[class as usize].take(workspace, 1);
    }

    pub(super) fn rests(&self, lane: &str, now: Time) -> bool {
        let site = self.lanes.get(lane).and_then(|lane| lane.site.as_ref()).and_then(|key| self.sites.get(key));
        site.is_some_and(|site| site.pace.rests_until(now).is_some())
    }

    pub(super) fn next_at(&mut self) -> Option<Time> {
        self.next_at.take()
    }

    pub(super) fn enter(&mut self, rules: &Rules, entry: &Entry<'_>, now: Time) -> Given {
        self.mark_overdue(now);
        let key = self.site(rules, entry, now);
        self.assign(entry.lane, &key);
        let Some(site) = self.sites.get_mut(&key) else { return Given::NotBefore(now) };
        if !entry.at_any_rate
            && let Some(until) = site.pace.rests_until(now).or_else(|| site.pace.next_at(now))
        {
            return Given::NotBefore(until);
        }
        let is_free = site.under_way < site.pace.window();
        let is_left = self.turns.len() < rules.connections_max;
        if entry.at_any_rate || (is_free && is_left && site.waiting.is_empty()) {
            return Given::Turn(self.begin(&key, now));
        }
        let (sender, receiver) = oneshot::channel();
        site.waiting.push_back(sender);
        if is_free {
            self.starve(&key);
        }
        Given::Wait(receiver)
    }

    /// When a turn began, and with which bounds.
    pub(super) fn begun(&self, turn: u64) -> Option<(Time, posthouse_domain::pacing::Limits)> {
        let begun = self.turns.get(&turn)?;
        Some((begun.at, self.sites.get(&begun.site)?.pace.limits()))
    }

    /// Ends a turn, with what was heard in it; gives it on to who waits.
    pub(super) fn end(&mut self, rules: &Rules, turn: u64, news: Option<News>, now: Time) {
        let Some(begun) = self.turns.remove(&turn) else { return };
        let Some(site) = self.sites.get_mut(&begun.site) else { return };
        site.under_way = site.under_way.saturating_sub(1);
        site.overdue = site.overdue.saturating_sub(u32::from(begun.is_overdue));
        site.seen = now;
        if let Some(news) = news {
            site.pace.heard(news, begun.at, now);
        }
        self.classify(&begun.site);
        self.starve(&begun.site);
        // Destinations take turns: a busy one does not keep the connection that it gives back.
        while self.turns.len() < rules.connections_max {
            let Some(key) = self.starved.pop_front() else { return };
            if let Some(site) = self.sites.get_mut(&key) {
                site.is_starved = false;
            }
            if self.give_one(&key, now) {
                self.starve(&key);
            }
        }
    }

    /// Remembers that somebody waits there.
    fn starve(&mut self, key: &Arc<str>) {
        let Some(site) = self.sites.get_mut(key) else { return };
        if !site.is_starved && !site.waiting.is_empty() {
            site.is_starved = true;
            self.starved.push_back(key.clone());
        }
    }

    pub(super) fn standings(&self, now: Time) -> impl Fn(Standing) -> usize + use<> {
        let all: Vec<Standing> = self.sites.values().map(|site| site.pace.standing(now)).collect();
        move |standing| all.iter().filter(|one| **one == standing).count()
    }

    /// A turn to who waits longest at a destination that has room; who cannot have one for a while is let go. Says whether
    /// another may follow.
    fn give_one(&mut self, key: &Arc<str>, now: Time) -> bool {
        loop {
            let Some(site) = self.sites.get_mut(key) else { return false };
            if site.pace.rests_until(now).is_some() || site.pace.next_at(now).is_some() {
                site.waiting.clear();
            }
            if site.under_way >= site.pace.window() {
                return false;
            }
            let Some(next) = site.waiting.pop_front() else { return false };
            let turn = self.begin(key, now);
            if next.send(turn).is_ok() {
                return true;
            }
            // It has given up waiting: as if it had never begun.
            self.turns.remove(&turn);
            if let Some(site) = self.sites.get_mut(key) {
                site.under_way = site.under_way.saturating_sub(1);
            }
        }
    }

    fn begin(&mut self, key: &Arc<str>, now: Time) -> u64 {
        self.turns_given += 1;
        if let Some(site) = self.sites.get_mut(key) {
            site.pace.begin(now);
            site.under_way += 1;
        }
        self.turns.insert(self.turns_given, Begun { site: key.clone(), at: now, is_overdue: false });
        self.in_order.push_back((now, self.turns_given));
        self.turns_given
    }

    fn site(&mut self, rules: &Rules, entry: &Entry<'_>, now: Time) -> Arc<str> {
        if let Some((key, _)) = self.sites.get_key_value(entry.site) {
            return key.clone();
        }
        let key: Arc<str> = entry.site.into();
        let pace = Pace::new(rules.limits(entry.provider));
        let site = Site {
            pace,
            running: Tally::default(),
            under_way: 0,
            overdue: 0,
            waiting: VecDeque::new(),
            is_starved: false,
            seen: now,
            class: Class::Unknown,
        };
        self.sites.insert(key.clone(), site);
        key
    }

    /// The jobs of the lane count for that destination from now on.
    fn assign(&mut self, lane: &str, key: &Arc<str>) {
        let entry = self.lanes.entry(lane.to_owned()).or_default();
        if entry.site.as_ref() == Some(key) {
            return;
        }
        let (before, running) = (entry.site.replace(key.clone()), entry.running.clone());
        let mut nowhere = running.clone();
        let from = before.as_ref().and_then(|key| self.sites.get_mut(key));
        let from = from.map_or((&mut nowhere, Class::Unknown), |site| (&mut site.running, site.class));
        let (mut moved, class_before) = (Tally::default(), from.1);
        moved.move_from(from.0, &running);
        let Some(site) = self.sites.get_mut(key) else { return };
        site.running.move_from(&mut moved, &running);
        let class = site.class;
        self.reclass((class_before, class), &running);
    }

    fn classify(&mut self, key: &Arc<str>) {
        let Some(site) = self.sites.get_mut(key) else { return };
        let class = match (site.overdue > 0 || site.pace.is_slow(), site.pace.is_known()) {
            (true, _) => Class::Slow,
            (false, true) => Class::Quick,
            (false, false) => Class::Unknown,
        };
        if class != site.class {
            let (before, running) = (std::mem::replace(&mut site.class, class), site.running.clone());
            self.reclass((before, class), &running);
        }
    }

    fn reclass(&mut self, (before, after): (Class, Class), running: &Tally) {
        if before != after {
            let mut from = std::mem::take(&mut self.running[before as usize]);
            self.running[after as usize].move_from(&mut from, running);
            self.running[before as usize] = from;
        }
    }

    /// Who is waited for longer than a quick destination needs is slow already, whatever it will say.
    fn mark_overdue(&mut self, now: Time) {
        while let Some((at, turn)) = self.in_order.front().copied() {
            let ended = !self.turns.contains_key(&turn);
            if !ended && now.since_ms(at) < SLOW_MS {
                return;
            }
            self.in_order.pop_front();
            let Some(begun) = self.turns.get_mut(&turn) else { continue };
            begun.is_overdue = true;
            let key = begun.site.clone();
            if let Some(site) = self.sites.get_mut(&key) {
                site.overdue += 1;
            }
            self.classify(&key);
        }
    }

    fn forget_idle(&mut self, now: Time) {
        if self.lanes.len() >= REMEMBERED_MAX {
            self.lanes.retain(|_, lane| lane.running.all() > 0 || now.since_ms(lane.seen) < REMEMBERED_MS);
            if self.lanes.len() >= REMEMBERED_MAX {
                self.lanes.retain(|_, lane| lane.running.all() > 0);
            }
        }
        if self.sites.len() >= REMEMBERED_MAX {
            let is_used = |site: &Site| site.running.all() > 0 || site.under_way > 0;
            self.sites.retain(|_, site| is_used(site) || now.since_ms(site.seen) < REMEMBERED_MS);
            if self.sites.len() >= REMEMBERED_MAX {
                self.sites.retain(|_, site| is_used(site));
            }
            let sites = &self.sites;
            self.lanes.retain(|_, lane| {
                lane.running.all() > 0 || lane.site.as_ref().is_none_or(|key| sites.contains_key(key))
            });
        }
    }
}

impl Site {
    /// Jobs that may run for it, and when that may change by time alone.
    fn running_max(&self, now: Time) -> (usize, Option<Time>) {
        if self.pace.rests_until(now).is_some() {
            return (RUNNING_WHILE_RESTING, None);
        }
        if let Some(at) = self.pace.next_at(now) {
            return (0, Some(at));
        }
        let window = self.pace.window() as usize;
        let most = match self.pace.took_ms() {
            // A quarter more, for the first mail of who does not have all the others.
            _ if self.class == Class::Slow => (window * 5).div_ceil(4),
            Some(ms) if ms < LEISURELY_MS => window * RUNNING_PER_CONNECTION,
            _ => window * RUNNING_PER_LEISURELY_CONNECTION,
        };
        // Rates bound what begins, not what is under way.
        (most, None)
    }
}

/// What is free of something in all, and for one workspace.
fn shares(of: impl Hash, (free, fair): (usize, usize), workspace: WorkspaceId) -> [Share; 2] {
    let name = |owner: Option<WorkspaceId>| {
        let mut hasher = DefaultHasher::new();
        (&of, owner.map(|owner| owner.0)).hash(&mut hasher);
        hasher.finish()
    };
    [Share { of: name(None), free }, Share { of: name(Some(workspace)), free: fair }]
}
