//! DKIM private keys: generation, PKCS#8 storage, the DNS record, and signing.
//!
//! `Debug` output never shows the private key.

use super::signature::DkimAlgorithm;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A private key for signing mail. It is parsed once, not for every signature.
pub struct DkimKey {
    pair: SigningKeyPair,
}

enum SigningKeyPair {
    Rsa(RsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

/// An error when generating, parsing or using a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DkimKeyError {
    /// The cryptographic library failed to generate a key, encode it, or sign.
    #[error("the cryptographic library failed")]
    Crypto,
    /// The key is neither Ed25519 nor RSA with at least 2048 bits.
    #[error("neither an RSA key of at least 2048 bits nor an Ed25519 key")]
    UnsupportedKey,
}

impl std::fmt::Debug for DkimKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DkimKey").field("algorithm", &self.algorithm_name()).finish_non_exhaustive()
    }
}

impl DkimKey {
    /// Generates a 2048-bit RSA key with randomness from the cryptographic library.
    ///
    /// # Errors
    /// Returns [`DkimKeyError::Crypto`] if the library can't generate a key.
    pub fn generate_rsa() -> Result<Self, DkimKeyError> {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).map_err(|_| DkimKeyError::Crypto)?;
        Ok(Self { pair: SigningKeyPair::Rsa(pair) })
    }

    /// Generates an Ed25519 key with randomness from the cryptographic library.
    ///
    /// # Errors
    /// Returns [`DkimKeyError::Crypto`] if the library can't generate a key.
    pub fn generate_ed25519() -> Result<Self, DkimKeyError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| DkimKeyError::Crypto)?;
        Ok(Self { pair: SigningKeyPair::Ed25519(pair) })
    }

    /// Parses a key in PKCS#8 DER (RFC 5208, RFC 5958).
    ///
    /// # Errors
    /// Returns [`DkimKeyError::UnsupportedKey`] unless it is an Ed25519 key or an RSA key with at least 2048 bits.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, DkimKeyError> {
        if let Ok(pair) = Ed25519KeyPair::from_pkcs8(der) {
            return Ok(Self { pair: SigningKeyPair::Ed25519(pair) });
        }
        match RsaKeyPair::from_pkcs8(der) {
            Ok(pair) if pair.public_modulus_len() >= 256 => Ok(Self { pair: SigningKeyPair::Rsa(pair) }),
            _ => Err(DkimKeyError::UnsupportedKey),
        }
    }

    /// Returns the private key as PKCS#8 DER.
    ///
    /// # Errors
    /// Returns [`DkimKeyError::Crypto`] if the library can't encode the key.
    pub fn to_pkcs8_der(&self) -> Result<Vec<u8>, DkimKeyError> {
        match &self.pair {
            SigningKeyPair::Rsa(pair) => {
                let der: Pkcs8V1Der<'static> = pair.as_der().map_err(|_| DkimKeyError::Crypto)?;
                Ok(der.as_ref().to_vec())
            }
            SigningKeyPair::Ed25519(pair) => {
                let der = pair.to_pkcs8v1().map_err(|_| DkimKeyError::Crypto)?;
                Ok(der.as_ref().to_vec())
            }
        }
    }

    /// Returns the text of the DNS record to publish at `<selector>._domainkey.<domain>` (RFC 6376 §3.6.1,
    /// RFC 8463 §4). An RSA record is longer than 255 bytes, so DNS splits it into several strings of one record.
    ///
    /// # Errors
    /// Returns [`DkimKeyError::Crypto`] if the library can't encode the public key.
    pub fn dns_record(&self) -> Result<String, DkimKeyError> {
        let (kind, public) = match &self.pair {
            SigningKeyPair::Rsa(pair) => {
                let der: PublicKeyX509Der<'static> = pair.public_key().as_der().map_err(|_| DkimKeyError::Crypto)?;
                ("rsa", der.as_ref().to_vec())
            }
            SigningKeyPair::Ed25519(pair) => ("ed25519", pair.public_key().as_ref().to_vec()),
        };
        Ok(format!("v=DKIM1; k={kind}; p={}", STANDARD.encode(public)))
    }

    /// Returns the signing algorithm as in `a=`: `rsa-sha256` or `ed25519-sha256`.
    #[must_use]
    pub fn algorithm_name(&self) -> &'static str {
        match &self.pair {
            SigningKeyPair::Rsa(_) => DkimAlgorithm::RsaSha256.as_str(),
            SigningKeyPair::Ed25519(_) => DkimAlgorithm::Ed25519Sha256.as_str(),
        }
    }

    /// Signs canonical header data.
    pub(crate) fn sign_data(&self, data: &[u8]) -> Result<Vec<u8>, DkimKeyError> {
        match &self.pair {
            SigningKeyPair::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), data, &mut signature)
                    .map_err(|_| DkimKeyError::Crypto)?;
                Ok(signature)
            }
            // RFC 8463 §3: PureEdDSA over the SHA-256 hash of the data.
            SigningKeyPair::Ed25519(pair) => Ok(pair.sign(digest(&SHA256, data).as_ref()).as_ref().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_storage_and_publish_the_same_record() {
        for key in [DkimKey::generate_rsa(), DkimKey::generate_ed25519()] {
            let key = key.expect("a new key");
            let record = key.dns_record().expect("a record");
            let der = key.to_pkcs8_der().expect("DER");
            let again = DkimKey::from_pkcs8_der(&der).expect("the same key");
            assert_eq!(again.dns_record(), Ok(record));
            assert_eq!(again.to_pkcs8_der(), Ok(der));
        }
    }

    #[test]
    fn bytes_that_are_not_a_key_are_rejected() {
        assert_eq!(DkimKey::from_pkcs8_der(b"x").err(), Some(DkimKeyError::UnsupportedKey));
    }
}
