//! Tracks the running jobs by kind and destination, and claims jobs that fit beside them.

use std::{collections::HashMap, sync::Arc};

use posthouse_domain::{JobKind, SECOND_MS, Time, WorkspaceId};
use posthouse_store::jobs::due::{self, DueJobs, DueJobsCursor, DueJobsQuery};
use posthouse_store::jobs::{self, JobLease, LeasedJob};
use posthouse_store::{Error, Result};
use uuid::Uuid;

use crate::{jobs::definition::JobDefinition, jobs::definition::LEASE_MS, service::ReadScope, service::Service};

/// Maximum jobs of one kind claimed at once, so that a claim doesn't hold the writer for long.
const CLAIMED_MAX: usize = 100;
/// Partial scans of a large backlog in a row that find no claimable job, before the runner sleeps as after a complete
/// scan.
const IDLE_SCANS_MAX: u32 = 64;

/// How long other workers have after an outage to renew leases that expired during it, in milliseconds.
const GRACE_MS: i64 = 5 * SECOND_MS;

/// The job kinds with their running jobs.
pub(super) struct RunningJobs {
    kinds: Vec<Slot>,
    /// Expired leases are not released before this time.
    free_from: Time,
    /// The lease token of a failed claim. The claim may have been committed, with jobs that this process does not know
    /// of.
    in_doubt: Option<Uuid>,
}

struct Slot {
    kind: JobDefinition,
    running: usize,
    of: HashMap<WorkspaceId, usize>,
    from: DueJobsCursor,
    /// Partial scans in a row without a claimable job.
    idle_scans: u32,
}

/// The result of a scan.
pub(super) struct ScanResult {
    /// Newly claimed jobs, with the index of their kind.
    pub(super) claimed: Vec<(usize, LeasedJob)>,
    /// When the next job becomes due, capacity returns, or the next lease ends.
    pub(super) next: Option<Time>,
    /// Whether the runner must scan again without sleeping.
    pub(super) is_partial: bool,
}

impl RunningJobs {
    pub(super) fn new(kinds: Vec<JobDefinition>) -> Self {
        let slot = |kind| Slot { kind, running: 0, of: HashMap::new(), from: DueJobsCursor::default(), idle_scans: 0 };
        let kinds = kinds.into_iter().map(slot).collect();
        Self { kinds, free_from: Time::from_millis(0), in_doubt: None }
    }

    pub(super) fn kind(&self, at: usize) -> JobDefinition {
        self.kinds[at].kind.clone()
    }

    /// Claims due jobs that fit.
    pub(super) async fn scan(&mut self, service: &Service) -> Result<ScanResult> {
        let scanned = self.try_scan(service).await;
        if scanned.is_err() {
            self.free_from = service.clock.now().plus_ms(GRACE_MS);
        }
        scanned
    }

    async fn try_scan(&mut self, service: &Service) -> Result<ScanResult> {
        let now = service.clock.now();
        if let Some(token) = self.in_doubt {
            service.write(move |tx| jobs::release_by_token(tx, token)).await?;
            self.in_doubt = None;
        }
        let kinds: Vec<JobKind> = self.kinds.iter().map(|slot| slot.kind.kind).collect();
        let wanted: Vec<(usize, DueJobsQuery)> =
            self.kinds.iter().enumerate().filter_map(|(at, slot)| Some((at, slot.query(now)?))).collect();
        let read = move |tx: &mut posthouse_store::Tx| {
            let mut found: Vec<(usize, DueJobs)> = Vec::with_capacity(wanted.len());
            for (at, wanted) in &wanted {
                found.push((*at, due::find(tx, wanted)?));
            }
            Ok::<_, Error>((found, jobs::next_at(tx, &kinds, now)?, jobs::next_lease_end(tx)?))
        };
        let (found, next, lease_end) = service.read(ReadScope::Service, read).await?;
        let capacity_at = self.kinds.iter().filter_map(|slot| slot.kind.capacity.next_at()).filter(|at| *at > now);
        let lease_end = lease_end.map(|end| end.max(self.free_from));
        let next = next.into_iter().chain(lease_end).chain(capacity_at).min();
        let mut is_partial = false;
        if lease_end.is_some_and(|end| end <= now) {
            is_partial = true;
            let count = service.write(move |tx| jobs::release_expired(tx, now)).await?;
            tracing::warn!(count, "jobs.lease_expired");
        }
        let claimed = self.claim(service, &found, now).await?;
        for (at, found) in &found {
            is_partial |= self.kinds[*at].record_scan(found);
        }
        for (at, job) in &claimed {
            self.kinds[*at].record_start(job, now);
        }
        Ok(ScanResult { claimed, next, is_partial })
    }

    async fn claim(
        &mut self,
        service: &Service,
        found: &[(usize, DueJobs)],
        now: Time,
    ) -> Result<Vec<(usize, LeasedJob)>> {
        let token = service.clock.ids().next();
        let claims: Vec<_> = found
            .iter()
            .filter(|(_, found)| !found.ids.is_empty())
            .map(|(at, found)| {
                let kind = &self.kinds[*at].kind;
                (*at, kind.kind, found.ids.clone(), JobLease { token, now, until: now.plus_ms(LEASE_MS) })
            })
            .collect();
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let write = move |tx: &mut posthouse_store::Tx| {
            let mut claimed = Vec::new();
            for (at, kind, ids, lease) in &claims {
                claimed.extend(jobs::claim(tx, *kind, ids, *lease)?.into_iter().map(|job| (*at, job)));
            }
            Ok::<_, Error>(claimed)
        };
        let claimed = service.write(write).await;
        claimed.inspect_err(|_| self.in_doubt = Some(token))
    }

    /// Records that a job no longer runs.
    pub(super) fn record_end(&mut self, at: usize, job: &LeasedJob) {
        let slot = &mut self.kinds[at];
        slot.running = slot.running.saturating_sub(1);
        if let Some(count) = slot.of.get_mut(&job.workspace) {
            *count -= 1;
            if *count == 0 {
                slot.of.remove(&job.workspace);
            }
        }
        if !job.group.is_empty() {
            slot.kind.capacity.release(job.workspace, &job.group);
        }
    }
}

impl Slot {
    /// Returns what may be claimed; `None` if the kind is at its limit.
    fn query(&self, now: Time) -> Option<DueJobsQuery> {
        let free = self.kind.concurrency.saturating_sub(self.running);
        let capacity = self.kind.capacity.clone();
        (free > 0).then(|| DueJobsQuery {
            kind: self.kind.kind,
            now,
            limit: free.min(CLAIMED_MAX),
            free,
            running: self.of.clone(),
            capacities: Arc::new(move |workspace, group| capacity.available(workspace, group, now)),
            from: self.from.clone(),
        })
    }

    /// Stores where the scan ended, and returns whether to scan again without sleeping.
    fn record_scan(&mut self, found: &DueJobs) -> bool {
        self.from = found.next.clone();
        self.idle_scans = if found.is_partial && found.ids.is_empty() { self.idle_scans.saturating_add(1) } else { 0 };
        found.is_partial && self.idle_scans < IDLE_SCANS_MAX
    }

    fn record_start(&mut self, job: &LeasedJob, now: Time) {
        self.running += 1;
        *self.of.entry(job.workspace).or_default() += 1;
        if !job.group.is_empty() {
            self.kind.capacity.record_start(job.workspace, &job.group, now);
        }
    }
}
