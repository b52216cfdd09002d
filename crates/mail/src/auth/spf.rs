//! SPF: `check_host()` of RFC 7208 as a pure function of the DNS facts gathered so far.
//!
//! Never does a DNS lookup: an unknown answer becomes a missing question, and the whole check runs again once it is
//! answered. While one term waits for DNS, the later terms of the record are evaluated too, so that their questions go
//! out in the same round.

mod check;
mod macros;
mod record;

use super::dns::{DnsFacts, DnsLookup, DnsPending, DnsQuestion, is_queryable};
use check::{SpfAbort, SpfCheck};
use std::net::IpAddr;

/// Result of an SPF check (RFC 7208 §2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpfResult {
    /// The client may send for the domain.
    Pass,
    /// The client may not send for the domain.
    Fail,
    /// The client probably may not send for the domain.
    SoftFail,
    /// The domain makes no statement about this client.
    Neutral,
    /// There is no record, or no domain to check.
    None,
    /// A DNS lookup failed temporarily.
    TempError,
    /// The domain's records can't be interpreted.
    PermError,
}

impl SpfResult {
    /// Returns the keyword of RFC 8601 §2.7.2.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::SoftFail => "softfail",
            Self::Neutral => "neutral",
            Self::None => "none",
            Self::TempError => "temperror",
            Self::PermError => "permerror",
        }
    }
}

/// The identity that an SPF check covers (RFC 7208 §2.3, §2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpfIdentity {
    /// The envelope sender.
    MailFrom,
    /// The name in HELO or EHLO.
    Helo,
}

/// The result of an SPF check, with the identity it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpfVerdict {
    /// The result.
    pub result: SpfResult,
    /// The identity checked.
    pub identity: SpfIdentity,
    /// The checked domain in lower case; empty if there was nothing to check.
    pub domain: String,
    /// The mechanism that matched, or the error. May contain text from the domain's SPF record.
    pub reason: String,
    /// The explanation that the domain publishes for a `fail` (RFC 7208 §6.2). Untrusted text.
    pub explanation: Option<String>,
}

impl SpfVerdict {
    pub(super) fn none(identity: SpfIdentity, domain: &str, reason: &str) -> Self {
        Self {
            result: SpfResult::None,
            identity,
            domain: domain.to_ascii_lowercase(),
            reason: reason.to_owned(),
            explanation: None,
        }
    }
}

/// The arguments of one SPF check.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpfInput<'i> {
    /// The identity to check.
    pub(super) identity: SpfIdentity,
    /// Address of the SMTP client.
    pub(super) client_ip: IpAddr,
    /// The name that the client gave in HELO or EHLO.
    pub(super) helo: &'i str,
    /// Local part of the identity; empty means `postmaster`.
    pub(super) local_part: &'i str,
    /// Domain of the identity.
    pub(super) domain: &'i str,
    /// The name of this host, for the `r` macro.
    pub(super) receiver: &'i str,
    /// The current time in seconds since 1970, for the `t` macro.
    pub(super) now_s: i64,
}

/// Checks whether a client may send for a domain, as a receiver of its mail does.
///
/// # Errors
/// Returns the questions to answer first.
pub fn check_spf(
    domain: &str,
    client_ip: IpAddr,
    helo: &str,
    facts: &DnsFacts,
) -> Result<SpfVerdict, Vec<DnsQuestion>> {
    let identity = SpfIdentity::MailFrom;
    let input = SpfInput { identity, client_ip, helo, local_part: "", domain, receiver: "unknown", now_s: 0 };
    let mut lookup = DnsLookup::new(facts, false);
    check(input, &mut lookup).map_err(|DnsPending| lookup.into_missing())
}

/// Runs the check for one identity (RFC 7208 §4).
pub(super) fn check(input: SpfInput<'_>, lookup: &mut DnsLookup<'_>) -> Result<SpfVerdict, DnsPending> {
    let domain = input.domain.strip_suffix('.').unwrap_or(input.domain);
    if !is_checkable(domain) {
        return Ok(SpfVerdict::none(input.identity, domain, "no domain to check"));
    }
    let input = SpfInput {
        client_ip: input.client_ip.to_canonical(),
        local_part: if input.local_part.is_empty() { "postmaster" } else { input.local_part },
        domain,
        ..input
    };
    let (result, reason, explanation) = match SpfCheck::new(input, lookup).host(domain) {
        Ok(outcome) => (outcome.result, outcome.reason, outcome.explanation),
        Err(SpfAbort::Pending) => return Err(DnsPending),
        Err(SpfAbort::Temp(reason)) => (SpfResult::TempError, reason, None),
        Err(SpfAbort::Perm(reason)) => (SpfResult::PermError, reason, None),
    };
    Ok(SpfVerdict { result, identity: input.identity, domain: domain.to_ascii_lowercase(), reason, explanation })
}

/// Returns true for a multi-label name that DNS can hold (RFC 7208 §4.3). An address, in brackets or bare, is not a
/// name (§2.3).
fn is_checkable(domain: &str) -> bool {
    let is_address = domain.starts_with('[') || domain.parse::<IpAddr>().is_ok();
    is_queryable(domain) && domain.contains('.') && !is_address
}
