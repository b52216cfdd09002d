//! The evaluation of SPF records: terms in order, their look-ups and limits (RFC 7208 §4.6, §5, §6).

use super::macros::{MacroString, MacroValues};
use super::record::{self, Directive, Mechanism, Qualifier, Record, Target};
use super::{SpfInput, SpfResult};
use crate::auth::dns::{Addresses, Answer, Found, Lookup, Pending, QuestionKind, Records, reverse_name};
use std::net::IpAddr;

/// Most terms that cause look-ups in one check (RFC 7208 §4.6.4).
const TERMS_WITH_LOOKUPS_MAX: usize = 10;

/// Most look-ups without a result in one check (RFC 7208 §4.6.4).
const VOID_LOOKUPS_MAX: usize = 2;

/// Most mail exchangers of one `mx`, and most names of one `ptr`, that are looked at (RFC 7208 §4.6.4).
const HOSTS_MAX: usize = 10;

/// Why an evaluation cannot go on.
pub(super) enum Stop {
    Pending,
    Temp(String),
    Perm(String),
}

impl From<Pending> for Stop {
    fn from(_: Pending) -> Self {
        Self::Pending
    }
}

/// What one record gives.
pub(super) struct Outcome {
    pub(super) result: SpfResult,
    pub(super) reason: String,
    pub(super) explanation: Option<String>,
}

/// One check with its running counts.
pub(super) struct Check<'c, 'f> {
    input: SpfInput<'c>,
    lookup: &'c mut Lookup<'f>,
    terms: usize,
    voids: usize,
}

impl<'c, 'f> Check<'c, 'f> {
    /// A check that has not begun.
    pub(super) fn new(input: SpfInput<'c>, lookup: &'c mut Lookup<'f>) -> Self {
        Self { input, lookup, terms: 0, voids: 0 }
    }

    /// `check_host()` for `domain`; [`SpfResult::None`] where it has no record.
    pub(super) fn host(&mut self, domain: &str) -> Result<Outcome, Stop> {
        let Some(record) = self.record(domain)? else {
            return Ok(Outcome { result: SpfResult::None, reason: "no SPF record".to_owned(), explanation: None });
        };
        if let Some((qualifier, name)) = self.first_match(&record, domain)? {
            let result = match qualifier {
                Qualifier::Pass => SpfResult::Pass,
                Qualifier::Fail => SpfResult::Fail,
                Qualifier::SoftFail => SpfResult::SoftFail,
                Qualifier::Neutral => SpfResult::Neutral,
            };
            let explanation = match (&record.exp, result) {
                (Some(exp), SpfResult::Fail) => self.explanation(exp, domain)?,
                _ => None,
            };
            return Ok(Outcome { result, reason: format!("matched {name}"), explanation });
        }
        let Some(redirect) = &record.redirect else {
            return Ok(Outcome { result: SpfResult::Neutral, reason: "nothing matched".to_owned(), explanation: None });
        };
        self.count_term()?;
        let target = self.expand(redirect, domain)?;
        match self.host(&target)? {
            Outcome { result: SpfResult::None, .. } => Err(Stop::Perm("redirect to a domain without SPF".to_owned())),
            outcome => Ok(outcome),
        }
    }

    fn record(&mut self, domain: &str) -> Result<Option<Record>, Stop> {
        let texts = match self.lookup.txt(domain)? {
            Found::Records(texts) => texts,
            Found::NoSuchName => return Ok(None),
            Found::Failed => return Err(Stop::Temp(format!("DNS failed for {domain}"))),
        };
        let mut claims = texts.iter().filter(|text| record::is_spf(text));
        let Some(text) = claims.next() else {
            return Ok(None);
        };
        if claims.next().is_some() {
            return Err(Stop::Perm(format!("more than one SPF record at {domain}")));
        }
        match Record::parse(text) {
            Ok(record) => Ok(Some(record)),
            Err(record::Malformed(term)) => Err(Stop::Perm(format!("syntax error at {domain}: {term}"))),
        }
    }

