//! The addresses of a host, for every outbound connection.

use std::net::IpAddr;

use posthouse_domain::{IpPreference, delivery::addresses_in_order, delivery::is_special_purpose};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};

use super::Dns;

/// The maximum number of addresses tried per host.
const ADDRESSES_PER_HOST_MAX: usize = 4;

/// The result of an address lookup for a host.
pub enum HostAddresses {
    /// Addresses to connect to, in order.
    Found(Vec<IpAddr>),
    /// The name does not exist or has no address.
    None {
        /// Whether the name itself does not exist.
        no_such_name: bool,
    },
    /// All addresses are in private or special-purpose networks.
    Guarded,
    /// All addresses belong to a family (IPv4 or IPv6) that the configuration excludes.
    OtherKind,
    /// The DNS lookup failed.
    Failed,
}

/// Looks up the addresses of a host in the order of `choice`. `guarded` excludes private and special-purpose networks.
pub async fn host_addresses(dns: &dyn Dns, host: &str, guarded: bool, choice: IpPreference) -> HostAddresses {
    let (v4, v6) = tokio::join!(
        dns.lookup(DnsQuestion::new(host, DnsRecordType::A)),
        dns.lookup(DnsQuestion::new(host, DnsRecordType::Aaaa)),
    );
    let failed = v4 == DnsAnswer::Failed || v6 == DnsAnswer::Failed;
    let no_such_name = v4 == DnsAnswer::NoSuchName && v6 == DnsAnswer::NoSuchName;
    let mut v4 = if let DnsAnswer::Records(DnsRecords::A(list)) = v4 { list } else { Vec::new() };
    let mut v6 = if let DnsAnswer::Records(DnsRecords::Aaaa(list)) = v6 { list } else { Vec::new() };
    if v4.is_empty() && v6.is_empty() {
        return if failed { HostAddresses::Failed } else { HostAddresses::None { no_such_name } };
    }
    if guarded {
        v4.retain(|address| !is_special_purpose((*address).into()));
        v6.retain(|address| !is_special_purpose((*address).into()));
    }
    let found = addresses_in_order(&v4, &v6, choice, ADDRESSES_PER_HOST_MAX);
    match (found.is_empty(), v4.is_empty() && v6.is_empty(), failed) {
        (false, _, _) => HostAddresses::Found(found),
        (true, true, _) => HostAddresses::Guarded,
        (true, false, true) => HostAddresses::Failed,
        (true, false, false) => HostAddresses::OtherKind,
    }
}
