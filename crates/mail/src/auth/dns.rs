//! DNS as values: the questions that an evaluation needs answered, and the answers gathered so far.
//!
//! Never does a DNS lookup. An evaluation reads [`DnsFacts`] and reports the questions that they don't answer; the
//! caller looks them up and evaluates again.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most distinct DNS questions for one message. SPF alone may legitimately cause about 20, and over 100 in hostile
/// cases (RFC 7208 §4.6.4); questions beyond this limit count as temporary failures.
pub const DNS_QUESTIONS_MAX: usize = 100;

/// Most evaluation rounds that a caller should run before [`super::AuthVerification::conclude`]. Each nested SPF
/// include needs one round; ordinary mail needs two to four.
pub const DNS_ROUNDS_MAX: usize = 16;

/// Longest domain name in text form, without the root's dot (RFC 1035 §2.3.4).
const NAME_BYTES_MAX: usize = 253;

/// Longest label of a domain name (RFC 1035 §2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// The record type of a [`DnsQuestion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DnsRecordType {
    /// Text records.
    Txt,
    /// Mail exchangers.
    Mx,
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// Host names of an address; the question's name is the reverse name (`4.3.2.1.in-addr.arpa`).
    Ptr,
    /// Nameservers of a zone.
    Ns,
}

/// A DNS question.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DnsQuestion {
    /// The name in lower case, without a trailing dot. It comes from mail or DNS: its labels have valid RFC 1035
    /// lengths, but may hold any printable ASCII character.
    pub name: String,
    /// The record type.
    pub kind: DnsRecordType,
}

impl DnsQuestion {
    /// Creates a question about `name`, normalized to lower case without a trailing dot.
    #[must_use]
    pub fn new(name: &str, kind: DnsRecordType) -> Self {
        let name = name.strip_suffix('.').unwrap_or(name);
        Self { name: name.to_ascii_lowercase(), kind }
    }
}

/// Records of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DnsRecords {
    /// Text records; the strings of each record are joined without a separator (RFC 7208 §3.3, RFC 6376 §3.6.2.2).
    Txt(Vec<Vec<u8>>),
    /// Preference and host of each mail exchanger.
    Mx(Vec<(u16, String)>),
    /// IPv4 addresses.
    A(Vec<Ipv4Addr>),
    /// IPv6 addresses.
    Aaaa(Vec<Ipv6Addr>),
    /// Host names of an address.
    Ptr(Vec<String>),
    /// Nameservers of a zone.
    Ns(Vec<String>),
}

/// The answer to a [`DnsQuestion`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DnsAnswer {
    /// Records of the requested type, in the order received.
    Records(DnsRecords),
    /// The name does not exist (NXDOMAIN).
    NoSuchName,
    /// The name exists, but has no record of the requested type.
    NoData,
    /// No usable answer: timeout, SERVFAIL or REFUSED. A retry may succeed.
    Failed,
}

/// The DNS answers gathered so far for one message.
#[derive(Debug, Clone, Default)]
pub struct DnsFacts {
    answers: HashMap<DnsQuestion, DnsAnswer>,
}

impl DnsFacts {
    /// Creates an empty set of facts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores the answer to a question. Replaces an earlier answer to the same question.
    pub fn insert(&mut self, question: DnsQuestion, answer: DnsAnswer) {
        self.answers.insert(question, answer);
    }

    /// Returns the answer to a question, if it is known.
    #[must_use]
    pub fn get(&self, question: &DnsQuestion) -> Option<&DnsAnswer> {
        self.answers.get(question)
    }

    /// Returns the number of answered questions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Returns true if no question is answered yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}

/// The evaluation can't continue before a missing question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DnsPending;

/// Looks up answers in the facts during one evaluation, and collects the questions that they don't answer.
#[derive(Debug)]
pub(crate) struct DnsLookup<'f> {
    facts: &'f DnsFacts,
    missing: Vec<DnsQuestion>,
    /// If true, an unknown answer counts as a temporary failure instead of becoming a question.
    conclude: bool,
}

impl<'f> DnsLookup<'f> {
    /// Reads `facts`. With `conclude`, no question is ever missing.
    pub(crate) fn new(facts: &'f DnsFacts, conclude: bool) -> Self {
        Self { facts, missing: Vec::new(), conclude }
    }

    /// Returns the missing questions, without duplicates.
    pub(crate) fn into_missing(self) -> Vec<DnsQuestion> {
        self.missing
    }

