//! What runs now, of which kind and in which lane, and the claim of what may run beside it.

use std::collections::HashMap;

use posthouse_domain::time::Time;
use posthouse_store::{
    Error, Result,
    jobs::{
        self, Lease, Leased,
        due::{self, Cursor, Found, Wanted},
    },
};

use crate::{
    app::App,
    jobs::kind::{JobKind, LEASE_MS},
};

/// Most jobs of one kind that are claimed at once, so that no claim holds up the writer for long.
const CLAIMED_MAX: usize = 100;

/// The kinds and what runs of each.
pub(super) struct Board {
    kinds: Vec<Slot>,
}

struct Slot {
    kind: JobKind,
    running: usize,
    lanes: HashMap<String, usize>,
    from: Cursor,
}

/// What a look found.
pub(super) struct Looked {
    /// Jobs that are now ours, with the place of their kind.
    pub(super) claimed: Vec<(usize, Leased)>,
    /// When the next job is due or the next lease runs out; may be past, for what has no room.
    pub(super) next: Option<Time>,
}

impl Board {
    pub(super) fn new(kinds: Vec<JobKind>) -> Self {
        let slot = |kind| Slot { kind, running: 0, lanes: HashMap::new(), from: Cursor::default() };
        Self { kinds: kinds.into_iter().map(slot).collect() }
    }

    pub(super) fn kind(&self, at: usize) -> JobKind {
        self.kinds[at].kind.clone()
    }

    /// Claims what is due and has room.
    pub(super) async fn look(&mut self, app: &App) -> Result<Looked> {
        let now = app.clock.now();
        let names: Vec<&'static str> = self.kinds.iter().map(|slot| slot.kind.name).collect();
        let wanted: Vec<(usize, Wanted)> =
            self.kinds.iter().enumerate().filter_map(|(at, slot)| Some((at, slot.wanted(now)?))).collect();
        let read = move |tx: &mut posthouse_store::Tx| {
            let mut found: Vec<(usize, Found)> = Vec::with_capacity(wanted.len());
            for (at, wanted) in &wanted {
                found.push((*at, due::find(tx, wanted)?));
            }
            Ok::<_, Error>((found, jobs::next_at(tx, &names)?, jobs::next_lease_end(tx)?))
        };
        let (found, next, lease_end) = app.store.read(read).await?;
        let next = next.into_iter().chain(lease_end).min();
        if lease_end.is_some_and(|end| end <= now) {
            let count = app.store.write(move |tx| jobs::free_expired(tx, now)).await?;
            tracing::warn!(count, "jobs.lease_expired");
        }
        let claimed = self.claim(app, found, now).await?;
        for (at, job) in &claimed {
            self.kinds[*at].began(job);
        }
        Ok(Looked { claimed, next })
    }

    async fn claim(&mut self, app: &App, found: Vec<(usize, Found)>, now: Time) -> Result<Vec<(usize, Leased)>> {
        for (at, found) in &found {
            self.kinds[*at].from = found.next.clone();
        }
        let token = app.clock.ids().next();
        let claims: Vec<_> = found
            .into_iter()
            .filter(|(_, found)| !found.ids.is_empty())
            .map(|(at, found)| {
                let kind = &self.kinds[at].kind;
                (at, kind.name, found.ids, Lease { token, now, until: now.plus_ms(LEASE_MS) })
            })
            .collect();
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let write = move |tx: &mut posthouse_store::Tx| {
            let mut claimed = Vec::new();
            for (at, name, ids, lease) in &claims {
                claimed.extend(jobs::claim(tx, name, ids, *lease)?.into_iter().map(|job| (*at, job)));
            }
            Ok::<_, Error>(claimed)
        };
        app.store.write(write).await
    }

    /// Notes that a job no longer runs.
    pub(super) fn ended(&mut self, at: usize, job: &Leased) {
        let slot = &mut self.kinds[at];
        slot.running = slot.running.saturating_sub(1);
        if let Some(count) = slot.lanes.get_mut(&job.lane) {
            *count -= 1;
            if *count == 0 {
                slot.lanes.remove(&job.lane);
            }
        }
    }

    /// Notes that nothing runs.
    pub(super) fn forget_running(&mut self) {
        for slot in &mut self.kinds {
            slot.running = 0;
            slot.lanes.clear();
        }
    }
}

impl Slot {
    /// What may be claimed; nothing when there is no room.
    fn wanted(&self, now: Time) -> Option<Wanted> {
        let limit = self.kind.concurrency.saturating_sub(self.running).min(CLAIMED_MAX);
        (limit > 0).then(|| Wanted {
            kind: self.kind.name,
            now,
            limit,
            per_lane: self.kind.per_lane,
            running: self.lanes.clone(),
            from: self.from.clone(),
        })
    }

    fn began(&mut self, job: &Leased) {
        self.running += 1;
        if !job.lane.is_empty() {
            *self.lanes.entry(job.lane.clone()).or_default() += 1;
        }
    }
}
