//! The tags shared by DKIM-Signature, ARC-Message-Signature and ARC-Seal (RFC 6376 §3.5, RFC 8617 §4.1). Checks only
//! their syntax; the [`auth`](crate::auth) module verifies the signatures.

use super::canon::Canonicalization;
use super::tags::{DkimTags, without_fws};
use base64::Engine as _;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

/// Most names in an `h=` tag.
pub(crate) const SIGNED_NAMES_MAX: usize = 250;

/// Base64 for signatures and keys. Padding is optional because it is often lost.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The supported signing algorithms (RFC 8301, RFC 8463).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DkimAlgorithm {
    RsaSha256,
    Ed25519Sha256,
}

impl DkimAlgorithm {
    /// Returns the value of the `a=` tag.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::RsaSha256 => "rsa-sha256",
            Self::Ed25519Sha256 => "ed25519-sha256",
        }
    }

    fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "rsa-sha256" => Ok(Self::RsaSha256),
            "ed25519-sha256" => Ok(Self::Ed25519Sha256),
            // RFC 8301 §3.1: SHA-1 signatures must not be verified.
            "rsa-sha1" => Err("rsa-sha1 is no longer accepted"),
            _ => Err("unknown signing algorithm"),
        }
    }
}

/// The signing domain, the key location and the signature: the tags that every signature field has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DkimSigner {
    pub(crate) algorithm: DkimAlgorithm,
    /// In lower case and A-labels.
    pub(crate) domain: String,
    pub(crate) selector: String,
    pub(crate) signature: Vec<u8>,
}

impl DkimSigner {
    /// Parses `a`, `b`, `d` and `s`, and checks the syntax of `t`.
    pub(crate) fn parse(tags: &DkimTags<'_>) -> Result<Self, &'static str> {
        let algorithm = DkimAlgorithm::parse(tags.get("a").ok_or("a= is missing")?)?;
        let signature = base64_tag(tags, "b")?;
        let domain = domain_tag(tags.get("d").ok_or("d= is missing")?).ok_or("d= is not a domain")?;
        let selector = domain_tag(tags.get("s").ok_or("s= is missing")?).ok_or("s= is not a selector")?;
        number_tag(tags, "t")?;
        Ok(Self { algorithm, domain, selector, signature })
    }

    /// Returns the name of the text record that holds the key.
    pub(crate) fn key_name(&self) -> String {
        format!("{}._domainkey.{}", self.selector, self.domain)
    }
}

/// The parts of a message that a signature covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DkimCoverage {
    pub(crate) header_canon: Canonicalization,
    pub(crate) body_canon: Canonicalization,
    /// The `l=` tag, in bytes of the canonical body.
    pub(crate) body_bytes_max: Option<u64>,
    pub(crate) body_hash: Vec<u8>,
    /// The names in `h=`, in order.
    pub(crate) names: Vec<String>,
    /// The `x=` tag, in seconds since 1970.
    pub(crate) expires_s: Option<u64>,
}

impl DkimCoverage {
    /// Parses `bh`, `c`, `h`, `l` and `x`. Without `c=`, both canonicalizations are `canon_default`: simple for DKIM
    /// (RFC 6376 §3.5), relaxed for ARC, as in its published test suite.
    pub(crate) fn parse(tags: &DkimTags<'_>, canon_default: Canonicalization) -> Result<Self, &'static str> {
        let body_hash = base64_tag(tags, "bh")?;
        let (header_canon, body_canon) = match tags.get("c") {
            Some(text) => canon_tag(text)?,
            None => (canon_default, canon_default),
        };
        let names: Vec<String> = tags.get("h").ok_or("h= is missing")?.split(':').map(without_fws).collect();
        if names.len() > SIGNED_NAMES_MAX {
            return Err("h= has too many names");
        }
        let expires_s = number_tag(tags, "x")?;
        if let (Some(signed), Some(expires)) = (number_tag(tags, "t")?, expires_s)
            && expires <= signed
        {
            return Err("x= is not after t=");
        }
        Ok(Self { header_canon, body_canon, body_bytes_max: number_tag(tags, "l")?, body_hash, names, expires_s })
    }

    /// Returns true if `h=` names the field.
    pub(crate) fn covers(&self, name: &str) -> bool {
        self.names.iter().any(|covered| covered.eq_ignore_ascii_case(name))
    }

    /// Returns true if the signature has expired at `now_s`.
    pub(crate) fn has_expired(&self, now_s: i64) -> bool {
        self.expires_s.is_some_and(|expires| i64::try_from(expires).is_ok_and(|expires| expires < now_s))
    }
}

/// A complete DKIM-Signature field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DkimSignature {
    pub(crate) signer: DkimSigner,
    pub(crate) coverage: DkimCoverage,
    /// Domain of the `i=` tag, or the signing domain.
    pub(crate) identity_domain: String,
}

