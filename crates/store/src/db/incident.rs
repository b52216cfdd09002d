//! Incidents: related database failures are logged once at the start and once at the end.
//!
//! A full disk or an unreachable database fails transactions for as long as it lasts, and some may succeed in between.
//! An incident ends when a transaction succeeds after a quiet period without failures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::db::StoreClock;

/// Time without failures after which an incident ends, in milliseconds.
const QUIET_MS: i64 = 5_000;

/// The part of the store that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StorePart {
    Writes,
    Reads,
    /// The queues in front of both.
    Queues,
}

/// Tracks the failures of one part of the store.
pub(crate) struct StoreIncident {
    part: StorePart,
    watch: Option<StoreClock>,
    /// Whether an incident is open, so that successes are cheap otherwise.
    is_open: AtomicBool,
    state: Mutex<IncidentState>,
}

/// The state of an incident, without clock or logging.
#[derive(Default)]
struct IncidentState {
    failed: u64,
    last_ms: i64,
}

impl IncidentState {
    /// Records failures; returns whether they are the first.
    fn failed(&mut self, count: u64, now_ms: i64) -> bool {
        let is_first = self.failed == 0;
        (self.failed, self.last_ms) = (self.failed.saturating_add(count), now_ms);
        is_first
    }

    /// Records a success; returns the number of failures if the incident ends.
    fn succeeded(&mut self, now_ms: i64) -> Option<u64> {
        let is_over = self.failed > 0 && now_ms.saturating_sub(self.last_ms) >= QUIET_MS;
        is_over.then(|| std::mem::take(self).failed)
    }
}

impl StoreIncident {
    /// Creates a tracker without an open incident. Without a clock, the first success ends the incident.
    pub(crate) fn new(part: StorePart, watch: Option<StoreClock>) -> Self {
        StoreIncident { part, watch, is_open: AtomicBool::new(false), state: Mutex::default() }
    }

    /// Records that `count` units failed together.
    pub(crate) fn failed(&self, count: usize, error: &Error) {
        if let Error::DatabaseDamaged(_) = error {
            // Logged where it was detected, and never over while the process runs.
            return;
        }
        let now_ms = self.watch.as_ref().map_or(0, StoreClock::now_ms);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_open.store(true, Ordering::Relaxed);
        if !state.failed(count as u64, now_ms) {
            return;
        }
        let cause = error.internal();
        match self.part {
            StorePart::Writes => tracing::error!(cause, "store.writes_fail"),
            StorePart::Reads => tracing::error!(cause, "store.reads_fail"),
            StorePart::Queues => tracing::warn!(cause, "store.overloaded"),
        }
    }

    /// Records a success.
    pub(crate) fn succeeded(&self) {
        if !self.is_open.load(Ordering::Relaxed) {
            return;
        }
        let now_ms = self.watch.as_ref().map_or(i64::MAX, StoreClock::now_ms);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(failed) = state.succeeded(now_ms) else { return };
        self.is_open.store(false, Ordering::Relaxed);
        match self.part {
            StorePart::Writes => tracing::info!(failed, "store.writes_work_again"),
            StorePart::Reads => tracing::info!(failed, "store.reads_work_again"),
            StorePart::Queues => tracing::info!(failed, "store.overload_over"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incident_starts_once_and_ends_after_a_quiet_period() {
        let mut state = IncidentState::default();
        assert_eq!(state.succeeded(0), None, "no incident yet");
        assert!(state.failed(3, 1_000));
        assert!(!state.failed(1, 2_000), "still the same incident");
        assert_eq!(state.succeeded(2_000 + QUIET_MS - 1), None, "a success in between is not the end");
        assert!(!state.failed(1, 3_000), "the same incident");
        assert_eq!(state.succeeded(3_000 + QUIET_MS), Some(5));
        assert_eq!(state.succeeded(3_000 + QUIET_MS), None, "the end is reported once");
        assert!(state.failed(1, 20_000), "a new incident");
    }
}
