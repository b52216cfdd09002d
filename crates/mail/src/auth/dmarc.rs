//! DMARC (RFC 9989): policy discovery by the DNS tree walk, identifier alignment, and the result.
//!
//! Never uses a public suffix list: the tree walk finds the organizational domain (RFC 9989 §4.10).

mod tree_walk;

use self::tree_walk::{DmarcRecord, TreeWalk, TreeWalkError};
pub use self::tree_walk::{is_dmarc_record, stated_dmarc_policy};
use super::dns::{DnsAnswer, DnsLookup, DnsPending, DnsRecordType};
use crate::dkim::signature::is_at_or_below;

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
