//! Policy records and the DNS tree walk that finds them (RFC 9989 §4.7, §4.10).

use super::{
    super::dns::{DnsLookup, DnsLookupResult, DnsPending},
    DmarcPolicy,
};

/// Most names that one walk queries (RFC 9989 §4.10).
const WALK_NAMES_MAX: usize = 8;

/// A DMARC policy record (RFC 9989 §4.7): the tags that matter to a mail receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DmarcRecord {
    pub(super) policy: DmarcPolicy,
    pub(super) subdomain_policy: Option<DmarcPolicy>,
    pub(super) missing_domain_policy: Option<DmarcPolicy>,
    pub(super) strict_dkim: bool,
    pub(super) strict_spf: bool,
    pub(super) testing: bool,
    public_suffix: Option<bool>,
}

impl DmarcRecord {
    /// Parses one text record. Returns `None` if it is not a valid DMARC record.
    fn parse(text: &[u8]) -> Option<Self> {
        let tags = DmarcTags::parse(text)?;
        let has_reports = tags.get("rua").is_some_and(|uris| uris.to_ascii_lowercase().contains("mailto:"));
        let stated = |name| tags.get(name).and_then(DmarcPolicy::parse);
        let policy = match stated("p") {
            Some(policy) => policy,
            // A policy that is broken counts as "none" if the owner requests reports (§4.7, §4.10.1).
            None if tags.get("p").is_none() || has_reports => DmarcPolicy::None,
            None => return None,
        };
        // Other broken tags are ignored (RFC 7489 §6.3).
        let (subdomain_policy, missing_domain_policy) = (stated("sp"), stated("np"));
        let is = |name, value: &str| tags.get(name).is_some_and(|v: &str| v.eq_ignore_ascii_case(value));
        Some(Self {
            policy,
            subdomain_policy,
            missing_domain_policy,
            strict_dkim: is("adkim", "s"),
            strict_spf: is("aspf", "s"),
            testing: is("t", "y"),
            public_suffix: if is("psd", "y") { Some(true) } else { is("psd", "n").then_some(false) },
        })
    }
}

/// The tags of a DMARC record. Unlike in signatures, what isn't a tag is ignored, and names have any case (RFC 7489 §6.3).
struct DmarcTags {
    list: Vec<(String, String)>,
}

impl DmarcTags {
    /// Most tags in a record.
    const TAGS_MAX: usize = 64;

    /// Parses a record. Returns `None` if it doesn't begin with the version.
    fn parse(text: &[u8]) -> Option<Self> {
        // Some providers publish the backslashes of zone files.
        let text = std::str::from_utf8(text).ok()?.replace("\\;", ";");
        if !claims_dmarc(text.as_bytes()) {
            return None;
        }
        let tags = text.split(';').filter_map(|spec| spec.split_once('=')).take(Self::TAGS_MAX);
        Some(Self {
            list: tags.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned())).collect(),
        })
    }

    /// Returns the value of the first tag of this name.
    fn get(&self, name: &str) -> Option<&str> {
        self.list.iter().find(|(seen, _)| seen == name).map(|(_, value)| value.as_str())
    }
}

/// Returns whether receivers take a text for a DMARC record.
#[must_use]
pub fn is_dmarc_record(text: &str) -> bool {
    claims_dmarc(text.as_bytes())
}

/// Returns the policy that a text record states, as receivers read it. Returns `None` if it is no DMARC record or states
/// none.
#[must_use]
pub fn stated_dmarc_policy(text: &str) -> Option<DmarcPolicy> {
    DmarcPolicy::parse(DmarcTags::parse(text.as_bytes())?.get("p")?)
}

/// The DMARC records that a tree walk from one domain found, most specific name first.
#[derive(Debug)]
pub(super) struct TreeWalk {
    pub(super) start: String,
    found: Vec<(String, DmarcRecord)>,
}

