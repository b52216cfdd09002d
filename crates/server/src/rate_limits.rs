//! Requests of one key in a minute (decision 6), counted in this process. Knows nothing of header fields.
//!
//! Windows are fixed and begin with a key's first request, so that the numbers in the fields are exact.

use std::{collections::HashMap, sync::Mutex};

use posthouse_domain::{
    error::{Code, Refusal},
    id::KeyId,
    plan::Limit,
    time::{MINUTE_MS, Time},
};

/// Keys that are remembered before ended windows are swept out.
const WINDOWS_SWEEP_AT: usize = 10_000;

/// The windows of all keys.
#[derive(Debug, Default)]
pub struct RateLimits(Mutex<HashMap<KeyId, Window>>);

#[derive(Clone, Copy, Debug)]
struct Window {
    began: Time,
    used: u64,
}

/// What is left of a key's window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    /// The limit.
    pub max: u64,
    /// Requests left in the window.
    pub requests: u64,
    /// Seconds until the window ends.
    pub seconds: u64,
}

impl RateLimits {
    /// Counts one request; unlimited plans are not counted.
    ///
    /// # Errors
    /// `rate_limited` with the seconds to wait.
    pub fn take(&self, key: KeyId, limit: Limit, now: Time) -> Result<Option<Left>, Refusal> {
        let Some(max) = limit else { return Ok(None) };
        let mut windows = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if windows.len() >= WINDOWS_SWEEP_AT {
            windows.retain(|_, window| now.since_ms(window.began) < MINUTE_MS);
        }
        let window = windows.entry(key).or_insert(Window { began: now, used: 0 });
        if now.since_ms(window.began) >= MINUTE_MS {
            *window = Window { began: now, used: 0 };
        }
        let seconds = u64::try_from((MINUTE_MS - now.since_ms(window.began) + 999) / 1_000).unwrap_or(60);
        if window.used >= max {
            let refusal =
                Refusal::new(Code::RateLimited, format!("This API key has made its {max} requests of this minute."));
            return Err(refusal.detail("limit", "requests_per_minute").detail("max", max).retry_after(seconds));
        }
        window.used += 1;
        Ok(Some(Left { max, requests: max - window.used, seconds }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_after_a_minute_and_keys_do_not_share() {
        let limits = RateLimits::default();
        let (a, b) = (KeyId(uuid::Uuid::from_u128(1)), KeyId(uuid::Uuid::from_u128(2)));
        let start = Time::from_millis(1_000_000);
        assert_eq!(limits.take(a, Some(2), start), Ok(Some(Left { max: 2, requests: 1, seconds: 60 })));
        assert_eq!(limits.take(a, Some(2), start.plus_ms(30_500)), Ok(Some(Left { max: 2, requests: 0, seconds: 30 })));
        let refusal = limits.take(a, Some(2), start.plus_ms(59_999)).expect_err("used up");
        assert_eq!((refusal.code, refusal.retry_after_s), (Code::RateLimited, Some(1)));
        assert!(limits.take(b, Some(2), start).is_ok());
        assert!(limits.take(a, Some(2), start.plus_ms(60_000)).is_ok());
        assert_eq!(limits.take(a, None, start), Ok(None));
    }
}
