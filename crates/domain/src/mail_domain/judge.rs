//! What DNS holds of a domain's records, judged over gathered answers.

use posthouse_mail::auth::{Answer, DnsFacts, Question, QuestionKind, Records};

use super::{Checked, Expected, Found, RecordKey, spf};

/// Values of a record that are shown when they are not the expected ones.
const VALUES_MAX: usize = 10;
/// Characters of such a value.
const VALUE_CHARS_MAX: usize = 500;
/// Labels above the domain that are asked for name servers.
const PARENTS_MAX: usize = 8;

/// Where a domain is hosted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosting {
    /// The zone that the domain is in.
    pub zone: String,
    /// Its name servers.
    pub nameservers: Vec<String>,
}

/// What a check found. A record that DNS did not answer about is not in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Check {
    /// The records.
    pub records: Vec<Checked>,
    /// Where the domain is hosted, where that can be seen.
    pub hosting: Option<Hosting>,
}

/// How far a check is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// It needs these answers and is to be run again then.
    Ask(Vec<Question>),
    /// It is done.
    Done(Check),
}

/// An answer is not there yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Need;

/// Reads answers and notes which are missing.
pub(super) struct Reader<'f> {
    facts: &'f DnsFacts,
    missing: Vec<Question>,
}

impl<'f> Reader<'f> {
    pub(super) fn ask(&mut self, name: &str, kind: QuestionKind) -> Result<&'f Answer, Need> {
        let question = Question::new(name, kind);
        if let Some(answer) = self.facts.get(&question) {
            return Ok(answer);
        }
        if !self.missing.contains(&question) {
            self.missing.push(question);
        }
        Err(Need)
    }

    fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, Need> {
        Ok(match self.ask(name, QuestionKind::Txt)? {
            Answer::Records(Records::Txt(texts)) => {
                Some(texts.iter().map(|text| String::from_utf8_lossy(text).trim().to_owned()).collect())
            }
            Answer::Failed => None,
            _ => Some(Vec::new()),
        })
    }
}

/// Checks a domain's records, `host` being the name of this server.
#[must_use]
pub fn check(domain: &str, expected: &[Expected], host: &str, facts: &DnsFacts) -> Step {
    let mut reader = Reader { facts, missing: Vec::new() };
    let hosting = hosting(domain, &mut reader);
    let zone = match &hosting {
        Ok(found) => Ok(found.as_ref().map(|hosting| hosting.zone.as_str())),
        Err(need) => Err(*need),
    };
    // All are looked at, so that their questions go out together.
    let judged: Vec<Result<Option<Checked>, Need>> =
        expected.iter().map(|record| judge(record, domain, host, zone, &mut reader)).collect();
    if !reader.missing.is_empty() {
        return Step::Ask(reader.missing);
    }
    Step::Done(Check {
        records: judged.into_iter().filter_map(|found| found.ok().flatten()).collect(),
        hosting: hosting.ok().flatten(),
    })
}

/// The closest zone at or above the domain that has name servers. A top-level domain is nobody's zone.
fn hosting(domain: &str, reader: &mut Reader<'_>) -> Result<Option<Hosting>, Need> {
    let mut name = domain;
    for _ in 0..PARENTS_MAX {
        if !name.contains('.') {
            break;
        }
        match reader.ask(name, QuestionKind::Ns)? {
            Answer::Records(Records::Ns(hosts)) => {
                let mut nameservers = hosts.clone();
                nameservers.sort();
                return Ok(Some(Hosting { zone: name.to_owned(), nameservers }));
            }
            Answer::Failed => return Ok(None),
            _ => name = name.split_once('.').map_or("", |(_, parent)| parent),
        }
    }
    Ok(None)
}

/// What is there of one record; nothing where DNS did not answer.
fn judge(
    record: &Expected,
    domain: &str,
    host: &str,
    zone: Result<Option<&str>, Need>,
    reader: &mut Reader<'_>,
) -> Result<Option<Checked>, Need> {
    let judged = match record.key {
        RecordKey::Mx => exchangers(record, host, reader)?,
        RecordKey::Spf => senders(record, domain, host, reader)?,
        RecordKey::Dmarc => policy(record, reader)?,
        RecordKey::Verification => ownership(record, reader)?,
        RecordKey::Dkim
        | RecordKey::DkimNext
        | RecordKey::DkimPrevious
        | RecordKey::DkimEd25519
        | RecordKey::DkimNextEd25519
        | RecordKey::DkimPreviousEd25519 => signing_key(record, reader)?,
    };
    let Some((found, values)) = judged else { return Ok(None) };
    let doubled = found == Found::Missing && is_doubled(record, zone?, reader)?;
    let values = values.into_iter().take(VALUES_MAX).map(|value| value.chars().take(VALUE_CHARS_MAX).collect());
    Ok(Some(Checked { key: record.key, found, values: values.collect(), doubled }))
}

