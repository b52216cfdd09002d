//! Breakpoints: a request stops right after its n-th unit in the store, until the test lets it go on.
//!
//! Between two awaits of one request others may commit. With a breakpoint at every unit in turn, a test tries every such
//! moment, without a pause and without luck.

use std::sync::{Arc, Mutex, PoisonError};

use posthouse_store::AfterUnit;
use tokio::{sync::oneshot, task::JoinHandle};

/// Counts the units of a server's store, and stops one.
#[derive(Clone, Default)]
pub(crate) struct Units(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Units that have ended.
    ended: u64,
    armed: Option<Armed>,
}

struct Armed {
    /// The count of ended units at which to stop.
    at: u64,
    hit: oneshot::Sender<Stopped>,
}

/// A breakpoint that was set.
pub struct Breakpoint(oneshot::Receiver<Stopped>);

/// A request that stopped. It goes on when this is dropped.
pub struct Stopped {
    _resume: oneshot::Sender<()>,
}

impl Units {
    /// What the store has to call.
    pub(crate) fn hook(&self) -> AfterUnit {
        let units = self.clone();
        AfterUnit::new(move || {
            let resumed = units.end_one();
            async move {
                if let Some(resumed) = resumed {
                    // The end of the other side is the signal.
                    let _ = resumed.await;
                }
            }
        })
    }

    pub(crate) fn ended(&self) -> u64 {
        self.with(|state| state.ended)
    }

    pub(crate) fn break_after(&self, count: u64) -> Breakpoint {
        let (hit, is_hit) = oneshot::channel();
        self.with(|state| state.armed = Some(Armed { at: state.ended + count, hit }));
        Breakpoint(is_hit)
    }

    /// Counts a unit; gives what it has to wait for.
    fn end_one(&self) -> Option<oneshot::Receiver<()>> {
        let armed = self.with(|state| {
            state.ended += 1;
            let ended = state.ended;
            state.armed.take_if(|armed| armed.at <= ended)
        })?;
        let (resume, resumed) = oneshot::channel();
        // A test that no longer waits for it stops nothing.
        armed.hit.send(Stopped { _resume: resume }).ok().map(|()| resumed)
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Breakpoint {
    /// Waits until the unit has ended.
    ///
    /// # Panics
    /// Where another breakpoint was set meanwhile.
    pub async fn hit(self) -> Stopped {
        self.0.await.expect("one breakpoint at a time")
    }

    /// Waits until the unit has ended, or until the request has, which then made fewer units.
    ///
    /// # Errors
    /// What the request gave.
    ///
    /// # Panics
    /// Where the request panicked.
    pub async fn hit_before<T>(self, request: &mut JoinHandle<T>) -> Result<Stopped, T> {
        tokio::select! {
            biased;
            stopped = self.hit() => Ok(stopped),
            ended = request => Err(ended.expect("the request does not panic")),
        }
    }
}
