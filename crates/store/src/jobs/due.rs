//! Which jobs to claim next: fair over workspaces and their lanes, within the room that each lane has.
//!
//! A read, apart from the claim: what two processes find at once, one of them gets. A small backlog is looked at whole. Of a
//! large one every workspace is looked at in turn, and of each the head of one lane after the other from where the last look
//! ended, so that nobody waits behind somebody else's mail. Lanes without room, and lanes whose jobs are all for later, cost
//! one step each.

mod choose;

use std::{collections::HashMap, sync::Arc};

use posthouse_domain::{
    id::{JobId, WorkspaceId},
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

statements! {
    OLDEST = "SELECT id, workspace_id, lane, run_at FROM jobs WHERE kind = $1 AND state = 'ready' AND run_at <= $2
        ORDER BY run_at LIMIT $3";
    NEXT_WORKSPACE = "SELECT workspace_id FROM jobs WHERE kind = $1 AND state = 'ready' AND workspace_id > $2
        ORDER BY workspace_id LIMIT 1";
    NEXT_LANE = "SELECT lane, run_at FROM jobs WHERE kind = $1 AND state = 'ready' AND workspace_id = $2 AND lane > $3
        ORDER BY lane, run_at LIMIT 1";
    OF_LANE = "SELECT id, workspace_id, lane, run_at FROM jobs WHERE kind = $1 AND state = 'ready' AND workspace_id = $2 AND lane = $3
        AND run_at <= $4 ORDER BY run_at LIMIT $5";
}

/// Jobs that are looked at, oldest first; a backlog below it is looked at whole.
const OLDEST_MAX: u32 = 128;
/// Workspaces that are looked at in one go of a larger backlog.
const WORKSPACES_MAX: usize = 32;
/// Lanes that are looked at in one go of a larger backlog, of all those workspaces together.
const LANES_MAX: usize = 192;
/// Lanes of one workspace that are looked at in any case.
const LANES_MIN: usize = 4;

/// What may be claimed.
#[derive(Clone)]
pub struct Wanted {
    /// What is to be done.
    pub kind: &'static str,
    /// The time.
    pub now: Time,
    /// Most jobs.
    pub limit: usize,
    /// How many more may run of the kind at once, at least `limit`.
    pub free: usize,
    /// How many run of each workspace now.
    pub running: HashMap<WorkspaceId, usize>,
    /// The room of each lane; jobs without a lane are bounded by `limit` alone.
    pub rooms: Rooms,
    /// Where the last look at a large backlog ended.
    pub from: Cursor,
}

/// Says how much room a workspace's mail has in a lane.
pub type Rooms = Arc<dyn Fn(WorkspaceId, &str) -> Room + Send + Sync>;

/// How many jobs of a lane may be claimed: as many as are left in all of its shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The shares: of the destination and of its class, each as a whole and for the workspace.
    pub shares: [Share; 4],
}

/// A part of something that several lanes draw on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Which: lanes that say the same draw on the same.
    pub of: u64,
    /// How many jobs it has room for.
    pub free: usize,
}

impl Room {
    /// Without a bound.
    pub const UNLIMITED: Self = Self { shares: [Share { of: 0, free: usize::MAX }; 4] };

    /// What is left in the smallest of its shares.
    #[must_use]
    pub fn free(&self) -> usize {
        self.shares.iter().map(|share| share.free).min().unwrap_or(0)
    }
}

/// A place among the workspaces and the lanes of each, so that each gets its turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    workspace: Uuid,
    lanes: HashMap<Uuid, String>,
}

/// Jobs that may be claimed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// In the order in which they should be claimed.
    pub ids: Vec<JobId>,
    /// Where the next look begins.
    pub next: Cursor,
    /// There are lanes or workspaces that this look did not come to.
    pub is_partial: bool,
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
    if seen.len() < OLDEST_MAX as usize {
        return Ok(Found { ids: choose::choose(seen, wanted), next: Cursor::default(), is_partial: false });
    }
    let mut next = wanted.from.clone();
    let (workspaces, mut is_partial) = workspaces(tx, wanted, &mut next)?;
    if !is_partial {
        // Of those that have no jobs any more nothing is kept.
        next.lanes.retain(|id, _| workspaces.contains(&WorkspaceId(*id)));
    }
    let lanes = (LANES_MAX / workspaces.len().max(1)).max(LANES_MIN);
    let jobs = (wanted.limit / workspaces.len().max(1)).max(LANES_MIN);
    for workspace in workspaces {
        let from = next.lanes.remove(&workspace.0).unwrap_or_default();
        let walk = Walk { workspace, lanes, jobs };
        if let Some(end) = walk.go(from, (tx, wanted), &mut seen)? {
            is_partial = true;
            next.lanes.insert(workspace.0, end);
        }
    }
    Ok(Found { ids: choose::choose(seen, wanted), next, is_partial })
}

/// The next workspaces with jobs of the kind, and whether there are more than these.
fn workspaces(tx: &mut Tx, wanted: &Wanted, next: &mut Cursor) -> Result<(Vec<WorkspaceId>, bool)> {
    let mut found: Vec<WorkspaceId> = Vec::new();
    let mut has_wrapped = next.workspace.is_nil();
    while found.len() < WORKSPACES_MAX {
        let one: Option<WorkspaceId> = tx.value(&NEXT_WORKSPACE, p![wanted.kind, next.workspace])?;
        match one {
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

/// A look at the lanes of one workspace: at so many of them, for so many jobs.
struct Walk {
    workspace: WorkspaceId,
    lanes: usize,
    jobs: usize,
}

impl Walk {
    /// Gathers the heads of its lanes that have room; where it ended, if there are lanes that it did not come to.
    fn go(&self, from: String, (tx, wanted): (&mut Tx, &Wanted), seen: &mut Vec<Candidate>) -> Result<Option<String>> {
        // Every lane sorts behind the empty text, which jobs without one have.
        let (is_whole, mut lane, mut jobs) = (from.is_empty(), from, 0);
        if is_whole {
            jobs += self.heads("", wanted.limit, (tx, wanted), seen)?;
        }
        for _ in 0..self.lanes {
            if jobs >= self.jobs {
                break;
            }
            let head: Option<(String, Time)> = tx.one(&NEXT_LANE, p![wanted.kind, self.workspace, lane])?;
            let Some((found, run_at)) = head else { return Ok((!is_whole).then(String::new)) };
            lane = found;
            let room = if run_at <= wanted.now { (wanted.rooms)(self.workspace, &lane).free() } else { 0 };
            if room > 0 {
                jobs += self.heads(&lane, room, (tx, wanted), seen)?;
            }
        }
        Ok(Some(lane))
    }

    fn heads(
        &self,
        lane: &str,
        room: usize,
        (tx, wanted): (&mut Tx, &Wanted),
        seen: &mut Vec<Candidate>,
    ) -> Result<usize> {
        let most = u32::try_from(room.min(self.jobs)).unwrap_or(OLDEST_MAX);
        let heads: Vec<Candidate> = tx.rows(&OF_LANE, p![wanted.kind, self.workspace, lane, wanted.now, most])?;
        let count = heads.len();
        seen.extend(heads);
        Ok(count)
    }
}
