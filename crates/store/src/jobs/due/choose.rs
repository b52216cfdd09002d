//! Fair choice among candidate jobs: workspaces with the fewest running jobs go first, and none may use all capacity.

use std::collections::{HashMap, HashSet};

use posthouse_domain::{JobId, WorkspaceId};

use super::{DueJobsQuery, GroupCapacity, JobCandidate};

/// A workspace may run at most this many times the free capacity. One busy workspace thus leaves a fifth free, two
/// leave a ninth, and the first job of another workspace starts immediately.
const RUNNING_PER_FREE: usize = 4;

/// Chooses jobs from the workspaces in turn, starting with the fewest running, and within each from its groups in turn,
/// oldest first, within capacity.
pub(super) fn choose(mut candidates: Vec<JobCandidate>, wanted: &DueJobsQuery) -> Vec<JobId> {
    candidates.sort_by_key(|job| (job.run_at, job.id));
    let mut unique = HashSet::new();
    candidates.retain(|job| unique.insert(job.id));
    let mut choice =
        Choice { wanted, per_share: HashMap::new(), per_workspace: HashMap::new(), capacities: HashMap::new() };
    let mut chosen = Vec::new();
    for job in interleave(candidates, wanted) {
        if chosen.len() >= wanted.limit {
            break;
        }
        if choice.try_choose(&job, chosen.len()) {
            chosen.push(job.id);
        }
    }
    chosen
}

/// The number of jobs chosen so far, per share and workspace.
struct Choice<'a> {
    wanted: &'a DueJobsQuery,
    per_share: HashMap<u64, usize>,
    per_workspace: HashMap<WorkspaceId, usize>,
    capacities: HashMap<(WorkspaceId, String), GroupCapacity>,
}

impl Choice<'_> {
    fn try_choose(&mut self, job: &JobCandidate, so_far: usize) -> bool {
        let chosen_of_workspace = self.per_workspace.entry(job.workspace).or_default();
        let running = self.wanted.running.get(&job.workspace).copied().unwrap_or(0) + *chosen_of_workspace;
        let free = self.wanted.free.saturating_sub(so_far);
        if running >= free.saturating_mul(RUNNING_PER_FREE) {
            return false;
        }
        if !job.group.is_empty() {
            let capacities = &self.wanted.capacities;
            let key = (job.workspace, job.group.clone());
            let GroupCapacity { shares } =
                *self.capacities.entry(key).or_insert_with(|| capacities(job.workspace, &job.group));
            if shares.iter().any(|share| self.per_share.get(&share.of).copied().unwrap_or(0) >= share.free) {
                return false;
            }
            shares.iter().for_each(|share| *self.per_share.entry(share.of).or_default() += 1);
        }
        *chosen_of_workspace += 1;
        true
    }
}

