//! Evaluation of SPF records: terms in order, their DNS lookups and limits (RFC 7208 §4.6, §5, §6).

use super::macros::{SpfMacroString, SpfMacroValues};
use super::record::{self, SpfDirective, SpfMechanism, SpfQualifier, SpfRecord, SpfTarget};
use super::{SpfInput, SpfResult};
use crate::auth::dns::{
    DnsAddresses, DnsAnswer, DnsLookup, DnsLookupResult, DnsPending, DnsRecordType, DnsRecords, reverse_name,
};
use std::net::IpAddr;

/// Most terms that cause DNS lookups in one check (RFC 7208 §4.6.4).
const TERMS_WITH_LOOKUPS_MAX: usize = 10;

/// Most void lookups (without a result) in one check (RFC 7208 §4.6.4).
const VOID_LOOKUPS_MAX: usize = 2;

/// Most mail exchangers of one `mx`, and most names of one `ptr`, that are evaluated (RFC 7208 §4.6.4).
const HOSTS_MAX: usize = 10;

/// Why an evaluation can't continue.
pub(super) enum SpfAbort {
    Pending,
    Temp(String),
    Perm(String),
}

impl From<DnsPending> for SpfAbort {
    fn from(_: DnsPending) -> Self {
        Self::Pending
    }
}

/// The result of evaluating one record.
pub(super) struct SpfOutcome {
    pub(super) result: SpfResult,
    pub(super) reason: String,
    pub(super) explanation: Option<String>,
}

/// A running check, with its lookup counts.
pub(super) struct SpfCheck<'c, 'f> {
    input: SpfInput<'c>,
    lookup: &'c mut DnsLookup<'f>,
    terms: usize,
    voids: usize,
}

impl<'c, 'f> SpfCheck<'c, 'f> {
    /// Creates a check.
    pub(super) fn new(input: SpfInput<'c>, lookup: &'c mut DnsLookup<'f>) -> Self {
        Self { input, lookup, terms: 0, voids: 0 }
    }

    /// Runs `check_host()` for `domain`. Returns [`SpfResult::None`] if the domain has no record.
    pub(super) fn host(&mut self, domain: &str) -> Result<SpfOutcome, SpfAbort> {
        let Some(record) = self.record(domain)? else {
            return Ok(SpfOutcome { result: SpfResult::None, reason: "no SPF record".to_owned(), explanation: None });
        };
        if let Some((qualifier, name)) = self.first_match(&record, domain)? {
            let result = match qualifier {
                SpfQualifier::Pass => SpfResult::Pass,
                SpfQualifier::Fail => SpfResult::Fail,
                SpfQualifier::SoftFail => SpfResult::SoftFail,
                SpfQualifier::Neutral => SpfResult::Neutral,
            };
            let explanation = match (&record.exp, result) {
                (Some(exp), SpfResult::Fail) => self.explanation(exp, domain)?,
                _ => None,
            };
            return Ok(SpfOutcome { result, reason: format!("matched {name}"), explanation });
        }
        let Some(redirect) = &record.redirect else {
            return Ok(SpfOutcome {
                result: SpfResult::Neutral,
                reason: "nothing matched".to_owned(),
                explanation: None,
            });
        };
        self.count_term()?;
        let target = self.expand(redirect, domain)?;
        match self.host(&target)? {
            SpfOutcome { result: SpfResult::None, .. } => {
                Err(SpfAbort::Perm("redirect to a domain without SPF".to_owned()))
            }
            outcome => Ok(outcome),
        }
    }

    fn record(&mut self, domain: &str) -> Result<Option<SpfRecord>, SpfAbort> {
        let texts = match self.lookup.txt(domain)? {
            DnsLookupResult::Records(texts) => texts,
            DnsLookupResult::NoSuchName => return Ok(None),
            DnsLookupResult::Failed => return Err(SpfAbort::Temp(format!("DNS failed for {domain}"))),
        };
        let mut claims = texts.iter().filter(|text| record::is_spf(text));
        let Some(text) = claims.next() else {
            return Ok(None);
        };
        if claims.next().is_some() {
            return Err(SpfAbort::Perm(format!("more than one SPF record at {domain}")));
        }
        match SpfRecord::parse(text) {
            Ok(record) => Ok(Some(record)),
            Err(record::SpfSyntaxError(term)) => Err(SpfAbort::Perm(format!("syntax error at {domain}: {term}"))),
        }
    }

    /// Returns the first matching directive (§4.6.2). Directives after a pending one are evaluated only to collect
    /// their questions.
    fn first_match(
        &mut self,
        record: &SpfRecord,
        domain: &str,
    ) -> Result<Option<(SpfQualifier, &'static str)>, SpfAbort> {
        let mut pending = false;
        for SpfDirective { qualifier, mechanism } in &record.directives {
            match self.matches(mechanism, domain) {
                Err(SpfAbort::Pending) => pending = true,
                // A result after a pending directive doesn't count yet: the pending one may match first.
                Ok(true) | Err(_) if pending => break,
                Ok(true) => return Ok(Some((*qualifier, mechanism_name(mechanism)))),
                Ok(false) => {}
                Err(stop) => return Err(stop),
            }
        }
        if pending { Err(SpfAbort::Pending) } else { Ok(None) }
    }