    /// The first matching directive in order (§4.6.2). Later directives are walked only to name their questions.
    fn first_match(&mut self, record: &Record, domain: &str) -> Result<Option<(Qualifier, &'static str)>, Stop> {
        let mut pending = false;
        for Directive { qualifier, mechanism } in &record.directives {
            match self.matches(mechanism, domain) {
                Err(Stop::Pending) => pending = true,
                // After a gap nothing later counts yet: it may never be reached.
                Ok(true) | Err(_) if pending => break,
                Ok(true) => return Ok(Some((*qualifier, mechanism_name(mechanism)))),
                Ok(false) => {}
                Err(stop) => return Err(stop),
            }
        }
        if pending { Err(Stop::Pending) } else { Ok(None) }
    }

    fn matches(&mut self, mechanism: &Mechanism, domain: &str) -> Result<bool, Stop> {
        match mechanism {
            Mechanism::All => Ok(true),
            Mechanism::Ip4(network, bits) => Ok(in_network(self.input.client_ip, IpAddr::V4(*network), *bits)),
            Mechanism::Ip6(network, bits) => Ok(in_network(self.input.client_ip, IpAddr::V6(*network), *bits)),
            Mechanism::Include(target) => self.include(target, domain),
            Mechanism::A(target) => self.a(target, domain),
            Mechanism::Mx(target) => self.mx(target, domain),
            Mechanism::Ptr(target) => self.ptr(target.as_ref(), domain),
            Mechanism::Exists(target) => self.exists(target, domain),
        }
    }

    fn include(&mut self, target: &MacroString, domain: &str) -> Result<bool, Stop> {
        self.count_term()?;
        let target = self.expand(target, domain)?;
        match self.host(&target)?.result {
            SpfResult::Pass => Ok(true),
            SpfResult::Fail | SpfResult::SoftFail | SpfResult::Neutral => Ok(false),
            _ => Err(Stop::Perm(format!("included domain without SPF: {target}"))),
        }
    }

    fn a(&mut self, target: &Target, domain: &str) -> Result<bool, Stop> {
        self.count_term()?;
        let host = self.target_domain(target.domain.as_ref(), domain)?;
        let addresses = self.addresses(&host)?;
        self.count_void(addresses.is_empty())?;
        Ok(self.any_in_network(&addresses, target))
    }

    fn mx(&mut self, target: &Target, domain: &str) -> Result<bool, Stop> {
        self.count_term()?;
        let host = self.target_domain(target.domain.as_ref(), domain)?;
        let exchangers = match self.lookup.ask(&host, QuestionKind::Mx)? {
            Answer::Records(Records::Mx(list)) => list.as_slice(),
            Answer::Failed => return Err(Stop::Temp(format!("DNS failed for {host}"))),
            _ => &[],
        };
        self.count_void(exchangers.is_empty())?;
        if exchangers.len() > HOSTS_MAX {
            return Err(Stop::Perm(format!("more than {HOSTS_MAX} mail exchangers at {host}")));
        }
        let mut pending = false;
        for (_, exchanger) in exchangers {
            match self.addresses(exchanger) {
                Ok(addresses) if !pending && self.any_in_network(&addresses, target) => {
                    return Ok(true);
                }
                Err(Stop::Pending) => pending = true,
                Err(stop) if !pending => return Err(stop),
                _ => {}
            }
        }
        if pending { Err(Stop::Pending) } else { Ok(false) }
    }

    fn ptr(&mut self, target: Option<&MacroString>, domain: &str) -> Result<bool, Stop> {
        self.count_term()?;
        let suffix = self.target_domain(target, domain)?;
        let names = self.validated_names()?;
        Ok(names.iter().any(|name| is_at_or_below(name, &suffix)))
    }

    fn exists(&mut self, target: &MacroString, domain: &str) -> Result<bool, Stop> {
        self.count_term()?;
        let host = self.expand(target, domain)?;
        // An A question whatever the family of the client (§5.7).
        let found = match self.lookup.ask(&host, QuestionKind::A)? {
            Answer::Records(Records::A(list)) => !list.is_empty(),
            Answer::Failed => return Err(Stop::Temp(format!("DNS failed for {host}"))),
            _ => false,
        };
        self.count_void(!found)?;
        Ok(found)
    }

