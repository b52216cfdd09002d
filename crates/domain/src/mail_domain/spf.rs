//! Whether a domain's SPF record lets this server send (RFC 7208): read as a person would, down its includes. What a
//! receiver will say about one address is another question, answered by `mail::auth`.

use std::net::IpAddr;

use posthouse_mail::auth::{Answer, QuestionKind, Records};

use super::judge::{Need, Reader};

/// DNS look-ups that a record may cause (RFC 7208 §4.6.4).
const LOOKUPS_MAX: usize = 10;

/// What the record says about this server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It may send.
    Allows,
    /// The record does not name it.
    Silent,
    /// There is no way to read the record.
    Broken,
    /// DNS gave no answer on the way.
    Unknown,
}

/// Looks for this server in a record.
///
/// # Errors
/// The questions that have no answer yet.
pub(super) fn allows(record: &str, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<Verdict, Need> {
    let mut left = LOOKUPS_MAX;
    walk(record, domain, host, reader, &mut left)
}

fn walk(record: &str, domain: &str, host: &str, reader: &mut Reader<'_>, left: &mut usize) -> Result<Verdict, Need> {
    let mut outcome = Verdict::Silent;
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
            "all" => Verdict::Allows,
            "a" => match spend(left, || Verdict::Allows) {
                Verdict::Allows => a(value, domain, host, reader)?,
                other => other,
            },
            "mx" => match spend(left, || Verdict::Allows) {
                Verdict::Allows => mx(strip_prefix_length(value), domain, host, reader)?,
                other => other,
            },
            "ip4" | "ip6" => ip(value, host, reader)?,
            "include" => included(value, host, reader, left)?,
            "redirect" => {
                redirect = Some(value.to_owned());
                continue;
            }
            "exists" | "ptr" => spend(left, || Verdict::Silent),
            "exp" => Verdict::Silent,
            _ if bare.contains('=') => Verdict::Silent,
            _ => Verdict::Broken,
        };
        match verdict {
            Verdict::Silent => {}
            Verdict::Unknown => outcome = Verdict::Unknown,
            Verdict::Allows | Verdict::Broken => return Ok(verdict),
        }
    }
    match redirect {
        Some(target) if outcome == Verdict::Silent => included(&target, host, reader, left),
        _ => Ok(outcome),
    }
}

fn spend(left: &mut usize, verdict: impl FnOnce() -> Verdict) -> Verdict {
    match left.checked_sub(1) {
        Some(rest) => {
            *left = rest;
            verdict()
        }
        None => Verdict::Broken,
    }
}