/// Why a tree walk ended early.
pub(super) enum TreeWalkError {
    Pending,
    Failed,
}

impl From<DnsPending> for TreeWalkError {
    fn from(_: DnsPending) -> Self {
        Self::Pending
    }
}

/// Returns the names that a walk visits: the domain, then its parents from at most seven labels down (RFC 9989 §4.10).
pub(super) fn walk_names(domain: &str) -> Vec<&str> {
    let mut names = vec![domain];
    let mut rest = domain;
    while names.len() < WALK_NAMES_MAX
        && let Some((_, parent)) = rest.split_once('.')
    {
        rest = parent;
        if rest.split('.').count() < WALK_NAMES_MAX {
            names.push(rest);
        }
    }
    names
}

impl TreeWalk {
    /// Walks up from `start`. Queries all names that may be needed in one round.
    pub(super) fn run(start: &str, lookup: &mut DnsLookup<'_>) -> Result<Self, TreeWalkError> {
        let mut found = Vec::new();
        let mut pending = false;
        for name in walk_names(start) {
            match record_at(name, lookup) {
                Ok(Some(record)) if !pending => {
                    let last = record.public_suffix.is_some();
                    found.push((name.to_owned(), record));
                    if last {
                        break;
                    }
                }
                Err(TreeWalkError::Pending) => pending = true,
                Err(TreeWalkError::Failed) if !pending => return Err(TreeWalkError::Failed),
                _ => {}
            }
        }
        if pending { Err(TreeWalkError::Pending) } else { Ok(Self { start: start.to_owned(), found }) }
    }

    /// Returns the organizational domain (RFC 9989 §4.10.2).
    pub(super) fn organizational_domain(&self) -> &str {
        for (name, record) in &self.found {
            match record.public_suffix {
                Some(false) => return name,
                Some(true) if *name != self.start => return self.one_label_below(name),
                _ => {}
            }
        }
        self.found.last().map_or(&self.start, |(name, _)| name)
    }

    fn one_label_below(&self, suffix: &str) -> &str {
        let above = self.start.len().saturating_sub(suffix.len() + 1);
        let label_start = self.start.get(..above).and_then(|head| head.rfind('.')).map_or(0, |dot| dot + 1);
        self.start.get(label_start..).unwrap_or(&self.start)
    }

    /// Returns the record that applies: at the start, at the organizational domain, or at the public suffix above
    /// (RFC 9989 §4.10.1).
    pub(super) fn policy_record(&self) -> Option<(&str, &DmarcRecord)> {
        let organization = self.organizational_domain();
        let at = |wanted: &str| self.found.iter().find(|(name, _)| name == wanted);
        let above = || self.found.iter().find(|(_, record)| record.public_suffix == Some(true));
        at(&self.start).or_else(|| at(organization)).or_else(above).map(|(name, record)| (name.as_str(), record))
    }
}

fn record_at(name: &str, lookup: &mut DnsLookup<'_>) -> Result<Option<DmarcRecord>, TreeWalkError> {
    let texts = match lookup.txt(&format!("_dmarc.{name}"))? {
        DnsLookupResult::Records(texts) => texts,
        DnsLookupResult::NoSuchName => return Ok(None),
        DnsLookupResult::Failed => return Err(TreeWalkError::Failed),
    };
    let mut claims = texts.iter().filter(|text| claims_dmarc(text));
    match (claims.next(), claims.next()) {
        // With more than one record, all are discarded (§4.7).
        (Some(text), None) => Ok(DmarcRecord::parse(text)),
        _ => Ok(None),
    }
}

fn claims_dmarc(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let version = text.split(';').next().unwrap_or_default();
    version.split_once('=').is_some_and(|(name, value)| {
        // The version comes first; its value is case-sensitive (§4.7).
        name.trim().eq_ignore_ascii_case("v") && value.trim_end_matches('\\').trim() == "DMARC1"
    })
}
