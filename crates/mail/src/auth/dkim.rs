//! DKIM verification (RFC 6376 §6, RFC 8301, RFC 8463) with the DNS facts gathered so far.
//!
//! A signature must cover what a reader sees. If it leaves part of the body unsigned (`l=`), or if a displayed field
//! occurs more often than it is signed, or if an unsigned field gives the body a form that it doesn't have by itself, the
//! result is `policy` instead of `pass`.

mod unsigned;

use super::dns::{DnsLookup, DnsLookupResult, DnsPending};
use crate::dkim::canon::{BodyHash, Canonicalization, hash_body};
use crate::dkim::cover::header_data;
use crate::dkim::message::{SignedField, SignedMessage};
use crate::dkim::public::DkimPublicKey;
use crate::dkim::signature::{DkimCoverage, DkimSignature};
use crate::dkim::tags::DkimTags;
use aws_lc_rs::digest::{Digest, SHA256, digest};

/// Most DKIM signatures checked in one message, counted from the top (RFC 6376 §6.1 allows a limit).
pub const DKIM_SIGNATURES_MAX: usize = 10;

/// Most distinct body hashes (canonicalization and `l=` length) per message. Signatures that need more aren't checked.
const BODY_HASHES_MAX: usize = 5;

/// Displayed fields that must be signed as often as they occur. A signature that omits them proves nothing.
const SIGNED_ALWAYS: [&str; 2] = ["From", "Subject"];

/// Displayed or interpreted fields that may occur once (RFC 5322 §3.6). Large providers leave some of them unsigned
/// (Content-Type, To), so one unsigned instance is accepted; a second one may have been added after signing
/// (RFC 6376 §8.15).
const SIGNED_WHEN_REPEATED: [&str; 10] = [
    "To",
    "Cc",
    "Reply-To",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
    "Content-Type",
    "Content-Transfer-Encoding",
    "MIME-Version",
];

/// Result of one DKIM signature (RFC 8601 §2.7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DkimResult {
    /// The signature verifies.
    Pass,
    /// The signature does not verify, or has expired.
    Fail,
    /// The signature verifies, but does not cover part of the body or a repeated displayed field.
    Policy,
    /// The signature field cannot be processed.
    Neutral,
    /// A DNS lookup failed temporarily.
    TempError,
    /// There is no usable key, or the algorithm must not be used.
    PermError,
}

impl DkimResult {
    /// Returns the keyword of RFC 8601 §2.7.1.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Policy => "policy",
            Self::Neutral => "neutral",
            Self::TempError => "temperror",
            Self::PermError => "permerror",
        }
    }
}

/// The result of one DKIM signature, with its domain, selector and algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DkimVerdict {
    /// The result.
    pub result: DkimResult,
    /// The signing domain (`d=`) in lower case and A-labels; empty if the field can't be parsed.
    pub domain: String,
    /// The selector (`s=`); empty if the field can't be parsed.
    pub selector: String,
    /// The algorithm (`a=`); empty if the field can't be parsed.
    pub algorithm: &'static str,
    /// Whether the signing domain is aligned with the domain in From (RFC 9989), whatever the result.
    pub aligned: bool,
    /// Whether the signature covers `Reply-To`, or covers its absence.
    pub covers_reply_to: bool,
    /// Why the signature does not pass; empty for a pass.
    pub reason: String,
}

impl DkimVerdict {
    fn unreadable(reason: &str) -> Self {
        Self {
            result: DkimResult::Neutral,
            domain: String::new(),
            selector: String::new(),
            algorithm: "",
            aligned: false,
            covers_reply_to: false,
            reason: reason.to_owned(),
        }
    }

    fn of(signature: &DkimSignature, result: DkimResult, reason: &str) -> Self {
        Self {
            result,
            domain: signature.signer.domain.clone(),
            selector: signature.signer.selector.clone(),
            algorithm: signature.signer.algorithm.as_str(),
            aligned: false,
            covers_reply_to: signature.coverage.names.iter().any(|name| name.eq_ignore_ascii_case("Reply-To")),
            reason: reason.to_owned(),
        }
    }
}

/// Body hashes of one message, each computed once.
#[derive(Debug, Default)]
pub(super) struct BodyHashes {
    known: Vec<(Canonicalization, Option<u64>, BodyHash)>,
}

impl BodyHashes {
    /// Returns the hash of `body` that `coverage` specifies, or `None` if too many other hashes were computed already.
    pub(super) fn get(&mut self, body: &[u8], coverage: &DkimCoverage) -> Option<&BodyHash> {
        let (canon, bytes_max) = (coverage.body_canon, coverage.body_bytes_max);
        let known = self.known.iter().position(|(c, l, _)| (*c, *l) == (canon, bytes_max));
        let at = known.unwrap_or(self.known.len());
        if known.is_none() && at < BODY_HASHES_MAX {
            self.known.push((canon, bytes_max, hash_body(body, canon, bytes_max)));
        }
        self.known.get(at).map(|(.., hash)| hash)
    }
}

/// One signature: either decided, or waiting for its key.
#[derive(Debug)]
pub(super) enum DkimCheck {
    /// The verdict is final.
    Decided(DkimVerdict),
    /// The header is hashed; only the key is missing.
    AwaitingKey(Box<DkimAwaitingKey>),
}

/// A signature whose body hash matches and whose key is not known yet.
#[derive(Debug)]
pub(super) struct DkimAwaitingKey {
    signature: DkimSignature,
    header_digest: Digest,
    /// What is displayed but not signed; `None` if the signature covers everything.
    uncovered: Option<String>,
}

