//! The share of the readers that one workspace can use, so that its slow reads don't delay those of others. A read over
//! the share waits in a queue of its workspace, in order. The reader that ends a read of the workspace takes it over,
//! which costs no switch between threads.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::Receiver;
use uuid::Uuid;

use super::queue::{BoxedUnit, StoreCommand};
use crate::{Error, Result};

/// The part of the readers, and of the places in their queue, that one workspace can use: a quarter.
const SHARE_DIVISOR: usize = 4;

/// The reads of all workspaces.
pub(crate) struct ReadShares {
    running_max: usize,
    waiting_max: usize,
    workspaces: Mutex<HashMap<Uuid, WorkspaceReads>>,
}

/// The reads of one workspace. The entry exists while there are any.
#[derive(Default)]
struct WorkspaceReads {
    /// Reads that run or wait.
    count: usize,
    /// Readers that run them.
    running: usize,
    /// Units that were taken from the queue of the readers, and wait for one of the share.
    deferred: VecDeque<BoxedUnit>,
}

/// A read that runs or waits.
pub(crate) struct CountedRead {
    shares: Arc<ReadShares>,
    workspace: Uuid,
}

/// The queue of database threads, which gives each workspace its share of them.
#[derive(Clone)]
pub(crate) struct SharedQueue {
    queue: Receiver<StoreCommand>,
    shares: Arc<ReadShares>,
}

impl SharedQueue {
    pub(crate) fn new(queue: Receiver<StoreCommand>, shares: Arc<ReadShares>) -> Self {
        SharedQueue { queue, shares }
    }

    /// Returns another queue with the same shares.
    pub(crate) fn of(&self, queue: Receiver<StoreCommand>) -> Self {
        SharedQueue { queue, shares: Arc::clone(&self.shares) }
    }

    /// Returns the next unit for a thread; `None` if it is to end. `done` is the workspace of the unit that it ran last.
    pub(crate) fn next(&self, done: Option<Uuid>) -> Option<BoxedUnit> {
        if let Some(unit) = done.and_then(|workspace| self.shares.end(workspace)) {
            return Some(unit);
        }
        while let Ok(StoreCommand::Run(unit)) = self.queue.recv() {
            if unit.workspace().is_some() && unit.is_abandoned() {
                continue;
            }
            if let Some(unit) = self.shares.begin(unit) {
                return Some(unit);
            }
        }
        None
    }
}

impl ReadShares {
    /// Creates the shares of `readers` with a queue of `queue_len`. `running_max` replaces the share of the readers.
    pub(crate) fn new(readers: usize, queue_len: usize, running_max: Option<usize>) -> Arc<Self> {
        Arc::new(ReadShares {
            running_max: running_max.unwrap_or(readers / SHARE_DIVISOR).max(1),
            waiting_max: (queue_len / SHARE_DIVISOR).max(1),
            workspaces: Mutex::default(),
        })
    }

    /// Counts a read of a workspace.
    ///
    /// # Errors
    /// Returns [`Error::TooManyReads`] if too many reads of the workspace wait.
    pub(crate) fn count(self: &Arc<Self>, workspace: Uuid) -> Result<CountedRead> {
        let mut workspaces = self.workspaces();
        let reads = workspaces.entry(workspace).or_default();
        if reads.count >= self.running_max + self.waiting_max {
            // The value of the limit; how many may wait is no setting.
            return Err(Error::TooManyReads(self.running_max));
        }
        reads.count += 1;
        Ok(CountedRead { shares: Arc::clone(self), workspace })
    }

    /// Returns a unit that may run now, or keeps it until a reader of its workspace ends another.
    fn begin(&self, unit: BoxedUnit) -> Option<BoxedUnit> {
        let Some(workspace) = unit.workspace() else { return Some(unit) };
        let mut workspaces = self.workspaces();
        let reads = workspaces.entry(workspace).or_default();
        if reads.running >= self.running_max {
            if reads.deferred.len() >= self.waiting_max {
                reads.deferred.retain(|unit| !unit.is_abandoned());
            }
            reads.deferred.push_back(unit);
            return None;
        }
        reads.running += 1;
        Some(unit)
    }

