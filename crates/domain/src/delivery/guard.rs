//! Recognizes special-purpose addresses (IANA registries, RFC 6890), and public addresses behind which a cloud keeps the
//! metadata of its machines. Mail and HTTP requests are not sent there unless the operator allows it; otherwise a remote
//! domain's DNS could direct this server at its own network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Special-purpose IPv4 networks with their prefix lengths.
const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Azure answers here with the secrets of the machine that asks.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// Special-purpose networks within 2000::/3. Everything outside of it counts as special-purpose.
const SPECIAL_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Returns whether the address is loopback, private, link-local, multicast or otherwise not on the public internet.
/// Addresses that embed an IPv4 address are judged by that address.
#[must_use]
pub fn is_special_purpose(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_special_v4(v4),
        IpAddr::V6(v6) => is_special_v6(v6),
    }
}

fn is_special_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    SPECIAL_V4.iter().any(|(network, prefix)| (bits ^ u32::from(*network)) >> (32 - prefix) == 0)
}

fn is_special_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| is_special_v4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    match (a, b) {
        // NAT64 (RFC 6052) and 6to4 (RFC 3056).
        (0x64, 0xff9b) if [c, d, e, f] == [0; 4] => return v4(g, h),
        (0x2002, _) => return v4(b, c),
        _ => {}
    }
    let bits = u128::from(address);
    a & 0xe000 != 0x2000
        || SPECIAL_V6.iter().any(|(network, prefix)| (bits ^ u128::from(*network)) >> (128 - prefix) == 0)
}
