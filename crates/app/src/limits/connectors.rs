//! Limits of connectors, counted in this process.

use std::net::IpAddr;

use posthouse_domain::connector::{DOCUMENTS_PER_PERSON, REGISTRATIONS_PER_ADDRESS};
use posthouse_domain::{ErrorCode, HOUR_MS, LimitName, MINUTE_MS, Refusal, Time, UserId};

use super::fixed_window::{FixedWindow, WindowCount};

/// Most people or addresses with a window at once; see [`FixedWindow`].
const KEYS_MAX: usize = 100_000;
/// The window of fetched documents, in milliseconds.
const DOCUMENTS_WINDOW_MS: i64 = 10 * MINUTE_MS;

/// The limits of connectors.
#[derive(Debug)]
pub struct ConnectorLimits {
    registrations: FixedWindow<IpAddr>,
    documents: FixedWindow<UserId>,
}

impl Default for ConnectorLimits {
    fn default() -> Self {
        Self {
            registrations: FixedWindow::new(HOUR_MS, KEYS_MAX),
            documents: FixedWindow::new(DOCUMENTS_WINDOW_MS, KEYS_MAX),
        }
    }
}

impl ConnectorLimits {
    /// Counts a client that registers. `network` is what counts as one client address.
    ///
    /// # Errors
    /// Returns `rate_limited` if the address registered too many.
    pub(crate) fn count_registration(&self, network: IpAddr, now: Time) -> Result<(), Refusal> {
        let count = self.registrations.count(network, REGISTRATIONS_PER_ADDRESS, now);
        let limit = LimitName::ClientRegistrationsPerAddress;
        check(count, limit, REGISTRATIONS_PER_ADDRESS, "Your client address registered too many clients")
    }

    /// Counts a metadata document that is fetched for a person.
    ///
    /// # Errors
    /// Returns `rate_limited` if too many were fetched.
    pub(crate) fn count_document(&self, person: UserId, now: Time) -> Result<(), Refusal> {
        let count = self.documents.count(person, DOCUMENTS_PER_PERSON, now);
        let limit = LimitName::ClientDocumentsPerPerson;
        check(count, limit, DOCUMENTS_PER_PERSON, "You opened requests of too many clients")
    }
}

fn check(count: WindowCount, limit: LimitName, max: u64, what: &str) -> Result<(), Refusal> {
    if count.is_allowed {
        return Ok(());
    }
    let seconds = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(60).max(1);
    let message = format!("{what}; the maximum is {max}.");
    Err(Refusal::new(ErrorCode::RateLimited, message).at_limit(limit, max, seconds))
}
