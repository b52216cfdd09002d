//! SPF: `check_host()` of RFC 7208 as a pure function over gathered DNS facts.
//!
//! Never looks anything up: an answer it lacks becomes a missing question, and the whole check is run again when the
//! answer is there. While one term waits, the later terms of the same record are walked as well, so that their
//! questions go out in the same round.

mod check;
mod macros;
mod record;

use super::dns::{Lookup, Pending, is_queryable};
use check::{Check, Stop};
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
    /// The domain says nothing about this client.
    Neutral,
    /// No record, or no domain to check.
    None,
    /// DNS failed for the moment.
    TempError,
    /// The records of the domain cannot be interpreted.
    PermError,
}

impl SpfResult {
    /// The keyword of RFC 8601 §2.7.2.
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

/// The identity an SPF check is about (RFC 7208 §2.3, §2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpfIdentity {
    /// The envelope sender.
    MailFrom,
    /// The name in HELO or EHLO.
    Helo,
}

/// Result of an SPF check with what it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpfVerdict {
    /// The result.
    pub result: SpfResult,
    /// The identity checked.
    pub identity: SpfIdentity,
    /// The domain checked, in lower case; empty when there was none.
    pub domain: String,
    /// The mechanism that decided or what was wrong, in words. May hold text of the domain's owner.
    pub reason: String,
    /// The explanation the domain publishes for a `fail` (RFC 7208 §6.2). Text of a stranger.
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

/// What one check is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpfInput<'i> {
    /// Which identity is checked.
    pub(super) identity: SpfIdentity,
    /// Address of the SMTP client.
    pub(super) client_ip: IpAddr,
    /// Name the client gave in HELO or EHLO.
    pub(super) helo: &'i str,
    /// Local part of the identity checked; empty stands for `postmaster`.
    pub(super) local_part: &'i str,
    /// Domain of the identity checked.
    pub(super) domain: &'i str,
    /// Name of this host, for the `r` macro.
    pub(super) receiver: &'i str,
    /// Now, in seconds since 1970, for the `t` macro.
    pub(super) now_s: i64,
}

/// Runs the check for one identity (RFC 7208 §4).
pub(super) fn check(input: SpfInput<'_>, lookup: &mut Lookup<'_>) -> Result<SpfVerdict, Pending> {
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
    let (result, reason, explanation) = match Check::new(input, lookup).host(domain) {
        Ok(outcome) => (outcome.result, outcome.reason, outcome.explanation),
        Err(Stop::Pending) => return Err(Pending),
        Err(Stop::Temp(reason)) => (SpfResult::TempError, reason, None),
        Err(Stop::Perm(reason)) => (SpfResult::PermError, reason, None),
    };
    Ok(SpfVerdict { result, identity: input.identity, domain: domain.to_ascii_lowercase(), reason, explanation })
}

/// A multi-label name that DNS can carry (RFC 7208 §4.3); an address, in brackets or bare, is no name (§2.3).
fn is_checkable(domain: &str) -> bool {
    let is_address = domain.starts_with('[') || domain.parse::<IpAddr>().is_ok();
    is_queryable(domain) && domain.contains('.') && !is_address
}
