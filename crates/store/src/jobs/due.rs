//! Which jobs to claim next: fair over workspaces and lanes, within the room that each lane has left.
//!
//! A read, apart from the claim: what two processes find at once, one of them gets. A small backlog is looked at whole; of
//! a large one the head of each workspace's each lane is looked at too, so that nobody waits behind somebody else's mail.

use std::collections::{HashMap, HashSet};

use posthouse_domain::{
    id::{JobId, WorkspaceId},
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

statements! {
    OLDEST = "SELECT id, workspace_id, lane, run_at FROM jobs WHERE kind = $1 AND state = 'ready' AND run_at <= $2
        ORDER BY run_at LIMIT $3";
    NEXT_GROUP = "SELECT workspace_id, lane FROM jobs WHERE kind = $1 AND state = 'ready' AND (workspace_id, lane) > ($2, $3)
        AND run_at <= $4 ORDER BY workspace_id, lane LIMIT 1";
    OF_GROUP = "SELECT id, workspace_id, lane, run_at FROM jobs WHERE kind = $1 AND state = 'ready' AND workspace_id = $2 AND lane = $3
        AND run_at <= $4 ORDER BY run_at LIMIT $5";
}

/// Jobs that are looked at, oldest first; a backlog below it is looked at whole.
const OLDEST_MAX: u32 = 128;
/// Lanes of workspaces that are looked at in one go of a larger backlog.
const GROUPS_MAX: usize = 64;

/// What may be claimed.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What is to be done.
    pub kind: &'static str,
    /// The time.
    pub now: Time,
    /// Most jobs.
    pub limit: usize,
    /// Most running jobs of one lane; jobs without a lane have no such bound.
    pub per_lane: usize,
    /// How many run in each lane now.
    pub running: HashMap<String, usize>,
    /// Where the last look at a large backlog ended.
    pub from: Cursor,
}

/// A place among the lanes of all workspaces, so that each gets its turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    workspace: Uuid,
    lane: String,
}

/// Jobs that may be claimed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// In the order in which they should be claimed.
    pub ids: Vec<JobId>,
    /// Where the next look begins.
    pub next: Cursor,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Candidate {
    id: JobId,
    workspace: WorkspaceId,
    lane: String,
    run_at: Time,
}

crate::from_row!(Candidate { id, workspace, lane, run_at });

/// Finds jobs that are due.
///
/// # Errors
/// The store's own.
pub fn find(tx: &mut Tx, wanted: &Wanted) -> Result<Found> {
    let mut seen: Vec<Candidate> = tx.rows(&OLDEST, p![wanted.kind, wanted.now, OLDEST_MAX])?;
    let mut next = Cursor::default();
    if seen.len() >= OLDEST_MAX as usize {
        next = wanted.from.clone();
        for _ in 0..GROUPS_MAX {
            let found: Option<(WorkspaceId, String)> =
                tx.one(&NEXT_GROUP, p![wanted.kind, next.workspace, next.lane, wanted.now])?;
            let Some((workspace, lane)) = found else {
                next = Cursor::default();
                break;
            };
            let room = u32::try_from(wanted.room(&lane)).unwrap_or(OLDEST_MAX).min(OLDEST_MAX);
            let heads: Vec<Candidate> = tx.rows(&OF_GROUP, p![wanted.kind, workspace, lane, wanted.now, room])?;
            seen.extend(heads);
            next = Cursor { workspace: workspace.0, lane };
        }
    }
    Ok(Found { ids: choose(seen, wanted), next })
}

impl Wanted {
    fn room(&self, lane: &str) -> usize {
        if lane.is_empty() {
            return self.limit;
        }
        self.per_lane.saturating_sub(self.running.get(lane).copied().unwrap_or(0)).min(self.limit)
    }
}

/// Takes from the workspaces in turn, and within each from its lanes in turn, oldest first, as far as each lane has room.
fn choose(mut seen: Vec<Candidate>, wanted: &Wanted) -> Vec<JobId> {
    seen.sort_by_key(|job| (job.run_at, job.id));
    let mut known = HashSet::new();
    seen.retain(|job| known.insert(job.id));
    let mut depths = HashMap::<(WorkspaceId, String), usize>::new();
    let mut beside = HashMap::<(WorkspaceId, usize), usize>::new();
    let mut turns: Vec<((usize, usize), Candidate)> = Vec::with_capacity(seen.len());
    for job in seen {
        // How deep it is in its lane, then how many lanes of its workspace come before it at that depth.
        let depth = depths.entry((job.workspace, job.lane.clone())).or_default();
        let place = beside.entry((job.workspace, *depth)).or_default();
        turns.push(((*depth, *place), job));
        *depth += 1;
        *place += 1;
    }
    turns.sort_by_key(|(turn, _)| *turn);
    let mut in_lane = HashMap::<String, usize>::new();
    let mut chosen = Vec::new();
    for (_, job) in turns {
        let room = wanted.room(&job.lane);
        let taken = in_lane.entry(job.lane).or_default();
        if *taken < room && chosen.len() < wanted.limit {
            *taken += 1;
            chosen.push(job.id);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(limit: usize, per_lane: usize) -> Wanted {
        let (kind, now, from) = ("outbound", Time::from_millis(0), Cursor::default());
        Wanted { kind, now, limit, per_lane, running: HashMap::new(), from }
    }

    fn job(id: u128, workspace: u128, lane: &str) -> Candidate {
        let run_at = Time::from_millis(i64::try_from(id).expect("small"));
        Candidate {
            id: JobId(Uuid::from_u128(id)),
            workspace: WorkspaceId(Uuid::from_u128(workspace)),
            lane: lane.to_owned(),
            run_at,
        }
    }

    fn chosen(jobs: Vec<Candidate>, wanted: &Wanted) -> Vec<u128> {
        choose(jobs, wanted).into_iter().map(|id| id.0.as_u128()).collect()
    }

    #[test]
    fn workspaces_and_lanes_take_turns() {
        let mut jobs: Vec<Candidate> = (1..=6).map(|id| job(id, 1, "big.example")).collect();
        jobs.extend([job(7, 1, "other.example"), job(8, 2, "big.example"), job(9, 2, "big.example")]);
        assert_eq!(chosen(jobs, &wanted(5, 10)), [1, 8, 7, 2, 9]);
    }

    #[test]
    fn a_lane_has_only_so_much_room_and_shares_it() {
        let mut jobs: Vec<Candidate> = (1..=6).map(|id| job(id, 1, "slow.example")).collect();
        jobs.extend([job(7, 2, "slow.example"), job(8, 2, "quick.example")]);
        let mut wanted = wanted(10, 3);
        wanted.running.insert("slow.example".to_owned(), 1);
        assert_eq!(chosen(jobs, &wanted), [1, 7, 8]);
    }

    #[test]
    fn jobs_without_a_lane_have_no_bound_but_the_limit() {
        let jobs: Vec<Candidate> = (1..=6).map(|id| job(id, 1, "")).collect();
        assert_eq!(chosen(jobs, &wanted(4, 1)), [1, 2, 3, 4]);
    }
}
