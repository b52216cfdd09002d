//! Checks whether a domain's SPF record, including its includes, allows this server (RFC 7208). Unlike the evaluation
//! in `posthouse_mail::auth`, this doesn't evaluate a specific sender address.

use std::net::IpAddr;

use posthouse_mail::auth::{DnsAnswer, DnsRecordType, DnsRecords};

use super::reader::{Need, Reader};

/// The maximum number of DNS lookups that evaluating a record may cause (RFC 7208 §4.6.4).
const LOOKUPS_MAX: usize = 10;

/// Whether an SPF record allows this server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpfListing {
    /// The record allows it.
    Listed,
    /// The record doesn't list it.
    NotListed,
    /// The record is invalid.
    Invalid,
    /// DNS didn't answer.
    Unknown,
}

/// Checks whether `record` allows `host`.
///
/// # Errors
/// Returns [`Need`] if a DNS answer is still missing.
pub(super) fn allows(record: &str, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<SpfListing, Need> {
    let mut lookups_left = LOOKUPS_MAX;
    evaluate(record, domain, host, reader, &mut lookups_left)
}

fn evaluate(
    record: &str,
    domain: &str,
    host: &str,
    reader: &mut Reader<'_>,
    lookups_left: &mut usize,
) -> Result<SpfListing, Need> {
    let mut outcome = SpfListing::NotListed;
    let mut redirect = None;
    for term in record.split(' ').filter(|term| !term.is_empty()).skip(1) {
        let lower = term.to_ascii_lowercase();
        let bare = lower.strip_prefix('+').unwrap_or(&lower);
        if bare.starts_with(['-', '~', '?']) {
            if &bare[1..] == "all" {
                return Ok(outcome);
            }
            continue;
        }
        let (name, value) = bare.split_once([':', '=']).unwrap_or((bare, ""));
        let verdict = match name {
            "all" => SpfListing::Listed,
            "a" => match count_lookup(lookups_left, || SpfListing::Listed) {
                SpfListing::Listed => evaluate_a(value, domain, host, reader)?,
                other => other,
            },
            "mx" => match count_lookup(lookups_left, || SpfListing::Listed) {
                SpfListing::Listed => evaluate_mx(strip_prefix_length(value), domain, host, reader)?,
                other => other,
            },
            "ip4" | "ip6" => evaluate_ip(value, host, reader)?,
            "include" => evaluate_include(value, host, reader, lookups_left)?,
            "redirect" => {
                redirect = Some(value.to_owned());
                continue;
            }
            "exists" | "ptr" => count_lookup(lookups_left, || SpfListing::NotListed),
            "exp" => SpfListing::NotListed,
            _ if bare.contains('=') => SpfListing::NotListed,
            _ => SpfListing::Invalid,
        };
        match verdict {
            SpfListing::NotListed => {}
            SpfListing::Unknown => outcome = SpfListing::Unknown,
            SpfListing::Listed | SpfListing::Invalid => return Ok(verdict),
        }
    }
    match redirect {
        Some(target) if outcome == SpfListing::NotListed => evaluate_include(&target, host, reader, lookups_left),
        _ => Ok(outcome),
    }
}

fn count_lookup(lookups_left: &mut usize, verdict: impl FnOnce() -> SpfListing) -> SpfListing {
    match lookups_left.checked_sub(1) {
        Some(rest) => {
            *lookups_left = rest;
            verdict()
        }
        None => SpfListing::Invalid,
    }
}

/// Evaluates `a`: matches this server's host name, or a name whose addresses cover all of this server's.
fn evaluate_a(value: &str, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<SpfListing, Need> {
    let target = strip_prefix_length(value);
    let target = if target.is_empty() { domain } else { target };
    if is_same_host(target, host) {
        return Ok(SpfListing::Listed);
    }
    if target.contains('%') {
        return Ok(SpfListing::NotListed);
    }
    let lengths = lengths(value);
    // Ask all questions before using an answer, so that they are sent together.
    let own = [reader.query(host, DnsRecordType::A), reader.query(host, DnsRecordType::Aaaa)];
    let theirs = [reader.query(target, DnsRecordType::A), reader.query(target, DnsRecordType::Aaaa)];
    let mut verdict = SpfListing::NotListed;
    for ((own, theirs), length) in own.into_iter().zip(theirs).zip([lengths.v4, lengths.v6]) {
        let (own, theirs) = (own?, theirs?);
        if *own == DnsAnswer::Failed || *theirs == DnsAnswer::Failed {
            return Ok(SpfListing::Unknown);
        }
        let (own, theirs) = (addresses(own), addresses(theirs));
        let is_near =
            |own: &IpAddr| theirs.iter().any(|other| network_prefix(*own, length) == network_prefix(*other, length));
        match own.iter().all(is_near) {
            true if own.is_empty() => {}
            true => verdict = SpfListing::Listed,
            false => return Ok(SpfListing::NotListed),
        }
    }
    Ok(verdict)
}

/// The prefix lengths of a mechanism, in bits.
struct PrefixLengths {
    v4: u32,
    v6: u32,
}

/// Parses the prefix lengths of `name/24//64` (RFC 7208 §5.6).
fn lengths(value: &str) -> PrefixLengths {
    let rest = value.split_once('/').map_or("", |(_, rest)| rest);
    let (v4, v6) = match rest.strip_prefix('/') {
        Some(v6) => ("", v6),
        None => rest.split_once("//").unwrap_or((rest, "")),
    };
    PrefixLengths { v4: v4.parse().unwrap_or(32).min(32), v6: v6.parse().unwrap_or(128).min(128) }
}

fn addresses(answer: &DnsAnswer) -> Vec<IpAddr> {
    match answer {
        DnsAnswer::Records(DnsRecords::A(list)) => list.iter().copied().map(IpAddr::V4).collect(),
        DnsAnswer::Records(DnsRecords::Aaaa(list)) => list.iter().copied().map(IpAddr::V6).collect(),
        _ => Vec::new(),
    }
}

fn evaluate_mx(value: &str, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<SpfListing, Need> {
    let target = if value.is_empty() { domain } else { value };
    Ok(match reader.query(target, DnsRecordType::Mx)? {
        DnsAnswer::Records(DnsRecords::Mx(hosts)) if hosts.iter().any(|(_, name)| is_same_host(name, host)) => {
            SpfListing::Listed
        }
        DnsAnswer::Failed => SpfListing::Unknown,
        _ => SpfListing::NotListed,
    })
}

fn evaluate_ip(value: &str, host: &str, reader: &mut Reader<'_>) -> Result<SpfListing, Need> {
    let (address, length) = value.split_once('/').unwrap_or((value, ""));
    let Ok(network) = address.parse::<IpAddr>() else { return Ok(SpfListing::Invalid) };
    let bits = if network.is_ipv4() { 32 } else { 128 };
    let length: u32 = if length.is_empty() { bits } else { length.parse().unwrap_or(u32::MAX) };
    if length > bits {
        return Ok(SpfListing::Invalid);
    }
    let kind = if network.is_ipv4() { DnsRecordType::A } else { DnsRecordType::Aaaa };
    let own = match reader.query(host, kind)? {
        DnsAnswer::Failed => return Ok(SpfListing::Unknown),
        answer => addresses(answer),
    };
    let within = |address: &IpAddr| network_prefix(*address, length) == network_prefix(network, length);
    Ok(if !own.is_empty() && own.iter().all(within) { SpfListing::Listed } else { SpfListing::NotListed })
}

/// Returns the first `length` bits.
fn network_prefix(address: IpAddr, length: u32) -> u128 {
    let (value, bits) = match address {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)), 32),
        IpAddr::V6(v6) => (u128::from(v6), 128),
    };
    value.checked_shr(bits - length).unwrap_or(0)
}

