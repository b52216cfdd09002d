//! Limits per client in fixed windows: failed logins, and connections, messages and recipients per minute.
//!
//! Over the limit of failed logins, logins are refused without checking the password. The refusal isn't delayed, so that
//! a password-guessing client doesn't keep connections open. The limits per minute are off by default; over one of them
//! the client gets a temporary error.

use std::net::IpAddr;

use posthouse_app::limits::fixed_window::FixedWindow;
use posthouse_domain::{
    plan::Limit,
    time::{MINUTE_MS, Time},
};

use super::client::network_of;

/// Maximum failed logins of one client within [`LOGIN_WINDOW_MS`].
const FAILED_LOGINS_MAX: u64 = 30;
/// How long failed logins count, from the first one, in milliseconds.
const LOGIN_WINDOW_MS: i64 = 10 * MINUTE_MS;
/// Most clients with failed logins at once; see [`FixedWindow`].
const LOGIN_CLIENTS_MAX: usize = 100_000;
/// Most counted clients and actions at once; see [`FixedWindow`].
const RATE_CLIENTS_MAX: usize = 300_000;

/// The failed logins of all clients.
#[derive(Debug)]
pub(super) struct FailedLogins(FixedWindow<IpAddr>);

impl Default for FailedLogins {
    fn default() -> Self {
        Self(FixedWindow::new(LOGIN_WINDOW_MS, LOGIN_CLIENTS_MAX))
    }
}

impl FailedLogins {
    /// Returns whether the client may log in.
    pub(super) fn may_log_in(&self, client: IpAddr, now: Time) -> bool {
        self.0.is_allowed(network_of(client), FAILED_LOGINS_MAX, now)
    }

    /// Counts a failure.
    pub(super) fn record_failure(&self, client: IpAddr, now: Time) {
        self.0.count(network_of(client), FAILED_LOGINS_MAX, now);
    }

    /// Forgets the failures of a client that logged in.
    pub(super) fn record_success(&self, client: IpAddr) {
        self.0.reset(network_of(client));
    }
}

/// A counted action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum RateLimitedAction {
    /// A connection.
    Connection,
    /// A message, counted at MAIL.
    Message,
    /// A recipient.
    Recipient,
}

/// The actions of all clients in their current minute.
#[derive(Debug)]
pub(super) struct ClientRates(FixedWindow<(IpAddr, RateLimitedAction)>);

impl Default for ClientRates {
    fn default() -> Self {
        Self(FixedWindow::new(MINUTE_MS, RATE_CLIENTS_MAX))
    }
}

impl ClientRates {
    /// Counts an action. Returns false at the limit.
    pub(super) fn count(&self, client: IpAddr, action: RateLimitedAction, limit: Limit, now: Time) -> bool {
        limit.is_none_or(|max| self.0.count((network_of(client), action), max, now).is_allowed)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_refused_until_its_window_ends_or_it_logs_in() {
        let logins = FailedLogins::default();
        let (a, b) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let start = Time::from_millis(1_000_000);
        for _ in 0..FAILED_LOGINS_MAX {
            assert!(logins.may_log_in(a, start));
            logins.record_failure(a, start);
        }
        assert!(!logins.may_log_in(a, start.plus_ms(LOGIN_WINDOW_MS - 1)) && logins.may_log_in(b, start));
        assert!(logins.may_log_in(a, start.plus_ms(LOGIN_WINDOW_MS)));
        logins.record_failure(a, start.plus_ms(LOGIN_WINDOW_MS));
        logins.record_success(a);
        assert_eq!(logins.0.tracked(), 0);
    }

    #[test]
    fn each_action_of_each_client_has_its_own_limit() {
        let rates = ClientRates::default();
        let (a, b) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let start = Time::from_millis(1_000_000);
        for n in 0..3 {
            assert_eq!(rates.count(a, RateLimitedAction::Message, Some(2), start), n < 2);
        }
        assert!(rates.count(a, RateLimitedAction::Recipient, Some(1), start));
        assert!(rates.count(b, RateLimitedAction::Message, Some(2), start));
        assert!(!rates.count(a, RateLimitedAction::Message, Some(2), start.plus_ms(MINUTE_MS - 1)));
        assert!(rates.count(a, RateLimitedAction::Message, Some(2), start.plus_ms(MINUTE_MS)));
        assert!(rates.count(a, RateLimitedAction::Connection, None, start));
    }
}
