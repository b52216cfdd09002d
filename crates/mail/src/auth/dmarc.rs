//! DMARC (RFC 9989): policy discovery by the DNS tree walk, identifier alignment, and the result.
//!
//! Never uses a public suffix list: the tree walk finds the organizational domain (RFC 9989 §4.10).

use super::dns::{DnsAnswer, DnsLookup, DnsLookupResult, DnsPending, DnsRecordType};
use crate::dkim::signature::is_at_or_below;
use crate::dkim::tags::DkimTags;

/// Most names that one walk queries (RFC 9989 §4.10).
const WALK_NAMES_MAX: usize = 8;

/// Result of DMARC validation (RFC 9989 §5.4, RFC 8601 registry).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DmarcResult {
    /// An aligned identifier is authenticated.
    Pass,
    /// No aligned identifier is authenticated, and the author's domain has a policy; or there is no author.
    Fail,
    /// The author's domain has no policy.
    None,
    /// A DNS lookup failed temporarily.
    TempError,
    /// The policy record can't be interpreted.
    PermError,
}

impl DmarcResult {
    /// Returns the keyword of the RFC 8601 registry.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::None => "none",
            Self::TempError => "temperror",
            Self::PermError => "permerror",
        }
    }
}

/// Whether an authenticated identifier is aligned with the author's domain (RFC 9989 §4.4), whatever its policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DmarcAlignment {
    /// SPF or DKIM authenticates an aligned domain.
    Pass,
    /// DNS failed, so it is unknown whether an aligned identifier is authenticated.
    Unknown,
    /// No aligned identifier is authenticated.
    Fail,
}

/// What the domain owner asks receivers to do with mail that fails (RFC 9989 §4.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DmarcPolicy {
    /// Take no action.
    None,
    /// Treat the message as suspicious.
    Quarantine,
    /// Reject the message.
    Reject,
}

impl DmarcPolicy {
    /// Returns the keyword of the `p=` tag.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Quarantine => "quarantine",
            Self::Reject => "reject",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::None, Self::Quarantine, Self::Reject].into_iter().find(|p| text.eq_ignore_ascii_case(p.as_str()))
    }

    /// Returns the policy one level weaker, as `t=y` requests (RFC 9989 §4.7).
    fn weakened_for_testing(self) -> Self {
        match self {
            Self::Reject => Self::Quarantine,
            Self::Quarantine | Self::None => Self::None,
        }
    }
}

/// The result of DMARC validation, with the domain and policy it is based on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmarcVerdict {
    /// The result.
    pub result: DmarcResult,
    /// The policy that applies to the author's domain; `None` without a record.
    pub policy: Option<DmarcPolicy>,
    /// The author's domain in lower case and A-labels; empty if the message has no author.
    pub domain: String,
    /// Why the message does not pass; empty for a pass.
    pub reason: String,
    /// Whether an aligned identifier is authenticated, whatever the policy.
    pub alignment: DmarcAlignment,
    /// Whether aligned SPF passes. If so, the sending host itself is authorized by the author's domain; an aligned DKIM
    /// signature alone may come from a message that was signed once and replayed by another host.
    pub spf_aligned: bool,
}

impl DmarcVerdict {
    pub(super) fn without_policy(result: DmarcResult, domain: &str, reason: &str) -> Self {
        let alignment = if result == DmarcResult::TempError { DmarcAlignment::Unknown } else { DmarcAlignment::Fail };
        Self {
            result,
            policy: None,
            domain: domain.to_owned(),
            reason: reason.to_owned(),
            alignment,
            spf_aligned: false,
        }
    }
}

/// A DMARC policy record (RFC 9989 §4.7): the tags that matter to a mail receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DmarcRecord {
    policy: DmarcPolicy,
    subdomain_policy: Option<DmarcPolicy>,
    missing_domain_policy: Option<DmarcPolicy>,
    strict_dkim: bool,
    strict_spf: bool,
    testing: bool,
    public_suffix: Option<bool>,
}

