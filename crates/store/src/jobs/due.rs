//! Selects the jobs to claim next, fairly across workspaces and their groups, within the capacity of each group.
//!
//! Selection only reads and is separate from the claim: if two processes select the same job, one of them gets it. A
//! small backlog is read completely. In a large backlog, workspaces are visited in rotation, and the groups of each in
//! rotation from where the previous scan ended, so that no workspace waits behind another's backlog. Lanes without
//! capacity, and groups with only future jobs, cost one step each.

mod choose;

use std::{collections::HashMap, sync::Arc};

use posthouse_domain::{JobId, JobKind, Time, WorkspaceId};
use uuid::Uuid;

use crate::{Result, Tx, statements};

statements! {
    fn oldest(wanted: &DueJobsQuery { kind, now }; limit = OLDEST_MAX) -> Vec<JobCandidate> =
        "SELECT id, workspace_id, job_group, run_at FROM jobs WHERE kind = :kind AND state = 'ready' AND run_at <= :now
        ORDER BY run_at LIMIT :limit";
    fn next_workspace(kind: JobKind, after: Uuid) -> Option<WorkspaceId> =
        "SELECT workspace_id FROM jobs WHERE kind = :kind AND state = 'ready' AND workspace_id > :after
        ORDER BY workspace_id LIMIT 1";
    fn next_group(kind: JobKind, workspace: WorkspaceId, after: &str) -> Option<GroupRow> =
        "SELECT job_group, run_at FROM jobs WHERE kind = :kind AND state = 'ready' AND workspace_id = :workspace AND job_group > :after
        ORDER BY job_group, run_at LIMIT 1";
    fn of_group(
        wanted: &DueJobsQuery { kind, now }, workspace: WorkspaceId, group: &str, limit: u32,
    ) -> Vec<JobCandidate> =
        "SELECT id, workspace_id, job_group, run_at FROM jobs WHERE kind = :kind AND state = 'ready' AND workspace_id = :workspace AND job_group = :group
        AND run_at <= :now ORDER BY run_at LIMIT :limit";
}

/// Number of oldest jobs read. A smaller backlog is read completely.
const OLDEST_MAX: u32 = 128;
/// Workspaces visited per scan of a large backlog.
const WORKSPACES_MAX: usize = 32;
/// Lanes visited per scan of a large backlog, across all visited workspaces.
const GROUPS_MAX: usize = 192;
/// Fewest groups visited per workspace.
const GROUPS_MIN: usize = 4;

/// Limits for a selection of due jobs.
#[derive(Clone)]
pub struct DueJobsQuery {
    pub kind: JobKind,
    /// The current time.
    pub now: Time,
    /// Maximum number of jobs to select.
    pub limit: usize,
    /// Free capacity for the job kind, at least `limit`.
    pub free: usize,
    /// Number of running jobs per workspace.
    pub running: HashMap<WorkspaceId, usize>,
    /// Capacity of each group; jobs without a group are limited only by `limit`.
    pub capacities: GroupCapacities,
    /// Position where the previous scan of a large backlog ended.
    pub from: DueJobsCursor,
}

/// Returns the capacity of a group for a workspace.
pub type GroupCapacities = Arc<dyn Fn(WorkspaceId, &str) -> GroupCapacity + Send + Sync>;

/// The capacity of a group: the minimum of its shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupCapacity {
    /// The shares: destination and destination class, each in total and for the workspace.
    pub shares: [CapacityShare; 4],
}

/// A capacity that several groups share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapacityShare {
    /// Identifies the share; groups with the same value use the same capacity.
    pub of: u64,
    /// Remaining number of jobs.
    pub free: usize,
}

impl GroupCapacity {
    /// A capacity without a limit.
    pub const UNLIMITED: Self = Self { shares: [CapacityShare { of: 0, free: usize::MAX }; 4] };

    /// Returns the smallest remaining capacity of its shares.
    #[must_use]
    pub fn free(&self) -> usize {
        self.shares.iter().map(|share| share.free).min().unwrap_or(0)
    }
}

/// The position of a scan: the last workspace, and the last group of each workspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DueJobsCursor {
    workspace: Uuid,
    groups: HashMap<Uuid, String>,
}

/// The result of a selection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DueJobs {
    /// The jobs to claim, in order.
    pub ids: Vec<JobId>,
    /// Position for the next scan.
    pub next: DueJobsCursor,
    /// Whether the scan didn't reach all groups and workspaces.
    pub is_partial: bool,
}

