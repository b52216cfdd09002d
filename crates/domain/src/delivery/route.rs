//! The order in which mail exchangers are tried (RFC 5321 §5.1, RFC 7505).

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