    /// Returns the answer for `name` and `kind`. A name that no DNS message can hold counts as nonexistent.
    pub(crate) fn query(&mut self, name: &str, kind: DnsRecordType) -> Result<&'f DnsAnswer, DnsPending> {
        if !is_queryable(name) {
            return Ok(&DnsAnswer::NoSuchName);
        }
        let question = DnsQuestion::new(name, kind);
        if let Some(answer) = self.facts.get(&question) {
            return Ok(answer);
        }
        if self.conclude || self.facts.len() >= DNS_QUESTIONS_MAX {
            return Ok(&DnsAnswer::Failed);
        }
        let within_limit = self.facts.len() + self.missing.len() < DNS_QUESTIONS_MAX;
        if within_limit && !self.missing.contains(&question) {
            self.missing.push(question);
        }
        Err(DnsPending)
    }

    /// Returns the text records of `name`.
    pub(crate) fn txt(&mut self, name: &str) -> Result<DnsLookupResult<'f, Vec<u8>>, DnsPending> {
        Ok(match self.query(name, DnsRecordType::Txt)? {
            DnsAnswer::Records(DnsRecords::Txt(list)) => DnsLookupResult::Records(list),
            other => DnsLookupResult::without_records(other),
        })
    }

    /// Returns the addresses of `name` in the address family of `like`.
    pub(crate) fn addresses(&mut self, name: &str, like: IpAddr) -> Result<DnsAddresses, DnsPending> {
        let kind = if like.is_ipv4() { DnsRecordType::A } else { DnsRecordType::Aaaa };
        Ok(match self.query(name, kind)? {
            DnsAnswer::Records(DnsRecords::A(list)) => {
                DnsAddresses::Records(list.iter().copied().map(IpAddr::from).collect())
            }
            DnsAnswer::Records(DnsRecords::Aaaa(list)) => {
                DnsAddresses::Records(list.iter().copied().map(IpAddr::from).collect())
            }
            DnsAnswer::Failed => DnsAddresses::Failed,
            _ => DnsAddresses::Records(Vec::new()),
        })
    }
}

/// The result of a lookup for records of type `T`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DnsLookupResult<'f, T> {
    /// The records; may be empty.
    Records(&'f [T]),
    /// The name does not exist.
    NoSuchName,
    /// The lookup failed temporarily.
    Failed,
}

impl<T> DnsLookupResult<'_, T> {
    fn without_records(answer: &DnsAnswer) -> Self {
        match answer {
            DnsAnswer::Failed => DnsLookupResult::Failed,
            DnsAnswer::NoSuchName => DnsLookupResult::NoSuchName,
            DnsAnswer::NoData | DnsAnswer::Records(_) => DnsLookupResult::Records(&[]),
        }
    }
}

/// The result of an address lookup.
#[derive(Debug)]
pub(crate) enum DnsAddresses {
    /// The addresses; may be empty.
    Records(Vec<IpAddr>),
    /// The lookup failed temporarily.
    Failed,
}

/// Returns true if the name is ASCII and a DNS message can hold it (RFC 1035 §2.3.4).
pub(crate) fn is_queryable(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    !name.is_empty()
        && name.is_ascii()
        && name.len() <= NAME_BYTES_MAX
        && name.split('.').all(|label| !label.is_empty() && label.len() <= LABEL_BYTES_MAX)
}

/// Returns the reverse name of an address (RFC 1035 §3.5, RFC 3596 §2.5).
pub(crate) fn reverse_name(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(v4) => {
            let [a, b, c, d] = v4.octets();
            format!("{d}.{c}.{b}.{a}.in-addr.arpa")
        }
        IpAddr::V6(v6) => {
            let mut name = String::with_capacity(72);
            for octet in v6.octets().iter().rev() {
                name.push_str(&format!("{:x}.{:x}.", octet & 0xf, octet >> 4));
            }
            name + "ip6.arpa"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_fit_dns_are_not_queried() {
        let long_label = format!("{}.example", "a".repeat(64));
        let long_name = "abcdefg.".repeat(32);
        for name in ["", ".", "a..b", "ü.example", long_label.as_str(), long_name.as_str()] {
            assert!(!is_queryable(name), "{name}");
        }
        for name in ["example", "example.", "a b%.example", "_dmarc.example"] {
            assert!(is_queryable(name), "{name}");
        }
    }

    #[test]
    fn reverse_names_depend_on_the_address_family() {
        assert_eq!(reverse_name(IpAddr::from([1, 2, 3, 4])), "4.3.2.1.in-addr.arpa");
        let v6: IpAddr = "2001:db8::1".parse().expect("a literal address");
        assert_eq!(reverse_name(v6), "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa");
    }

    #[test]
    fn the_number_of_questions_is_bounded() {
        let mut facts = DnsFacts::new();
        let mut lookup = DnsLookup::new(&facts, false);
        for n in 0..DNS_QUESTIONS_MAX + 5 {
            assert!(lookup.query(&format!("n{n}.example"), DnsRecordType::A).is_err());
        }
        let missing = lookup.into_missing();
        assert_eq!(missing.len(), DNS_QUESTIONS_MAX);
        for question in missing {
            facts.insert(question, DnsAnswer::NoData);
        }
        let mut lookup = DnsLookup::new(&facts, false);
        assert_eq!(lookup.query("another.example", DnsRecordType::A), Ok(&DnsAnswer::Failed));
        assert!(lookup.into_missing().is_empty());
    }
}
