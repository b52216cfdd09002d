//! Compares the records in DNS with the expected ones, based on DNS answers that the caller collects.

use super::reader::{Need, Reader};
use posthouse_mail::auth::{
    DnsAnswer, DnsFacts, DnsQuestion, DnsRecordType, DnsRecords, is_dmarc_record, stated_dmarc_policy,
};

use super::problem::{self, RecordProblem, RecordProblemKind};
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
    pub nameservers: Vec<String>,
}

/// The result of a check. Records that DNS didn't answer for are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DomainCheck {
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
    let Some(comparison) = judged else { return Ok(None) };
    let Comparison { found, values, mut problem } = comparison;
    if found == RecordStatus::Missing
        && let Some(zone) = zone?
        && is_doubled(record, zone, reader)?
    {
        problem = Some(RecordProblem::full_name_in_host(&record.name, zone));
    }
    let values = values.into_iter().take(VALUES_MAX).map(|value| value.chars().take(VALUE_CHARS_MAX).collect());
    Ok(Some(CheckedRecord { key: record.key, found, values: values.collect(), problem }))
}

/// How a record compares with DNS.
struct Comparison {
    found: RecordStatus,
    values: Vec<String>,
    problem: Option<RecordProblem>,
}

impl Comparison {
    /// Returns the comparison with these values, of which nothing is wrong without a problem.
    fn of(values: Vec<String>, problem: Option<RecordProblem>) -> Self {
        let found = match (values.is_empty(), &problem) {
            (true, _) => RecordStatus::Missing,
            (false, None) => RecordStatus::Ok,
            (false, Some(_)) => RecordStatus::Mismatch,
        };
        Self { found, problem: problem.filter(|_| found == RecordStatus::Mismatch), values }
    }

    /// Returns the comparison with texts that receivers don't take for a record.
    fn of_unread(texts: &[String], record: &ExpectedRecord) -> Self {
        match problem::of_unread(texts, record) {
            Some((text, problem)) => Self::of(vec![text.clone()], Some(problem)),
            None => Self::of(Vec::new(), None),
        }
    }
}

/// Accepts the expected value even if there are other values under the same name, and even in quotation marks.
fn compare_verification(record: &ExpectedRecord, reader: &mut Reader<'_>) -> Result<Option<Comparison>, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let bare = |text: &str| text.trim_matches('"').to_owned();
    let is_ok = texts.iter().any(|text| bare(text) == record.value);
    let repaired = || texts.iter().map(|text| problem::repaired(text, record)).find(|one| one.text == record.value);
    let problem =
        || repaired().and_then(|one| one.problem).unwrap_or_else(|| RecordProblem::other_value("another value"));
    Ok(Some(Comparison::of(texts.clone(), (!is_ok).then(problem))))
}

/// Requires this server's host to be the only one with the lowest preference; mail would otherwise go to another host.
fn compare_mx(record: &ExpectedRecord, host: &str, reader: &mut Reader<'_>) -> Result<Option<Comparison>, Need> {
    let mut hosts = match reader.query(&record.name, DnsRecordType::Mx)? {
        DnsAnswer::Records(DnsRecords::Mx(hosts)) => hosts.clone(),
        DnsAnswer::Failed => return Ok(None),
        _ => Vec::new(),
    };
    hosts.sort();
    let is_ours = |name: &str| name.trim_end_matches('.').eq_ignore_ascii_case(host);
    let best = hosts.iter().map(|(preference, _)| *preference).min();
    let mut first = hosts.iter().filter(|(preference, _)| Some(*preference) == best);
    let problem = first.find(|(_, name)| !is_ours(name)).map(|(preference, other)| {
        let message = format!("Mail goes to {other}, with the preference {preference}.");
        let fix = format!("Publish `{}`, and delete {other} or give it a higher number.", record.value);
        RecordProblem::new(RecordProblemKind::OtherServer, message, fix)
    });
    let values = hosts.iter().map(|(preference, name)| format!("{preference} {name}"));
    Ok(Some(Comparison::of(values.collect(), problem)))
}

