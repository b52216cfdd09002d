//! Source address and EHLO name of outgoing connections (`delivery.source_addresses`, `delivery.helo_name`).
//!
//! Mail for a destination always uses the same source address, because greylisting servers recognize clients by
//! address.

use std::net::IpAddr;

use posthouse_domain::IpPreference;

use crate::{service::Service, settings::DeliveryConfig};

/// The source addresses for one destination.
pub(super) struct SourceAddresses<'a> {
    delivery: &'a DeliveryConfig,
    /// The EHLO name for source addresses without a configured name.
    default_helo: &'a str,
    /// A hash of the destination, which selects one of several source addresses.
    destination_hash: usize,
}

impl<'a> SourceAddresses<'a> {
    /// Returns the source addresses for mail to `destination`.
    pub(super) fn of(service: &'a Service, destination: &str) -> Self {
        let delivery = &service.config.delivery;
        let default_helo = delivery.helo_name.as_deref().unwrap_or(&service.config.hostname);
        let hash = destination.bytes().fold(0_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
        Self { delivery, default_helo, destination_hash: usize::try_from(hash).unwrap_or(0) }
    }

    /// Returns the preference between IPv4 and IPv6, restricted to families that have a source address.
    pub(super) fn choice(&self) -> IpPreference {
        let sources = &self.delivery.sources;
        let has = |v4: bool| sources.iter().any(|source| source.address.is_ipv4() == v4);
        self.delivery.ip_choice.of_ours(has(true), has(false))
    }

    /// Returns the source address for a peer (`None` lets the operating system choose) and the EHLO name.
    pub(super) fn for_peer(&self, peer: IpAddr) -> (Option<IpAddr>, String) {
        let same_family = || self.delivery.sources.iter().filter(|source| source.address.is_ipv4() == peer.is_ipv4());
        let count = same_family().count();
        let source = if count == 0 { None } else { same_family().nth(self.destination_hash % count) };
        let name = source.and_then(|source| source.helo.as_deref()).unwrap_or(self.default_helo);
        (source.map(|source| source.address), name.to_owned())
    }
}
