//! How an app authenticates at the token endpoint (RFC 6749 §2.3), and the secrets of the browser flow.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::{IdentityClient, IdentityClientType, OAuthError, OAuthErrorCode};
use posthouse_store::Tx;
use sha2::{Digest, Sha256};

use super::{failure::OAuthFailure, standing};
use crate::ports::Clock;

/// The random bytes of a secret.
const SECRET_BYTES: usize = 32;
/// The prefix of an access token.
const ACCESS_TOKEN_PREFIX: &str = "phat_";

/// What an app sent to authenticate.
#[derive(Clone, Debug, Default)]
pub struct ClientCredentials {
    /// The public id.
    pub client_id: Option<String>,
    pub secret: Option<posthouse_domain::secret::SecretText>,
}

impl ClientCredentials {
    /// Returns the SHA-256 of id and secret together, to count wrong ones.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let id = self.client_id.as_deref().unwrap_or_default();
        let secret = self.secret.as_ref().map_or("", |secret| secret.0.as_str());
        Sha256::digest(format!("{id}\n{secret}")).into()
    }

    /// Returns the app, if it is authenticated as its type requires.
    ///
    /// # Errors
    /// Returns `invalid_client`.
    pub(super) fn authenticate(&self, tx: &mut Tx) -> Result<IdentityClient, OAuthFailure> {
        let refuse = |text: &str| OAuthFailure::from(OAuthError::new(OAuthErrorCode::InvalidClient, text));
        let Some(client_id) = &self.client_id else { return Err(refuse("client_id is missing.")) };
        let found = standing::usable_client(tx, client_id)?;
        let unknown = "The app is unknown or switched off, or its secret is wrong.";
        let client = found.ok_or_else(|| refuse(unknown))?;
        let is_authentic = match (client.kind, &self.secret) {
            (IdentityClientType::Confidential, Some(secret)) => client.has_secret(&secret.0),
            (IdentityClientType::Confidential, None) => return Err(refuse("The app must send its secret.")),
            (IdentityClientType::Public | IdentityClientType::VerifyOnly, secret) => secret.is_none(),
        };
        if is_authentic { Ok(client) } else { Err(refuse(unknown)) }
    }
}

/// Draws a secret.
pub(super) fn draw(clock: &dyn Clock) -> String {
    let mut random = [0; SECRET_BYTES];
    clock.random(&mut random);
    URL_SAFE_NO_PAD.encode(random)
}

/// Draws an access token.
pub(super) fn access_token(clock: &dyn Clock) -> String {
    format!("{ACCESS_TOKEN_PREFIX}{}", draw(clock))
}

/// Returns the SHA-256 of a secret, which is stored.
pub(super) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// Returns the authorization code of a sign-in from the secret of its waiting page, so that no code is stored and
/// reloading the page returns the same one.
pub(super) fn authorization_code(page_secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!("posthouse: authorization code\n{page_secret}")))
}
