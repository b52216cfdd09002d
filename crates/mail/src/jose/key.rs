//! P-256 private keys for ES256 signatures: generation, PKCS#8 storage and signing. `Debug` output never shows the
//! private key.

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};

use super::jwk::PublicJwk;

/// A private key. It is parsed once, not for every signature.
pub struct Es256Key {
    pair: EcdsaKeyPair,
    public: PublicJwk,
}

/// An error when generating, parsing or using a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Es256KeyError {
    /// The cryptographic library failed to generate a key, encode it, or sign.
    #[error("the cryptographic library failed")]
    Crypto,
    /// The bytes are not a P-256 key.
    #[error("not a P-256 key")]
    UnsupportedKey,
}

impl std::fmt::Debug for Es256Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Es256Key").field("public", &self.public).finish_non_exhaustive()
    }
}

impl Es256Key {
    /// Generates a key with randomness from the cryptographic library.
    ///
    /// # Errors
    /// Returns [`Es256KeyError::Crypto`] if the library can't generate a key.
    pub fn generate() -> Result<Self, Es256KeyError> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(|_| Es256KeyError::Crypto)?;
        Self::of(pair)
    }

    /// Parses a key in PKCS#8 DER (RFC 5208).
    ///
    /// # Errors
    /// Returns [`Es256KeyError::UnsupportedKey`] unless it is a P-256 key.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, Es256KeyError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der);
        Self::of(pair.map_err(|_| Es256KeyError::UnsupportedKey)?)
    }

    fn of(pair: EcdsaKeyPair) -> Result<Self, Es256KeyError> {
        let public = PublicJwk::of_point(pair.public_key().as_ref()).ok_or(Es256KeyError::Crypto)?;
        Ok(Self { pair, public })
    }

    /// Returns the private key as PKCS#8 DER.
    ///
    /// # Errors
    /// Returns [`Es256KeyError::Crypto`] if the library can't encode the key.
    pub fn to_pkcs8_der(&self) -> Result<Vec<u8>, Es256KeyError> {
        let der = self.pair.to_pkcs8v1().map_err(|_| Es256KeyError::Crypto)?;
        Ok(der.as_ref().to_vec())
    }

    /// Returns the public key.
    #[must_use]
    pub const fn public(&self) -> &PublicJwk {
        &self.public
    }

    /// Returns the signature of these bytes in the form of JSON Web Signatures (RFC 7518 §3.4).
    ///
    /// # Errors
    /// Returns [`Es256KeyError::Crypto`] if the library can't sign.
    pub fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, Es256KeyError> {
        let signature = self.pair.sign(&SystemRandom::new(), bytes).map_err(|_| Es256KeyError::Crypto)?;
        Ok(signature.as_ref().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_key_is_the_same_key() {
        let key = Es256Key::generate().expect("a key");
        let again = Es256Key::from_pkcs8_der(&key.to_pkcs8_der().expect("DER")).expect("the key");
        assert_eq!(again.public(), key.public());
        assert!(key.public().verifies(b"text", &again.sign(b"text").expect("a signature")));
        assert!(!key.public().verifies(b"other", &again.sign(b"text").expect("a signature")));
        assert_eq!(Es256Key::from_pkcs8_der(b"x").err(), Some(Es256KeyError::UnsupportedKey));
    }

    #[test]
    fn debug_output_hides_the_private_key() {
        let key = Es256Key::generate().expect("a key");
        let shown = format!("{key:?}");
        assert!(shown.starts_with("Es256Key { public: ") && shown.ends_with(".. }"), "{shown}");
    }
}