/// Our name, or another that has all our addresses.
fn a(value: &str, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<Verdict, Need> {
    let target = strip_prefix_length(value);
    let target = if target.is_empty() { domain } else { target };
    if same(target, host) {
        return Ok(Verdict::Allows);
    }
    if target.contains('%') {
        return Ok(Verdict::Silent);
    }
    let (v4_length, v6_length) = lengths(value);
    // All are asked for before any is needed, so that their questions go out together.
    let own = [reader.ask(host, QuestionKind::A), reader.ask(host, QuestionKind::Aaaa)];
    let theirs = [reader.ask(target, QuestionKind::A), reader.ask(target, QuestionKind::Aaaa)];
    let mut verdict = Verdict::Silent;
    for ((own, theirs), length) in own.into_iter().zip(theirs).zip([v4_length, v6_length]) {
        let (own, theirs) = (own?, theirs?);
        if *own == Answer::Failed || *theirs == Answer::Failed {
            return Ok(Verdict::Unknown);
        }
        let (own, theirs) = (addresses(own), addresses(theirs));
        let is_near = |own: &IpAddr| theirs.iter().any(|other| shifted(*own, length) == shifted(*other, length));
        match own.iter().all(is_near) {
            true if own.is_empty() => {}
            true => verdict = Verdict::Allows,
            false => return Ok(Verdict::Silent),
        }
    }
    Ok(verdict)
}

/// The prefix lengths of `name/24//64` (RFC 7208 §5.6).
fn lengths(value: &str) -> (u32, u32) {
    let rest = value.split_once('/').map_or("", |(_, rest)| rest);
    let (v4, v6) = match rest.strip_prefix('/') {
        Some(v6) => ("", v6),
        None => rest.split_once("//").unwrap_or((rest, "")),
    };
    (v4.parse().unwrap_or(32).min(32), v6.parse().unwrap_or(128).min(128))
}

fn addresses(answer: &Answer) -> Vec<IpAddr> {
    match answer {
        Answer::Records(Records::A(list)) => list.iter().copied().map(IpAddr::V4).collect(),
        Answer::Records(Records::Aaaa(list)) => list.iter().copied().map(IpAddr::V6).collect(),
        _ => Vec::new(),
    }
}

fn mx(value: &str, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<Verdict, Need> {
    let target = if value.is_empty() { domain } else { value };
    Ok(match reader.ask(target, QuestionKind::Mx)? {
        Answer::Records(Records::Mx(hosts)) if hosts.iter().any(|(_, name)| same(name, host)) => Verdict::Allows,
        Answer::Failed => Verdict::Unknown,
        _ => Verdict::Silent,
    })
}

fn ip(value: &str, host: &str, reader: &mut Reader<'_>) -> Result<Verdict, Need> {
    let (address, length) = value.split_once('/').unwrap_or((value, ""));
    let Ok(network) = address.parse::<IpAddr>() else { return Ok(Verdict::Broken) };
    let bits = if network.is_ipv4() { 32 } else { 128 };
    let length: u32 = if length.is_empty() { bits } else { length.parse().unwrap_or(u32::MAX) };
    if length > bits {
        return Ok(Verdict::Broken);
    }
    let kind = if network.is_ipv4() { QuestionKind::A } else { QuestionKind::Aaaa };
    let own = match reader.ask(host, kind)? {
        Answer::Failed => return Ok(Verdict::Unknown),
        answer => addresses(answer),
    };
    let within = |address: &IpAddr| shifted(*address, length) == shifted(network, length);
    Ok(if !own.is_empty() && own.iter().all(within) { Verdict::Allows } else { Verdict::Silent })
}

/// The first `length` bits.
fn shifted(address: IpAddr, length: u32) -> u128 {
    let (value, bits) = match address {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)), 32),
        IpAddr::V6(v6) => (u128::from(v6), 128),
    };
    value.checked_shr(bits - length).unwrap_or(0)
}

fn included(target: &str, host: &str, reader: &mut Reader<'_>, left: &mut usize) -> Result<Verdict, Need> {
    // A target with macros depends on the mail.
    if target.is_empty() || target.contains('%') {
        return Ok(if target.is_empty() { Verdict::Broken } else { Verdict::Silent });
    }
    if spend(left, || Verdict::Allows) == Verdict::Broken {
        return Ok(Verdict::Broken);
    }
    let records = match reader.ask(target, QuestionKind::Txt)? {
        Answer::Records(Records::Txt(texts)) => texts.iter().filter_map(|text| spf_text(text)).collect(),
        Answer::Failed => return Ok(Verdict::Unknown),
        _ => Vec::new(),
    };
    match records.as_slice() {
        [one] => walk(one, target, host, reader, left),
        // An include without a record, or with two, breaks the whole record (RFC 7208 §5.2).
        _ => Ok(Verdict::Broken),
    }
}

/// The text of an SPF record, if it claims to be one (RFC 7208 §4.5).
pub(super) fn spf_text(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).trim().to_owned();
    let is_spf = text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("v=spf1"));
    (is_spf && matches!(text.as_bytes().get(6), None | Some(b' '))).then_some(text)
}

fn strip_prefix_length(value: &str) -> &str {
    value.split('/').next().unwrap_or(value)
}

fn same(name: &str, host: &str) -> bool {
    name.trim_end_matches('.').eq_ignore_ascii_case(host.trim_end_matches('.'))
}
