//! Limits of the directory: look-ups, searches and verifications per minute of each key or session, and requests to the
//! public directory per minute of each client address.

use std::net::IpAddr;

use posthouse_app::limits::fixed_window::{FixedWindow, WindowCount};
use posthouse_domain::{
    auth::{Caller, Credential},
    error::{Detail, ErrorCode, LimitName, Refusal},
    time::{MINUTE_MS, Time},
};

use crate::client;

/// Look-ups of a key or session per minute.
const RESOLVES_MAX: u64 = 120;
/// Searches of a key or session per minute.
const SEARCHES_MAX: u64 = 30;
/// Verifications of a key or session per minute.
const VERIFICATIONS_MAX: u64 = 300;
/// Requests to the public directory from one client address per minute.
const PUBLIC_MAX: u64 = 300;
/// Most keys, sessions or addresses with a window at once; see [`FixedWindow`].
const TRACKED_MAX: usize = 100_000;

/// The requests to the directory in their current minute.
#[derive(Debug)]
pub(crate) struct DirectoryLimits {
    resolves: FixedWindow<Credential>,
    searches: FixedWindow<Credential>,
    verifications: FixedWindow<Credential>,
    public: FixedWindow<IpAddr>,
}

impl Default for DirectoryLimits {
    fn default() -> Self {
        let window = || FixedWindow::new(MINUTE_MS, TRACKED_MAX);
        Self {
            resolves: window(),
            searches: window(),
            verifications: window(),
            public: FixedWindow::new(MINUTE_MS, TRACKED_MAX),
        }
    }
}

impl DirectoryLimits {
    /// Counts a look-up.
    pub(crate) fn resolve(&self, caller: &Caller, now: Time) -> Result<(), Refusal> {
        check(self.resolves.count(caller.credential()?, RESOLVES_MAX, now), LimitName::ResolvesPerMinute, RESOLVES_MAX)
    }

    /// Counts a search.
    pub(crate) fn search(&self, caller: &Caller, now: Time) -> Result<(), Refusal> {
        check(self.searches.count(caller.credential()?, SEARCHES_MAX, now), LimitName::SearchesPerMinute, SEARCHES_MAX)
    }

    /// Counts a verification.
    pub(crate) fn verify(&self, caller: &Caller, now: Time) -> Result<(), Refusal> {
        let count = self.verifications.count(caller.credential()?, VERIFICATIONS_MAX, now);
        check(count, LimitName::VerificationsPerMinute, VERIFICATIONS_MAX)
    }

    /// Counts a request to the public directory.
    pub(crate) fn public(&self, address: IpAddr, now: Time) -> Result<(), Refusal> {
        let count = self.public.count(client::network(address), PUBLIC_MAX, now);
        check(count, LimitName::PublicRequestsPerMinute, PUBLIC_MAX)
    }
}

fn check(count: WindowCount, limit: LimitName, max: u64) -> Result<(), Refusal> {
    if count.is_allowed {
        return Ok(());
    }
    let seconds = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(60);
    let message = format!("The limit of {max} of these requests per minute is used up.");
    let refusal = Refusal::new(ErrorCode::RateLimited, message).at_limit(limit, max, seconds);
    Err(refusal.detail(Detail::WindowSeconds(60)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_requests_are_limited_by_network() {
        let (limits, now) = (DirectoryLimits::default(), Time::from_millis(1_000_000));
        let one: IpAddr = "192.0.2.1".parse().expect("an address");
        for _ in 0..PUBLIC_MAX {
            limits.public(one, now).expect("within the limit");
        }
        let refusal = limits.public(one, now.plus_ms(30_500)).expect_err("used up");
        assert_eq!((refusal.code, refusal.retry_after_s), (ErrorCode::RateLimited, Some(30)));
        assert_eq!(refusal.limit(), Some(LimitName::PublicRequestsPerMinute));
        assert!(limits.public("192.0.2.2".parse().expect("an address"), now).is_ok());
        assert!(limits.public(one, now.plus_ms(MINUTE_MS)).is_ok());
    }
}
