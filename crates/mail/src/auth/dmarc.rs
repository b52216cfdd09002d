//! DMARC (RFC 9989): policy discovery by the DNS tree walk, identifier alignment, and the result.
//!
//! Never uses a list of public suffixes: the organisational domain is what the walk finds (RFC 9989 §4.10).

use super::dns::{Answer, Found, Lookup, Pending, QuestionKind};
use crate::dkim::signature::is_at_or_below;
use crate::dkim::tags::Tags;

/// Most names one walk asks about (RFC 9989 §4.10).
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
    /// DNS failed for the moment.
    TempError,
    /// The policy cannot be interpreted.
    PermError,
}

impl DmarcResult {
    /// The keyword of the RFC 8601 registry.
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
pub enum Alignment {
    /// SPF or DKIM authenticates an aligned domain.
    Pass,
    /// An aligned identifier may be authenticated, or an authenticated one aligned, but DNS failed.
    Unknown,
    /// No aligned identifier is authenticated.
    Fail,
}

/// What the domain owner asks to be done with mail that fails (RFC 9989 §4.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DmarcPolicy {
    /// Nothing.
    None,
    /// Treat it as suspicious.
    Quarantine,
    /// Refuse it.
    Reject,
}

impl DmarcPolicy {
    /// The keyword of the `p=` tag.
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

    /// One level milder, as `t=y` asks (RFC 9989 §4.7).
    fn in_testing(self) -> Self {
        match self {
            Self::Reject => Self::Quarantine,
            Self::Quarantine | Self::None => Self::None,
        }
    }
}

/// Result of DMARC validation with what it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmarcVerdict {
    /// The result.
    pub result: DmarcResult,
    /// The policy that applies to the author's domain; None where there is no record.
    pub policy: Option<DmarcPolicy>,
    /// The author's domain in lower case and A-labels; empty when there is none.
    pub domain: String,
    /// What was wrong, in words; empty for a pass.
    pub reason: String,
    /// Whether an aligned identifier is authenticated, whatever the policy.
    pub alignment: Alignment,
    /// Whether SPF is among them: then the client itself speaks for the author's domain, and did not merely get hold of mail
    /// that the domain signed.
    pub spf_aligned: bool,
}

impl DmarcVerdict {
    pub(super) fn without_policy(result: DmarcResult, domain: &str, reason: &str) -> Self {
        let alignment = if result == DmarcResult::TempError { Alignment::Unknown } else { Alignment::Fail };
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

/// A DMARC policy record (RFC 9989 §4.7), with the tags that matter to a receiver of mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    policy: DmarcPolicy,
    subdomain_policy: Option<DmarcPolicy>,
    missing_domain_policy: Option<DmarcPolicy>,
    strict_dkim: bool,
    strict_spf: bool,
    testing: bool,
    public_suffix: Option<bool>,
}

impl Record {
    /// Parses one text record. None where it is no valid DMARC record.
    fn parse(text: &[u8]) -> Option<Self> {
        let tags = Tags::parse(std::str::from_utf8(text).ok()?)?;
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
            // Wrong policies are "none" where the owner at least wants reports (§4.7, §4.10.1).
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

/// What a tree walk from one domain found, from the most specific name upwards.
#[derive(Debug)]
struct Walk {
    start: String,
    found: Vec<(String, Record)>,
}

/// Why a walk ended early.
enum WalkError {
    Pending,
    Failed,
}

impl From<Pending> for WalkError {
    fn from(_: Pending) -> Self {
        Self::Pending
    }
}

/// Names a walk visits: the domain, then, from at most seven labels, one label less each time (RFC 9989 §4.10).
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

impl Walk {
    /// Walks up from `start`. All names that may be needed are asked for at once.
    fn run(start: &str, lookup: &mut Lookup<'_>) -> Result<Self, WalkError> {
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
                Err(WalkError::Pending) => pending = true,
                Err(WalkError::Failed) if !pending => return Err(WalkError::Failed),
                _ => {}
            }
        }
        if pending { Err(WalkError::Pending) } else { Ok(Self { start: start.to_owned(), found }) }
    }

