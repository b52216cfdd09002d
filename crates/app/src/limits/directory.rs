//! Limits of the directory: look-ups, searches and verifications per minute of each key or session, and requests to the
//! public directory per minute of each client address.

use std::net::IpAddr;

use posthouse_domain::{
    auth::{Caller, Credential},
    error::{LimitName, Refusal},
    time::{MINUTE_MS, Time},
};

use super::{client_network, fixed_window::FixedWindow, requests::RateLimitStatus};

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
pub struct DirectoryLimits {
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

/// A limit that a route counts for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectoryLimit {
    /// Look-ups of a key or session.
    Resolves,
    /// Searches of a key or session.
    Searches,
    /// Verifications of a key or session.
    Verifications,
    /// Requests to the public directory from a client address.
    Public,
}

impl DirectoryLimits {
    /// Counts a request of a caller or, to the public directory, of a client address.
    ///
    /// # Errors
    /// Returns `forbidden` if the caller has neither key nor session.
    pub fn count(
        &self,
        limit: DirectoryLimit,
        caller: Option<&Caller>,
        client: IpAddr,
        now: Time,
    ) -> Result<Option<RateLimitStatus>, Refusal> {
        let (windows, name, max) = match (limit, caller) {
            (DirectoryLimit::Resolves, Some(_)) => (&self.resolves, LimitName::ResolvesPerMinute, RESOLVES_MAX),
            (DirectoryLimit::Searches, Some(_)) => (&self.searches, LimitName::SearchesPerMinute, SEARCHES_MAX),
            (DirectoryLimit::Verifications, Some(_)) => {
                (&self.verifications, LimitName::VerificationsPerMinute, VERIFICATIONS_MAX)
            }
            (DirectoryLimit::Public, _) | (_, None) => {
                let count = self.public.count(client_network(client), PUBLIC_MAX, now);
                return Ok(RateLimitStatus::of(LimitName::PublicRequestsPerMinute, PUBLIC_MAX, count));
            }
        };
        let credential = caller.map(Caller::credential).transpose()?;
        Ok(credential.and_then(|one| RateLimitStatus::of(name, max, windows.count(one, max, now))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_domain::error::ErrorCode;

    #[test]
    fn public_requests_are_limited_by_network() {
        let (limits, now) = (DirectoryLimits::default(), Time::from_millis(1_000_000));
        let count = |address: &str, at| {
            let address = address.parse().expect("an address");
            limits.count(DirectoryLimit::Public, None, address, at).expect("anybody counts").expect("limited").check()
        };
        for _ in 0..PUBLIC_MAX {
            count("192.0.2.1", now).expect("within the limit");
        }
        let refusal = count("192.0.2.1", now.plus_ms(30_500)).expect_err("used up");
        assert_eq!((refusal.code, refusal.retry_after_s), (ErrorCode::RateLimited, Some(30)));
        assert_eq!(refusal.limit(), Some(LimitName::PublicRequestsPerMinute));
        assert!(count("192.0.2.2", now).is_ok());
        assert!(count("192.0.2.1", now.plus_ms(MINUTE_MS)).is_ok());
    }
}
