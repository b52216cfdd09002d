//! Failures of the database that belong together are logged once when they begin and once when they are over.
//!
//! A full disk or a database that is away fails every transaction for as long as it lasts, and some may succeed in between:
//! an incident is over when one succeeds and none has failed for a while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::db::Watch;

/// How long nothing may have failed before an incident is over, in milliseconds.
const QUIET_MS: i64 = 5_000;

/// What fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Writes,
    Reads,
    /// The queues before both.
    Queues,
}

/// The failures of one part of the store.
pub(crate) struct Incident {
    part: Part,
    watch: Option<Watch>,
    /// Whether there is a course, so that success costs nothing otherwise.
    is_open: AtomicBool,
    course: Mutex<Course>,
}

/// How an incident goes; pure.
#[derive(Default)]
struct Course {
    failed: u64,
    last_ms: i64,
}

impl Course {
    /// Notes failures; says whether they are the first.
    fn failed(&mut self, count: u64, now_ms: i64) -> bool {
        let is_first = self.failed == 0;
        (self.failed, self.last_ms) = (self.failed.saturating_add(count), now_ms);
        is_first
    }

    /// Notes a success; gives the number of failures where that is the end.
    fn worked(&mut self, now_ms: i64) -> Option<u64> {
        let is_over = self.failed > 0 && now_ms.saturating_sub(self.last_ms) >= QUIET_MS;
        is_over.then(|| std::mem::take(self).failed)
    }
}

impl Incident {
    /// None yet. Without a watch there is no telling how long nothing has failed, and the first success is the end.
    pub(crate) fn new(part: Part, watch: Option<Watch>) -> Self {
        Incident { part, watch, is_open: AtomicBool::new(false), course: Mutex::default() }
    }

    /// Notes that so many units failed together.
    pub(crate) fn failed(&self, count: usize, error: &Error) {
        if let Error::Damaged(_) = error {
            // Logged where it was met, and never over while the process runs.
            return;
        }
        let now_ms = self.watch.as_ref().map_or(0, Watch::now_ms);
        let mut course = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_open.store(true, Ordering::Relaxed);
        if !course.failed(count as u64, now_ms) {
            return;
        }
        let cause = error.internal();
        match self.part {
            Part::Writes => tracing::error!(cause, "store.writes_fail"),
            Part::Reads => tracing::error!(cause, "store.reads_fail"),
            Part::Queues => tracing::warn!(cause, "store.overloaded"),
        }
    }

    /// Notes that one worked.
    pub(crate) fn worked(&self) {
        if !self.is_open.load(Ordering::Relaxed) {
            return;
        }
        let now_ms = self.watch.as_ref().map_or(i64::MAX, Watch::now_ms);
        let mut course = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(failed) = course.worked(now_ms) else { return };
        self.is_open.store(false, Ordering::Relaxed);
        match self.part {
            Part::Writes => tracing::info!(failed, "store.writes_work_again"),
            Part::Reads => tracing::info!(failed, "store.reads_work_again"),
            Part::Queues => tracing::info!(failed, "store.overload_over"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incident_begins_once_and_ends_when_nothing_has_failed_for_a_while() {
        let mut course = Course::default();
        assert_eq!(course.worked(0), None, "there is none");
        assert!(course.failed(3, 1_000));
        assert!(!course.failed(1, 2_000), "it goes on");
        assert_eq!(course.worked(2_000 + QUIET_MS - 1), None, "a success in between is not the end");
        assert!(!course.failed(1, 3_000), "the same incident");
        assert_eq!(course.worked(3_000 + QUIET_MS), Some(5));
        assert_eq!(course.worked(3_000 + QUIET_MS), None, "the end is told once");
        assert!(course.failed(1, 20_000), "another one");
    }
}
