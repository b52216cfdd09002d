//! Whether a domain's SPF record allows this server, as receivers evaluate it (RFC 7208).

use std::net::{IpAddr, Ipv4Addr};

use posthouse_mail::auth::{DnsAnswer, DnsFacts, DnsQuestion, DnsRecordType, DnsRecords, SpfResult, check_spf};

use super::reader::{Need, Reader};

/// The address that this server is assumed to have if its name has none (RFC 5737).
const ASSUMED_ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);

/// Whether an SPF record allows this server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SpfListing {
    /// The record allows all addresses of the server.
    Allowed,
    /// The record doesn't allow an address.
    NotAllowed,
    /// Receivers can't evaluate the record. The text is the reason.
    Invalid(String),
    /// DNS didn't answer.
    Unknown,
}

/// Evaluates the record of `domain` for each address of `host`.
///
/// # Errors
/// Returns [`Need`] if a DNS answer is still missing.
pub(super) fn evaluate(domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<SpfListing, Need> {
    // Ask all questions before using an answer, so that they are sent together.
    let own = [reader.query(host, DnsRecordType::A), reader.query(host, DnsRecordType::Aaaa)];
    let mut clients: Vec<IpAddr> = Vec::new();
    for answer in own {
        match answer? {
            DnsAnswer::Records(DnsRecords::A(list)) => clients.extend(list.iter().copied().map(IpAddr::V4)),
            DnsAnswer::Records(DnsRecords::Aaaa(list)) => clients.extend(list.iter().copied().map(IpAddr::V6)),
            DnsAnswer::Failed => return Ok(SpfListing::Unknown),
            _ => {}
        }
    }
    let assumed = clients.is_empty().then(|| with_assumed_address(reader.facts, host));
    if assumed.is_some() {
        clients.push(ASSUMED_ADDRESS.into());
    }
    let mut listings = Vec::new();
    for client in clients {
        match check_spf(domain, client, host, assumed.as_ref().unwrap_or(reader.facts)) {
            Ok(verdict) => listings.push(match verdict.result {
                SpfResult::Pass => SpfListing::Allowed,
                SpfResult::PermError => SpfListing::Invalid(verdict.reason),
                SpfResult::TempError => SpfListing::Unknown,
                _ => SpfListing::NotAllowed,
            }),
            Err(questions) => reader.need(questions),
        }
    }
    if !reader.missing.is_empty() {
        return Err(Need);
    }
    Ok(listings.into_iter().find(|listing| *listing != SpfListing::Allowed).unwrap_or(SpfListing::Allowed))
}

fn with_assumed_address(facts: &DnsFacts, host: &str) -> DnsFacts {
    let mut facts = facts.clone();
    let answer = DnsAnswer::Records(DnsRecords::A(vec![ASSUMED_ADDRESS]));
    facts.insert(DnsQuestion::new(host, DnsRecordType::A), answer);
    facts
}

/// Returns one record that has the terms of all records and allows `host`.
pub(super) fn merged(records: &[String], host: &str) -> String {
    let own = format!("a:{host}");
    let (mut terms, mut end) = (vec![own.as_str()], None);
    for term in records.iter().flat_map(|record| record.split_whitespace().skip(1)) {
        let mechanism = term.trim_start_matches(['+', '-', '~', '?']).to_ascii_lowercase();
        if mechanism == "all" || mechanism.starts_with("redirect=") {
            end = end.or(Some(term));
        } else if mechanism != own && !terms.contains(&term) {
            terms.push(term);
        }
    }
    format!("v=spf1 {} {}", terms.join(" "), end.unwrap_or("~all"))
}

/// Returns the text if receivers take it for an SPF record (RFC 7208 §4.5).
pub(super) fn spf_text(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let is_spf = text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("v=spf1"));
    (is_spf && matches!(text.as_bytes().get(6), None | Some(b' '))).then_some(text)
}
