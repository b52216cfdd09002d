//! When to try again (`delivery.retry_schedule`; RFC 5321 §4.5.4.1).

use crate::time::Time;

/// The time of the next attempt after `attempts` of them, or none when trying ends. The last gap of the schedule repeats
/// where it is shorter than the life of the mail, and the last attempt is made at the end of that life, not before.
#[must_use]
pub fn next_attempt(schedule_ms: &[i64], attempts: u32, now: Time, expires_at: Time) -> Option<Time> {
    if now >= expires_at {
        return None;
    }
    let done = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let gap_ms = schedule_ms.get(done).or(schedule_ms.last()).copied()?;
    Some(now.plus_ms(gap_ms.max(1)).min(expires_at))
}
