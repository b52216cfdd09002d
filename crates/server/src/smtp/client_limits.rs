//! Limits per client in fixed windows: failed logins, and connections, messages and recipients per minute.
//!
//! Over the limit of failed logins, logins are refused without checking the password. The refusal isn't delayed, so that
//! a password-guessing client doesn't keep connections open. The limits per minute are off by default; over one of them
//! the client gets a temporary error.

use std::net::IpAddr;

use posthouse_app::limits::fixed_window::{FixedWindow, WindowCount};
use posthouse_domain::{
    plan::Limit,
    time::{MINUTE_MS, SECOND_MS, Time},
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
    /// A recipient without an inbox. Clients that guess addresses name many of them.
    UnknownRecipient,
}

impl RateLimitedAction {
    /// Returns the setting with its limit.
    pub(super) const fn setting(self) -> &'static str {
        match self {
            RateLimitedAction::Connection => "smtp.max_connections_per_client_per_minute",
            RateLimitedAction::Message => "smtp.max_messages_per_client_per_minute",
            RateLimitedAction::Recipient => "smtp.max_recipients_per_client_per_minute",
            RateLimitedAction::UnknownRecipient => "limits.unknown_recipients_per_minute",
        }
    }
}

/// The actions of all clients in their current minute.
#[derive(Debug)]
pub(super) struct ClientRates(FixedWindow<(IpAddr, RateLimitedAction)>);

impl Default for ClientRates {
    fn default() -> Self {
        Self(FixedWindow::new(MINUTE_MS, RATE_CLIENTS_MAX))
    }
}

/// The limit that a client has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReachedRate {
    /// Actions per minute.
    pub(super) max: u64,
    /// Seconds until the minute of the client ends.
    pub(super) wait_s: i64,
}

impl ClientRates {
    /// Counts an action.
    ///
    /// # Errors
    /// Returns the limit if the client has reached it; the action isn't counted then.
    pub(super) fn count(
        &self,
        client: IpAddr,
        action: RateLimitedAction,
        limit: Limit,
        now: Time,
    ) -> Result<(), ReachedRate> {
        let Some(max) = limit else { return Ok(()) };
        result_of(self.0.count((network_of(client), action), max, now), max)
    }

    /// Returns what [`ClientRates::count`] would return, without counting the action.
    ///
    /// # Errors
    /// Returns the limit if the client has reached it.
    pub(super) fn check(
        &self,
        client: IpAddr,
        action: RateLimitedAction,
        limit: Limit,
        now: Time,
    ) -> Result<(), ReachedRate> {
        let Some(max) = limit else { return Ok(()) };
        result_of(self.0.peek((network_of(client), action), max, now), max)
    }
}

fn result_of(count: WindowCount, max: u64) -> Result<(), ReachedRate> {
    if count.is_allowed { Ok(()) } else { Err(ReachedRate { max, wait_s: seconds(count.ends_in_ms) }) }
}

/// Returns whole seconds, rounded up.
fn seconds(ms: i64) -> i64 {
    (ms + SECOND_MS - 1) / SECOND_MS
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
        let may = |client, action, limit, now| rates.count(client, action, limit, now).is_ok();
        for n in 0..3 {
            assert_eq!(may(a, RateLimitedAction::Message, Some(2), start), n < 2);
        }
        assert!(may(a, RateLimitedAction::Recipient, Some(1), start));
        assert!(may(b, RateLimitedAction::Message, Some(2), start));
        let reached = rates.count(a, RateLimitedAction::Message, Some(2), start.plus_ms(MINUTE_MS - 1_001));
        assert_eq!(reached, Err(ReachedRate { max: 2, wait_s: 2 }));
        assert!(may(a, RateLimitedAction::Message, Some(2), start.plus_ms(MINUTE_MS)));
        assert!(may(a, RateLimitedAction::Connection, None, start));
        let check = |limit, now| rates.check(a, RateLimitedAction::UnknownRecipient, Some(limit), now);
        assert!(may(a, RateLimitedAction::UnknownRecipient, Some(2), start));
        assert_eq!(check(2, start), Ok(()), "checking counts nothing");
        assert_eq!(check(1, start.plus_ms(1)), Err(ReachedRate { max: 1, wait_s: 60 }));
        assert_eq!(check(1, start.plus_ms(2 * MINUTE_MS)), Ok(()));
    }
}
