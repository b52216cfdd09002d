//! Failed logins of each client, over its connections: past a bound it is told to come back later, before its password is
//! even looked at. Nobody is made to wait, so nothing is held open for a guesser.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use posthouse_domain::time::{MINUTE_MS, Time};

use super::client::network_of;

/// Failures of one client within [`WINDOW_MS`] that are answered one by one.
pub(super) const FAILURES_MAX: u32 = 30;
/// How long failures are remembered from the first of them, in milliseconds.
pub(super) const WINDOW_MS: i64 = 10 * MINUTE_MS;
/// Clients that are remembered before ended windows are swept out.
const CLIENTS_SWEEP_AT: usize = 10_000;

/// The failures of all clients.
#[derive(Debug, Default)]
pub(super) struct FailedLogins(Mutex<HashMap<IpAddr, Window>>);

#[derive(Clone, Copy, Debug)]
struct Window {
    began: Time,
    failures: u32,
}

impl FailedLogins {
    /// Whether the client may try again.
    pub(super) fn may_try(&self, client: IpAddr, now: Time) -> bool {
        let windows = self.windows();
        let window = windows.get(&network_of(client));
        window.is_none_or(|window| window.failures < FAILURES_MAX || now.since_ms(window.began) >= WINDOW_MS)
    }

    /// One more failure.
    pub(super) fn failed(&self, client: IpAddr, now: Time) {
        let mut windows = self.windows();
        if windows.len() >= CLIENTS_SWEEP_AT {
            windows.retain(|_, window| now.since_ms(window.began) < WINDOW_MS);
        }
        let window = windows.entry(network_of(client)).or_insert(Window { began: now, failures: 0 });
        if now.since_ms(window.began) >= WINDOW_MS {
            *window = Window { began: now, failures: 0 };
        }
        window.failures += 1;
    }

    /// The client has a key after all.
    pub(super) fn succeeded(&self, client: IpAddr) {
        self.windows().remove(&network_of(client));
    }

    fn windows(&self) -> MutexGuard<'_, HashMap<IpAddr, Window>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_held_off_until_its_window_ends_or_it_logs_in() {
        let logins = FailedLogins::default();
        let (a, b) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let start = Time::from_millis(1_000_000);
        for _ in 0..FAILURES_MAX {
            assert!(logins.may_try(a, start));
            logins.failed(a, start);
        }
        assert!(!logins.may_try(a, start.plus_ms(WINDOW_MS - 1)) && logins.may_try(b, start));
        assert!(logins.may_try(a, start.plus_ms(WINDOW_MS)));
        logins.failed(a, start.plus_ms(WINDOW_MS));
        logins.succeeded(a);
        assert!(logins.windows().is_empty());
    }
}
