//! The order in which mail exchangers and their addresses are tried (RFC 5321 §5.1, RFC 7505).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most hosts of one destination that an attempt looks at.
pub const HOSTS_MAX: usize = 10;

/// Why the mail exchangers of a domain cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRoute {
    /// The domain says that it takes no mail (RFC 7505).
    NullMx,
    /// We are the best mail exchanger ourselves, and do not serve the domain (RFC 5321 §5.1).
    Loop,
}

impl NoRoute {
    /// The enhanced status code.
    #[must_use]
    pub const fn enhanced_code(self) -> &'static str {
        match self {
            Self::NullMx => "5.1.10",
            Self::Loop => "5.4.6",
        }
    }

    /// A sentence for people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NullMx => "the domain accepts no mail (null MX)",
            Self::Loop => "mail for the domain loops back to this server: its MX records name this host",
        }
    }
}

/// The hosts by preference, lowest first. Among equals the start moves with `rotation`, so that the attempts of a mail, and
/// several mails, reach all of them without a random number. `own` is our host name: it and what is not better are left out.
///
/// # Errors
/// [`NoRoute`] where nothing is left.
pub fn exchangers(records: &[(u16, String)], own: &str, rotation: u64) -> Result<Vec<String>, NoRoute> {
    let mut named: Vec<(u16, String)> = records
        .iter()
        .map(|(preference, host)| (*preference, host.trim_end_matches('.').to_ascii_lowercase()))
        .filter(|(_, host)| !host.is_empty())
        .collect();
    if named.is_empty() {
        return Err(NoRoute::NullMx);
    }
    named.sort();
    named.dedup_by(|a, b| a.1 == b.1);
    if let Some(ours) = named.iter().find(|(_, host)| host == &own.to_ascii_lowercase()).map(|(p, _)| *p) {
        named.retain(|(preference, _)| *preference < ours);
        if named.is_empty() {
            return Err(NoRoute::Loop);
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

/// Which addresses of a host are used (`delivery.ip_preference`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IpChoice {
    /// IPv4 first: more receivers refuse IPv6 senders without a reverse name than are reachable by IPv6 alone.
    #[default]
    PreferV4,
    /// IPv6 first.
    PreferV6,
    /// IPv4 alone.
    OnlyV4,
    /// IPv6 alone.
    OnlyV6,
}

impl IpChoice {
    /// The same, of families that we have an address of to send from.
    #[must_use]
    pub const fn of_ours(self, v4: bool, v6: bool) -> Self {
        match (v4, v6) {
            (true, false) => Self::OnlyV4,
            (false, true) => Self::OnlyV6,
            _ => self,
        }
    }
}

/// The addresses in the order in which they are tried, at most `most`; where a host has both kinds, half are of the other one,
/// so that a family that does not work from here is no end.
#[must_use]
pub fn addresses_in_order(v4: &[Ipv4Addr], v6: &[Ipv6Addr], choice: IpChoice, most: usize) -> Vec<IpAddr> {
    let v4 = || v4.iter().copied().map(IpAddr::from);
    let v6 = || v6.iter().copied().map(IpAddr::from);
    let (first, second): (Vec<IpAddr>, Vec<IpAddr>) = match choice {
        IpChoice::PreferV4 => (v4().collect(), v6().collect()),
        IpChoice::PreferV6 => (v6().collect(), v4().collect()),
        IpChoice::OnlyV4 => (v4().collect(), Vec::new()),
        IpChoice::OnlyV6 => (v6().collect(), Vec::new()),
    };
    let of_second = second.len().min(most / 2);
    let of_first = first.len().min(most - of_second);
    first.into_iter().take(of_first).chain(second.into_iter().take(most - of_first)).collect()
}
