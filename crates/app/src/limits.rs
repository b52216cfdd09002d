//! Shared resources of the process: threads for CPU-heavy work, storage health, write pressure; the rate limiter, the
//! budgets, and the storage of a workspace.

pub mod blocking_pool;
pub mod confirmations;
pub mod connectors;
pub mod directory;
pub mod exhausted_log;
pub mod fixed_window;
pub mod in_flight;
pub mod requests;
pub(crate) mod service_mails;
pub mod shared_budget;
pub mod sign_in;
pub mod smtp_content;
pub mod storage_health;
pub mod storage_limit;
pub mod storage_probe;
pub mod unknown_keys;
pub mod uploads;
pub mod write_pressure;

use std::net::{IpAddr, Ipv6Addr};

/// Returns the network that counts as one client address: IPv6 by /56, because one site has that many addresses
/// (RFC 6177).
#[must_use]
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 72))),
    }
}
