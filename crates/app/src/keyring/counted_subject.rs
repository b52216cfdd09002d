//! What limits by UTC day count (`posthouse_domain::daily_limit`): client addresses and mailboxes, as keyed hashes, so that the
//! table of usage has no addresses.

use std::net::{IpAddr, Ipv6Addr};

use posthouse_domain::{Refusal, WorkspaceId};
use uuid::Uuid;

use crate::{keyring::instance_key::AddressKey, service::Service};

/// The length of a hash (HMAC-SHA256).
const HASH_BYTES: usize = 32;

/// Returns the keyed hash of what a limit counts.
///
/// # Errors
/// Returns an error if the instance key can't be read.
pub(crate) fn counted_subject(service: &Service, text: &str) -> Result<Vec<u8>, Refusal> {
    Ok(subject_of(&service.address_key()?, text))
}

/// Returns the keyed hash of what a limit counts, with the key at hand.
pub(crate) fn subject_of(key: &AddressKey, text: &str) -> Vec<u8> {
    key.digest(WorkspaceId(Uuid::nil()), text)
}

/// What limits count for a client network: its hash and, for IPv6, that of the site that it may be a part of (/48), which
/// has 256 such networks and is given away freely by tunnel brokers (RFC 6177).
///
/// # Errors
/// Returns an error if the instance key can't be read.
pub(crate) fn counted_network(service: &Service, network: IpAddr) -> Result<Vec<u8>, Refusal> {
    let mut counted = counted_subject(service, &network.to_string())?;
    if let IpAddr::V6(v6) = network {
        let site = Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 80));
        counted.extend(counted_subject(service, &format!("site {site}"))?);
    }
    Ok(counted)
}

/// Splits what [`counted_network`] returns into the network and its site.
pub(crate) fn network_and_site(counted: &[u8]) -> (&[u8], Option<&[u8]>) {
    counted
        .split_at_checked(HASH_BYTES)
        .map_or((counted, None), |(network, site)| (network, Some(site).filter(|site| !site.is_empty())))
}
