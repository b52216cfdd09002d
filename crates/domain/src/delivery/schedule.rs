//! The retry schedule of a delivery and its end (`delivery.retry_schedule`; RFC 5321 §4.5.4.1).

use crate::time::Time;

/// When retrying ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetryDeadline {
    /// When the schedule ends, counted from when the mail was accepted.
    pub at: Time,
    /// The number of scheduled attempts: the first one, and one after each interval.
    pub attempts: u32,
    /// When retrying ends even if attempts are missing.
    pub latest: Time,
}

impl RetryDeadline {
    /// Creates the end of mail that expires at `at`. Mail that was held or delayed gets the schedule once more, plus
    /// `attempt_ms_max` milliseconds for each attempt.
    #[must_use]
    pub fn of(schedule_ms: &[i64], at: Time, attempt_ms_max: i64) -> Self {
        let attempts = u32::try_from(schedule_ms.len()).unwrap_or(u32::MAX).saturating_add(1);
        let once_more: i64 = schedule_ms.iter().sum();
        Self { at, attempts, latest: at.plus_ms(once_more).plus_ms(i64::from(attempts).saturating_mul(attempt_ms_max)) }
    }

    /// Returns the end by time only. Used for destinations that were paused after pushbacks, where attempts were
    /// skipped.
    #[must_use]
    pub fn by_time_alone(self) -> Self {
        Self { latest: self.at, ..self }
    }

    /// Returns whether retrying ends now. Slow attempts don't reduce the number of attempts.
    #[must_use]
    pub fn is_exhausted(&self, attempts: u32, now: Time) -> bool {
        now >= self.at && (attempts >= self.attempts || now >= self.latest)
    }
}

/// Returns the interval after the given number of attempts, in milliseconds. The last interval repeats. Returns `None`
/// if the schedule is empty.
#[must_use]
pub fn gap_after(schedule_ms: &[i64], attempts: u32) -> Option<i64> {
    let done = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    schedule_ms.get(done).or(schedule_ms.last()).copied()
}

/// Returns the time of the next attempt after that interval. The last attempt is made when the mail expires, or at the
/// latest end if it already has.
#[must_use]
pub fn next_attempt(gap_ms: i64, now: Time, end: &RetryDeadline) -> Time {
    let soonest = now.plus_ms(1);
    let last = if now < end.at { end.at } else { end.latest };
    now.plus_ms(gap_ms).min(last).max(soonest)
}