    /// The organisational domain (RFC 9989 §4.10.2).
    fn organisational_domain(&self) -> &str {
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

    /// The record that applies (RFC 9989 §4.10.1): of the start, of the organisational domain, or of the suffix above.
    fn policy_record(&self) -> Option<(&str, &Record)> {
        let organisation = self.organisational_domain();
        let at = |wanted: &str| self.found.iter().find(|(name, _)| name == wanted);
        let above = || self.found.iter().find(|(_, record)| record.public_suffix == Some(true));
        at(&self.start).or_else(|| at(organisation)).or_else(above).map(|(name, record)| (name.as_str(), record))
    }
}

fn record_at(name: &str, lookup: &mut Lookup<'_>) -> Result<Option<Record>, WalkError> {
    let texts = match lookup.txt(&format!("_dmarc.{name}"))? {
        Found::Records(texts) => texts,
        Found::NoSuchName => return Ok(None),
        Found::Failed => return Err(WalkError::Failed),
    };
    let mut claims = texts.iter().filter(|text| claims_dmarc(text));
    match (claims.next(), claims.next()) {
        // More than one record: all are discarded.
        (Some(text), None) => Ok(Record::parse(text)),
        _ => Ok(None),
    }
}

fn claims_dmarc(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let version = text.split(';').next().unwrap_or_default();
    version.split_once('=').is_some_and(|(name, value)| name.trim() == "v" && value.trim() == "DMARC1")
}

/// An identifier that SPF or DKIM looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identifier<'i> {
    pub(super) domain: &'i str,
    /// True: authenticated. False with `temporary`: may have been, had DNS answered.
    pub(super) passed: bool,
    pub(super) temporary: bool,
}

/// The result for one author's domain, and for each DKIM identifier whether it is aligned.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) verdict: DmarcVerdict,
    pub(super) dkim_aligned: Vec<bool>,
}

/// Judges one author's domain (RFC 9989 §5.3, §4.4).
pub(super) fn judge(
    author: &str,
    spf: Identifier<'_>,
    dkim: &[Identifier<'_>],
    lookup: &mut Lookup<'_>,
) -> Result<Judgement, Pending> {
    let walk = match Walk::run(author, lookup) {
        Ok(walk) => walk,
        Err(WalkError::Pending) => return Err(Pending),
        Err(WalkError::Failed) => {
            // The same domain is aligned under every policy.
            let exact: Vec<bool> = dkim.iter().map(|identifier| identifier.domain == author).collect();
            let counted = || dkim.iter().chain([&spf]).filter(|identifier| identifier.domain == author);
            let reason = "DNS failed for the policy";
            let mut verdict = DmarcVerdict::without_policy(DmarcResult::TempError, author, reason);
            if counted().any(|identifier| identifier.passed) {
                verdict.alignment = Alignment::Pass;
            }
            verdict.spf_aligned = spf.passed && spf.domain == author;
            return Ok(Judgement { verdict, dkim_aligned: exact });
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
            Err(Pending) => pending = true,
        }
    }
    let spf_aligned = is_aligned(spf.domain, &walk, strict_spf, lookup)?;
    let policy = match applied {
        Some((name, record)) => Some(policy_for(author, name, record, lookup)?),
        None => None,
    };
    if pending {
        return Err(Pending);
    }
    let counted = || dkim.iter().zip(&aligned).chain([(&spf, &spf_aligned)]).filter(|(_, aligned)| **aligned);
    let alignment = if counted().any(|(identifier, _)| identifier.passed) {
        Alignment::Pass
    } else if counted().any(|(identifier, _)| identifier.temporary) {
        Alignment::Unknown
    } else {
        Alignment::Fail
    };
    let (result, reason) = match (&policy, alignment) {
        (None, _) => (DmarcResult::None, "the author's domain has no policy"),
        (Some(_), Alignment::Pass) => (DmarcResult::Pass, ""),
        (Some(_), Alignment::Unknown) => (DmarcResult::TempError, "DNS failed for an aligned identifier"),
        (Some(_), Alignment::Fail) => (DmarcResult::Fail, "no aligned identifier is authenticated"),
    };
    let verdict = DmarcVerdict {
        result,
        policy,
        domain: author.to_owned(),
        reason: reason.to_owned(),
        alignment,
        spf_aligned: spf_aligned && spf.passed,
    };
    Ok(Judgement { verdict, dkim_aligned: aligned })
}

/// Alignment of an authenticated domain with the author's (RFC 9989 §4.4).
fn is_aligned(domain: &str, author: &Walk, strict: bool, lookup: &mut Lookup<'_>) -> Result<bool, Pending> {
    if domain == author.start {
        return Ok(true);
    }
    let organisation = author.organisational_domain();
    // A domain of the same organisation lies at or below its organisational domain.
    if strict || !is_at_or_below(domain, organisation) {
        return Ok(false);
    }
    match Walk::run(domain, lookup) {
        Ok(walk) => Ok(walk.organisational_domain() == organisation),
        Err(WalkError::Pending) => Err(Pending),
        Err(WalkError::Failed) => Ok(false),
    }
}

/// The policy that a record at `name` has for `author`: `p`, `sp` or `np`, milder in testing.
fn policy_for(author: &str, name: &str, record: &Record, lookup: &mut Lookup<'_>) -> Result<DmarcPolicy, Pending> {
    let mut policy = record.policy;
    if author != name {
        policy = record.subdomain_policy.unwrap_or(policy);
        if let Some(missing) = record.missing_domain_policy
            && missing != policy
            && *lookup.ask(author, QuestionKind::A)? == Answer::NoSuchName
        {
            policy = missing;
        }
    }
    Ok(if record.testing { policy.in_testing() } else { policy })
}

#[cfg(test)]
mod tests;