type Judged = Option<(Found, Vec<String>)>;

fn of_values(is_ok: bool, values: Vec<String>) -> Judged {
    let found = match (is_ok, values.is_empty()) {
        (true, _) => Found::Ok,
        (false, true) => Found::Missing,
        (false, false) => Found::Mismatch,
    };
    Some((found, values))
}

/// One value of ours among others is enough; foreign texts at the same name are not shown.
fn ownership(record: &Expected, reader: &mut Reader<'_>) -> Result<Judged, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let bare = |text: &str| text.trim_matches('"').to_owned();
    let is_ok = texts.iter().any(|text| bare(text) == record.value);
    Ok(of_values(is_ok, texts))
}

/// Ours must be there, and no foreign one may be preferred: mail would go there and never come here.
fn exchangers(record: &Expected, host: &str, reader: &mut Reader<'_>) -> Result<Judged, Need> {
    let mut hosts = match reader.ask(&record.name, QuestionKind::Mx)? {
        Answer::Records(Records::Mx(hosts)) => hosts.clone(),
        Answer::Failed => return Ok(None),
        _ => Vec::new(),
    };
    hosts.sort();
    let is_ours = |name: &str| name.trim_end_matches('.').eq_ignore_ascii_case(host);
    let best = hosts.iter().map(|(preference, _)| *preference).min();
    let is_ok = hosts.iter().any(|(preference, name)| Some(*preference) == best && is_ours(name))
        && hosts.iter().all(|(preference, name)| Some(*preference) != best || is_ours(name));
    Ok(of_values(is_ok, hosts.iter().map(|(preference, name)| format!("{preference} {name}")).collect()))
}

/// Exactly one record that names this server (RFC 7208 §3.2).
fn senders(record: &Expected, domain: &str, host: &str, reader: &mut Reader<'_>) -> Result<Judged, Need> {
    let records: Vec<String> = match reader.ask(&record.name, QuestionKind::Txt)? {
        Answer::Records(Records::Txt(texts)) => texts.iter().filter_map(|text| spf::spf_text(text)).collect(),
        Answer::Failed => return Ok(None),
        _ => Vec::new(),
    };
    let verdict = match records.as_slice() {
        [one] => spf::allows(one, domain, host, reader)?,
        _ => spf::Verdict::Silent,
    };
    if verdict == spf::Verdict::Unknown {
        return Ok(None);
    }
    Ok(of_values(verdict == spf::Verdict::Allows, records))
}

/// Any one policy will do (RFC 7489 §6.6.3).
fn policy(record: &Expected, reader: &mut Reader<'_>) -> Result<Judged, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let records: Vec<String> = texts.into_iter().filter(|text| text.starts_with("v=DMARC1")).collect();
    let has_policy = |text: &String| {
        let policies = text.split(';').filter_map(|tag| tag.trim().strip_prefix("p")?.trim_start().strip_prefix('='));
        policies
            .map(str::trim)
            .any(|p| ["none", "quarantine", "reject"].iter().any(|known| p.eq_ignore_ascii_case(known)))
    };
    Ok(of_values(records.len() == 1 && records.iter().all(has_policy), records))
}

/// The key itself must be the same; the tags beside it are the owner's.
fn signing_key(record: &Expected, reader: &mut Reader<'_>) -> Result<Judged, Need> {
    let Some(texts) = reader.texts(&record.name)? else { return Ok(None) };
    let wanted = key_of(&record.value);
    let is_ok = texts.len() == 1 && texts.iter().all(|text| key_of(text) == wanted);
    Ok(of_values(is_ok, texts))
}

/// The `p` tag without white space (RFC 6376 §3.6.1).
fn key_of(text: &str) -> Option<String> {
    let mut tags = text.trim_matches('"').split(';').filter_map(|tag| tag.split_once('='));
    let (_, value) = tags.find(|(name, _)| name.trim() == "p")?;
    Some(value.chars().filter(|c| !c.is_whitespace() && *c != '"').collect())
}

/// Whether a record that is missing is there under its name with the zone put behind it once more, as happens where a
/// provider adds the zone by itself.
fn is_doubled(record: &Expected, zone: Option<&str>, reader: &mut Reader<'_>) -> Result<bool, Need> {
    let Some(zone) = zone else { return Ok(false) };
    let name = format!("{}.{zone}", record.name);
    Ok(match record.key {
        RecordKey::Mx => matches!(reader.ask(&name, QuestionKind::Mx)?, Answer::Records(_)),
        _ => reader.texts(&name)?.is_some_and(|texts| !texts.is_empty()),
    })
}
