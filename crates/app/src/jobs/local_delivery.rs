//! Delivers mail between workspaces of this service; the job belongs to the workspace of the recipients.
//!
//! The rules are in [`crate::outbound::local_delivery`]. The delivery's row makes each step repeatable, so a job that
//! runs twice stores one copy.

use crate::Instance;
use std::{
    collections::HashSet,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_domain::{
    id::{EnvelopeId, WorkspaceId},
    job::JobKind,
    time::{MINUTE_MS, Time},
};
use posthouse_store::jobs::{
    JobOutcome, LeasedJob,
    due::{CapacityShare, LaneCapacity},
};

use super::definition::{HandlerResult, JobAttemptResult, JobCapacity, JobDefinition};
use crate::outbound::local_delivery::run::{self as delivery, LocalDeliveryRef, LocalDeliveryStep};

/// Maximum concurrent deliveries in this process.
const CONCURRENCY: usize = 32;
/// How long held mail waits before the next check, in milliseconds, if the hold isn't lifted earlier.
const HELD_MS: i64 = 10 * MINUTE_MS;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::LocalDelivery, run).concurrency(CONCURRENCY).lanes(Arc::new(OnePerLane::default()))
}

/// Runs one job per lane: one job delivers all that waits from a sender, and two would only wait for each other.
#[derive(Default)]
struct OnePerLane(Mutex<HashSet<u64>>);

impl OnePerLane {
    fn running(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Identifies a lane of a workspace.
fn lane_key(workspace: WorkspaceId, lane: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((workspace, lane))
}

impl JobCapacity for OnePerLane {
    fn available(&self, workspace: WorkspaceId, lane: &str, _now: Time) -> LaneCapacity {
        let of = lane_key(workspace, lane);
        let free = usize::from(!self.running().contains(&of));
        let [_, rest @ ..] = LaneCapacity::UNLIMITED.shares;
        LaneCapacity { shares: [CapacityShare { of, free }, rest[0], rest[1], rest[2]] }
    }

    fn began(&self, workspace: WorkspaceId, lane: &str, _now: Time) {
        self.running().insert(lane_key(workspace, lane));
    }

    fn release(&self, workspace: WorkspaceId, lane: &str) {
        self.running().remove(&lane_key(workspace, lane));
    }

    fn next_at(&self) -> Option<Time> {
        None
    }
}

async fn run(app: Arc<Instance>, job: LeasedJob) -> HandlerResult {
    let reference = LocalDeliveryRef { workspace: job.workspace, id: EnvelopeId(job.subject) };
    Ok(match delivery::run(&app.app, reference).await? {
        LocalDeliveryStep::Done => JobAttemptResult::Settled("done"),
        LocalDeliveryStep::Gone => JobAttemptResult::Settle(JobOutcome::Done),
        LocalDeliveryStep::Hold(why) => {
            JobAttemptResult::Settle(JobOutcome::Hold { at: app.clock.now().plus_ms(HELD_MS), why })
        }
    })
}
