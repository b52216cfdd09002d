//! Questions and answers between the resolver's types and those of the mail crate.

use std::net::{Ipv4Addr, Ipv6Addr};

use hickory_resolver::{
    net::{DnsError, NetError},
    proto::{
        op::ResponseCode,
        rr::{Name, RData, Record, RecordType},
    },
};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};

use super::LookupResult;

/// Maximum records of one answer that are returned.
const RECORDS_MAX: usize = 200;

/// Returns the answer that a lookup gave.
pub(super) fn answer(kind: DnsRecordType, result: LookupResult) -> DnsAnswer {
    match result {
        Ok(lookup) => records(kind, lookup.answers()),
        Err(error) => negative(&error),
    }
}

/// Answers queries for `localhost` and its subdomains, which have only loopback addresses.
pub(super) fn local_answer(question: &DnsQuestion) -> Option<DnsAnswer> {
    let name = question.name.strip_suffix('.').unwrap_or(&question.name);
    if name != "localhost" && !name.ends_with(".localhost") {
        return None;
    }
    Some(match question.kind {
        DnsRecordType::A => DnsAnswer::Records(DnsRecords::A(vec![Ipv4Addr::LOCALHOST])),
        DnsRecordType::Aaaa => DnsAnswer::Records(DnsRecords::Aaaa(vec![Ipv6Addr::LOCALHOST])),
        DnsRecordType::Txt | DnsRecordType::Mx | DnsRecordType::Ptr | DnsRecordType::Ns => DnsAnswer::NoData,
    })
}

/// Converts a name for DNS, if possible. Labels may have any octet, because names come from mail.
pub(super) fn name(text: &str) -> Option<Name> {
    let text = text.strip_suffix('.').unwrap_or(text);
    Name::from_labels(text.split('.').map(str::as_bytes)).ok()
}

/// Returns the type for the resolver.
pub(super) fn record_type(kind: DnsRecordType) -> RecordType {
    match kind {
        DnsRecordType::Txt => RecordType::TXT,
        DnsRecordType::Mx => RecordType::MX,
        DnsRecordType::A => RecordType::A,
        DnsRecordType::Aaaa => RecordType::AAAA,
        DnsRecordType::Ptr => RecordType::PTR,
        DnsRecordType::Ns => RecordType::NS,
    }
}

/// Returns the records of the requested type and ignores others, such as aliases.
fn records(kind: DnsRecordType, answers: &[Record]) -> DnsAnswer {
    let data = || answers.iter().map(|record| &record.data).take(RECORDS_MAX);
    let records = match kind {
        DnsRecordType::Txt => DnsRecords::Txt(
            data()
                .filter_map(|data| if let RData::TXT(txt) = data { Some(txt.txt_data.concat()) } else { None })
                .collect(),
        ),
        DnsRecordType::Mx => DnsRecords::Mx(
            data()
                .filter_map(
                    |data| if let RData::MX(mx) = data { Some((mx.preference, text(&mx.exchange))) } else { None },
                )
                .collect(),
        ),
        DnsRecordType::A => {
            DnsRecords::A(data().filter_map(|data| if let RData::A(a) = data { Some(a.0) } else { None }).collect())
        }
        DnsRecordType::Aaaa => DnsRecords::Aaaa(
            data().filter_map(|data| if let RData::AAAA(a) = data { Some(a.0) } else { None }).collect(),
        ),
        DnsRecordType::Ptr => DnsRecords::Ptr(
            data().filter_map(|data| if let RData::PTR(ptr) = data { Some(text(&ptr.0)) } else { None }).collect(),
        ),
        DnsRecordType::Ns => DnsRecords::Ns(
            data().filter_map(|data| if let RData::NS(ns) = data { Some(text(&ns.0)) } else { None }).collect(),
        ),
    };
    if is_empty(&records) { DnsAnswer::NoData } else { DnsAnswer::Records(records) }
}

fn is_empty(records: &DnsRecords) -> bool {
    match records {
        DnsRecords::Txt(list) => list.is_empty(),
        DnsRecords::Mx(list) => list.is_empty(),
        DnsRecords::A(list) => list.is_empty(),
        DnsRecords::Aaaa(list) => list.is_empty(),
        DnsRecords::Ptr(list) | DnsRecords::Ns(list) => list.is_empty(),
    }
}

/// Formats a host name in lower case without the final dot; the root is `.` (null MX, RFC 7505).
fn text(name: &Name) -> String {
    if name.is_root() {
        return ".".to_owned();
    }
    let mut text = name.to_ascii().to_ascii_lowercase();
    if text.ends_with('.') {
        text.pop();
    }
    text
}

fn negative(error: &NetError) -> DnsAnswer {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain => DnsAnswer::NoSuchName,
            ResponseCode::NoError => DnsAnswer::NoData,
            _ => DnsAnswer::Failed,
        },
        _ => DnsAnswer::Failed,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_below_localhost_are_answered_here() {
        let ask = |name: &str, kind| local_answer(&DnsQuestion::new(name, kind));
        let v4 = DnsAnswer::Records(DnsRecords::A(vec![Ipv4Addr::LOCALHOST]));
        let v6 = DnsAnswer::Records(DnsRecords::Aaaa(vec![Ipv6Addr::LOCALHOST]));
        assert_eq!(ask("localhost", DnsRecordType::A), Some(v4.clone()));
        assert_eq!(ask("Agents.LOCALHOST.", DnsRecordType::A), Some(v4));
        assert_eq!(ask("agents.localhost", DnsRecordType::Aaaa), Some(v6));
        assert_eq!(ask("_dmarc.agents.localhost", DnsRecordType::Txt), Some(DnsAnswer::NoData));
        assert_eq!(ask("notlocalhost", DnsRecordType::A), None);
        assert_eq!(ask("localhost.example.org", DnsRecordType::A), None);
    }

    #[test]
    fn any_label_can_be_asked_and_too_long_ones_cannot() {
        assert!(name("a b%.example").is_some());
        assert!(name("_dmarc.example.").is_some());
        assert!(name(&format!("{}.example", "a".repeat(64))).is_none());
        assert_eq!(text(&Name::root()), ".");
        assert_eq!(text(&name("MX.Example.ORG").unwrap()), "mx.example.org");
    }
}