    fn matches(&mut self, mechanism: &SpfMechanism, domain: &str) -> Result<bool, SpfAbort> {
        match mechanism {
            SpfMechanism::All => Ok(true),
            SpfMechanism::Ip4(network, bits) => Ok(in_network(self.input.client_ip, IpAddr::V4(*network), *bits)),
            SpfMechanism::Ip6(network, bits) => Ok(in_network(self.input.client_ip, IpAddr::V6(*network), *bits)),
            SpfMechanism::Include(target) => self.include(target, domain),
            SpfMechanism::A(target) => self.a(target, domain),
            SpfMechanism::Mx(target) => self.mx(target, domain),
            SpfMechanism::Ptr(target) => self.ptr(target.as_ref(), domain),
            SpfMechanism::Exists(target) => self.exists(target, domain),
        }
    }

    fn include(&mut self, target: &SpfMacroString, domain: &str) -> Result<bool, SpfAbort> {
        self.count_term()?;
        let target = self.expand(target, domain)?;
        match self.host(&target)?.result {
            SpfResult::Pass => Ok(true),
            SpfResult::Fail | SpfResult::SoftFail | SpfResult::Neutral => Ok(false),
            _ => Err(SpfAbort::Perm(format!("included domain without SPF: {target}"))),
        }
    }

    fn a(&mut self, target: &SpfTarget, domain: &str) -> Result<bool, SpfAbort> {
        self.count_term()?;
        let host = self.target_domain(target.domain.as_ref(), domain)?;
        let addresses = self.addresses(&host)?;
        self.count_void(addresses.is_empty())?;
        Ok(self.any_in_network(&addresses, target))
    }

    fn mx(&mut self, target: &SpfTarget, domain: &str) -> Result<bool, SpfAbort> {
        self.count_term()?;
        let host = self.target_domain(target.domain.as_ref(), domain)?;
        let exchangers = match self.lookup.query(&host, DnsRecordType::Mx)? {
            DnsAnswer::Records(DnsRecords::Mx(list)) => list.as_slice(),
            DnsAnswer::Failed => return Err(SpfAbort::Temp(format!("DNS failed for {host}"))),
            _ => &[],
        };
        self.count_void(exchangers.is_empty())?;
        if exchangers.len() > HOSTS_MAX {
            return Err(SpfAbort::Perm(format!("more than {HOSTS_MAX} mail exchangers at {host}")));
        }
        let mut pending = false;
        for (_, exchanger) in exchangers {
            match self.addresses(exchanger) {
                Ok(addresses) if !pending && self.any_in_network(&addresses, target) => {
                    return Ok(true);
                }
                Err(SpfAbort::Pending) => pending = true,
                Err(stop) if !pending => return Err(stop),
                _ => {}
            }
        }
        if pending { Err(SpfAbort::Pending) } else { Ok(false) }
    }

    fn ptr(&mut self, target: Option<&SpfMacroString>, domain: &str) -> Result<bool, SpfAbort> {
        self.count_term()?;
        let suffix = self.target_domain(target, domain)?;
        let names = self.validated_names()?;
        Ok(names.iter().any(|name| is_at_or_below(name, &suffix)))
    }

    fn exists(&mut self, target: &SpfMacroString, domain: &str) -> Result<bool, SpfAbort> {
        self.count_term()?;
        let host = self.expand(target, domain)?;
        // `exists` always queries A, whatever the address family of the client (§5.7).
        let found = match self.lookup.query(&host, DnsRecordType::A)? {
            DnsAnswer::Records(DnsRecords::A(list)) => !list.is_empty(),
            DnsAnswer::Failed => return Err(SpfAbort::Temp(format!("DNS failed for {host}"))),
            _ => false,
        };
        self.count_void(!found)?;
        Ok(found)
    }

    /// Returns the client's names whose addresses include the client's (§5.5). A name whose lookup fails is left out.
    fn validated_names(&mut self) -> Result<Vec<String>, DnsPending> {
        let reverse = reverse_name(self.input.client_ip);
        let DnsAnswer::Records(DnsRecords::Ptr(names)) = self.lookup.query(&reverse, DnsRecordType::Ptr)? else {
            return Ok(Vec::new());
        };
        let mut validated = Vec::new();
        let mut pending = false;
        for name in names.iter().take(HOSTS_MAX) {
            match self.lookup.addresses(name, self.input.client_ip) {
                Ok(DnsAddresses::Records(list)) if list.contains(&self.input.client_ip) => {
                    validated.push(name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase());
                }
                Err(DnsPending) => pending = true,
                Ok(_) => {}
            }
        }
        if pending { Err(DnsPending) } else { Ok(validated) }
    }

