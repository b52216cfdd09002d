//! Reads the text of an attachment.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posthouse_domain::{AttachmentId, JobKind, Time, WorkspaceId};
use posthouse_store::jobs::due::{CapacityShare, GroupCapacity};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobCapacity, JobDefinition};
use crate::{Service, extraction::run};

/// The part of all files being read that one workspace may have, in percent; at least one file.
const SHARE_PERCENT: usize = 80;

pub(super) fn kind(service: &Service) -> JobDefinition {
    let files = service.config.files.concurrency;
    JobDefinition::new(JobKind::Extraction, run).concurrency(files).capacity(Arc::new(FileShares::new(files)))
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let is_last = job.attempt >= job.attempt_max;
    run::run(&service, job.workspace, AttachmentId(job.subject), is_last).await?;
    Ok(JobAttemptResult::Settle(JobOutcome::Done))
}

/// Reads copies of a file one after the other, because the others then have its text; and leaves room for the files of
/// other workspaces. The group of a job is the file.
struct FileShares {
    of_workspace: usize,
    running: Mutex<HashMap<u64, usize>>,
}

impl FileShares {
    fn new(files: usize) -> Self {
        Self { of_workspace: (files * SHARE_PERCENT / 100).max(1), running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<u64, usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Identifies a file of a workspace, and the workspace.
fn keys(workspace: WorkspaceId, group: &str) -> [u64; 2] {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    [hasher.hash_one((workspace, group)), hasher.hash_one(workspace)]
}

impl JobCapacity for FileShares {
    fn available(&self, workspace: WorkspaceId, group: &str, _now: Time) -> GroupCapacity {
        let running = self.running();
        let share = |of: u64, max: usize| CapacityShare {
            of,
            free: max.saturating_sub(running.get(&of).copied().unwrap_or_default()),
        };
        let [file, own] = keys(workspace, group);
        let [_, _, rest @ ..] = GroupCapacity::UNLIMITED.shares;
        GroupCapacity { shares: [share(file, 1), share(own, self.of_workspace), rest[0], rest[1]] }
    }

    fn record_start(&self, workspace: WorkspaceId, group: &str, _now: Time) {
        let mut running = self.running();
        keys(workspace, group).into_iter().for_each(|key| *running.entry(key).or_default() += 1);
    }

    fn release(&self, workspace: WorkspaceId, group: &str) {
        let mut running = self.running();
        for key in keys(workspace, group) {
            if let Some(count) = running.get_mut(&key) {
                *count = count.saturating_sub(1);
            }
        }
        running.retain(|_, count| *count > 0);
    }

    fn next_at(&self) -> Option<Time> {
        None
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_file_is_read_once_at_a_time_and_a_workspace_leaves_room_for_others() {
        let (one, two) = (WorkspaceId(Uuid::from_u128(1)), WorkspaceId(Uuid::from_u128(2)));
        let (shares, now) = (FileShares::new(5), Time::from_millis(0));
        let free = |workspace, file: &str| shares.available(workspace, file, now).free();
        assert_eq!((free(one, "a"), FileShares::new(1).available(one, "a", now).free()), (1, 1));
        for file in ["a", "b", "c", "d"] {
            assert_eq!(free(one, file), 1, "{file}");
            shares.record_start(one, file, now);
            assert_eq!(free(one, file), 0, "{file} is being read");
        }
        assert_eq!((free(one, "e"), free(two, "a")), (0, 1));
        shares.release(one, "a");
        assert_eq!((free(one, "a"), free(one, "b")), (1, 0));
    }
}
