//! Greylisting of received mail (RFC 6647): unknown senders are deferred, and accepted once they retry. Pure: the
//! stored records are passed in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use posthouse_mail::address::Address;
use sha2::{Digest as _, Sha256};

use crate::time::{DAY_MS, Time};

/// How long after the first attempt a sender may retry, in milliseconds.
pub const RETRY_WINDOW_MS: i64 = 2 * DAY_MS;
/// How long a network stays known after its last mail, in milliseconds.
pub const KNOWN_MS: i64 = 36 * DAY_MS;
/// The shortest time between updates of a known network's expiry, in milliseconds.
pub const RENEWAL_INTERVAL_MS: i64 = DAY_MS;
/// The maximum number of rows that are kept. Those that expire first are removed first.
pub const ROWS_MAX: u32 = 200_000;

/// The stored record of a network or of a triplet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GreylistRecord {
    /// When it was first seen.
    pub seen_at: Time,
    /// When it passed by retrying in time, if it did.
    pub passed_at: Option<Time>,
    pub expires_at: Time,
}

/// The decision about a message, and the record to store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GreylistDecision {
    /// Accept; nothing to store.
    Accept,
    /// Accept, and extend the network's expiry.
    AcceptAndRenew,
    /// Accept: the sender retried in time, and its network is known from now on.
    AcceptAndRemember,
    /// Defer, and store the triplet.
    Defer,
    /// Defer: the retry came too early.
    DeferEarly,
}

/// Decides from the records of the client's network and of its triplet (network, sender and recipient). `delay_ms` is
/// the shortest wait before a retry is accepted.
#[must_use]
pub fn step(
    network: Option<GreylistRecord>,
    triplet: Option<GreylistRecord>,
    delay_ms: i64,
    now: Time,
) -> GreylistDecision {
    let live = |record: &GreylistRecord| now < record.expires_at;
    if let Some(known) = network.filter(live).filter(|record| record.passed_at.is_some()) {
        let fresh = known.expires_at.since_ms(now) > KNOWN_MS - RENEWAL_INTERVAL_MS;
        return if fresh { GreylistDecision::Accept } else { GreylistDecision::AcceptAndRenew };
    }
    match triplet.filter(live) {
        None => GreylistDecision::Defer,
        Some(seen) if now.since_ms(seen.seen_at) < delay_ms => GreylistDecision::DeferEarly,
        Some(_) => GreylistDecision::AcceptAndRemember,
    }
}

/// Returns the network that counts as one client, because large senders retry from neighboring addresses.
#[must_use]
pub fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & !0xff)),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
    }
}

/// Returns the storage key of a network.
#[must_use]
pub fn network_key(client: IpAddr) -> [u8; 32] {
    Sha256::digest(format!("network {}", network(client))).into()
}

/// Returns the storage key of a triplet of network, sender and recipient.
#[must_use]
pub fn triplet_key(client: IpAddr, sender: &Address, recipient: &Address) -> [u8; 32] {
    let text = format!("{} {} {}", network(client), sender.canonical_str(), recipient.canonical_str());
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Time {
        Time::from_millis(ms)
    }

    fn record(seen: i64, passed: Option<i64>, expires: i64) -> Option<GreylistRecord> {
        Some(GreylistRecord { seen_at: at(seen), passed_at: passed.map(at), expires_at: at(expires) })
    }

    #[test]
    fn sender_that_retries_in_time_is_accepted() {
        let seen = record(1_000, None, RETRY_WINDOW_MS);
        let known = record(0, Some(0), KNOWN_MS);
        for (network, triplet, now, expected) in [
            (None, None, 0, GreylistDecision::Defer),
            (None, seen, 1_000, GreylistDecision::DeferEarly),
            (None, seen, 60_999, GreylistDecision::DeferEarly),
            (None, seen, 61_000, GreylistDecision::AcceptAndRemember),
            (None, seen, RETRY_WINDOW_MS - 1, GreylistDecision::AcceptAndRemember),
            (None, seen, RETRY_WINDOW_MS, GreylistDecision::Defer),
            (known, None, 5, GreylistDecision::Accept),
            (known, None, RENEWAL_INTERVAL_MS, GreylistDecision::AcceptAndRenew),
            (known, None, KNOWN_MS - 1, GreylistDecision::AcceptAndRenew),
            (known, None, KNOWN_MS, GreylistDecision::Defer),
            (seen, None, 2_000, GreylistDecision::Defer),
        ] {
            assert_eq!(step(network, triplet, 60_000, at(now)), expected, "{network:?} {triplet:?} at {now}");
        }
    }

    #[test]
    fn neighboring_addresses_share_a_key_and_so_do_equal_addresses() {
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        let address = |text: &str| text.parse::<Address>().expect("an address");
        assert_eq!(network_key(ip("192.0.2.1")), network_key(ip("::ffff:192.0.2.250")));
        assert_ne!(network_key(ip("192.0.2.1")), network_key(ip("192.0.3.1")));
        assert_eq!(network(ip("2001:db8::1")), network(ip("2001:db8::ffff:1")));
        let key = |from: &str| triplet_key(ip("192.0.2.1"), &address(from), &address("b@c.example"));
        assert_eq!(key("Ada@bücher.example"), key("ada@xn--bcher-kva.example"));
        assert_ne!(key("ada@b.example"), key("eve@b.example"));
    }
}
