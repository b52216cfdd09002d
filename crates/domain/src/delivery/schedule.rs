//! When to try again (`delivery.retry_schedule`; RFC 5321 §4.5.4.1).

use crate::time::Time;

/// The gap after `attempts` of them, in milliseconds; the last one repeats. None where the schedule is empty.
#[must_use]
pub fn gap_after(schedule_ms: &[i64], attempts: u32) -> Option<i64> {
    let done = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    schedule_ms.get(done).or(schedule_ms.last()).copied()
}

/// The time of the next attempt after that gap, or none when trying ends. The schedule may be shorter than the life of the
/// mail; the last attempt is made at the end of that life, not before.
#[must_use]
pub fn next_attempt(gap_ms: i64, now: Time, expires_at: Time) -> Option<Time> {
    (now < expires_at).then(|| now.plus_ms(gap_ms.max(1)).min(expires_at))
}
