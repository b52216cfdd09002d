//! ARC chain validation (RFC 8617 §5.2) with the DNS facts gathered so far. Reads chains; never extends them.

use super::dkim::{BodyHashes, DkimKeyLookup, find_key};
use super::dns::{DnsLookup, DnsPending};
use crate::dkim::canon::{Canonicalization, push_field};
use crate::dkim::cover::{header_data, push_own};
use crate::dkim::message::{SignedField, SignedMessage};
use crate::dkim::signature::{DkimCoverage, DkimSigner};
use crate::dkim::tags::DkimTags;
use aws_lc_rs::digest::{Context, Digest, SHA256, digest};

/// Most ARC sets in a chain (RFC 8617 §4.2.1).
pub const ARC_SETS_MAX: usize = 50;

/// Result of chain validation (RFC 8617 §4.4, RFC 8601 registry).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArcResult {
    /// There is no chain.
    None,
    /// The chain is intact.
    Pass,
    /// The chain is broken.
    Fail,
    /// A DNS lookup failed temporarily.
    TempError,
}

impl ArcResult {
    /// Returns the keyword for Authentication-Results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::TempError => "temperror",
        }
    }
}

/// The result of chain validation and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArcVerdict {
    /// The result.
    pub result: ArcResult,
    /// The number of ARC sets.
    pub sets: usize,
    /// Domain of the newest seal; empty if there is no chain.
    pub domain: String,
    /// Why validation failed; empty for `pass` and `none`.
    pub reason: String,
}

/// A signature of the chain that needs a key to be verified.
#[derive(Debug)]
struct PendingArcSignature {
    signer: DkimSigner,
    digest: Digest,
    /// Names the signature in the reason of a failure.
    label: &'static str,
}

/// An ARC chain: either decided, or waiting for keys.
#[derive(Debug)]
pub(super) struct ArcChain {
    verdict: ArcVerdict,
    decided: bool,
    checks: Vec<PendingArcSignature>,
}

struct ArcSet<'s, 'm> {
    results: &'s SignedField<'m>,
    signature: &'s SignedField<'m>,
    seal: &'s SignedField<'m>,
}

impl ArcChain {
    /// Finds the sets and does everything that needs no key.
    pub(super) fn begin(message: &SignedMessage<'_>, hashes: &mut BodyHashes, now_s: i64) -> Self {
        let sets = match find_sets(message) {
            Ok(sets) => sets,
            Err(reason) => return Self::verdict(ArcResult::Fail, 0, reason),
        };
        if sets.is_empty() {
            return Self::verdict(ArcResult::None, 0, "");
        }
        if let Some(flaw) = message.flaw {
            return Self::verdict(ArcResult::Fail, sets.len(), &flaw.to_string());
        }
        match signatures_to_verify(message, &sets, hashes, now_s) {
            Err(reason) => Self::verdict(ArcResult::Fail, sets.len(), reason),
            Ok(checks) => {
                let domain = checks.get(1).map_or_else(String::new, |newest| newest.signer.domain.clone());
                let verdict = ArcVerdict { result: ArcResult::Pass, sets: sets.len(), domain, reason: String::new() };
                Self { verdict, decided: false, checks }
            }
        }
    }

    fn verdict(result: ArcResult, sets: usize, reason: &str) -> Self {
        let verdict = ArcVerdict { result, sets, domain: String::new(), reason: reason.to_owned() };
        Self { verdict, decided: true, checks: Vec::new() }
    }

    /// Returns the verdict once all keys, or their absence, are known. The verdict is cached for later calls.
    pub(super) fn evaluate(&mut self, lookup: &mut DnsLookup<'_>) -> Result<&ArcVerdict, DnsPending> {
        if self.decided {
            return Ok(&self.verdict);
        }
        let mut keys = Vec::with_capacity(self.checks.len());
        let mut pending = false;
        for check in &self.checks {
            match find_key(lookup, &check.signer.key_name()) {
                Ok(key) => keys.push(key),
                Err(DnsPending) => pending = true,
            }
        }
        if pending {
            return Err(DnsPending);
        }
        for (check, key) in self.checks.iter().zip(keys) {
            let (result, reason) = match key {
                DkimKeyLookup::Failed => (ArcResult::TempError, "DNS failed for a key"),
                DkimKeyLookup::Unusable(reason) => (ArcResult::Fail, reason),
                DkimKeyLookup::Usable(key) => {
                    match key.verify(check.signer.algorithm, &check.digest, &check.signer.signature) {
                        Ok(()) => continue,
                        Err(reason) => (ArcResult::Fail, reason),
                    }
                }
            };
            self.verdict.result = result;
            self.verdict.reason = format!("{}: {reason}", check.label);
            break;
        }
        self.decided = true;
        self.checks.clear();
        Ok(&self.verdict)
    }
}

/// Returns the sets in order of instance. Each instance from 1 to N must have one field of each kind (RFC 8617 §5.2
/// step 3).
fn find_sets<'s, 'm>(message: &'s SignedMessage<'m>) -> Result<Vec<ArcSet<'s, 'm>>, &'static str> {
    let results = by_instance(message, "ARC-Authentication-Results")?;
    let signatures = by_instance(message, "ARC-Message-Signature")?;
    let seals = by_instance(message, "ARC-Seal")?;
    if results.len() != signatures.len() || results.len() != seals.len() {
        return Err("a set is incomplete");
    }
    let fields = results.into_iter().zip(signatures).zip(seals);
    Ok(fields.map(|((results, signature), seal)| ArcSet { results, signature, seal }).collect())
}

