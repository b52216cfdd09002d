//! IP networks in CIDR form: `http.trusted_proxies`, `smtp.proxy_protocol_from`.

use std::{net::IpAddr, str::FromStr};

/// An IP network in CIDR form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    /// The network address.
    pub address: IpAddr,
    /// The prefix length in bits.
    pub prefix_bits: u8,
}

impl Network {
    /// Returns whether the address is in the network; IPv4-mapped IPv6 addresses count as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        use IpAddr::{V4, V6};
        match (self.address, address.to_canonical()) {
            (V4(own), V4(other)) => {
                is_same_prefix(u32::from(own).into(), u32::from(other).into(), 32, self.prefix_bits)
            }
            (V6(own), V6(other)) => is_same_prefix(own.into(), other.into(), 128, self.prefix_bits),
            _ => false,
        }
    }
}

fn is_same_prefix(a: u128, b: u128, width: u32, prefix_bits: u8) -> bool {
    let free = width.saturating_sub(u32::from(prefix_bits));
    free >= 128 || (a >> free) == (b >> free)
}

impl FromStr for Network {
    type Err = ();

    /// Parses `192.0.2.0/24`, `2001:db8::/32` or a single address.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| ())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix_bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| ()))?;
        if prefix_bits > most { Err(()) } else { Ok(Self { address, prefix_bits }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_parse_and_match_addresses() {
        let table = [
            ("192.0.2.0/24", "192.0.2.7", Some(true)),
            ("192.0.2.0/24", "::ffff:192.0.2.7", Some(true)),
            ("192.0.2.0/24", "192.0.3.7", Some(false)),
            ("10.1.2.3", "10.1.2.4", Some(false)),
            ("0.0.0.0/0", "203.0.113.9", Some(true)),
            ("::/0", "2001:db8::1", Some(true)),
            ("::/0", "192.0.2.7", Some(false)),
            ("2001:db8::/32", "2001:db8:1::1", Some(true)),
            ("192.0.2.0/33", "192.0.2.7", None),
            ("x/8", "192.0.2.7", None),
        ];
        for (network, address, expected) in table {
            let address: IpAddr = address.parse().expect("an address");
            let found = network.parse::<Network>().ok().map(|network| network.contains(address));
            assert_eq!(found, expected, "{network} {address}");
        }
    }
}
