//! The choice among jobs that were seen: who has least goes first, and nobody gets everything.

use std::collections::{HashMap, HashSet};

use posthouse_domain::id::{JobId, WorkspaceId};

use super::{Candidate, Room, Wanted};

/// A workspace may have so many times as many jobs running as there are places left: one that floods leaves a fifth free, two
/// a ninth. The first job of another finds a place at once.
const TIMES_FREE: usize = 4;

/// Takes from the workspaces in turn, beginning with who has fewest running, and within each from its lanes in turn, oldest
/// first, as far as there is room.
pub(super) fn choose(mut seen: Vec<Candidate>, wanted: &Wanted) -> Vec<JobId> {
    seen.sort_by_key(|job| (job.run_at, job.id));
    let mut known = HashSet::new();
    seen.retain(|job| known.insert(job.id));
    let mut choice = Choice { wanted, taken: HashMap::new(), of: HashMap::new(), rooms: HashMap::new() };
    let mut chosen = Vec::new();
    for job in in_turn(seen, wanted) {
        if chosen.len() >= wanted.limit {
            break;
        }
        if choice.take(&job, chosen.len()) {
            chosen.push(job.id);
        }
    }
    chosen
}

/// How many were taken of what.
struct Choice<'a> {
    wanted: &'a Wanted,
    taken: HashMap<u64, usize>,
    of: HashMap<WorkspaceId, usize>,
    rooms: HashMap<(WorkspaceId, String), Room>,
}

impl Choice<'_> {
    fn take(&mut self, job: &Candidate, so_far: usize) -> bool {
        let of = self.of.entry(job.workspace).or_default();
        let running = self.wanted.running.get(&job.workspace).copied().unwrap_or(0) + *of;
        let free = self.wanted.free.saturating_sub(so_far);
        if running >= free.saturating_mul(TIMES_FREE) {
            return false;
        }
        if !job.lane.is_empty() {
            let rooms = &self.wanted.rooms;
            let key = (job.workspace, job.lane.clone());
            let Room { shares } = *self.rooms.entry(key).or_insert_with(|| rooms(job.workspace, &job.lane));
            if shares.iter().any(|share| self.taken.get(&share.of).copied().unwrap_or(0) >= share.free) {
                return false;
            }
            shares.iter().for_each(|share| *self.taken.entry(share.of).or_default() += 1);
        }
        *of += 1;
        true
    }
}

/// The jobs, oldest first, in the order in which their owners have their turns.
fn in_turn(seen: Vec<Candidate>, wanted: &Wanted) -> Vec<Candidate> {
    let mut depths = HashMap::<(WorkspaceId, String), usize>::new();
    let mut of = HashMap::<WorkspaceId, Vec<(usize, Candidate)>>::new();
    for job in seen {
        let depth = depths.entry((job.workspace, job.lane.clone())).or_default();
        of.entry(job.workspace).or_default().push((*depth, job));
        *depth += 1;
    }
    let mut turns: Vec<(usize, Candidate)> = Vec::new();
    for (workspace, mut jobs) in of {
        // The heads of all lanes, then what is second in each: both oldest first.
        jobs.sort_by_key(|(depth, _)| *depth);
        let running = wanted.running.get(&workspace).copied().unwrap_or(0);
        turns.extend(jobs.into_iter().enumerate().map(|(at, (_, job))| (running + at, job)));
    }
    turns.sort_by_key(|(turn, job)| (*turn, job.run_at, job.id));
    turns.into_iter().map(|(_, job)| job).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use posthouse_domain::time::Time;
    use uuid::Uuid;

    use super::{super::*, choose};

    fn wanted(limit: usize, per_lane: usize) -> Wanted {
        let room = move |_, lane: &str| {
            let own = Share { of: 100 + u64::from(lane.as_bytes()[0]), free: per_lane };
            let [_, rest @ ..] = Room::UNLIMITED.shares;
            Room { shares: [own, rest[0], rest[1], rest[2]] }
        };
        Wanted {
            kind: "outbound",
            now: Time::from_millis(0),
            limit,
            free: 1_000,
            running: HashMap::new(),
            rooms: Arc::new(room),
            from: Cursor::default(),
        }
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
        assert_eq!(chosen(jobs, &wanted(5, 10)), [1, 8, 7, 9, 2]);
    }

    #[test]
    fn who_has_fewest_running_goes_first() {
        let jobs: Vec<Candidate> = (1..=9).map(|id| job(id, if id < 9 { 1 } else { 2 }, "a.example")).collect();
        let mut wanted = wanted(3, 10);
        wanted.running.insert(WorkspaceId(Uuid::from_u128(1)), 50);
        assert_eq!(chosen(jobs, &wanted), [9, 1, 2]);
    }

    #[test]
    fn nobody_gets_the_last_places() {
        let jobs: Vec<Candidate> = (1..=20).map(|id| job(id, 1, "")).collect();
        let wanted = Wanted { free: 10, ..wanted(10, 1) };
        assert_eq!(chosen(jobs, &wanted).len(), 8, "eight run, two places are left");
        assert_eq!(chosen(vec![job(1, 1, "")], &Wanted { free: 1, limit: 1, ..wanted }), [1]);
    }

    #[test]
    fn a_lane_has_only_so_much_room_and_shares_it() {
        let mut jobs: Vec<Candidate> = (1..=6).map(|id| job(id, 1, "slow.example")).collect();
        jobs.extend([job(7, 2, "slow.example"), job(8, 2, "quick.example")]);
        assert_eq!(chosen(jobs, &wanted(10, 2)), [1, 7, 8]);
    }

    #[test]
    fn lanes_of_one_class_draw_on_the_same() {
        let jobs: Vec<Candidate> =
            (1..=6).map(|id| job(id, 1, ["a.example", "b.example", "c.example"][id as usize % 3])).collect();
        let class = Share { of: 7, free: 4 };
        let own = |lane: &str| Share { of: u64::from(lane.as_bytes()[0]), free: 40 };
        let rooms: Rooms = Arc::new(move |_, lane| Room { shares: [own(lane), class, own(lane), own(lane)] });
        assert_eq!(chosen(jobs, &Wanted { rooms, ..wanted(10, 10) }).len(), 4);
    }

    #[test]
    fn jobs_without_a_lane_have_no_bound_but_the_limit() {
        let jobs: Vec<Candidate> = (1..=6).map(|id| job(id, 1, "")).collect();
        assert_eq!(chosen(jobs, &wanted(4, 1)), [1, 2, 3, 4]);
    }
}