crate::row_struct!(
    #[derive(Clone, PartialEq, Eq, Debug)]
    JobCandidate { id: JobId, workspace = workspace_id: WorkspaceId, group = job_group: String, run_at: Time }
);

crate::row_struct!(GroupRow { job_group: String, run_at: Time });

/// Selects jobs that are due.
pub fn find(tx: &mut Tx, wanted: &DueJobsQuery) -> Result<DueJobs> {
    let mut candidates = oldest(tx, wanted)?;
    if candidates.len() < OLDEST_MAX as usize {
        return Ok(DueJobs {
            ids: choose::choose(candidates, wanted),
            next: DueJobsCursor::default(),
            is_partial: false,
        });
    }
    let mut next = wanted.from.clone();
    let (workspaces, mut is_partial) = workspaces(tx, wanted, &mut next)?;
    if !is_partial {
        // Drops the positions of workspaces that have no jobs left.
        next.groups.retain(|id, _| workspaces.contains(&WorkspaceId(*id)));
    }
    let groups = (GROUPS_MAX / workspaces.len().max(1)).max(GROUPS_MIN);
    let jobs = (wanted.limit / workspaces.len().max(1)).max(GROUPS_MIN);
    for workspace in workspaces {
        let from = next.groups.remove(&workspace.0).unwrap_or_default();
        let scan = GroupScan { workspace, groups, jobs };
        if let Some(end) = scan.run(tx, wanted, from, &mut candidates)? {
            is_partial = true;
            next.groups.insert(workspace.0, end);
        }
    }
    Ok(DueJobs { ids: choose::choose(candidates, wanted), next, is_partial })
}

/// Returns the next workspaces with jobs of the kind, and whether there are more.
fn workspaces(tx: &mut Tx, wanted: &DueJobsQuery, next: &mut DueJobsCursor) -> Result<(Vec<WorkspaceId>, bool)> {
    let mut found: Vec<WorkspaceId> = Vec::new();
    let mut has_wrapped = next.workspace.is_nil();
    while found.len() < WORKSPACES_MAX {
        match next_workspace(tx, wanted.kind, next.workspace)? {
            Some(id) if found.first() == Some(&id) => return Ok((found, false)),
            Some(id) => {
                found.push(id);
                next.workspace = id.0;
            }
            None if has_wrapped => {
                next.workspace = Uuid::nil();
                return Ok((found, false));
            }
            None => {
                has_wrapped = true;
                next.workspace = Uuid::nil();
            }
        }
    }
    Ok((found, true))
}

/// A scan over the groups of one workspace, limited in groups and jobs.
struct GroupScan {
    workspace: WorkspaceId,
    groups: usize,
    jobs: usize,
}

impl GroupScan {
    /// Collects the oldest jobs of the groups with capacity. Returns the position where it ended if groups remain.
    fn run(
        &self,
        tx: &mut Tx,
        wanted: &DueJobsQuery,
        from: String,
        candidates: &mut Vec<JobCandidate>,
    ) -> Result<Option<String>> {
        // Jobs without a group have an empty group, which sorts before all others.
        let (is_whole, mut group, mut jobs) = (from.is_empty(), from, 0);
        if is_whole {
            jobs += self.heads(tx, wanted, "", wanted.limit, candidates)?;
        }
        for _ in 0..self.groups {
            if jobs >= self.jobs {
                break;
            }
            let head = next_group(tx, wanted.kind, self.workspace, &group)?;
            let Some(GroupRow { job_group: found, run_at }) = head else { return Ok((!is_whole).then(String::new)) };
            group = found;
            let capacity = if run_at <= wanted.now { (wanted.capacities)(self.workspace, &group).free() } else { 0 };
            if capacity > 0 {
                jobs += self.heads(tx, wanted, &group, capacity, candidates)?;
            }
        }
        Ok(Some(group))
    }

    fn heads(
        &self,
        tx: &mut Tx,
        wanted: &DueJobsQuery,
        group: &str,
        capacity: usize,
        candidates: &mut Vec<JobCandidate>,
    ) -> Result<usize> {
        let most = u32::try_from(capacity.min(self.jobs)).unwrap_or(OLDEST_MAX);
        let heads = of_group(tx, wanted, self.workspace, group, most)?;
        let count = heads.len();
        candidates.extend(heads);
        Ok(count)
    }
}
