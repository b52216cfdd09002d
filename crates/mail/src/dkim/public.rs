//! Public keys as published in DNS (RFC 6376 §3.6.1, RFC 8463), and verification of one signature with one key.

use super::signature::{BASE64, DkimAlgorithm};
use super::tags::{DkimTags, without_fws};
use aws_lc_rs::digest::Digest;
use aws_lc_rs::signature::{
    ED25519, RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
};
use base64::Engine as _;

/// A public key from DNS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DkimPublicKey {
    kind: KeyKind,
    bytes: Vec<u8>,
    /// `t=s`: the `i=` domain must be the signing domain itself.
    pub(crate) exact_identity: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Rsa,
    Ed25519,
}

/// The length of an Ed25519 public key in bytes (RFC 8032).
const ED25519_BYTES: usize = 32;

impl DkimPublicKey {
    /// Returns the first usable key among the text records of a key name.
    pub(crate) fn from_records(records: &[Vec<u8>]) -> Result<Self, &'static str> {
        let mut outcome = Err("no key record");
        for record in records {
            let parsed = std::str::from_utf8(record).map_err(|_| "the key record is malformed").and_then(Self::parse);
            match (parsed, &outcome) {
                (Ok(key), _) => return Ok(key),
                (Err(reason), Err("no key record")) => outcome = Err(reason),
                (Err(_), _) => {}
            }
        }
        outcome
    }

    /// Parses one key record.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let tags = DkimTags::parse(text).ok_or("the key record is malformed")?;
        if let Some(version) = tags.get("v")
            && (version != "DKIM1" || tags.first().map(|(name, _)| name) != Some("v"))
        {
            return Err("the key record has an unknown version");
        }
        let kind = match tags.get("k").unwrap_or("rsa") {
            "rsa" => KeyKind::Rsa,
            "ed25519" => KeyKind::Ed25519,
            _ => return Err("the key type is unknown"),
        };
        let allows = |name, wanted: &[&str]| {
            tags.get(name).is_none_or(|list| list.split(':').any(|item| wanted.contains(&item.trim())))
        };
        if !allows("h", &["sha256"]) {
            return Err("the key does not allow sha256");
        }
        if !allows("s", &["*", "email"]) {
            return Err("the key does not allow email");
        }
        let data = without_fws(tags.get("p").ok_or("the key record has no key")?);
        if data.is_empty() {
            return Err("the key has been revoked");
        }
        let bytes = BASE64.decode(data).map_err(|_| "the key is not base64")?;
        let exact_identity = tags.get("t").is_some_and(|list| list.split(':').any(|flag| flag.trim() == "s"));
        Ok(Self { kind, bytes, exact_identity })
    }

    /// Returns whether both verify the same signatures, whatever their other tags are.
    pub(crate) fn is_same_key(&self, other: &Self) -> bool {
        (self.kind, &self.bytes) == (other.kind, &other.bytes)
    }

    /// Verifies a signature over the SHA-256 hash of canonical header data. Rejects RSA keys below 1024 bits
    /// (RFC 8301 §3.2).
    pub(crate) fn verify(&self, algorithm: DkimAlgorithm, data: &Digest, signature: &[u8]) -> Result<(), &'static str> {
        let bad = "the signature does not verify";
        match (algorithm, self.kind) {
            (DkimAlgorithm::RsaSha256, KeyKind::Rsa) => {
                let parameters = if signature.len() < 256 {
                    &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY
                } else {
                    &RSA_PKCS1_2048_8192_SHA256
                };
                UnparsedPublicKey::new(parameters, &self.bytes).verify_digest(data, signature).map_err(|_| bad)
            }
            (DkimAlgorithm::Ed25519Sha256, KeyKind::Ed25519) => {
                let Some(key) = self.bytes.last_chunk::<ED25519_BYTES>() else {
                    return Err("the key is too short");
                };
                // RFC 8463 §3: PureEdDSA over the SHA-256 hash of the data.
                UnparsedPublicKey::new(&ED25519, key).verify(data.as_ref(), signature).map_err(|_| bad)
            }
            _ => Err("the key type does not match the signature algorithm"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_records_are_accepted_or_rejected() {
        for (text, accepted) in [
            ("v=DKIM1; p=AAAA", true),
            ("p=AA AA; k=rsa; s=email:x; h=sha1:sha256; t=y:s; n=note", true),
            ("k=ed25519; p=AAAA;", true),
            ("v=DKIM1; p=", false),
            ("v=DKIM1", false),
            ("v=DKIM2; p=AAAA", false),
            ("p=AAAA; v=DKIM1", false),
            ("k=dsa; p=AAAA", false),
            ("h=sha1; p=AAAA", false),
            ("s=web; p=AAAA", false),
            ("p=!!", false),
            ("v=spf1 -all", false),
            ("v=DKIM1; omgwhatsgoingon", false),
        ] {
            assert_eq!(DkimPublicKey::parse(text).is_ok(), accepted, "{text}");
        }
    }

    #[test]
    fn a_key_is_found_among_other_text_records() {
        let records = [b"v=spf1 -all".to_vec(), b"\xff".to_vec(), b"v=DKIM1; p=AAAA; t=s".to_vec()];
        assert!(DkimPublicKey::from_records(&records).is_ok_and(|key| key.exact_identity));
        assert_eq!(DkimPublicKey::from_records(&[]), Err("no key record"));
    }
}
