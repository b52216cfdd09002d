//! Greylisting (RFC 6647): who is not known is told to come back, and who comes back is known. Pure; what is remembered of
//! a client, a sender and a recipient is passed in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use posthouse_mail::address::Address;
use sha2::{Digest as _, Sha256};

use crate::time::{DAY_MS, Time};

/// How long somebody who was told to come back may take for it, in milliseconds.
pub const RETURN_MS: i64 = 2 * DAY_MS;
/// How long a network that came back is known, from its last mail on, in milliseconds.
pub const KNOWN_MS: i64 = 36 * DAY_MS;
/// A network's time is written anew at most this often, in milliseconds.
pub const RENEW_MS: i64 = DAY_MS;
/// Most rows that are kept; the ones that would end first go first.
pub const ROWS_MAX: u32 = 200_000;

/// What is remembered under a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// First seen.
    pub seen_at: Time,
    /// When it came back in time, if it did.
    pub passed_at: Option<Time>,
    /// Forgotten then.
    pub expires_at: Time,
}

/// What becomes of a mail, and what is to be remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It is taken; nothing changes.
    Known,
    /// It is taken, and the network's time begins anew.
    Renew,
    /// It is taken: it came back in time, and its network is known from now on.
    Pass,
    /// It has to come back, and that is to be remembered.
    Begin,
    /// It came back too early.
    Early,
}

/// Decides by what is remembered of the client's network, and of network, sender and recipient together. `delay_ms` is how
/// long somebody must have waited.
#[must_use]
pub fn step(network: Option<Memory>, triplet: Option<Memory>, delay_ms: i64, now: Time) -> Step {
    let live = |memory: &Memory| now < memory.expires_at;
    if let Some(known) = network.filter(live).filter(|memory| memory.passed_at.is_some()) {
        let fresh = known.expires_at.since_ms(now) > KNOWN_MS - RENEW_MS;
        return if fresh { Step::Known } else { Step::Renew };
    }
    match triplet.filter(live) {
        None => Step::Begin,
        Some(seen) if now.since_ms(seen.seen_at) < delay_ms => Step::Early,
        Some(_) => Step::Pass,
    }
}

/// The network that counts as one client: large senders come back from a neighbouring address.
#[must_use]
pub fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & !0xff)),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
    }
}

/// What a network is remembered by.
#[must_use]
pub fn network_key(client: IpAddr) -> [u8; 32] {
    Sha256::digest(format!("network {}", network(client))).into()
}

/// What a network, a sender and a recipient are remembered by.
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

    fn memory(seen: i64, passed: Option<i64>, expires: i64) -> Option<Memory> {
        Some(Memory { seen_at: at(seen), passed_at: passed.map(at), expires_at: at(expires) })
    }

    #[test]
    fn who_comes_back_in_time_is_known() {
        let seen = memory(1_000, None, RETURN_MS);
        let known = memory(0, Some(0), KNOWN_MS);
        for (network, triplet, now, expected) in [
            (None, None, 0, Step::Begin),
            (None, seen, 1_000, Step::Early),
            (None, seen, 60_999, Step::Early),
            (None, seen, 61_000, Step::Pass),
            (None, seen, RETURN_MS - 1, Step::Pass),
            (None, seen, RETURN_MS, Step::Begin),
            (known, None, 5, Step::Known),
            (known, None, RENEW_MS, Step::Renew),
            (known, None, KNOWN_MS - 1, Step::Renew),
            (known, None, KNOWN_MS, Step::Begin),
            (seen, None, 2_000, Step::Begin),
        ] {
            assert_eq!(step(network, triplet, 60_000, at(now)), expected, "{network:?} {triplet:?} at {now}");
        }
    }

    #[test]
    fn neighbours_are_one_client_and_spellings_one_address() {
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
