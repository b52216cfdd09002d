//! Signs with the current key of a purpose.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::{SigningPurpose, Time};
use posthouse_mail::{jose::jws::JwsHeader, jose::jws::sign_compact, jose::key::Es256Key, jose::key::Es256KeyError};
use posthouse_store::signing_keys::{self, StoredSigningKey};
use serde_json::Value;

use super::new_key;
use crate::{app::App, keyring::context, keyring::signer::SigningError};

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
pub async fn signer(app: &App, purpose: SigningPurpose) -> Result<ServiceSigner, SigningError> {
    let now = app.clock.now();
    if let Some(stored) = current(app, purpose, now).await? {
        return open(app, stored);
    }
    new_key::create_first(app, purpose).await?;
    let stored = current(app, purpose, app.clock.now()).await?;
    open(app, stored.ok_or(SigningError::NoKey(purpose.text()))?)
}

async fn current(
    app: &App,
    purpose: SigningPurpose,
    now: Time,
) -> Result<Option<StoredSigningKey>, posthouse_store::Error> {
    app.store.read_one(move |tx| signing_keys::signing(tx, purpose, now)).await
}

fn open(app: &App, stored: StoredSigningKey) -> Result<ServiceSigner, SigningError> {
    let sealed = stored.private_key.unwrap_or_default();
    let instance = app.keys.key(&app.config)?;
    let open = || Ok(Es256Key::from_pkcs8_der(&instance.open(&sealed, &context::signing_key(&stored.kid))?)?);
    Ok(ServiceSigner { key: app.service_keys.key(&sealed, open)?, kid: stored.kid })
}
