//! Limits the requests per minute of each API key and session, counted in this process, and writes the fields that state the limit.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use posthouse_app::limits::fixed_window::FixedWindow;
use posthouse_domain::{
    auth::{Credential, Principal},
    error::{Detail, ErrorCode, LimitName, Refusal},
    plan::Limit,
    time::{MINUTE_MS, Time},
};

/// Most API keys and sessions with a window at once; see [`FixedWindow`].
const KEYS_MAX: usize = 100_000;

/// The requests of each API key and session in its current minute.
#[derive(Debug)]
pub(crate) struct RequestLimits(FixedWindow<Credential>);

/// A limit and the rest of it, as the response states them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RateLimitStatus {
    /// The limit.
    max: u64,
    /// Requests that remain in the window.
    remaining: u64,
    /// Seconds until the window ends, rounded up.
    resets_in_s: u64,
    is_allowed: bool,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self(FixedWindow::new(MINUTE_MS, KEYS_MAX))
    }
}

impl RequestLimits {
    /// Counts one request. Returns `None` if the principal has no limit.
    pub(crate) fn count(&self, principal: &Principal, limit: Limit, now: Time) -> Option<RateLimitStatus> {
        let max = limit?;
        let count = match principal {
            Principal::Key(key) => self.0.count(Credential::Key(key.id), max, now),
            Principal::User(user) => self.0.count(Credential::Session(user.session), max, now),
            // Neither sends requests.
            Principal::Operator | Principal::Service { .. } => return None,
        };
        let resets_in_s = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(60);
        Some(RateLimitStatus { max, remaining: count.remaining, resets_in_s, is_allowed: count.is_allowed })
    }
}

impl RateLimitStatus {
    /// Checks that the request was within the limit.
    ///
    /// # Errors
    /// Returns `rate_limited` with the seconds to wait if it was not.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        if self.is_allowed {
            return Ok(());
        }
        let message = format!("This API key or session has used its {} requests for this minute.", self.max);
        let refusal = Refusal::new(ErrorCode::RateLimited, message);
        Err(refusal
            .detail(Detail::Limit(LimitName::RequestsPerMinute))
            .detail(Detail::Max(self.max))
            .retry_after(self.resets_in_s))
    }

    /// Writes `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). A refused request has them too.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        let fields = [
            ("ratelimit-policy", format!("\"key-minute\";q={};w=60", self.max)),
            ("ratelimit", format!("\"key-minute\";r={};t={}", self.remaining, self.resets_in_s)),
        ];
        for (name, value) in fields {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_domain::auth::{KeyPrincipal, Permissions, Scope};

    fn key(number: u128) -> Principal {
        let id = posthouse_domain::id::KeyId(uuid::Uuid::from_u128(number));
        Principal::Key(KeyPrincipal { id, scope: Scope::Org, permissions: Permissions::full() })
    }

    #[test]
    fn windows_last_a_minute_and_are_per_key() {
        let limits = RequestLimits::default();
        let (a, b) = (key(1), key(2));
        let start = Time::from_millis(1_000_000);
        let status = |remaining, resets_in_s| RateLimitStatus { max: 2, remaining, resets_in_s, is_allowed: true };
        assert_eq!(limits.count(&a, Some(2), start), Some(status(1, 60)));
        assert_eq!(limits.count(&a, Some(2), start.plus_ms(30_500)), Some(status(0, 30)));
        let refused = limits.count(&a, Some(2), start.plus_ms(59_999)).expect("limited");
        let refusal = refused.check().expect_err("used up");
        assert_eq!((refusal.code, refusal.retry_after_s), (ErrorCode::RateLimited, Some(1)));
        assert!(limits.count(&b, Some(2), start).expect("limited").check().is_ok());
        assert!(limits.count(&a, Some(2), start.plus_ms(60_000)).expect("limited").check().is_ok());
        assert_eq!(limits.count(&a, None, start), None);
    }

    #[test]
    fn a_refused_request_states_its_limit() {
        let (limits, start) = (RequestLimits::default(), Time::from_millis(1_000_000));
        let refused = limits.count(&key(1), Some(0), start).expect("limited");
        let mut headers = HeaderMap::new();
        refused.write(&mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"key-minute\";q=0;w=60");
        assert_eq!(headers["ratelimit"], "\"key-minute\";r=0;t=60");
        assert!(refused.check().is_err());
    }
}
