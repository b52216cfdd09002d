//! Signs with the current key of a purpose.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::{SigningPurpose, Time};
use posthouse_mail::{jose::jws::JwsHeader, jose::jws::sign_compact, jose::key::Es256Key, jose::key::Es256KeyError};
use posthouse_store::signing_keys::{self, StoredSigningKey};
use serde_json::Value;

use super::new_key;
use crate::{keyring::context, keyring::signer::SigningError, service::ReadScope, service::Service};

/// The key that signs now, opened. Get one for each use: the next use may need another key.
#[derive(Clone, Debug)]
pub struct ServiceSigner {
    kid: String,
    key: Arc<Es256Key>,
}

impl ServiceSigner {
    /// Returns the id of the key.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// Returns a compact JSON Web Signature of the claims, of the given `typ`.
    ///
    /// # Errors
    /// Returns [`Es256KeyError`] if the cryptographic library fails.
    pub fn sign(&self, typ: &str, claims: &Value) -> Result<String, Es256KeyError> {
        sign_compact(&self.key, JwsHeader { typ, kid: &self.kid }, claims)
    }
}

/// A JSON Web Signature without its payload, which both sides have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DetachedSignature {
    /// The protected header, in base64url.
    pub protected: String,
    /// The signature, in base64url.
    pub signature: String,
}

impl ServiceSigner {
    /// Returns a signature over a payload that is sent separately (RFC 7515 appendix F). The header names `alg` `ES256`
    /// and the id of the key.
    ///
    /// # Errors
    /// Returns [`Es256KeyError`] if the cryptographic library fails.
    pub fn sign_detached(&self, header: &Value, payload: &[u8]) -> Result<DetachedSignature, Es256KeyError> {
        let protected = URL_SAFE_NO_PAD.encode(header.to_string());
        let signed = format!("{protected}.{}", URL_SAFE_NO_PAD.encode(payload));
        let signature = URL_SAFE_NO_PAD.encode(self.key.sign(signed.as_bytes())?);
        Ok(DetachedSignature { protected, signature })
    }
}

/// Returns the key that signs for a purpose now. Creates the first one.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be generated, read or opened.
pub async fn signer(service: &Service, purpose: SigningPurpose) -> Result<ServiceSigner, SigningError> {
    let now = service.clock.now();
    if let Some(stored) = current(service, purpose, now).await? {
        return open(service, stored);
    }
    new_key::create_first(service, purpose).await?;
    let stored = current(service, purpose, service.clock.now()).await?;
    open(service, stored.ok_or(SigningError::NoKey(purpose.text()))?)
}

async fn current(
    service: &Service,
    purpose: SigningPurpose,
    now: Time,
) -> Result<Option<StoredSigningKey>, posthouse_store::Error> {
    service.read(ReadScope::Statement, move |tx| signing_keys::signing(tx, purpose, now)).await
}

fn open(service: &Service, stored: StoredSigningKey) -> Result<ServiceSigner, SigningError> {
    let sealed = stored.private_key.unwrap_or_default();
    let instance = service.keys.key(&service.config)?;
    let open = || Ok(Es256Key::from_pkcs8_der(&instance.open(&sealed, &context::signing_key(&stored.kid))?)?);
    Ok(ServiceSigner { key: service.service_keys.key(&sealed, open)?, kid: stored.kid })
}
