//! Limits concurrency and rate per destination in this process; the state machine is [`posthouse_domain::pacing`].
//!
//! The job runner checks the capacity of a destination domain before it claims jobs, so that mail that would only wait
//! stays in the store. A delivery attempt acquires a permit for a mail exchanger and reports its result. Connections
//! are divided into three classes, so that none starves another: destinations that are slow or failing, destinations
//! without history, and all others, for which a quarter is always reserved. A workspace can use at most 80% of a
//! shared resource, so that the first mail of another workspace is sent without delay.

pub mod capacity;
mod job_counts;
mod permit;
mod state;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posthouse_domain::{DestinationLimits, MailboxProvider, ThrottleStatus, Time, WorkspaceId, pacing::provider_of};
use posthouse_store::jobs::due::GroupCapacity;

use crate::settings::{DeliveryConfig, DeliveryMode};
use crate::throttle::state::{LimiterState, PermitRequest};

pub use permit::{DeliveryPermit, PermitResult};

/// The default maximum of connections to a mail exchanger of no known provider.
pub const CONNECTIONS_PER_HOST: u32 = 10;
/// The default maximum of connections to the relay, which gets all mail.
pub const CONNECTIONS_TO_RELAY: u32 = 20;
/// The maximum number of messages per connection to a mail exchanger of no known provider, or to the relay.
pub const MESSAGES_PER_CONNECTION: u32 = 200;
/// The maximum time that an attempt waits for a permit before its job is released, in milliseconds.
pub const WAIT_MS_MAX: u64 = 60_000;

/// The configured limits.
#[derive(Clone, Copy, Debug)]
pub struct DestinationRules {
    /// Maximum connections to all destinations together.
    connections_max: usize,
    /// Configured maximum of connections per destination.
    per_destination: Option<u32>,
    /// Whether all mail goes to one host, so that classes don't apply.
    single: bool,
}

/// Limits concurrency and rate per destination. Clones share their state.
#[derive(Clone)]
pub struct DestinationLimiter(Arc<LimiterShared>);

pub(crate) struct LimiterShared {
    rules: DestinationRules,
    state: Mutex<LimiterState>,
}

/// The key of the relay as a destination; not a valid host name.
const RELAY: &str = "(relay)";

/// A mail exchanger of a destination domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DestinationHost<'a> {
    pub domain: &'a str,
    /// The name of the mail exchanger.
    pub host: &'a str,
}

impl DestinationLimiter {
    /// Creates a limiter without history.
    #[must_use]
    pub fn new(delivery: &DeliveryConfig) -> Self {
        let rules = DestinationRules {
            connections_max: delivery.connections_max.max(1),
            per_destination: delivery.connections_per_destination_max.map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
            single: delivery.mode != DeliveryMode::Direct,
        };
        Self(Arc::new(LimiterShared { rules, state: Mutex::default() }))
    }

    /// Returns how many more jobs of the workspace may be claimed for a destination domain, and the shares they count
    /// against.
    #[must_use]
    pub fn available(&self, workspace: WorkspaceId, domain: &str, now: Time) -> GroupCapacity {
        self.0.lock().available(&self.0.rules, workspace, self.0.rules.domain(domain), now)
    }

    /// Records that a job of the workspace started for a destination domain.
    pub fn record_start(&self, workspace: WorkspaceId, domain: &str, now: Time) {
        self.0.lock().record_start(workspace, self.0.rules.domain(domain), now);
    }

    /// Records that a job of the workspace ended.
    pub fn release(&self, workspace: WorkspaceId, domain: &str) {
        self.0.lock().release(workspace, self.0.rules.domain(domain));
    }

    /// Returns when a rate limit allows more jobs, for domains without capacity since the last call.
    #[must_use]
    pub fn next_at(&self) -> Option<Time> {
        self.0.lock().next_at()
    }

    /// Acquires a permit for a mail exchanger; waits behind earlier attempts. `ignores_limits` ignores pauses and limits,
    /// for the last attempt of an expired message.
    pub async fn acquire(&self, of: DestinationHost<'_>, ignores_limits: bool, now: Time) -> PermitResult {
        let DestinationRules { single, .. } = self.0.rules;
        let (domain, destination) = if single { (RELAY, RELAY) } else { (of.domain, self::destination_key(of.host)) };
        let entry = PermitRequest {
            domain,
            destination,
            provider: if single { None } else { provider_of(of.host) },
            ignores_limits,
        };
        permit::enter(&self.0, &entry, now).await
    }

    /// Returns whether the destination last used for a domain is paused.
    #[must_use]
    pub fn is_paused(&self, domain: &str, now: Time) -> bool {
        self.0.lock().is_paused(self.0.rules.domain(domain), now)
    }

    /// Returns the number of destinations with a history, by status.
    #[must_use]
    pub fn count_by_status(&self, now: Time) -> [(ThrottleStatus, usize); 3] {
        let count = self.0.lock().count_by_status(now);
        [ThrottleStatus::Open, ThrottleStatus::Limited, ThrottleStatus::Paused].map(|one| (one, count(one)))
    }
}

impl DestinationRules {
    /// Returns the limits of a destination.
    fn limits(&self, provider: Option<&MailboxProvider>) -> DestinationLimits {
        let usual = if self.single { CONNECTIONS_TO_RELAY } else { CONNECTIONS_PER_HOST };
        let unknown = DestinationLimits {
            connections_max: self.per_destination.unwrap_or(usual),
            messages_per_connection_max: MESSAGES_PER_CONNECTION,
            per_minute_max: None,
        };
        let Some(known) = provider.map(|provider| provider.limits) else { return unknown };
        let connections_max = known.connections_max.min(self.per_destination.unwrap_or(u32::MAX));
        DestinationLimits { connections_max, ..known }
    }

    fn domain<'a>(&self, domain: &'a str) -> &'a str {
        if self.single { RELAY } else { domain }
    }
}

impl LimiterShared {
    fn lock(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the key under which a host shares limits: its provider, or the host itself.
fn destination_key(host: &str) -> &str {
    provider_of(host).map_or(host, |provider| provider.name)
}
