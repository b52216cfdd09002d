//! Delivers mail between workspaces of this service; the job belongs to the workspace of the recipients.
//!
//! The rules are in [`crate::outbound::local_delivery`]. The delivery's row makes each step repeatable, so a job that
//! runs twice stores one copy.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posthouse_domain::{EnvelopeId, JobKind, JobReason, MINUTE_MS, Time, WorkspaceId};
use posthouse_store::jobs::{JobOutcome, LeasedJob, due::CapacityShare, due::GroupCapacity};

use super::definition::{HandlerResult, JobAttemptResult, JobCapacity, JobDefinition, SettledJob};
use crate::Service;
use crate::outbound::local_delivery::run::{self as delivery, LocalDeliveryRef, LocalDeliveryStep};

/// Maximum concurrent deliveries in this process.
const CONCURRENCY: usize = 32;
/// How long held mail waits before the next check, in milliseconds, if the hold isn't lifted earlier.
const HELD_MS: i64 = 10 * MINUTE_MS;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::LocalDelivery, run).concurrency(CONCURRENCY).capacity(Arc::new(OnePerGroup::default()))
}

/// Runs one job per group: one job delivers all that waits from a sender, and two would only wait for each other.
#[derive(Default)]
struct OnePerGroup(Mutex<HashSet<u64>>);

impl OnePerGroup {
    fn running(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Identifies a group of a workspace.
fn group_key(workspace: WorkspaceId, group: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((workspace, group))
}

impl JobCapacity for OnePerGroup {
    fn available(&self, workspace: WorkspaceId, group: &str, _now: Time) -> GroupCapacity {
        let of = group_key(workspace, group);
        let free = usize::from(!self.running().contains(&of));
        let [_, rest @ ..] = GroupCapacity::UNLIMITED.shares;
        GroupCapacity { shares: [CapacityShare { of, free }, rest[0], rest[1], rest[2]] }
    }

    fn record_start(&self, workspace: WorkspaceId, group: &str, _now: Time) {
        self.running().insert(group_key(workspace, group));
    }

    fn release(&self, workspace: WorkspaceId, group: &str) {
        self.running().remove(&group_key(workspace, group));
    }

    fn next_at(&self) -> Option<Time> {
        None
    }
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let reference = LocalDeliveryRef { workspace: job.workspace, id: EnvelopeId(job.subject) };
    Ok(match delivery::run(&service, reference).await? {
        LocalDeliveryStep::Done => JobAttemptResult::Settled(SettledJob::Done),
        LocalDeliveryStep::Gone => JobAttemptResult::Settle(JobOutcome::Done),
        LocalDeliveryStep::Hold(why) => {
            JobAttemptResult::Settle(JobOutcome::Hold { at: service.clock.now().plus_ms(HELD_MS), why })
        }
        LocalDeliveryStep::Full { at } => {
            let at = at.unwrap_or_else(|| service.clock.now().plus_ms(HELD_MS));
            JobAttemptResult::Settle(JobOutcome::Hold { at, why: JobReason::TemporaryFailure })
        }
    })
}