    /// Names of the client whose addresses include the client (§5.5). DNS failures only make names fewer.
    fn validated_names(&mut self) -> Result<Vec<String>, Pending> {
        let reverse = reverse_name(self.input.client_ip);
        let Answer::Records(Records::Ptr(names)) = self.lookup.ask(&reverse, QuestionKind::Ptr)? else {
            return Ok(Vec::new());
        };
        let mut validated = Vec::new();
        let mut pending = false;
        for name in names.iter().take(HOSTS_MAX) {
            match self.lookup.addresses(name, self.input.client_ip) {
                Ok(Addresses::Records(list)) if list.contains(&self.input.client_ip) => {
                    validated.push(name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase());
                }
                Err(Pending) => pending = true,
                Ok(_) => {}
            }
        }
        if pending { Err(Pending) } else { Ok(validated) }
    }

    /// The value of `%{p}` (§7.3): the domain itself, else a name below it, else any, else `unknown`.
    fn client_name(&mut self, domain: &str) -> Result<String, Pending> {
        let names = self.validated_names()?;
        let best = names
            .iter()
            .find(|name| name.eq_ignore_ascii_case(domain))
            .or_else(|| names.iter().find(|name| is_at_or_below(name, domain)))
            .or_else(|| names.first());
        Ok(best.map_or_else(|| "unknown".to_owned(), Clone::clone))
    }

    /// The published explanation (§6.2). Whatever is wrong with it, there is then none.
    fn explanation(&mut self, exp: &MacroString, domain: &str) -> Result<Option<String>, Pending> {
        let host = self.expand(exp, domain)?;
        let Found::Records([text]) = self.lookup.txt(&host)? else {
            return Ok(None);
        };
        let Some(parsed) = std::str::from_utf8(text).ok().and_then(MacroString::parse_explanation) else {
            return Ok(None);
        };
        let client_name = self.name_if_needed(&parsed, domain)?;
        Ok(Some(parsed.expand_text(&self.values(domain, &client_name))))
    }

    fn target_domain(&mut self, target: Option<&MacroString>, domain: &str) -> Result<String, Pending> {
        match target {
            Some(target) => self.expand(target, domain),
            None => Ok(domain.to_owned()),
        }
    }

    fn expand(&mut self, target: &MacroString, domain: &str) -> Result<String, Pending> {
        let client_name = self.name_if_needed(target, domain)?;
        Ok(target.expand_domain(&self.values(domain, &client_name)))
    }

    fn name_if_needed(&mut self, text: &MacroString, domain: &str) -> Result<String, Pending> {
        if text.needs_client_name() { self.client_name(domain) } else { Ok(String::new()) }
    }

    fn values<'v>(&'v self, domain: &'v str, client_name: &'v str) -> MacroValues<'v> {
        MacroValues {
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

    fn addresses(&mut self, host: &str) -> Result<Vec<IpAddr>, Stop> {
        match self.lookup.addresses(host, self.input.client_ip)? {
            Addresses::Records(list) => Ok(list),
            Addresses::Failed => Err(Stop::Temp(format!("DNS failed for {host}"))),
        }
    }

    fn any_in_network(&self, addresses: &[IpAddr], target: &Target) -> bool {
        let client = self.input.client_ip;
        let bits = if client.is_ipv4() { target.prefix4 } else { target.prefix6 };
        addresses.iter().any(|address| in_network(client, *address, bits))
    }

    fn count_term(&mut self) -> Result<(), Stop> {
        self.terms += 1;
        if self.terms > TERMS_WITH_LOOKUPS_MAX {
            return Err(Stop::Perm(format!("more than {TERMS_WITH_LOOKUPS_MAX} terms with look-ups")));
        }
        Ok(())
    }

    fn count_void(&mut self, void: bool) -> Result<(), Stop> {
        self.voids += usize::from(void);
        if self.voids > VOID_LOOKUPS_MAX {
            return Err(Stop::Perm(format!("more than {VOID_LOOKUPS_MAX} look-ups without a result")));
        }
        Ok(())
    }
}

fn mechanism_name(mechanism: &Mechanism) -> &'static str {
    match mechanism {
        Mechanism::All => "all",
        Mechanism::Include(_) => "include",
        Mechanism::A(_) => "a",
        Mechanism::Mx(_) => "mx",
        Mechanism::Ptr(_) => "ptr",
        Mechanism::Ip4(..) => "ip4",
        Mechanism::Ip6(..) => "ip6",
        Mechanism::Exists(_) => "exists",
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
