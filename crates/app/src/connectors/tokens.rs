//! The token endpoint: exchanges an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.6) or a refresh token
//! (RFC 6749 §6) for new tokens. What is used twice ends the access, because another program may have it (RFC 9700 §4.14.2).

use posthouse_domain::connector::secret::{RefreshToken, digest};
use posthouse_domain::connector::{ACCESS_TOKEN_MS, IDLE_MS};
use posthouse_domain::{
    Connector, ConnectorEnd, ConnectorToken, OAuthError, OAuthErrorCode, OAuthParameters, SECOND_MS, Time,
    identity::pkce,
};
use posthouse_store::connectors::RefreshDigests;
use posthouse_store::{Tx, connectors};

use super::{draw, request::check_resource, resource};
use crate::access::connectors::ConnectorEnding;
use crate::{service::Service, sign_in_with::failure::OAuthFailure};

/// The grant of a code.
pub const CODE_GRANT: &str = "authorization_code";
/// The grant of a refresh token.
pub const REFRESH_GRANT: &str = "refresh_token";

/// New tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IssuedTokens {
    pub access: ConnectorToken,
    pub refresh: RefreshToken,
    /// The seconds until the access token expires.
    pub expires_in_s: i64,
}

/// What a token request does in its transaction.
struct Exchange {
    given: OAuthParameters,
    access: ConnectorToken,
    refresh_random: [u8; 32],
    family_random: [u8; 32],
    ending: ConnectorEnding,
    now: Time,
}

/// The result of an exchange that must be stored, also if it refuses.
enum Exchanged {
    Issued(IssuedTokens),
    /// A code or token was used twice; the access has ended.
    Reused(ConnectorEnd),
}

/// Exchanges a code or a refresh token.
///
/// # Errors
/// Returns the errors of RFC 6749 §5.2, or `invalid_target` for another resource.
pub async fn exchange(service: &Service, given: OAuthParameters) -> Result<IssuedTokens, OAuthFailure> {
    check_resource(&given, &resource(&service.config))?;
    given.required("client_id")?;
    let run = match given.required("grant_type")? {
        CODE_GRANT => Exchange::by_code,
        REFRESH_GRANT => Exchange::by_refresh_token,
        _ => {
            let text = "grant_type must be authorization_code or refresh_token.";
            return Err(OAuthError::new(OAuthErrorCode::UnsupportedGrantType, text).into());
        }
    };
    let (clock, now) = (service.clock.as_ref(), service.clock.now());
    let exchange = Exchange {
        given,
        access: ConnectorToken::from_random(&draw(clock)),
        refresh_random: draw(clock),
        family_random: draw(clock),
        ending: ConnectorEnding { reason: ConnectorEnd::Expired, ids: clock.ids(), now },
        now,
    };
    match service.write(move |tx| run(&exchange, tx)).await? {
        Exchanged::Issued(issued) => Ok(issued),
        Exchanged::Reused(reason) => {
            tracing::warn!(reason = reason.text(), "connector.reuse");
            let what = if reason == ConnectorEnd::CodeReused { "code" } else { "refresh token" };
            Err(OAuthError::grant(format!("The {what} was used before; the access that it gave has ended.")).into())
        }
    }
}

impl Exchange {
    fn by_code(&self, tx: &mut Tx) -> Result<Exchanged, OAuthFailure> {
        let unknown = || OAuthError::grant("The code is unknown or has expired, or another client got it.");
        let found = connectors::lock_by_code(tx, &digest(self.given.required("code")?))?.ok_or_else(unknown)?;
        let (connector, code) = (found.connector, found.code);
        self.check_client(&connector)?;
        if code.used_at.is_some() {
            return self.end(tx, connector, ConnectorEnd::CodeReused);
        }
        if code.expires_at <= self.now {
            return Err(unknown().into());
        }
        if self.given.required("redirect_uri")? != connector.redirect_uri {
            return Err(OAuthError::grant("redirect_uri differs from the one of the request.").into());
        }
        if !pkce::matches(self.given.required("code_verifier")?, &code.challenge) {
            return Err(OAuthError::grant("code_verifier doesn't match the code_challenge of the request.").into());
        }
        connectors::set_code_used(tx, &connector, self.now)?;
        self.issue(tx, &connector, RefreshToken::from_random(&self.family_random, &self.refresh_random))
    }

    fn by_refresh_token(&self, tx: &mut Tx) -> Result<Exchanged, OAuthFailure> {
        let unknown = || OAuthError::grant("The refresh token is unknown or has expired, or its access was revoked.");
        let token = RefreshToken::parse(self.given.required("refresh_token")?).ok_or_else(unknown)?;
        let found = connectors::lock_by_family(tx, &token.family_digest())?.ok_or_else(unknown)?;
        let connector = found.connector;
        self.check_client(&connector)?;
        if found.refresh_sha256 != Some(token.digest()) {
            return self.end(tx, connector, ConnectorEnd::TokenReused);
        }
        if connector.expires_at <= self.now {
            return Err(unknown().into());
        }
        self.issue(tx, &connector, token.rotated(&self.refresh_random))
    }

    /// Checks that the client is the one that the code or token was issued to.
    fn check_client(&self, connector: &Connector) -> Result<(), OAuthError> {
        if self.given.required("client_id")? == connector.client_id {
            return Ok(());
        }
        Err(OAuthError::grant("Another client got this code or token."))
    }

    fn end(&self, tx: &mut Tx, connector: Connector, reason: ConnectorEnd) -> Result<Exchanged, OAuthFailure> {
        ConnectorEnding { reason, ..self.ending.clone() }.end(tx, connector)?;
        Ok(Exchanged::Reused(reason))
    }

    fn issue(&self, tx: &mut Tx, connector: &Connector, refresh: RefreshToken) -> Result<Exchanged, OAuthFailure> {
        if connectors::find_active_by_id(tx, connector.workspace, connector.id)?.is_none() {
            return Err(OAuthError::grant("The person who approved the access can't give it any more.").into());
        }
        let digests = RefreshDigests { family: refresh.family_digest(), token: refresh.digest() };
        connectors::set_refresh(tx, connector, &digests, self.now, self.now.plus_ms(IDLE_MS))?;
        connectors::insert_token(tx, connector, &self.access.digest(), self.now.plus_ms(ACCESS_TOKEN_MS))?;
        let access = self.access.clone();
        Ok(Exchanged::Issued(IssuedTokens { access, refresh, expires_in_s: ACCESS_TOKEN_MS / SECOND_MS }))
    }
}
