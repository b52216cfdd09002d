//! The order in which mail exchangers and their addresses are tried (RFC 5321 §5.1, RFC 7505).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The maximum number of hosts of a destination that an attempt considers.
pub const HOSTS_MAX: usize = 10;

/// Why a domain's mail exchangers can't be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MxRouteError {
    /// The domain accepts no mail (RFC 7505).
    NullMx,
    /// This server is the preferred mail exchanger, but doesn't serve the domain (RFC 5321 §5.1).
    Loop,
}

impl MxRouteError {
    /// Returns the enhanced status code.
    #[must_use]
    pub const fn enhanced_code(self) -> &'static str {
        match self {
            Self::NullMx => "5.1.10",
            Self::Loop => "5.4.6",
        }
    }

    /// Returns a readable explanation.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NullMx => "the domain accepts no mail (null MX)",
            Self::Loop => "mail for the domain loops back to this server: its MX records name this host",
        }
    }
}

/// Returns the hosts by preference, lowest first. Hosts of equal preference are rotated by `rotation`, so that
/// successive attempts and messages reach all of them without random numbers. This server's host, `own`, and hosts that
/// are not preferred to it are left out.
///
/// # Errors
/// Returns [`MxRouteError`] if no host is left.
pub fn exchangers(records: &[(u16, String)], own: &str, rotation: u64) -> Result<Vec<String>, MxRouteError> {
    let mut named: Vec<(u16, String)> = records
        .iter()
        .map(|(preference, host)| (*preference, host.trim_end_matches('.').to_ascii_lowercase()))
        .filter(|(_, host)| !host.is_empty())
        .collect();
    if named.is_empty() {
        return Err(MxRouteError::NullMx);
    }
    named.sort();
    named.dedup_by(|a, b| a.1 == b.1);
    if let Some(ours) = named.iter().find(|(_, host)| host == &own.to_ascii_lowercase()).map(|(p, _)| *p) {
        named.retain(|(preference, _)| *preference < ours);
        if named.is_empty() {
            return Err(MxRouteError::Loop);
        }
    }
    let mut hosts = Vec::with_capacity(named.len());
    for group in named.chunk_by(|a, b| a.0 == b.0) {
        let start = usize::try_from(rotation % group.len() as u64).unwrap_or(0);
        hosts.extend(group[start..].iter().chain(&group[..start]).map(|(_, host)| host.clone()));
    }
    hosts.truncate(HOSTS_MAX);
    Ok(hosts)
}

/// Which IP addresses of a host are used (`delivery.ip_preference`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IpPreference {
    /// IPv4 first: fewer receivers are reachable by IPv6 only than reject IPv6 senders without a reverse DNS name.
    #[default]
    PreferV4,
    /// IPv6 first.
    PreferV6,
    /// IPv4 only.
    OnlyV4,
    /// IPv6 only.
    OnlyV6,
}

impl IpPreference {
    /// Restricts the choice to the families for which this server has an address to send from.
    #[must_use]
    pub const fn of_ours(self, v4: bool, v6: bool) -> Self {
        match (v4, v6) {
            (true, false) => Self::OnlyV4,
            (false, true) => Self::OnlyV6,
            _ => self,
        }
    }
}

/// Returns the addresses in the order to try, at most `most`. If the host has both families, up to half are of the
/// second one, so that a family without connectivity doesn't fail the attempt.
#[must_use]
pub fn addresses_in_order(v4: &[Ipv4Addr], v6: &[Ipv6Addr], choice: IpPreference, most: usize) -> Vec<IpAddr> {
    let v4 = || v4.iter().copied().map(IpAddr::from);
    let v6 = || v6.iter().copied().map(IpAddr::from);
    let (first, second): (Vec<IpAddr>, Vec<IpAddr>) = match choice {
        IpPreference::PreferV4 => (v4().collect(), v6().collect()),
        IpPreference::PreferV6 => (v6().collect(), v4().collect()),
        IpPreference::OnlyV4 => (v4().collect(), Vec::new()),
        IpPreference::OnlyV6 => (v6().collect(), Vec::new()),
    };
    let of_second = second.len().min(most / 2);
    let of_first = first.len().min(most - of_second);
    first.into_iter().take(of_first).chain(second.into_iter().take(most - of_first)).collect()
}
