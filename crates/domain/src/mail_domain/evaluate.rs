//! Compares the records in DNS with the expected ones, based on DNS answers that the caller collects.

use super::reader::{Need, Reader};
use posthouse_mail::auth::{DnsAnswer, DnsFacts, DnsQuestion, DnsRecordType, DnsRecords, stated_dmarc_policy};
use posthouse_mail::dkim;

use super::{CheckedRecord, DnsRecordKey, ExpectedRecord, RecordStatus, spf};

/// The maximum number of values reported for a record that doesn't match.
const VALUES_MAX: usize = 10;
/// The maximum number of characters reported of each such value.
const VALUE_CHARS_MAX: usize = 500;
/// The maximum number of labels removed from the name while looking for the zone's nameservers.
const PARENTS_MAX: usize = 8;

/// Where a domain's DNS is hosted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DnsHosting {
    /// The zone that contains the domain.
    pub zone: String,
    /// Its nameservers.
    pub nameservers: Vec<String>,
}

/// The result of a check. Records that DNS didn't answer for are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DomainCheck {
    /// The records.
    pub records: Vec<CheckedRecord>,
    /// Where the domain's DNS is hosted, if that is known.
    pub hosting: Option<DnsHosting>,
}

/// The progress of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DomainCheckStep {
    /// The check needs the answers to these questions and must be run again.
    NeedsAnswers(Vec<DnsQuestion>),
    /// The check is complete.
    Done(DomainCheck),
}

/// Checks the records of `domain`; `host` is the name of this server.
#[must_use]
pub fn check(domain: &str, expected: &[ExpectedRecord], host: &str, facts: &DnsFacts) -> DomainCheckStep {
    let mut reader = Reader { facts, missing: Vec::new() };
    let hosting = hosting(domain, &mut reader);
    let zone = match &hosting {
        Ok(found) => Ok(found.as_ref().map(|hosting| hosting.zone.as_str())),
        Err(need) => Err(*need),
    };
    // Check every record before returning, so that all questions are asked at once.
    let judged: Vec<Result<Option<CheckedRecord>, Need>> =
        expected.iter().map(|record| compare(record, domain, host, zone, &mut reader)).collect();
    if !reader.missing.is_empty() {
        return DomainCheckStep::NeedsAnswers(reader.missing);
    }
    DomainCheckStep::Done(DomainCheck {
        records: judged.into_iter().filter_map(|found| found.ok().flatten()).collect(),
        hosting: hosting.ok().flatten(),
    })
}

/// Finds the closest zone at or above the domain that has nameservers. Top-level domains are not considered.
fn hosting(domain: &str, reader: &mut Reader<'_>) -> Result<Option<DnsHosting>, Need> {
    let mut name = domain;
    for _ in 0..PARENTS_MAX {
        if !name.contains('.') {
            break;
        }
        match reader.query(name, DnsRecordType::Ns)? {
            DnsAnswer::Records(DnsRecords::Ns(hosts)) => {
                let mut nameservers = hosts.clone();
                nameservers.sort();
                return Ok(Some(DnsHosting { zone: name.to_owned(), nameservers }));
            }
            DnsAnswer::Failed => return Ok(None),
            _ => name = name.split_once('.').map_or("", |(_, parent)| parent),
        }
    }
    Ok(None)
}

/// Compares one record with DNS. Returns `None` if DNS didn't answer.
fn compare(
    record: &ExpectedRecord,
    domain: &str,
    host: &str,
    zone: Result<Option<&str>, Need>,
    reader: &mut Reader<'_>,
) -> Result<Option<CheckedRecord>, Need> {
    let judged = match record.key {
        DnsRecordKey::Mx => compare_mx(record, host, reader)?,
        DnsRecordKey::Spf => compare_spf(record, domain, host, reader)?,
        DnsRecordKey::Dmarc => compare_dmarc(record, reader)?,
        DnsRecordKey::Verification => compare_verification(record, reader)?,
        DnsRecordKey::Dkim
        | DnsRecordKey::DkimNext
        | DnsRecordKey::DkimPrevious
        | DnsRecordKey::DkimEd25519
        | DnsRecordKey::DkimNextEd25519
        | DnsRecordKey::DkimPreviousEd25519 => compare_dkim(record, reader)?,
    };
    let Some((found, values)) = judged else { return Ok(None) };
    let doubled = found == RecordStatus::Missing && is_doubled(record, zone?, reader)?;
    let values = values.into_iter().take(VALUES_MAX).map(|value| value.chars().take(VALUE_CHARS_MAX).collect());
    Ok(Some(CheckedRecord { key: record.key, found, values: values.collect(), is_doubled: doubled }))
}

