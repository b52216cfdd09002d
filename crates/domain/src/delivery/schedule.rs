//! When to try again, and until when (`delivery.retry_schedule`; RFC 5321 §4.5.4.1).

use crate::time::Time;

/// When trying ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// The sum of the schedule, counted from when the mail was accepted.
    pub at: Time,
    /// The attempts of the schedule: the first, and one after each gap.
    pub attempts: u32,
    /// The end even where attempts are missing then.
    pub latest: Time,
}

impl End {
    /// The end of mail whose time is over at `at`. What was held or came late gets the schedule once more, and every attempt as
    /// long as it may take: `attempt_ms_max`, in milliseconds.
    #[must_use]
    pub fn of(schedule_ms: &[i64], at: Time, attempt_ms_max: i64) -> Self {
        let attempts = u32::try_from(schedule_ms.len()).unwrap_or(u32::MAX).saturating_add(1);
        let once_more: i64 = schedule_ms.iter().sum();
        Self { at, attempts, latest: at.plus_ms(once_more).plus_ms(i64::from(attempts).saturating_mul(attempt_ms_max)) }
    }

    /// The same, of mail to a destination that is left alone because it pushes back: attempts were left out for that, so the
    /// time alone counts.
    #[must_use]
    pub fn by_time_alone(self) -> Self {
        Self { latest: self.at, ..self }
    }

    /// Whether so many attempts were enough by now: slow ones take nothing from the schedule.
    #[must_use]
    pub fn is_reached(&self, attempts: u32, now: Time) -> bool {
        now >= self.at && (attempts >= self.attempts || now >= self.latest)
    }
}

/// The gap after `attempts` of them, in milliseconds; the last one repeats. None where the schedule is empty.
#[must_use]
pub fn gap_after(schedule_ms: &[i64], attempts: u32) -> Option<i64> {
    let done = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    schedule_ms.get(done).or(schedule_ms.last()).copied()
}

/// The time of the next attempt after that gap. The schedule may be shorter than the life of the mail; an attempt is made at
/// the end of that life, and none later than the end in any case.
#[must_use]
pub fn next_attempt(gap_ms: i64, now: Time, end: &End) -> Time {
    let soonest = now.plus_ms(1);
    let last = if now < end.at { end.at } else { end.latest };
    now.plus_ms(gap_ms).min(last).max(soonest)
}