/// Requires exactly one SPF record, which must allow this server (RFC 7208 §3.2).
fn compare_spf(
    record: &ExpectedRecord,
    domain: &str,
    host: &str,
    reader: &mut Reader<'_>,
) -> Result<Option<Comparison>, Need> {
    let texts: &[Vec<u8>] = match reader.query(&record.name, DnsRecordType::Txt)? {
        DnsAnswer::Records(DnsRecords::Txt(texts)) => texts,
        DnsAnswer::Failed => return Ok(None),
        _ => &[],
    };
    let records: Vec<String> = texts.iter().filter_map(|text| spf::spf_text(text)).collect();
    if records.is_empty() {
        let texts: Vec<String> = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        return Ok(Some(Comparison::of_unread(&texts, record)));
    }
    let merged = spf::merged(&records, host);
    if records.len() > 1 {
        let problem = RecordProblem::several(records.len(), format!("Replace them with `{merged}`."));
        return Ok(Some(Comparison::of(records, Some(problem))));
    }
    // A name in an SPF record needs a dot (RFC 7208 §7.1). A server that tries things out on one machine has a name without one,
    // and its mail stays there: it is enough that the record is the one that was asked for.
    if !host.contains('.') && records == [record.value.as_str()] {
        return Ok(Some(Comparison::of(records, None)));
    }
    let problem = match spf::evaluate(domain, host, reader)? {
        spf::SpfListing::Unknown => return Ok(None),
        spf::SpfListing::Allowed => None,
        spf::SpfListing::NotAllowed => {
            let message = format!("The record doesn't allow {host} to send for the domain.");
            let fix = format!("Change the value to `{merged}`.");
            Some(RecordProblem::new(RecordProblemKind::NotAllowed, message, fix))
        }
        spf::SpfListing::Invalid(reason) => {
            let message = format!("Receivers can't evaluate the record: {reason}.");
            let fix = "Correct or remove the term. At most 10 terms may need DNS lookups.";
            Some(RecordProblem::new(RecordProblemKind::Invalid, message, fix))
        }
    };
    Ok(Some(Comparison::of(records, problem)))
}

/// Accepts any single policy that receivers read (RFC 7489 §6.6.3).
fn compare_dmarc(record: &ExpectedRecord, reader: &mut Reader<'_>) -> Result<Option<Comparison>, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let records: Vec<String> = texts.iter().filter(|text| is_dmarc_record(text)).cloned().collect();
    if records.is_empty() {
        return Ok(Some(Comparison::of_unread(&texts, record)));
    }
    let problem = match records.as_slice() {
        [one] => stated_dmarc_policy(one).is_none().then(|| problem::of_policy(one)),
        _ => Some(RecordProblem::several(records.len(), "Delete all but one. Receivers ignore them until then.")),
    };
    Ok(Some(Comparison::of(records, problem)))
}

/// Requires one record, in which verifiers find the expected key; the owner may set the other tags.
fn compare_dkim(record: &ExpectedRecord, reader: &mut Reader<'_>) -> Result<Option<Comparison>, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let problem = match texts.as_slice() {
        [] => None,
        [one] => problem::of_dkim(one, record),
        _ => Some(RecordProblem::several(texts.len(), "Delete all but the one with the value shown.")),
    };
    Ok(Some(Comparison::of(texts, problem)))
}

/// Returns whether a missing record exists under its name with the zone appended once more. This happens if the owner
/// enters the full name at a provider that appends the zone.
fn is_doubled(record: &ExpectedRecord, zone: &str, reader: &mut Reader<'_>) -> Result<bool, Need> {
    let name = format!("{}.{zone}", record.name);
    Ok(match record.key {
        DnsRecordKey::Mx => matches!(reader.query(&name, DnsRecordType::Mx)?, DnsAnswer::Records(_)),
        _ => reader.texts(&name)?.is_some_and(|texts| !texts.is_empty()),
    })
}