/// Orders the jobs, given oldest first, so that their workspaces take turns.
fn interleave(candidates: Vec<JobCandidate>, wanted: &DueJobsQuery) -> Vec<JobCandidate> {
    let mut depths = HashMap::<(WorkspaceId, String), usize>::new();
    let mut by_workspace = HashMap::<WorkspaceId, Vec<(usize, JobCandidate)>>::new();
    for job in candidates {
        let depth = depths.entry((job.workspace, job.group.clone())).or_default();
        by_workspace.entry(job.workspace).or_default().push((*depth, job));
        *depth += 1;
    }
    let mut ranked: Vec<(usize, JobCandidate)> = Vec::new();
    for (workspace, mut jobs) in by_workspace {
        // The first job of all groups, then the second of each, both oldest first.
        jobs.sort_by_key(|(depth, _)| *depth);
        let running = wanted.running.get(&workspace).copied().unwrap_or(0);
        ranked.extend(jobs.into_iter().enumerate().map(|(at, (_, job))| (running + at, job)));
    }
    ranked.sort_by_key(|(rank, job)| (*rank, job.run_at, job.id));
    ranked.into_iter().map(|(_, job)| job).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use posthouse_domain::{job::JobKind, time::Time};
    use uuid::Uuid;

    use super::{super::*, choose};

    fn wanted(limit: usize, per_group: usize) -> DueJobsQuery {
        let capacity = move |_, group: &str| {
            let own = CapacityShare { of: 100 + u64::from(group.as_bytes()[0]), free: per_group };
            let [_, rest @ ..] = GroupCapacity::UNLIMITED.shares;
            GroupCapacity { shares: [own, rest[0], rest[1], rest[2]] }
        };
        DueJobsQuery {
            kind: JobKind::Outbound,
            now: Time::from_millis(0),
            limit,
            free: 1_000,
            running: HashMap::new(),
            capacities: Arc::new(capacity),
            from: DueJobsCursor::default(),
        }
    }

    fn job(id: u128, workspace: u128, group: &str) -> JobCandidate {
        let run_at = Time::from_millis(i64::try_from(id).expect("small"));
        JobCandidate {
            id: JobId(Uuid::from_u128(id)),
            workspace: WorkspaceId(Uuid::from_u128(workspace)),
            group: group.to_owned(),
            run_at,
        }
    }

    fn chosen(jobs: Vec<JobCandidate>, wanted: &DueJobsQuery) -> Vec<u128> {
        choose(jobs, wanted).into_iter().map(|id| id.0.as_u128()).collect()
    }

    #[test]
    fn workspaces_and_lanes_take_turns() {
        let mut jobs: Vec<JobCandidate> = (1..=6).map(|id| job(id, 1, "big.example")).collect();
        jobs.extend([job(7, 1, "other.example"), job(8, 2, "big.example"), job(9, 2, "big.example")]);
        assert_eq!(chosen(jobs, &wanted(5, 10)), [1, 8, 7, 9, 2]);
    }

    #[test]
    fn the_workspace_with_the_fewest_running_jobs_goes_first() {
        let jobs: Vec<JobCandidate> = (1..=9).map(|id| job(id, if id < 9 { 1 } else { 2 }, "a.example")).collect();
        let mut wanted = wanted(3, 10);
        wanted.running.insert(WorkspaceId(Uuid::from_u128(1)), 50);
        assert_eq!(chosen(jobs, &wanted), [9, 1, 2]);
    }

    #[test]
    fn no_workspace_gets_the_last_capacity() {
        let jobs: Vec<JobCandidate> = (1..=20).map(|id| job(id, 1, "")).collect();
        let wanted = DueJobsQuery { free: 10, ..wanted(10, 1) };
        assert_eq!(chosen(jobs, &wanted).len(), 8, "eight run, capacity for two remains");
        assert_eq!(chosen(vec![job(1, 1, "")], &DueJobsQuery { free: 1, limit: 1, ..wanted }), [1]);
    }

    #[test]
    fn a_lane_has_limited_capacity_that_workspaces_share() {
        let mut jobs: Vec<JobCandidate> = (1..=6).map(|id| job(id, 1, "slow.example")).collect();
        jobs.extend([job(7, 2, "slow.example"), job(8, 2, "quick.example")]);
        assert_eq!(chosen(jobs, &wanted(10, 2)), [1, 7, 8]);
    }

    #[test]
    fn lanes_of_one_class_share_its_capacity() {
        let jobs: Vec<JobCandidate> =
            (1..=6).map(|id| job(id, 1, ["a.example", "b.example", "c.example"][id as usize % 3])).collect();
        let class = CapacityShare { of: 7, free: 4 };
        let own = |group: &str| CapacityShare { of: u64::from(group.as_bytes()[0]), free: 40 };
        let capacities: GroupCapacities =
            Arc::new(move |_, group| GroupCapacity { shares: [own(group), class, own(group), own(group)] });
        assert_eq!(chosen(jobs, &DueJobsQuery { capacities, ..wanted(10, 10) }).len(), 4);
    }

    #[test]
    fn jobs_without_a_lane_are_only_limited_by_the_total() {
        let jobs: Vec<JobCandidate> = (1..=6).map(|id| job(id, 1, "")).collect();
        assert_eq!(chosen(jobs, &wanted(4, 1)), [1, 2, 3, 4]);
    }
}
