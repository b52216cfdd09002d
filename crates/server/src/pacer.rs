//! How many messages each destination gets at once in this process: the shell around [`posthouse_domain::pacing`].
//!
//! The runner asks for the room of a lane (a destination domain) before it claims, so that mail which would only wait stays in
//! the store; an attempt takes a turn at a mail exchanger and says what it heard. Connections are shared out in three classes,
//! so that none starves another: those to destinations that are slow or failing, those to destinations that are not known
//! yet, and all others, for which a quarter is always left. Of everything that is shared one workspace gets four fifths at
//! most, so that another's first mail finds a place at once.

mod state;
mod tally;
#[cfg(test)]
mod tests;
mod turn;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posthouse_domain::{
    id::WorkspaceId,
    pacing::{Limits, Provider, Standing, provider_of},
    time::Time,
};
use posthouse_store::jobs::due::Room;

use self::state::{Entry, State};
use crate::config::{Delivery, DeliveryMode};

pub use turn::{Entered, Turn};

/// Connections to a mail exchanger that no table knows, where the configuration does not say.
pub const CONNECTIONS_PER_HOST: u32 = 10;
/// Connections to the relay, where the configuration does not say: all mail goes there.
pub const CONNECTIONS_TO_RELAY: u32 = 20;
/// Messages over one connection to either.
pub const MESSAGES_PER_CONNECTION: u32 = 200;
/// How long an attempt waits for its turn before its job goes back, in milliseconds.
pub const WAIT_MS_MAX: u64 = 60_000;

/// The bounds of the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Connections to all destinations together.
    connections_max: usize,
    /// Connections to one destination, where the operator says so.
    per_destination: Option<u32>,
    /// All mail goes to one host: there is nothing to share out.
    single: bool,
}

/// What all deliveries share.
#[derive(Clone)]
pub struct Pacer(Arc<Shared>);

pub(crate) struct Shared {
    rules: Rules,
    state: Mutex<State>,
}

/// The name of the one destination of a relay, which no host has.
const RELAY: &str = "(relay)";

impl Pacer {
    /// With nothing known.
    #[must_use]
    pub fn new(delivery: &Delivery) -> Self {
        let rules = Rules {
            connections_max: delivery.connections_max.max(1),
            per_destination: delivery
                .connections_per_destination_max
                .map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
            single: delivery.mode != DeliveryMode::Direct,
        };
        Self(Arc::new(Shared { rules, state: Mutex::default() }))
    }

    /// How many jobs of the workspace may be claimed in the lane beside those that run, and with whom they share that.
    #[must_use]
    pub fn room(&self, workspace: WorkspaceId, lane: &str, now: Time) -> Room {
        self.0.lock().room(&self.0.rules, (workspace, self.0.rules.lane(lane)), now)
    }

    /// Notes that a job of the workspace runs in the lane.
    pub fn began(&self, workspace: WorkspaceId, lane: &str, now: Time) {
        self.0.lock().began((workspace, self.0.rules.lane(lane)), now);
    }

    /// Notes that one runs no more.
    pub fn ended(&self, workspace: WorkspaceId, lane: &str) {
        self.0.lock().ended((workspace, self.0.rules.lane(lane)));
    }

    /// When there may be room by time alone, for what was refused room since this was asked last.
    #[must_use]
    pub fn next_at(&self) -> Option<Time> {
        self.0.lock().next_at()
    }

    /// Takes a turn at a mail exchanger for a message of the lane; waits where others are before it. `at_any_rate`: also
    /// where the destination is left alone, because the time of the message is over.
    pub async fn turn(&self, (lane, host): (&str, &str), at_any_rate: bool, now: Time) -> Entered {
        let Rules { single, .. } = self.0.rules;
        let (lane, site) = if single { (RELAY, RELAY) } else { (lane, self::site(host)) };
        let entry = Entry { lane, site, provider: if single { None } else { provider_of(host) }, at_any_rate };
        turn::enter(&self.0, &entry, now).await
    }

    /// Whether the destination that mail of the lane went to last is left alone now.
    #[must_use]
    pub fn rests(&self, lane: &str, now: Time) -> bool {
        self.0.lock().rests(self.0.rules.lane(lane), now)
    }

    /// How many destinations stand where, of those that are remembered.
    #[must_use]
    pub fn standings(&self, now: Time) -> [(Standing, usize); 3] {
        let count = self.0.lock().standings(now);
        [Standing::Open, Standing::Narrowed, Standing::Resting].map(|one| (one, count(one)))
    }
}

impl Rules {
    /// What a destination gets at most.
    fn limits(&self, provider: Option<&Provider>) -> Limits {
        let usual = if self.single { CONNECTIONS_TO_RELAY } else { CONNECTIONS_PER_HOST };
        let unknown = Limits {
            connections_max: self.per_destination.unwrap_or(usual),
            messages_per_connection_max: MESSAGES_PER_CONNECTION,
            per_minute_max: None,
        };
        let Some(known) = provider.map(|provider| provider.limits) else { return unknown };
        let connections_max = known.connections_max.min(self.per_destination.unwrap_or(u32::MAX));
        Limits { connections_max, ..known }
    }

    fn lane<'a>(&self, lane: &'a str) -> &'a str {
        if self.single { RELAY } else { lane }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What shares its limits: a provider with all its exchangers, else the exchanger.
fn site(host: &str) -> &str {
    provider_of(host).map_or(host, |provider| provider.name)
}
