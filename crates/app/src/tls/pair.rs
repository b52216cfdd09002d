//! A certificate chain with its private key, as PEM text and parsed.

use std::sync::Arc;

use posthouse_domain::Time;
use rustls::sign::CertifiedKey;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use sha2::{Digest, Sha256};
use x509_parser::{certificate::X509Certificate, extensions::GeneralName};

use super::CertificateError;

/// The source of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CertificateSource {
    /// `smtp.tls_cert` and `smtp.tls_key`.
    Files,
    /// A certificate authority, by ACME.
    Acme,
    /// Self-signed by this service.
    SelfSigned,
}

impl CertificateSource {
    /// Returns the name in logs and metrics.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Acme => "acme",
            Self::SelfSigned => "self_signed",
        }
    }
}

/// The properties of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CertificateFacts {
    /// The start of its validity.
    pub begins_at: Time,
    /// The end of its validity.
    pub expires_at: Time,
    /// The names it covers.
    pub names: Vec<String>,
    pub source: CertificateSource,
}

impl CertificateFacts {
    /// Returns whether the certificate covers the host (RFC 9525 §6.3: a wildcard matches one whole label).
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        self.names.iter().any(|name| {
            name.eq_ignore_ascii_case(host)
                || name
                    .strip_prefix("*.")
                    .zip(host.split_once('.'))
                    .is_some_and(|(n, (_, h))| n.eq_ignore_ascii_case(h))
        })
    }

    /// Returns whether this service signed the certificate itself.
    #[must_use]
    pub fn self_signed(&self) -> bool {
        self.source == CertificateSource::SelfSigned
    }

    /// Returns how long it is still valid, in milliseconds; negative after expiry.
    #[must_use]
    pub fn remaining_ms(&self, now: Time) -> i64 {
        self.expires_at.since_ms(now)
    }
}

/// A chain and its key in PEM.
pub struct CertificatePem {
    /// The chain, with the server's own certificate first.
    pub chain: Vec<u8>,
    /// The private key.
    pub key: Vec<u8>,
    /// Their source.
    pub source: CertificateSource,
    /// The source in error messages: a file, or the directory URL of a certificate authority.
    pub location: String,
}

/// A fingerprint of chain and key.
pub(super) type Fingerprint = [u8; 32];

impl CertificatePem {
    /// Returns the SHA-256 of both, to compare them.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let mut digest = Sha256::new();
        digest.update(self.source.text());
        digest.update((self.chain.len() as u64).to_be_bytes());
        digest.update(&self.chain);
        digest.update(&self.key);
        digest.finalize().into()
    }

    /// Parses the chain and the key.
    ///
    /// # Errors
    /// Returns an error if one cannot be read, or if the key doesn't match the certificate.
    pub fn open(&self) -> Result<CertificatePair, CertificateError> {
        let chain = CertificateDer::pem_slice_iter(&self.chain).collect::<Result<Vec<_>, _>>();
        let chain: Vec<CertificateDer<'static>> = chain.map_err(|error| self.unusable(error))?;
        let first = chain.first().ok_or_else(|| self.unusable("the file contains no certificate"))?;
        let (_, parsed) =
            x509_parser::parse_x509_certificate(first).map_err(|_| self.unusable("the certificate is malformed"))?;
        let facts = facts(&parsed, self.source);
        let no_key = |cause: String| CertificateError::Key { cert: self.location.clone(), cause };
        let key = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|error| no_key(format!("the private key cannot be read: {error}")))?;
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        provider.key_provider.load_private_key(key.clone_key()).map_err(|error| no_key(error.to_string()))?;
        let certified = CertifiedKey::from_der(chain, key, &provider).map_err(|error| self.unusable(error))?;
        Ok(CertificatePair { certified: Arc::new(certified), facts })
    }

    pub(super) fn unusable(&self, cause: impl std::fmt::Display) -> CertificateError {
        CertificateError::Unusable { cert: self.location.clone(), cause: cause.to_string() }
    }
}

/// A parsed chain with its matching key.
pub struct CertificatePair {
    pub(super) certified: Arc<CertifiedKey>,
    facts: CertificateFacts,
}

impl CertificatePair {
    /// Returns the certificate's properties.
    #[must_use]
    pub fn facts(&self) -> &CertificateFacts {
        &self.facts
    }
}

fn facts(certificate: &X509Certificate<'_>, source: CertificateSource) -> CertificateFacts {
    let names = certificate.subject_alternative_name().ok().flatten();
    let names = names.map(|names| names.value.general_names.iter().filter_map(dns_name).collect()).unwrap_or_default();
    let at = |time: x509_parser::time::ASN1Time| Time::from_millis(time.timestamp().saturating_mul(1_000));
    let validity = certificate.validity();
    CertificateFacts { begins_at: at(validity.not_before), expires_at: at(validity.not_after), names, source }
}

fn dns_name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcard_matches_one_label() {
        let names = vec!["*.example.com".to_owned()];
        let facts = CertificateFacts {
            begins_at: Time::default(),
            expires_at: Time::default(),
            names,
            source: CertificateSource::Files,
        };
        assert!(facts.covers("mx.example.com"));
        assert!(!facts.covers("a.mx.example.com") && !facts.covers("example.com"));
    }

    #[test]
    fn mismatched_pairs_are_rejected_with_their_place() {
        let make = || rcgen::generate_simple_self_signed(vec!["mx.example.com".to_owned()]).expect("made");
        let (one, other) = (make(), make());
        let text = |chain: &str, key: &str| CertificatePem {
            chain: chain.into(),
            key: key.into(),
            source: CertificateSource::Files,
            location: "/etc/tls/chain.pem".to_owned(),
        };
        let (chain, key) = (one.cert.pem(), one.signing_key.serialize_pem());
        assert!(text(&chain, &key).open().is_ok_and(|pair| pair.facts().covers("mx.example.com")));
        let strange = other.signing_key.serialize_pem();
        for (chain, key) in [("", &*key), (&*chain, ""), (&*chain, &*strange), (&chain[..200], &*key), (&*key, &*key)] {
            let why = text(chain, key).open().err().map(|error| error.to_string()).unwrap_or_default();
            assert!(why.contains("/etc/tls/chain.pem"), "{why}");
        }
        assert_ne!(text(&chain, &key).fingerprint(), text(&chain, &strange).fingerprint());
    }
}