impl DmarcRecord {
    /// Parses one text record. Returns `None` if it is not a valid DMARC record.
    fn parse(text: &[u8]) -> Option<Self> {
        let tags = DkimTags::parse(std::str::from_utf8(text).ok()?)?;
        // The version comes first and is case-sensitive (§4.7).
        if tags.first() != Some(("v", "DMARC1")) {
            return None;
        }
        let has_reports = tags.get("rua").is_some_and(|uris| uris.to_ascii_lowercase().contains("mailto:"));
        let optional = |name| match tags.get(name) {
            None => Some(None),
            Some(value) => DmarcPolicy::parse(value).map(Some),
        };
        let policies = (|| Some((optional("p")?, optional("sp")?, optional("np")?)))();
        let (policy, subdomain_policy, missing_domain_policy) = match policies {
            Some((policy, subdomain, missing)) => (policy.unwrap_or(DmarcPolicy::None), subdomain, missing),
            // Invalid policies count as "none" if the owner requests reports (§4.7, §4.10.1).
            None if has_reports => (DmarcPolicy::None, None, None),
            None => return None,
        };
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

/// The DMARC records that a tree walk from one domain found, most specific name first.
#[derive(Debug)]
struct TreeWalk {
    start: String,
    found: Vec<(String, DmarcRecord)>,
}

/// Why a tree walk ended early.
enum TreeWalkError {
    Pending,
    Failed,
}

impl From<DnsPending> for TreeWalkError {
    fn from(_: DnsPending) -> Self {
        Self::Pending
    }
}

/// Returns the names that a walk visits: the domain, then its parents from at most seven labels down (RFC 9989 §4.10).
fn walk_names(domain: &str) -> Vec<&str> {
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
    fn run(start: &str, lookup: &mut DnsLookup<'_>) -> Result<Self, TreeWalkError> {
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
    fn organizational_domain(&self) -> &str {
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
    fn policy_record(&self) -> Option<(&str, &DmarcRecord)> {
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
    version.split_once('=').is_some_and(|(name, value)| name.trim() == "v" && value.trim() == "DMARC1")
}

/// A domain that SPF or DKIM checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct DmarcIdentifier<'i> {
    pub(super) domain: &'i str,
    /// Whether the domain is authenticated.
    pub(super) passed: bool,
    /// Whether a DNS failure left the check undecided. Only meaningful if `passed` is false.
    pub(super) temporary: bool,
}

/// The DMARC verdict of one author's domain. `dkim_aligned` holds the alignment of each DKIM identifier.
#[derive(Debug)]
pub(super) struct DmarcEvaluation {
    pub(super) verdict: DmarcVerdict,
    pub(super) dkim_aligned: Vec<bool>,
}

/// Evaluates DMARC for one author's domain (RFC 9989 §5.3, §4.4).
pub(super) fn evaluate(
    author: &str,
    spf: DmarcIdentifier<'_>,
    dkim: &[DmarcIdentifier<'_>],
    lookup: &mut DnsLookup<'_>,
) -> Result<DmarcEvaluation, DnsPending> {
    let walk = match TreeWalk::run(author, lookup) {
        Ok(walk) => walk,
        Err(TreeWalkError::Pending) => return Err(DnsPending),
        Err(TreeWalkError::Failed) => {
            // Identical domains are aligned under every policy, so they count even without the record.
            let exact: Vec<bool> = dkim.iter().map(|identifier| identifier.domain == author).collect();
            let aligned_identifiers = || dkim.iter().chain([&spf]).filter(|identifier| identifier.domain == author);
            let reason = "DNS failed for the policy";
            let mut verdict = DmarcVerdict::without_policy(DmarcResult::TempError, author, reason);
            if aligned_identifiers().any(|identifier| identifier.passed) {
                verdict.alignment = DmarcAlignment::Pass;
            }
            verdict.spf_aligned = spf.passed && spf.domain == author;
            return Ok(DmarcEvaluation { verdict, dkim_aligned: exact });
        }
    };
    let applied = walk.policy_record();
    let strict_dkim = applied.is_some_and(|(_, record)| record.strict_dkim);
    let strict_spf = applied.is_some_and(|(_, record)| record.strict_spf);
    let mut aligned = Vec::with_capacity(dkim.len());
    let mut pending = false;
    for identifier in dkim {
        match is_aligned(identifier.domain, &walk, strict_dkim, lookup) {
            Ok(yes) => aligned.push(yes),
            Err(DnsPending) => pending = true,
        }
    }
    let spf_aligned = is_aligned(spf.domain, &walk, strict_spf, lookup)?;
    let policy = match applied {
        Some((name, record)) => Some(policy_for(author, name, record, lookup)?),
        None => None,
    };
    if pending {
        return Err(DnsPending);
    }
    let aligned_identifiers =
        || dkim.iter().zip(&aligned).chain([(&spf, &spf_aligned)]).filter(|(_, aligned)| **aligned);
    let alignment = if aligned_identifiers().any(|(identifier, _)| identifier.passed) {
        DmarcAlignment::Pass
    } else if aligned_identifiers().any(|(identifier, _)| identifier.temporary) {
        DmarcAlignment::Unknown
    } else {
        DmarcAlignment::Fail
    };
    let (result, reason) = match (&policy, alignment) {
        (None, _) => (DmarcResult::None, "the author's domain has no policy"),
        (Some(_), DmarcAlignment::Pass) => (DmarcResult::Pass, ""),
        (Some(_), DmarcAlignment::Unknown) => (DmarcResult::TempError, "DNS failed for an aligned identifier"),
        (Some(_), DmarcAlignment::Fail) => (DmarcResult::Fail, "no aligned identifier is authenticated"),
    };
    let verdict = DmarcVerdict {
        result,
        policy,
        domain: author.to_owned(),
        reason: reason.to_owned(),
        alignment,
        spf_aligned: spf_aligned && spf.passed,
    };
    Ok(DmarcEvaluation { verdict, dkim_aligned: aligned })
}

/// Returns whether an authenticated domain is aligned with the author's (RFC 9989 §4.4).
fn is_aligned(domain: &str, author: &TreeWalk, strict: bool, lookup: &mut DnsLookup<'_>) -> Result<bool, DnsPending> {
    if domain == author.start {
        return Ok(true);
    }
    let organization = author.organizational_domain();
    // A domain of the same organization is at or below the organizational domain.
    if strict || !is_at_or_below(domain, organization) {
        return Ok(false);
    }
    match TreeWalk::run(domain, lookup) {
        Ok(walk) => Ok(walk.organizational_domain() == organization),
        Err(TreeWalkError::Pending) => Err(DnsPending),
        Err(TreeWalkError::Failed) => Ok(false),
    }
}

/// Returns the policy of the record at `name` for `author`: `p`, `sp` or `np`, weakened if `t=y`.
fn policy_for(
    author: &str,
    name: &str,
    record: &DmarcRecord,
    lookup: &mut DnsLookup<'_>,
) -> Result<DmarcPolicy, DnsPending> {
    let mut policy = record.policy;
    if author != name {
        policy = record.subdomain_policy.unwrap_or(policy);
        if let Some(missing) = record.missing_domain_policy
            && missing != policy
            && *lookup.query(author, DnsRecordType::A)? == DnsAnswer::NoSuchName
        {
            policy = missing;
        }
    }
    Ok(if record.testing { policy.weakened_for_testing() } else { policy })
}

#[cfg(test)]
mod tests;