type Comparison = Option<(RecordStatus, Vec<String>)>;

fn comparison_of(is_ok: bool, values: Vec<String>) -> Comparison {
    let found = match (is_ok, values.is_empty()) {
        (true, _) => RecordStatus::Ok,
        (false, true) => RecordStatus::Missing,
        (false, false) => RecordStatus::Mismatch,
    };
    Some((found, values))
}

/// Accepts the expected value even if there are other values under the same name.
fn compare_verification(record: &ExpectedRecord, reader: &mut Reader<'_>) -> Result<Comparison, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let bare = |text: &str| text.trim_matches('"').to_owned();
    let is_ok = texts.iter().any(|text| bare(text) == record.value);
    Ok(comparison_of(is_ok, texts))
}

/// Requires this server's host to be the only one with the lowest preference; mail would otherwise go to another host.
fn compare_mx(record: &ExpectedRecord, host: &str, reader: &mut Reader<'_>) -> Result<Comparison, Need> {
    let mut hosts = match reader.query(&record.name, DnsRecordType::Mx)? {
        DnsAnswer::Records(DnsRecords::Mx(hosts)) => hosts.clone(),
        DnsAnswer::Failed => return Ok(None),
        _ => Vec::new(),
    };
    hosts.sort();
    let is_ours = |name: &str| name.trim_end_matches('.').eq_ignore_ascii_case(host);
    let best = hosts.iter().map(|(preference, _)| *preference).min();
    let is_ok = hosts.iter().any(|(preference, name)| Some(*preference) == best && is_ours(name))
        && hosts.iter().all(|(preference, name)| Some(*preference) != best || is_ours(name));
    Ok(comparison_of(is_ok, hosts.iter().map(|(preference, name)| format!("{preference} {name}")).collect()))
}

/// Requires exactly one SPF record, which must allow this server (RFC 7208 §3.2).
fn compare_spf(record: &ExpectedRecord, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<Comparison, Need> {
    let records: Vec<String> = match reader.query(&record.name, DnsRecordType::Txt)? {
        DnsAnswer::Records(DnsRecords::Txt(texts)) => texts.iter().filter_map(|text| spf::spf_text(text)).collect(),
        DnsAnswer::Failed => return Ok(None),
        _ => Vec::new(),
    };
    let verdict = match records.as_slice() {
        [one] => spf::allows(one, domain, host, reader)?,
        _ => spf::SpfListing::NotListed,
    };
    if verdict == spf::SpfListing::Unknown {
        return Ok(None);
    }
    Ok(comparison_of(verdict == spf::SpfListing::Listed, records))
}

/// Accepts any single policy that receivers read (RFC 7489 §6.6.3).
fn compare_dmarc(record: &ExpectedRecord, reader: &mut Reader<'_>) -> Result<Comparison, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let is_about = |text: &String| text.trim_start_matches('"').to_ascii_lowercase().starts_with("v=dmarc1");
    let records: Vec<String> = texts.into_iter().filter(is_about).collect();
    let has_policy = |text: &String| stated_dmarc_policy(text).is_some();
    Ok(comparison_of(records.len() == 1 && records.iter().all(has_policy), records))
}

/// Compares the `p` tags only; the owner may set the other tags, if verifiers accept the record.
fn compare_dkim(record: &ExpectedRecord, reader: &mut Reader<'_>) -> Result<Comparison, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let wanted = key_of(&record.value);
    let is_ok =
        texts.len() == 1 && texts.iter().all(|text| key_of(text) == wanted && dkim::check_key_record(text).is_ok());
    Ok(comparison_of(is_ok, texts))
}

/// Returns the `p` tag without white space (RFC 6376 §3.6.1).
fn key_of(text: &str) -> Option<String> {
    let mut tags = text.trim_matches('"').split(';').filter_map(|tag| tag.split_once('='));
    let (_, value) = tags.find(|(name, _)| name.trim() == "p")?;
    Some(value.chars().filter(|c| !c.is_whitespace() && *c != '"').collect())
}

/// Returns whether a missing record exists under its name with the zone appended once more. This happens if the owner
/// enters the full name at a provider that appends the zone.
fn is_doubled(record: &ExpectedRecord, zone: Option<&str>, reader: &mut Reader<'_>) -> Result<bool, Need> {
    let Some(zone) = zone else { return Ok(false) };
    let name = format!("{}.{zone}", record.name);
    Ok(match record.key {
        DnsRecordKey::Mx => matches!(reader.query(&name, DnsRecordType::Mx)?, DnsAnswer::Records(_)),
        _ => reader.texts(&name)?.is_some_and(|texts| !texts.is_empty()),
    })
}
