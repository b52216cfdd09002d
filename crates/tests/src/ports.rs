//! Ports for programs that must know theirs before they listen.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    net::{Ipv4Addr, TcpListener},
};

/// The first of the ports, and their number. They are below those that the kernel chooses for port 0 and for outgoing
/// connections (32,768 and more), and below those of `scripts/test-postgres.sh` (20,000 and more).
const FIRST: u16 = 10_000;
const COUNT: u16 = 10_000;

/// Returns a loopback port that is free, and that stays free until the caller's program listens: other programs let
/// the kernel choose, and it chooses elsewhere.
///
/// # Panics
/// Panics if no port can be bound.
#[must_use]
pub fn unused_port() -> u16 {
    (0..COUNT)
        .map(|_| FIRST + u16::try_from(RandomState::new().build_hasher().finish() % u64::from(COUNT)).unwrap_or(0))
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .expect("loopback has free ports")
}