impl DkimSignature {
    /// Parses a field value (RFC 6376 §3.5, §6.1.1).
    pub(crate) fn parse(tags: &DkimTags<'_>) -> Result<Self, &'static str> {
        if tags.get("v") != Some("1") {
            return Err("v= is not 1");
        }
        let signer = DkimSigner::parse(tags)?;
        let coverage = DkimCoverage::parse(tags, Canonicalization::Simple)?;
        if !coverage.covers("from") {
            return Err("h= does not cover From");
        }
        if let Some(methods) = tags.get("q")
            && !methods.split(':').any(|method| without_fws(method) == "dns/txt")
        {
            return Err("unknown query method");
        }
        let identity_domain = match tags.get("i").map(without_fws) {
            Some(identity) => {
                let (_, domain) = identity.rsplit_once('@').ok_or("i= has no domain")?;
                domain_tag(domain).ok_or("i= is not a domain")?
            }
            None => signer.domain.clone(),
        };
        if !is_at_or_below(&identity_domain, &signer.domain) {
            return Err("i= is not within d=");
        }
        Ok(Self { signer, coverage, identity_domain })
    }
}

/// Returns true if `name` is `domain` or a subdomain of it. Both must be in lower case.
pub(crate) fn is_at_or_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn base64_tag(tags: &DkimTags<'_>, name: &str) -> Result<Vec<u8>, &'static str> {
    let text = without_fws(tags.get(name).ok_or("the signature or a hash is missing")?);
    match BASE64.decode(text) {
        Ok(bytes) if !bytes.is_empty() => Ok(bytes),
        _ => Err("the signature or a hash is not base64"),
    }
}

fn number_tag(tags: &DkimTags<'_>, name: &str) -> Result<Option<u64>, &'static str> {
    let Some(text) = tags.get(name) else {
        return Ok(None);
    };
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // Numbers may have 76 digits (RFC 6376 §3.5). Beyond 64 bits they all mean "never".
    if plain { Ok(Some(text.parse().unwrap_or(u64::MAX))) } else { Err("a number is malformed") }
}

fn canon_tag(text: &str) -> Result<(Canonicalization, Canonicalization), &'static str> {
    let one = |name: &str| match name {
        "simple" => Ok(Canonicalization::Simple),
        "relaxed" => Ok(Canonicalization::Relaxed),
        _ => Err("unknown canonicalization"),
    };
    match text.split_once('/') {
        Some((header, body)) => Ok((one(header)?, one(body)?)),
        None => Ok((one(text)?, Canonicalization::Simple)),
    }
}

/// Returns a domain name in lower case and A-labels (RFC 8616 §4), without a trailing dot. Underscores are allowed.
pub(crate) fn domain_tag(text: &str) -> Option<String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let name = if text.is_ascii() { text.to_ascii_lowercase() } else { idna::domain_to_ascii(text).ok()? };
    let label_is_valid = |label: &str| {
        (1..=63).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    (name.len() <= 253 && name.split('.').all(label_is_valid)).then_some(name)
}

/// Returns the field value with its `b=` tag emptied (RFC 6376 §3.7). The value must parse as a tag list.
pub(crate) fn without_signature(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    for (n, spec) in value.split(|b| *b == b';').enumerate() {
        if n > 0 {
            out.push(b';');
        }
        let name_end = spec.iter().position(|b| *b == b'=');
        match name_end {
            Some(at) if spec.get(..at).is_some_and(|name| name.trim_ascii() == b"b") => {
                out.extend_from_slice(spec.get(..=at).unwrap_or_default());
            }
            _ => out.extend_from_slice(spec),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "v=1; a=rsa-sha256; d=Example.ORG; s=s1; h=From : to; bh=AAAA; b=AA AA; c=relaxed";

    fn parse(text: &str) -> Result<DkimSignature, &'static str> {
        DkimSignature::parse(&DkimTags::parse(text).ok_or("tags")?)
    }

    #[test]
    fn a_signature_is_parsed_with_its_defaults() {
        let signature = parse(GOOD).expect("valid");
        assert_eq!(signature.signer.key_name(), "s1._domainkey.example.org");
        assert_eq!(signature.identity_domain, "example.org");
        assert_eq!(signature.coverage.names, ["From", "to"]);
        assert_eq!(signature.coverage.header_canon, Canonicalization::Relaxed);
        assert_eq!(signature.coverage.body_canon, Canonicalization::Simple);
        assert_eq!(signature.signer.signature, [0, 0, 0]);
    }

    #[test]
    fn invalid_signatures_are_rejected() {
        for (from, to) in [
            ("v=1", "v=2"),
            ("v=1; ", ""),
            ("rsa-sha256", "rsa-sha1"),
            ("rsa-sha256", "RSA-SHA256"),
            ("From :", ""),
            ("bh=AAAA; ", ""),
            ("bh=AAAA", "bh=="),
            ("d=Example.ORG; ", ""),
            ("d=Example.ORG", "d=exa mple"),
            ("s=s1", "s="),
            ("c=relaxed", "c=loose"),
            ("c=relaxed", "i=@example.com"),
            ("c=relaxed", "i=@notexample.org"),
            ("c=relaxed", "t=x"),
            ("c=relaxed", "t=2; x=1"),
            ("c=relaxed", "q=carrier/pigeon"),
        ] {
            assert!(parse(&GOOD.replace(from, to)).is_err(), "{from} -> {to}");
        }
        assert!(parse(&GOOD.replace("c=relaxed", "i=a@sub.example.org; t=1; x=2; q=dns/txt; l=0")).is_ok());
    }

    #[test]
    fn the_signature_is_removed_from_its_own_field() {
        assert_eq!(without_signature(b" v=1;\r\n b = AA\r\n =;bh=BB; "), b" v=1;\r\n b =;bh=BB; ");
        assert_eq!(without_signature(b"bh=BB; b=AA"), b"bh=BB; b=");
    }
}
