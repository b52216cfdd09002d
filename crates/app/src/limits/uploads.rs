//! Turns of workspaces at reading uploaded files: one file of a workspace at a time, and some of all workspaces together.
//! Uploads of one workspace wait for each other, so they can't keep those of others waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use posthouse_domain::WorkspaceId;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The turns.
#[derive(Debug)]
pub struct UploadTurns {
    all: Semaphore,
    own: Mutex<HashMap<WorkspaceId, Weak<Semaphore>>>,
}

/// A turn. Dropping it ends it.
#[derive(Debug)]
pub struct UploadTurn<'t> {
    _all: Option<SemaphorePermit<'t>>,
    _own: Option<tokio::sync::OwnedSemaphorePermit>,
}

impl UploadTurns {
    /// Creates turns for so many files at once.
    #[must_use]
    pub fn new(files: usize) -> Self {
        Self { all: Semaphore::new(files.max(1)), own: Mutex::default() }
    }

    /// Waits for a turn of a workspace.
    pub async fn turn(&self, workspace: WorkspaceId) -> UploadTurn<'_> {
        let own = self.of(workspace).acquire_owned().await.ok();
        UploadTurn { _all: self.all.acquire().await.ok(), _own: own }
    }

    fn of(&self, workspace: WorkspaceId) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.retain(|_, known| known.strong_count() > 0);
        let known = own.get(&workspace).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::new(Semaphore::new(1));
            own.insert(workspace, Arc::downgrade(&new));
            new
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_workspace_waits_for_itself_and_not_for_others() {
        let (one, two) = (WorkspaceId(Uuid::from_u128(1)), WorkspaceId(Uuid::from_u128(2)));
        let turns = UploadTurns::new(2);
        let mut context = Context::from_waker(Waker::noop());
        let (mut first, mut second, mut other) = (pin!(turns.turn(one)), pin!(turns.turn(one)), pin!(turns.turn(two)));
        let Poll::Ready(held) = first.as_mut().poll(&mut context) else { panic!("nobody is before it") };
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert!(other.as_mut().poll(&mut context).is_ready());
        drop(held);
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}
