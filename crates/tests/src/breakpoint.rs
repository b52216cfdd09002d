//! Breakpoints: pause a request right after its n-th store unit until the test resumes it.
//!
//! Other requests may commit between two awaits of one request. With a breakpoint at every unit in turn, a test covers
//! each of these moments without pauses and without depending on timing.

use std::sync::{Arc, Mutex, PoisonError};

use posthouse_store::AfterUnitHook;
use tokio::{sync::oneshot, task::JoinHandle};

/// Counts the units of a server's store and pauses a request at a breakpoint.
#[derive(Clone, Default)]
pub(crate) struct UnitCounter(Arc<Mutex<UnitState>>);

#[derive(Default)]
struct UnitState {
    /// The number of finished units.
    ended: u64,
    armed: Option<ArmedBreakpoint>,
}

struct ArmedBreakpoint {
    /// The number of finished units at which to pause.
    at: u64,
    hit: oneshot::Sender<PausedRequest>,
}

/// A breakpoint that has been set.
pub struct Breakpoint(oneshot::Receiver<PausedRequest>);

/// A paused request. Dropping this resumes it.
pub struct PausedRequest {
    _resume: oneshot::Sender<()>,
}

impl UnitCounter {
    /// Returns the hook that the store calls after each unit.
    pub(crate) fn hook(&self) -> AfterUnitHook {
        let units = self.clone();
        AfterUnitHook::new(move || {
            let resumed = units.end_one();
            async move {
                if let Some(resumed) = resumed {
                    // Dropping the sender resumes the request.
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
        self.with(|state| state.armed = Some(ArmedBreakpoint { at: state.ended + count, hit }));
        Breakpoint(is_hit)
    }

    /// Counts a unit and returns a receiver to wait for if a breakpoint was reached.
    fn end_one(&self) -> Option<oneshot::Receiver<()>> {
        let armed = self.with(|state| {
            state.ended += 1;
            let ended = state.ended;
            state.armed.take_if(|armed| armed.at <= ended)
        })?;
        let (resume, resumed) = oneshot::channel();
        // If the test dropped the breakpoint, the request continues.
        armed.hit.send(PausedRequest { _resume: resume }).ok().map(|()| resumed)
    }

    fn with<T>(&self, change: impl FnOnce(&mut UnitState) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Breakpoint {
    /// Waits until the unit has finished.
    ///
    /// # Panics
    /// Panics if another breakpoint was set meanwhile.
    pub async fn hit(self) -> PausedRequest {
        self.0.await.expect("one breakpoint at a time")
    }

    /// Waits until the unit has finished, or until a request with fewer units has.
    ///
    /// # Errors
    /// Returns the request's result if the request ended first.
    ///
    /// # Panics
    /// Panics if the request panicked.
    pub async fn hit_before<T>(self, request: &mut JoinHandle<T>) -> Result<PausedRequest, T> {
        tokio::select! {
            biased;
            paused = self.hit() => Ok(paused),
            ended = request => Err(ended.expect("the request does not panic")),
        }
    }
}
