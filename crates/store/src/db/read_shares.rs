//! The share of the readers that one workspace can use, so that its slow reads don't delay those of others. The reads of
//! a workspace wait in a queue of their own, in order.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::{Error, Result};

/// The part of the readers, and of the places in their queue, that one workspace can use: a quarter.
const SHARE: usize = 4;

/// The reads of all workspaces.
pub(crate) struct ReadShares {
    running_max: usize,
    waiting_max: usize,
    workspaces: Mutex<HashMap<Uuid, WorkspaceReads>>,
}

/// The reads of one workspace. The entry exists while there are any.
struct WorkspaceReads {
    permits: Arc<Semaphore>,
    /// Reads that run or wait.
    count: usize,
}

/// A read that runs or waits; dropping it makes room.
struct CountedRead {
    shares: Arc<ReadShares>,
    workspace: Uuid,
}

/// The right to use a reader. It belongs to the unit of work, because a unit runs on even if its caller is gone.
pub(crate) struct ReadPermit {
    _permit: OwnedSemaphorePermit,
    _read: CountedRead,
}

impl ReadShares {
    /// Creates the shares of `readers` with a queue of `queue_len`. `running_max` replaces the share of the readers.
    pub(crate) fn new(readers: usize, queue_len: usize, running_max: Option<usize>) -> Arc<Self> {
        Arc::new(ReadShares {
            running_max: running_max.unwrap_or(readers / SHARE).max(1),
            waiting_max: (queue_len / SHARE).max(1),
            workspaces: Mutex::default(),
        })
    }

    /// Waits until the workspace may use another reader.
    ///
    /// # Errors
    /// Returns [`Error::TooManyReads`] if too many reads of the workspace wait.
    pub(crate) async fn acquire(self: &Arc<Self>, workspace: Uuid) -> Result<ReadPermit> {
        let (permits, read) = self.enter(workspace)?;
        let permit = permits.acquire_owned().await.map_err(Error::unavailable)?;
        Ok(ReadPermit { _permit: permit, _read: read })
    }

    fn enter(self: &Arc<Self>, workspace: Uuid) -> Result<(Arc<Semaphore>, CountedRead)> {
        let mut workspaces = self.workspaces();
        let reads = workspaces
            .entry(workspace)
            .or_insert_with(|| WorkspaceReads { permits: Arc::new(Semaphore::new(self.running_max)), count: 0 });
        if reads.count >= self.running_max + self.waiting_max {
            return Err(Error::TooManyReads(self.running_max));
        }
        reads.count += 1;
        Ok((Arc::clone(&reads.permits), CountedRead { shares: Arc::clone(self), workspace }))
    }

    fn workspaces(&self) -> MutexGuard<'_, HashMap<Uuid, WorkspaceReads>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CountedRead {
    fn drop(&mut self) {
        let mut workspaces = self.shares.workspaces();
        if let Some(reads) = workspaces.get_mut(&self.workspace) {
            reads.count -= 1;
            if reads.count == 0 {
                workspaces.remove(&self.workspace);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    const A: Uuid = Uuid::from_u128(1);
    const B: Uuid = Uuid::from_u128(2);

    /// Polls once.
    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_workspace_uses_its_share_and_waits_in_its_own_queue() {
        let shares = ReadShares::new(8, 8, None);
        let running: Vec<_> = (0..2).map(|_| poll(pin!(shares.acquire(A))).unwrap().unwrap()).collect();
        let (mut third, mut fourth) = (Box::pin(shares.acquire(A)), Box::pin(shares.acquire(A)));
        assert!(poll(third.as_mut()).is_none() && poll(fourth.as_mut()).is_none(), "a quarter of 8 readers is 2");
        let refused = poll(pin!(shares.acquire(A))).unwrap();
        assert!(matches!(refused, Err(Error::TooManyReads(2))), "a quarter of 8 places is 2");
        let other = poll(pin!(shares.acquire(B))).unwrap().unwrap();
        drop(fourth);
        let mut fifth = Box::pin(shares.acquire(A));
        assert!(poll(fifth.as_mut()).is_none(), "a caller that is gone leaves the queue");
        drop(running);
        let rest = (poll(third.as_mut()).unwrap().unwrap(), poll(fifth.as_mut()).unwrap().unwrap());
        drop((rest, other, third, fifth));
        assert!(shares.workspaces().is_empty());
    }

    #[test]
    fn a_workspace_can_always_use_one_reader() {
        let shares = ReadShares::new(1, 1, None);
        let first = poll(pin!(shares.acquire(A))).unwrap().unwrap();
        assert!(poll(pin!(shares.acquire(A))).is_none());
        drop(first);
        assert!(poll(pin!(shares.acquire(A))).unwrap().is_ok());
    }
}
