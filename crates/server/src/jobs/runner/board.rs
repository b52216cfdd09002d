//! What runs now, of which kind and in which lane, and the claim of what may run beside it.

use std::{collections::HashMap, sync::Arc};

use posthouse_domain::{
    id::WorkspaceId,
    time::{SECOND_MS, Time},
};
use posthouse_store::{
    Error, Result,
    jobs::{
        self, Lease, Leased,
        due::{self, Cursor, Found, Wanted},
    },
};
use uuid::Uuid;

use crate::{
    app::App,
    jobs::kind::{JobKind, LEASE_MS},
};

/// Most jobs of one kind that are claimed at once, so that no claim holds up the writer for long.
const CLAIMED_MAX: usize = 100;
/// Looks in a row at the parts of a large backlog that find nothing with room, before the runner sleeps as after a whole one.
const BARREN_MAX: u32 = 64;

/// How long other workers have after an outage to renew the leases that ran out in it, in milliseconds.
const GRACE_MS: i64 = 5 * SECOND_MS;

/// The kinds and what runs of each.
pub(super) struct Board {
    kinds: Vec<Slot>,
    /// No lease is freed before.
    free_from: Time,
    /// The lease of a claim that failed: it may be in the store all the same, of jobs that nobody knows of here.
    in_doubt: Option<Uuid>,
}

struct Slot {
    kind: JobKind,
    running: usize,
    of: HashMap<WorkspaceId, usize>,
    from: Cursor,
    /// Partial looks without a find.
    barren: u32,
}

/// What a look found.
pub(super) struct Looked {
    /// Jobs that are now ours, with the place of their kind.
    pub(super) claimed: Vec<(usize, Leased)>,
    /// When the next job will be due, may have room by time alone, or the next lease runs out.
    pub(super) next: Option<Time>,
    /// There is more to look at right away.
    pub(super) is_partial: bool,
}

impl Board {
    pub(super) fn new(kinds: Vec<JobKind>) -> Self {
        let slot = |kind| Slot { kind, running: 0, of: HashMap::new(), from: Cursor::default(), barren: 0 };
        let kinds = kinds.into_iter().map(slot).collect();
        Self { kinds, free_from: Time::from_millis(0), in_doubt: None }
    }

    pub(super) fn kind(&self, at: usize) -> JobKind {
        self.kinds[at].kind.clone()
    }

    /// Claims what is due and has room.
    pub(super) async fn look(&mut self, app: &App) -> Result<Looked> {
        let looked = self.try_look(app).await;
        if looked.is_err() {
            self.free_from = app.clock.now().plus_ms(GRACE_MS);
        }
        looked
    }

    async fn try_look(&mut self, app: &App) -> Result<Looked> {
        let now = app.clock.now();
        if let Some(token) = self.in_doubt {
            app.store.write(move |tx| jobs::hand_back(tx, token)).await?;
            self.in_doubt = None;
        }
        let names: Vec<&'static str> = self.kinds.iter().map(|slot| slot.kind.name).collect();
        let wanted: Vec<(usize, Wanted)> =
            self.kinds.iter().enumerate().filter_map(|(at, slot)| Some((at, slot.wanted(now)?))).collect();
        let read = move |tx: &mut posthouse_store::Tx| {
            let mut found: Vec<(usize, Found)> = Vec::with_capacity(wanted.len());
            for (at, wanted) in &wanted {
                found.push((*at, due::find(tx, wanted)?));
            }
            Ok::<_, Error>((found, jobs::next_at(tx, &names, now)?, jobs::next_lease_end(tx)?))
        };
        let (found, next, lease_end) = app.store.read(read).await?;
        let room_at = self.kinds.iter().filter_map(|slot| slot.kind.lanes.next_at()).filter(|at| *at > now);
        let lease_end = lease_end.map(|end| end.max(self.free_from));
        let next = next.into_iter().chain(lease_end).chain(room_at).min();
        let mut is_partial = false;
        if lease_end.is_some_and(|end| end <= now) {
            is_partial = true;
            let count = app.store.write(move |tx| jobs::free_expired(tx, now)).await?;
            tracing::warn!(count, "jobs.lease_expired");
        }
        let claimed = self.claim(app, &found, now).await?;
        for (at, found) in &found {
            is_partial |= self.kinds[*at].looked(found);
        }
        for (at, job) in &claimed {
            self.kinds[*at].began(job, now);
        }
        Ok(Looked { claimed, next, is_partial })
    }

    async fn claim(&mut self, app: &App, found: &[(usize, Found)], now: Time) -> Result<Vec<(usize, Leased)>> {
        let token = app.clock.ids().next();
        let claims: Vec<_> = found
            .iter()
            .filter(|(_, found)| !found.ids.is_empty())
            .map(|(at, found)| {
                let kind = &self.kinds[*at].kind;
                (*at, kind.name, found.ids.clone(), Lease { token, now, until: now.plus_ms(LEASE_MS) })
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
        let claimed = app.store.write(write).await;
        claimed.inspect_err(|_| self.in_doubt = Some(token))
    }

    /// Notes that a job no longer runs.
    pub(super) fn ended(&mut self, at: usize, job: &Leased) {
        let slot = &mut self.kinds[at];
        slot.running = slot.running.saturating_sub(1);
        if let Some(count) = slot.of.get_mut(&job.workspace) {
            *count -= 1;
            if *count == 0 {
                slot.of.remove(&job.workspace);
            }
        }
        if !job.lane.is_empty() {
            slot.kind.lanes.ended(job.workspace, &job.lane);
        }
    }
}

impl Slot {
    /// What may be claimed; nothing when there is no room.
    fn wanted(&self, now: Time) -> Option<Wanted> {
        let free = self.kind.concurrency.saturating_sub(self.running);
        let lanes = self.kind.lanes.clone();
        (free > 0).then(|| Wanted {
            kind: self.kind.name,
            now,
            limit: free.min(CLAIMED_MAX),
            free,
            running: self.of.clone(),
            rooms: Arc::new(move |workspace, lane| lanes.room(workspace, lane, now)),
            from: self.from.clone(),
        })
    }

    /// Keeps where the look ended; whether the next should follow at once.
    fn looked(&mut self, found: &Found) -> bool {
        self.from = found.next.clone();
        self.barren = if found.is_partial && found.ids.is_empty() { self.barren.saturating_add(1) } else { 0 };
        found.is_partial && self.barren < BARREN_MAX
    }

    fn began(&mut self, job: &Leased, now: Time) {
        self.running += 1;
        *self.of.entry(job.workspace).or_default() += 1;
        if !job.lane.is_empty() {
            self.kind.lanes.began(job.workspace, &job.lane, now);
        }
    }
}