    /// Returns the value of `%{p}` (§7.3): the domain itself, else a name below it, else any name, else `unknown`.
    fn client_name(&mut self, domain: &str) -> Result<String, DnsPending> {
        let names = self.validated_names()?;
        let best = names
            .iter()
            .find(|name| name.eq_ignore_ascii_case(domain))
            .or_else(|| names.iter().find(|name| is_at_or_below(name, domain)))
            .or_else(|| names.first());
        Ok(best.map_or_else(|| "unknown".to_owned(), Clone::clone))
    }

    /// Returns the published explanation (§6.2), or `None` if it can't be fetched or parsed.
    fn explanation(&mut self, exp: &SpfMacroString, domain: &str) -> Result<Option<String>, DnsPending> {
        let host = self.expand(exp, domain)?;
        let DnsLookupResult::Records([text]) = self.lookup.txt(&host)? else {
            return Ok(None);
        };
        let Some(parsed) = std::str::from_utf8(text).ok().and_then(SpfMacroString::parse_explanation) else {
            return Ok(None);
        };
        let client_name = self.name_if_needed(&parsed, domain)?;
        Ok(Some(parsed.expand_text(&self.values(domain, &client_name))))
    }

    fn target_domain(&mut self, target: Option<&SpfMacroString>, domain: &str) -> Result<String, DnsPending> {
        match target {
            Some(target) => self.expand(target, domain),
            None => Ok(domain.to_owned()),
        }
    }

    fn expand(&mut self, target: &SpfMacroString, domain: &str) -> Result<String, DnsPending> {
        let client_name = self.name_if_needed(target, domain)?;
        Ok(target.expand_domain(&self.values(domain, &client_name)))
    }

    fn name_if_needed(&mut self, text: &SpfMacroString, domain: &str) -> Result<String, DnsPending> {
        if text.needs_client_name() { self.client_name(domain) } else { Ok(String::new()) }
    }

    fn values<'v>(&'v self, domain: &'v str, client_name: &'v str) -> SpfMacroValues<'v> {
        SpfMacroValues {
            local_part: self.input.local_part,
            sender_domain: self.input.domain,
            domain,
            client_ip: self.input.client_ip,
            helo: self.input.helo,
            receiver: self.input.receiver,
            now_s: self.input.now_s,
            client_name,
        }
    }

    fn addresses(&mut self, host: &str) -> Result<Vec<IpAddr>, SpfAbort> {
        match self.lookup.addresses(host, self.input.client_ip)? {
            DnsAddresses::Records(list) => Ok(list),
            DnsAddresses::Failed => Err(SpfAbort::Temp(format!("DNS failed for {host}"))),
        }
    }

    fn any_in_network(&self, addresses: &[IpAddr], target: &SpfTarget) -> bool {
        let client = self.input.client_ip;
        let bits = if client.is_ipv4() { target.prefix4 } else { target.prefix6 };
        addresses.iter().any(|address| in_network(client, *address, bits))
    }

    fn count_term(&mut self) -> Result<(), SpfAbort> {
        self.terms += 1;
        if self.terms > TERMS_WITH_LOOKUPS_MAX {
            return Err(SpfAbort::Perm(format!("more than {TERMS_WITH_LOOKUPS_MAX} terms that need DNS lookups")));
        }
        Ok(())
    }

    fn count_void(&mut self, void: bool) -> Result<(), SpfAbort> {
        self.voids += usize::from(void);
        if self.voids > VOID_LOOKUPS_MAX {
            return Err(SpfAbort::Perm(format!("more than {VOID_LOOKUPS_MAX} DNS lookups without a result")));
        }
        Ok(())
    }
}

fn mechanism_name(mechanism: &SpfMechanism) -> &'static str {
    match mechanism {
        SpfMechanism::All => "all",
        SpfMechanism::Include(_) => "include",
        SpfMechanism::A(_) => "a",
        SpfMechanism::Mx(_) => "mx",
        SpfMechanism::Ptr(_) => "ptr",
        SpfMechanism::Ip4(..) => "ip4",
        SpfMechanism::Ip6(..) => "ip6",
        SpfMechanism::Exists(_) => "exists",
    }
}

fn is_at_or_below(name: &str, domain: &str) -> bool {
    let (name, domain) = (name.to_ascii_lowercase(), domain.to_ascii_lowercase());
    name.strip_suffix(&domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn in_network(ip: IpAddr, network: IpAddr, bits: u8) -> bool {
    match (ip, network) {
        (IpAddr::V4(ip), IpAddr::V4(network)) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits.min(32))).unwrap_or(0);
            (ip.to_bits() ^ network.to_bits()) & mask == 0
        }
        (IpAddr::V6(ip), IpAddr::V6(network)) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits.min(128))).unwrap_or(0);
            (ip.to_bits() ^ network.to_bits()) & mask == 0
        }
        _ => false,
    }
}