    /// Returns the next unit of a workspace for the reader that ended one, or frees its place.
    fn end(&self, workspace: Uuid) -> Option<BoxedUnit> {
        let mut workspaces = self.workspaces();
        let reads = workspaces.get_mut(&workspace)?;
        let next = std::iter::from_fn(|| reads.deferred.pop_front()).find(|unit| !unit.is_abandoned());
        if next.is_none() {
            reads.running = reads.running.saturating_sub(1);
            remove_unused(&mut workspaces, workspace);
        }
        next
    }

    fn workspaces(&self) -> MutexGuard<'_, HashMap<Uuid, WorkspaceReads>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remove_unused(workspaces: &mut HashMap<Uuid, WorkspaceReads>, workspace: Uuid) {
    if workspaces.get(&workspace).is_some_and(|reads| reads.count == 0 && reads.running == 0) {
        workspaces.remove(&workspace);
    }
}

impl Drop for CountedRead {
    fn drop(&mut self) {
        let mut workspaces = self.shares.workspaces();
        if let Some(reads) = workspaces.get_mut(&self.workspace) {
            reads.count -= 1;
            remove_unused(&mut workspaces, self.workspace);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Tx;
    use crate::db::queue::{TransactionScope, UnitDecision, UnitOfWork};
    use crossbeam_channel::unbounded;

    const A: Uuid = Uuid::from_u128(1);
    const B: Uuid = Uuid::from_u128(2);
    /// The workspace of reads whose callers are gone.
    const ABANDONED: Uuid = Uuid::from_u128(3);

    struct TestUnit {
        workspace: Option<Uuid>,
        is_abandoned: bool,
    }

    impl UnitOfWork for TestUnit {
        fn span(&self) -> TransactionScope {
            TransactionScope::Unit
        }

        fn workspace(&self) -> Option<Uuid> {
            self.workspace
        }

        fn is_abandoned(&self) -> bool {
            self.is_abandoned
        }

        fn run(&mut self, _: &mut Tx) -> Result<UnitDecision> {
            Ok(UnitDecision::Rollback)
        }

        fn answer(self: Box<Self>, _: Result<()>) {}
    }

    /// A queue with these reads; a stop message is last.
    fn queue(shares: &Arc<ReadShares>, workspaces: &[Option<Uuid>]) -> SharedQueue {
        let (sender, receiver) = unbounded();
        for workspace in workspaces {
            let unit = TestUnit { workspace: *workspace, is_abandoned: *workspace == Some(ABANDONED) };
            sender.send(StoreCommand::Run(Box::new(unit))).unwrap();
        }
        sender.send(StoreCommand::Stop).unwrap();
        SharedQueue::new(receiver, Arc::clone(shares))
    }

    fn next(queue: &SharedQueue, done: Option<Uuid>) -> Option<Option<Uuid>> {
        queue.next(done).map(|unit| unit.workspace())
    }

    #[test]
    fn reads_over_the_share_wait_while_those_of_others_run() {
        let shares = ReadShares::new(8, 100, None);
        let queue = queue(&shares, &[Some(A), Some(A), Some(A), Some(ABANDONED), Some(A), Some(B), None]);
        assert_eq!((next(&queue, None), next(&queue, None)), (Some(Some(A)), Some(Some(A))), "a quarter of 8 is 2");
        assert_eq!((next(&queue, None), next(&queue, None)), (Some(Some(B)), Some(None)));
        assert_eq!((next(&queue, Some(A)), next(&queue, Some(A))), (Some(Some(A)), Some(Some(A))), "taken over");
        assert_eq!(next(&queue, Some(B)), None, "a stop message ends the thread");
        assert!(shares.end(A).is_none() && shares.end(A).is_none());
        assert!(shares.workspaces().is_empty());
    }

    #[test]
    fn the_reads_that_wait_are_bounded() {
        let shares = ReadShares::new(8, 8, None);
        let reads: Vec<_> = (0..4).map(|_| shares.count(A).unwrap()).collect();
        assert!(matches!(shares.count(A), Err(Error::TooManyReads(2))), "2 run and 2 wait");
        let other = shares.count(B).unwrap();
        drop(reads);
        drop((shares.count(A).unwrap(), other));
        assert!(shares.workspaces().is_empty());
    }

    #[test]
    fn a_workspace_can_always_use_one_reader() {
        let shares = ReadShares::new(1, 1, None);
        let queue = queue(&shares, &[Some(A), Some(A)]);
        assert_eq!(next(&queue, None), Some(Some(A)));
        assert_eq!(next(&queue, Some(A)), Some(Some(A)));
    }
}