impl DkimCheck {
    /// Parses a signature field and does everything that needs no key.
    pub(super) fn begin(
        message: &SignedMessage<'_>,
        own: &SignedField<'_>,
        hashes: &mut BodyHashes,
        now_s: i64,
    ) -> Self {
        if let Some(flaw) = message.flaw {
            return Self::Decided(DkimVerdict::unreadable(&flaw.to_string()));
        }
        let tags = std::str::from_utf8(own.value).ok().and_then(DkimTags::parse);
        let Some(tags) = tags else {
            return Self::Decided(DkimVerdict::unreadable("the signature field is malformed"));
        };
        let signature = match DkimSignature::parse(&tags) {
            Ok(signature) => signature,
            Err(reason) => return Self::Decided(DkimVerdict::unreadable(reason)),
        };
        let coverage = &signature.coverage;
        if coverage.has_expired(now_s) {
            return Self::Decided(DkimVerdict::of(&signature, DkimResult::Fail, "the signature has expired"));
        }
        let Some(hash) = hashes.get(message.body, coverage) else {
            let reason = "the signatures hash the body in too many ways";
            return Self::Decided(DkimVerdict::of(&signature, DkimResult::Neutral, reason));
        };
        let too_long = coverage.body_bytes_max.is_some_and(|length| length > hash.canonical_bytes);
        if too_long || hash.sha256 != coverage.body_hash {
            return Self::Decided(DkimVerdict::of(&signature, DkimResult::Fail, "the body has been changed"));
        }
        let covers_whole_body = coverage.body_bytes_max.is_none_or(|length| length == hash.canonical_bytes);
        let uncovered = if covers_whole_body {
            uncovered_field(message, coverage).or_else(|| {
                let name = unsigned::contradicts_body(message, coverage)?;
                Some(format!("{name} is not signed and does not agree with the body"))
            })
        } else {
            Some("only a part of the body is signed".to_owned())
        };
        let data = header_data(message, &coverage.names, own, coverage.header_canon);
        let header_digest = digest(&SHA256, &data);
        Self::AwaitingKey(Box::new(DkimAwaitingKey { signature, header_digest, uncovered }))
    }

    /// Returns the verdict once the key, or its absence, is known. The verdict is cached for later calls.
    pub(super) fn evaluate(&mut self, lookup: &mut DnsLookup<'_>) -> Result<&mut DkimVerdict, DnsPending> {
        if let Self::AwaitingKey(waiting) = self {
            *self = Self::Decided(waiting.decide(lookup)?);
        }
        match self {
            Self::Decided(verdict) => Ok(verdict),
            Self::AwaitingKey(_) => Err(DnsPending),
        }
    }
}

impl DkimAwaitingKey {
    fn decide(&self, lookup: &mut DnsLookup<'_>) -> Result<DkimVerdict, DnsPending> {
        let signature = &self.signature;
        let verdict = |result, reason| DkimVerdict::of(signature, result, reason);
        let key = match find_key(lookup, &signature.signer.key_name())? {
            DkimKeyLookup::Usable(key) => key,
            DkimKeyLookup::Unusable(reason) => return Ok(verdict(DkimResult::PermError, reason)),
            DkimKeyLookup::Failed => return Ok(verdict(DkimResult::TempError, "DNS failed for the key")),
        };
        if key.exact_identity && signature.identity_domain != signature.signer.domain {
            return Ok(verdict(DkimResult::PermError, "the key does not allow subdomains"));
        }
        let verified = key.verify(signature.signer.algorithm, &self.header_digest, &signature.signer.signature);
        Ok(match (verified, &self.uncovered) {
            (Err(reason), _) => verdict(DkimResult::Fail, reason),
            (Ok(()), Some(reason)) => verdict(DkimResult::Policy, reason),
            (Ok(()), None) => verdict(DkimResult::Pass, ""),
        })
    }
}

/// Describes the first displayed field that occurs more often than the signature covers it.
fn uncovered_field(message: &SignedMessage<'_>, coverage: &DkimCoverage) -> Option<String> {
    let names = SIGNED_ALWAYS.iter().map(|name| (name, 0)).chain(SIGNED_WHEN_REPEATED.iter().map(|name| (name, 1)));
    names.into_iter().find_map(|(name, unsigned_allowed)| {
        let occurs = message.named(name).count();
        let signed = coverage.names.iter().filter(|covered| covered.eq_ignore_ascii_case(name)).count();
        (occurs > signed.max(unsigned_allowed))
            .then(|| format!("{name} occurs {occurs} times and is signed {signed} times"))
    })
}

/// The result of a key lookup in DNS.
pub(super) enum DkimKeyLookup {
    /// A usable key.
    Usable(DkimPublicKey),
    /// No usable key, and the reason.
    Unusable(&'static str),
    /// The lookup failed temporarily.
    Failed,
}

/// Looks up a key in the gathered facts.
pub(super) fn find_key(lookup: &mut DnsLookup<'_>, name: &str) -> Result<DkimKeyLookup, DnsPending> {
    let records = match lookup.txt(name)? {
        DnsLookupResult::Records(records) => records,
        DnsLookupResult::NoSuchName => &[],
        DnsLookupResult::Failed => return Ok(DkimKeyLookup::Failed),
    };
    Ok(match DkimPublicKey::from_records(records) {
        Ok(key) => DkimKeyLookup::Usable(key),
        Err(reason) => DkimKeyLookup::Unusable(reason),
    })
}