fn evaluate_include(
    target: &str,
    host: &str,
    reader: &mut Reader<'_>,
    lookups_left: &mut usize,
) -> Result<SpfListing, Need> {
    // The value of a macro depends on the message.
    if target.is_empty() || target.contains('%') {
        return Ok(if target.is_empty() { SpfListing::Invalid } else { SpfListing::NotListed });
    }
    if count_lookup(lookups_left, || SpfListing::Listed) == SpfListing::Invalid {
        return Ok(SpfListing::Invalid);
    }
    let records = match reader.query(target, DnsRecordType::Txt)? {
        DnsAnswer::Records(DnsRecords::Txt(texts)) => texts.iter().filter_map(|text| spf_text(text)).collect(),
        DnsAnswer::Failed => return Ok(SpfListing::Unknown),
        _ => Vec::new(),
    };
    match records.as_slice() {
        [one] => evaluate(one, target, host, reader, lookups_left),
        // An include with no record or several records is a permanent error (RFC 7208 §5.2).
        _ => Ok(SpfListing::Invalid),
    }
}

/// Returns the text if it is an SPF record (RFC 7208 §4.5).
pub(super) fn spf_text(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).trim().to_owned();
    let is_spf = text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("v=spf1"));
    (is_spf && matches!(text.as_bytes().get(6), None | Some(b' '))).then_some(text)
}

fn strip_prefix_length(value: &str) -> &str {
    value.split('/').next().unwrap_or(value)
}

fn is_same_host(name: &str, host: &str) -> bool {
    name.trim_end_matches('.').eq_ignore_ascii_case(host.trim_end_matches('.'))
}