fn by_instance<'s, 'm>(
    message: &'s SignedMessage<'m>,
    name: &'static str,
) -> Result<Vec<&'s SignedField<'m>>, &'static str> {
    let mut numbered = Vec::new();
    for field in message.named(name) {
        let instance = instance_of(field, name == "ARC-Authentication-Results").ok_or("an instance is malformed")?;
        numbered.push((instance, field));
        if numbered.len() > ARC_SETS_MAX {
            return Err("the chain is too long");
        }
    }
    numbered.sort_by_key(|(instance, _)| *instance);
    if numbered.iter().zip(1..).any(|((instance, _), expected)| *instance != expected) {
        return Err("instances are missing or repeated");
    }
    Ok(numbered.into_iter().map(|(_, field)| field).collect())
}

/// Returns the `i=` of a field. In ARC-Authentication-Results it must come first and end with a semicolon (§4.1.1).
fn instance_of(field: &SignedField<'_>, leading: bool) -> Option<usize> {
    let text =
        if leading { String::from_utf8_lossy(field.value) } else { std::str::from_utf8(field.value).ok()?.into() };
    let value = if leading {
        let (tag, _) = text.split_once(';')?;
        let (name, value) = tag.split_once('=')?;
        (name.trim() == "i").then(|| value.trim())?
    } else {
        DkimTags::parse(&text)?.get("i")?
    };
    let plain = (1..=2).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit());
    if plain { value.parse().ok() } else { None }
}

/// Returns the signatures to verify: the newest message signature, then all seals from the newest (§5.2 steps 4 and 6).
fn signatures_to_verify(
    message: &SignedMessage<'_>,
    sets: &[ArcSet<'_, '_>],
    hashes: &mut BodyHashes,
    now_s: i64,
) -> Result<Vec<PendingArcSignature>, &'static str> {
    let newest = sets.last().ok_or("the chain is empty")?;
    let mut list = vec![message_signature(message, newest.signature, hashes, now_s)?];
    // Every seal covers the sets from the first one on, so one running hash serves them all.
    let mut running = Context::new(&SHA256);
    let mut seals = Vec::with_capacity(sets.len());
    for (n, set) in sets.iter().enumerate() {
        let signer = seal_signer(set.seal, n == 0)?;
        let mut data = Vec::with_capacity(1024);
        push_field(set.results, Canonicalization::Relaxed, &mut data);
        push_field(set.signature, Canonicalization::Relaxed, &mut data);
        running.update(&data);
        let mut own = Vec::with_capacity(512);
        push_own(set.seal, Canonicalization::Relaxed, &mut own);
        let mut sealed = running.clone();
        sealed.update(&own);
        seals.push(PendingArcSignature { signer, digest: sealed.finish(), label: "a seal" });
        data.clear();
        push_field(set.seal, Canonicalization::Relaxed, &mut data);
        running.update(&data);
    }
    list.extend(seals.into_iter().rev());
    Ok(list)
}

fn message_signature(
    message: &SignedMessage<'_>,
    field: &SignedField<'_>,
    hashes: &mut BodyHashes,
    now_s: i64,
) -> Result<PendingArcSignature, &'static str> {
    let text = std::str::from_utf8(field.value).map_err(|_| "a field is malformed")?;
    let tags = DkimTags::parse(text).ok_or("a field is malformed")?;
    let signer = DkimSigner::parse(&tags)?;
    let coverage = DkimCoverage::parse(&tags, Canonicalization::Relaxed)?;
    if coverage.covers("ARC-Seal") {
        return Err("a message signature covers a seal");
    }
    if coverage.has_expired(now_s) {
        return Err("the newest message signature has expired");
    }
    let hash = hashes.get(message.body, &coverage).ok_or("the body is hashed in too many ways")?;
    if hash.sha256 != coverage.body_hash || coverage.body_bytes_max.is_some_and(|l| l != hash.canonical_bytes) {
        return Err("the body has been changed");
    }
    let data = header_data(message, &coverage.names, field, coverage.header_canon);
    Ok(PendingArcSignature { signer, digest: digest(&SHA256, &data), label: "the newest message signature" })
}

fn seal_signer(field: &SignedField<'_>, first: bool) -> Result<DkimSigner, &'static str> {
    let text = std::str::from_utf8(field.value).map_err(|_| "a field is malformed")?;
    let tags = DkimTags::parse(text).ok_or("a field is malformed")?;
    // A seal covers a fixed list of fields; §4.1.3 forbids these tags.
    if tags.get("h").is_some() || tags.get("bh").is_some() {
        return Err("a seal has a tag it must not have");
    }
    match (tags.get("cv"), first) {
        (Some("none"), true) | (Some("pass"), false) => DkimSigner::parse(&tags),
        (Some("fail"), _) => Err("a seal records that the chain had already failed"),
        _ => Err("the chain status of a seal is wrong"),
    }
}
