//! DKIM verification (RFC 6376 §6, RFC 8301, RFC 8463) over gathered DNS facts.
//!
//! A signature counts for a message only as far as the message is shown: one that leaves part of the body unsigned (`l=`), or
//! a field that is shown more often than it is signed, is `policy`, not `pass`.

use super::dns::{Found, Lookup, Pending};
use crate::dkim::canon::{BodyHash, Canon, hash_body};
use crate::dkim::cover::header_data;
use crate::dkim::message::{Field, Message};
use crate::dkim::public::PublicKey;
use crate::dkim::signature::{Coverage, DkimSignature};
use crate::dkim::tags::Tags;
use aws_lc_rs::digest::{Digest, SHA256, digest};

/// Most DKIM signatures of one message that are checked, from the top (RFC 6376 §6.1 allows a limit).
pub const DKIM_SIGNATURES_MAX: usize = 10;

/// Most different hashes of one body: canonical forms and `l=` lengths. Signatures that want further ones are not checked.
const BODY_HASHES_MAX: usize = 5;

/// Fields that are shown and must be signed as often as they occur: without them a signature says nothing about a message.
const SIGNED_ALWAYS: [&str; 2] = ["From", "Subject"];

/// Fields that are shown or used, and occur once (RFC 5322 §3.6). Large providers leave some of them unsigned (Content-Type,
/// To), so one may be, but a further one could have been put on top of a signed message (RFC 6376 §8.15).
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
    /// The signature verifies, but leaves unsigned what is shown: part of the body, or a repeated field.
    Policy,
    /// The signature field cannot be processed.
    Neutral,
    /// DNS failed for the moment.
    TempError,
    /// There is no usable key, or an algorithm that must not be used.
    PermError,
}

impl DkimResult {
    /// The keyword of RFC 8601 §2.7.1.
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

/// Result of one DKIM signature with what it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DkimVerdict {
    /// The result.
    pub result: DkimResult,
    /// The signing domain (`d=`) in lower case and A-labels; empty when the field could not be read.
    pub domain: String,
    /// The selector (`s=`); empty when the field could not be read.
    pub selector: String,
    /// The algorithm (`a=`); empty when the field could not be read.
    pub algorithm: &'static str,
    /// True when the signing domain is aligned with the domain in From (RFC 9989), whatever the result.
    pub aligned: bool,
    /// What was wrong, in words; empty for a pass.
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
            reason: reason.to_owned(),
        }
    }
}

/// Body hashes of one message, each computed once.
#[derive(Debug, Default)]
pub(super) struct BodyHashes {
    known: Vec<(Canon, Option<u64>, BodyHash)>,
}

impl BodyHashes {
    /// The hash of `body` as `coverage` wants it. None when there are too many others already.
    pub(super) fn get(&mut self, body: &[u8], coverage: &Coverage) -> Option<&BodyHash> {
        let (canon, bytes_max) = (coverage.body_canon, coverage.body_bytes_max);
        let known = self.known.iter().position(|(c, l, _)| (*c, *l) == (canon, bytes_max));
        let at = known.unwrap_or(self.known.len());
        if known.is_none() && at < BODY_HASHES_MAX {
            self.known.push((canon, bytes_max, hash_body(body, canon, bytes_max)));
        }
        self.known.get(at).map(|(.., hash)| hash)
    }
}

/// One signature: decided, or waiting for its key.
#[derive(Debug)]
pub(super) enum Candidate {
    /// Nothing more to find out.
    Decided(DkimVerdict),
    /// The hash of the header is ready, the key is missing.
    Waiting(Box<Waiting>),
}

/// A signature whose body hash matched.
#[derive(Debug)]
pub(super) struct Waiting {
    signature: DkimSignature,
    header_digest: Digest,
    /// What is shown and not signed; `None` when all is.
    uncovered: Option<String>,
}

impl Candidate {
    /// Reads a signature field and does all that needs no key.
    pub(super) fn begin(message: &Message<'_>, own: &Field<'_>, hashes: &mut BodyHashes, now_s: i64) -> Self {
        if let Some(flaw) = message.flaw {
            return Self::Decided(DkimVerdict::unreadable(&flaw.to_string()));
        }
        let tags = std::str::from_utf8(own.value).ok().and_then(Tags::parse);
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
            uncovered_field(message, coverage)
        } else {
            Some("only a part of the body is signed".to_owned())
        };
        let data = header_data(message, &coverage.names, own, coverage.header_canon);
        let header_digest = digest(&SHA256, &data);
        Self::Waiting(Box::new(Waiting { signature, header_digest, uncovered }))
    }

    /// The verdict, once the key (or its absence) is known. Later calls cost nothing.
    pub(super) fn evaluate(&mut self, lookup: &mut Lookup<'_>) -> Result<&mut DkimVerdict, Pending> {
        if let Self::Waiting(waiting) = self {
            *self = Self::Decided(waiting.decide(lookup)?);
        }
        match self {
            Self::Decided(verdict) => Ok(verdict),
            Self::Waiting(_) => Err(Pending),
        }
    }
}

impl Waiting {
    fn decide(&self, lookup: &mut Lookup<'_>) -> Result<DkimVerdict, Pending> {
        let signature = &self.signature;
        let verdict = |result, reason| DkimVerdict::of(signature, result, reason);
        let key = match find_key(lookup, &signature.signer.key_name())? {
            Key::Usable(key) => key,
            Key::Unusable(reason) => return Ok(verdict(DkimResult::PermError, reason)),
            Key::Failed => return Ok(verdict(DkimResult::TempError, "DNS failed for the key")),
        };
        if key.exact_identity && signature.identity_domain != signature.signer.domain {
            return Ok(verdict(DkimResult::PermError, "the key is not for subdomains"));
        }
        let verified = key.verify(signature.signer.algorithm, &self.header_digest, &signature.signer.signature);
        Ok(match (verified, &self.uncovered) {
            (Err(reason), _) => verdict(DkimResult::Fail, reason),
            (Ok(()), Some(reason)) => verdict(DkimResult::Policy, reason),
            (Ok(()), None) => verdict(DkimResult::Pass, ""),
        })
    }
}

/// The first field that is shown and occurs more often than the signature covers, in words.
fn uncovered_field(message: &Message<'_>, coverage: &Coverage) -> Option<String> {
    let names = SIGNED_ALWAYS.iter().map(|name| (name, 0)).chain(SIGNED_WHEN_REPEATED.iter().map(|name| (name, 1)));
    names.into_iter().find_map(|(name, free)| {
        let occurs = message.named(name).count();
        let signed = coverage.names.iter().filter(|covered| covered.eq_ignore_ascii_case(name)).count();
        (occurs > signed.max(free)).then(|| format!("{name} occurs {occurs} times and is signed {signed} times"))
    })
}

/// What DNS has under a key name.
pub(super) enum Key {
    /// A key.
    Usable(PublicKey),
    /// None that can be used, and why.
    Unusable(&'static str),
    /// Temporary failure.
    Failed,
}

/// Looks for a key among the facts.
pub(super) fn find_key(lookup: &mut Lookup<'_>, name: &str) -> Result<Key, Pending> {
    let records = match lookup.txt(name)? {
        Found::Records(records) => records,
        Found::NoSuchName => &[],
        Found::Failed => return Ok(Key::Failed),
    };
    Ok(match PublicKey::from_records(records) {
        Ok(key) => Key::Usable(key),
        Err(reason) => Key::Unusable(reason),
    })
}
