//! Writes the `RateLimit` fields of a response (draft-ietf-httpapi-ratelimit-headers).

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_domain::LimitName;

/// The name of the policy for requests per minute. Other policies have the name of their limit.
const REQUESTS_POLICY: &str = "key-minute";

fn policy(status: &RateLimitStatus) -> &'static str {
    match status.limit {
        LimitName::RequestsPerMinute => REQUESTS_POLICY,
        other => other.text(),
    }
}

/// Adds a limit to `RateLimit-Policy` and `RateLimit`, which are lists. A refused request has them too. A limit that they
/// name already stays as it is.
pub(crate) fn write(status: &RateLimitStatus, headers: &mut HeaderMap) {
    let policy = policy(status);
    let items = [
        ("ratelimit-policy", format!("\"{policy}\";q={};w={}", status.max, status.window_s)),
        ("ratelimit", format!("\"{policy}\";r={};t={}", status.remaining, status.resets_in_s)),
    ];
    for (name, item) in items {
        let name = HeaderName::from_static(name);
        let before = headers.get(&name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if before.contains(&format!("\"{policy}\";")) {
            continue;
        }
        let list = if before.is_empty() { item } else { format!("{before}, {item}") };
        if let Ok(value) = HeaderValue::from_str(&list) {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_app::limits::fixed_window::WindowCount;
    use posthouse_domain::{ErrorCode, Refusal};

    #[test]
    fn a_refused_request_states_its_limit() {
        let count = WindowCount { is_allowed: false, remaining: 0, ends_in_ms: 60_000 };
        let refused = RateLimitStatus::of(LimitName::RequestsPerMinute, 0, count).expect("limited");
        let mut headers = HeaderMap::new();
        write(&refused, &mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"key-minute\";q=0;w=60");
        assert_eq!(headers["ratelimit"], "\"key-minute\";r=0;t=60");
        assert!(refused.check().is_err());
    }

    #[test]
    fn every_limit_of_a_response_is_named_once() {
        let mut headers = HeaderMap::new();
        let count = WindowCount { is_allowed: true, remaining: 4, ends_in_ms: 1_500 };
        let status = |limit| RateLimitStatus::of(limit, 5, count).expect("counts over time");
        write(&status(LimitName::RequestsPerMinute), &mut headers);
        let refusal = Refusal::new(ErrorCode::RateLimited, "").at_limit(LimitName::ReportsPerDay, 10, 7);
        write(&RateLimitStatus::of_refusal(&refusal).expect("a limit over time"), &mut headers);
        write(&status(LimitName::ReportsPerDay), &mut headers);
        let policies = "\"key-minute\";q=5;w=60, \"reports_per_day\";q=10;w=86400";
        assert_eq!(headers["ratelimit-policy"], policies);
        assert_eq!(headers["ratelimit"], "\"key-minute\";r=4;t=2, \"reports_per_day\";r=0;t=7");
        for other in [
            Refusal::new(ErrorCode::RateLimited, "").at_limit(LimitName::Streams, 10, 7),
            Refusal::new(ErrorCode::Unavailable, "").retry_after(1),
        ] {
            assert_eq!(RateLimitStatus::of_refusal(&other), None);
        }
    }
}
