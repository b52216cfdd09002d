//! Discards the rest of refused requests. Closing a connection with unread bytes resets it, and the client may then lose
//! the refusal (RFC 9112 §9.6). The discarded bytes of a client address and of the process have a pace, so that clients
//! that are refused don't take the processor from the others.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::body::Body;
use axum::http::{HeaderMap, header};
use posthouse_app::ports::Clock;
use posthouse_domain::Time;

use crate::request::body;

/// Most bytes read from a refused request, so that the client receives the refusal.
const DRAIN_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long the rest of a refused request may be idle, in milliseconds.
const DRAIN_SILENCE_MS_MAX: i64 = 5_000;
/// How long the rest of a refused request may take, in milliseconds.
const DRAIN_MS_MAX: i64 = 60_000;
/// The pace of one client address: about 16 MiB in a second, after a burst of the largest refused request.
const CLIENT_PACE: DrainRate = DrainRate { bytes_per_ms: 16 * 1024, burst_bytes: DRAIN_BYTES_MAX as u64 };
/// The pace of the process.
const TOTAL_PACE: DrainRate = DrainRate { bytes_per_ms: 64 * 1024, burst_bytes: 4 * DRAIN_BYTES_MAX as u64 };
/// Most client addresses with a pace of their own; more share the pace of the process.
const CLIENTS_MAX: usize = 10_000;
/// How often idle clients make room, in milliseconds.
const PRUNE_MS: i64 = 1_000;

struct DrainRate {
    bytes_per_ms: u64,
    burst_bytes: u64,
}

/// The pace of discarded bytes, for each client address and for the process.
#[derive(Default)]
pub(crate) struct DrainPace(Mutex<DrainState>);

#[derive(Default)]
struct DrainState {
    total: DrainBacklog,
    clients: HashMap<IpAddr, DrainBacklog>,
    pruned_at: Time,
}

/// Bytes that were discarded ahead of a pace.
#[derive(Default)]
struct DrainBacklog {
    bytes: u64,
    at: Time,
}

impl DrainBacklog {
    /// Adds discarded bytes. Returns how long to wait before the next, in milliseconds.
    fn add(&mut self, bytes: u64, now: Time, rate: &DrainRate) -> i64 {
        let passed_ms = u64::try_from(now.since_ms(self.at)).unwrap_or(0);
        let left = self.bytes.saturating_sub(passed_ms.saturating_mul(rate.bytes_per_ms));
        *self = Self { bytes: left + bytes, at: self.at.max(now) };
        i64::try_from(self.bytes.saturating_sub(rate.burst_bytes) / rate.bytes_per_ms).unwrap_or(DRAIN_MS_MAX)
    }
}

impl DrainPace {
    /// Counts discarded bytes. Returns how long to wait before the next, in milliseconds.
    fn count(&self, client: IpAddr, bytes: usize, now: Time) -> i64 {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *guard;
        let total_ms = state.total.add(bytes as u64, now, &TOTAL_PACE);
        if state.clients.len() >= CLIENTS_MAX && !state.clients.contains_key(&client) {
            if now.since_ms(state.pruned_at) >= PRUNE_MS {
                state.clients.retain(|_, backlog| now.since_ms(backlog.at) < DRAIN_MS_MAX);
                state.pruned_at = now;
            }
            if state.clients.len() >= CLIENTS_MAX {
                return total_ms;
            }
        }
        state.clients.entry(client).or_default().add(bytes as u64, now, &CLIENT_PACE).max(total_ms)
    }

    /// Reads and discards the rest of a refused request.
    pub(crate) async fn drain(&self, clock: &dyn Clock, client: IpAddr, headers: &HeaderMap, body: &mut Body) {
        // A client that sent `Expect` has sent no body yet, and the refusal answers its question.
        if headers.contains_key(header::EXPECT) {
            return;
        }
        let until = clock.now().plus_ms(DRAIN_MS_MAX);
        let mut left = DRAIN_BYTES_MAX;
        while let Ok(Some(part)) = body::next(clock, body, DRAIN_SILENCE_MS_MAX, until).await {
            let Some(rest) = left.checked_sub(part.len()) else { return };
            left = rest;
            let now = clock.now();
            let next_at = now.plus_ms(self.count(client, part.len(), now));
            if next_at > until {
                return;
            }
            if next_at > now {
                clock.sleep_until(next_at).await;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_free_and_the_rest_has_a_pace() {
        let (pace, start) = (DrainPace::default(), Time::from_millis(1_000_000));
        let [one, other] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        assert_eq!(pace.count(one, DRAIN_BYTES_MAX, start), 0);
        assert_eq!(pace.count(one, 1024 * 1024, start), 64, "1 MiB at 16 KiB a millisecond");
        assert_eq!(pace.count(one, 1024 * 1024, start), 128, "all requests of a client share its pace");
        assert_eq!(pace.count(other, DRAIN_BYTES_MAX, start), 0, "another client has its own");
        assert_eq!(pace.count(one, 0, start.plus_ms(100)), 28);
        assert_eq!(pace.count(one, 0, start.plus_ms(-5_000)), 28, "a clock that goes back");
        assert_eq!(pace.count(one, DRAIN_BYTES_MAX, start.plus_ms(60_000)), 0, "a pause allows the next burst");
    }

    #[test]
    fn many_clients_share_the_pace_of_the_process() {
        let (pace, start) = (DrainPace::default(), Time::from_millis(1_000_000));
        for client in 0..4 {
            assert_eq!(pace.count(IpAddr::from([192, 0, 2, client]), DRAIN_BYTES_MAX, start), 0);
        }
        assert_eq!(pace.count(IpAddr::from([192, 0, 2, 4]), 1024 * 1024, start), 16, "1 MiB at 64 KiB a millisecond");
    }

    #[test]
    fn the_number_of_clients_is_bounded() {
        let (pace, start) = (DrainPace::default(), Time::from_millis(1_000_000));
        let client = |number: u32| IpAddr::from(number.to_be_bytes());
        for number in 0..20_000 {
            pace.count(client(number), 1, start);
        }
        assert_eq!(pace.0.lock().unwrap().clients.len(), CLIENTS_MAX);
        pace.count(client(0xffff_ffff), 1, start.plus_ms(DRAIN_MS_MAX));
        assert_eq!(pace.0.lock().unwrap().clients.len(), 1, "clients that were idle make room");
    }
}
