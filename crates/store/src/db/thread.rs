//! Blocking work that must not run on a thread of a runtime.

use crate::{Error, Result};

/// Runs `work` on its own thread and waits for it.
pub(crate) fn on_own_thread<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|_| Err(Error::Internal("opening the store panicked".into())))
}
