//! The token endpoint: authorization codes, identity tokens of the headless flow (RFC 7523), and token exchange
//! (RFC 8693).

mod assertion;
mod code;
mod narrow;

use posthouse_domain::{
    IdentityAccessToken, IdentityClient, IdentityClientType, IdentityRequestId, IdentityScope, IdentityScopes, Inbox,
    OAuthError, OAuthErrorCode, OAuthParameters, Refusal, Time, identity::ACCESS_TOKEN_MS,
};
use posthouse_store::{Tx, identity_tokens};
use serde_json::Value;

use super::{credentials, credentials::ClientCredentials, failure::OAuthFailure, record::RecordContext, signing};
use crate::service::{ReadScope, Service};

/// The grant of an authorization code.
pub const CODE_GRANT: &str = "authorization_code";
/// The grant of an identity token (RFC 7523 §2.1).
pub const ASSERTION_GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// The grant of a token exchange (RFC 8693 §2.1).
pub const EXCHANGE_GRANT: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
/// The type of an access token (RFC 8693 §3).
pub const ACCESS_TOKEN_TYPE: &str = "urn:ietf:params:oauth:token-type:access_token";
/// The types of an identity token (RFC 8693 §3).
const ID_TOKEN_TYPES: [&str; 2] = ["urn:ietf:params:oauth:token-type:id_token", "urn:ietf:params:oauth:token-type:jwt"];

/// A request to the token endpoint.
#[derive(Clone, Debug)]
pub struct TokenExchange {
    /// What the app sent to authenticate.
    pub credentials: ClientCredentials,
    pub parameters: OAuthParameters,
    /// The client address of the app.
    pub ip: String,
}

/// The response of the token endpoint.
#[derive(Clone, Debug)]
pub struct IssuedTokens {
    /// The access token for the userinfo endpoint.
    pub access_token: String,
    /// How long it is valid, in seconds.
    pub expires_in: i64,
    /// The granted scopes.
    pub scope: IdentityScopes,
    /// The identity token of an authorization code.
    pub id_token: Option<String>,
    /// Whether the request was a token exchange.
    pub is_exchange: bool,
}

/// What a transaction issued.
struct Issued {
    scope: IdentityScopes,
    expires_at: Time,
    /// The claims of an identity token to sign.
    claims: Option<Value>,
}

/// The inputs of the transaction of a grant.
#[derive(Clone)]
struct Grant {
    context: RecordContext,
    exchange: TokenExchange,
    issuer: String,
    namespace: String,
    access_token_sha256: [u8; 32],
}

/// Authenticates an app and issues the tokens of its grant.
///
/// # Errors
/// Returns the error of the protocol.
pub async fn exchange(service: &Service, exchange: TokenExchange) -> Result<IssuedTokens, OAuthFailure> {
    let access_token = credentials::access_token(service.clock.as_ref());
    let grant = Grant {
        context: RecordContext::of(service),
        issuer: service.config.issuer(),
        namespace: service.config.claims_namespace(),
        access_token_sha256: credentials::digest(&access_token),
        exchange,
    };
    let now = grant.context.now;
    let credentials = grant.exchange.credentials.clone();
    service.read(ReadScope::Service, move |tx| credentials.authenticate(tx).map(drop)).await?;
    let signer = signing::signer(service).await?;
    let parameters = grant.exchange.parameters.clone();
    let grant_type = parameters.required("grant_type")?;
    let (issued, is_exchange) = match grant_type {
        CODE_GRANT => (code::redeem(service, grant).await?, false),
        ASSERTION_GRANT => (assertion::redeem(service, grant, parameters.required("assertion")?).await?, false),
        EXCHANGE_GRANT => (exchange_token(service, grant, &parameters).await?, true),
        _ => {
            let text = "The grant_type is not supported.";
            return Err(OAuthError::new(OAuthErrorCode::UnsupportedGrantType, text).into());
        }
    };
    let id_token = match &issued.claims {
        Some(claims) => Some(signing::sign(&signer, claims)?),
        None => None,
    };
    let expires_in = issued.expires_at.since_ms(now) / 1_000;
    Ok(IssuedTokens { access_token, expires_in, scope: issued.scope, id_token, is_exchange })
}

/// Exchanges a token of the app for an access token.
async fn exchange_token(service: &Service, grant: Grant, given: &OAuthParameters) -> Result<Issued, OAuthFailure> {
    if given.one("actor_token")?.is_some() || given.one("actor_token_type")?.is_some() {
        return Err(OAuthError::invalid("actor_token is not supported.").into());
    }
    if given.one("requested_token_type")?.is_some_and(|wanted| wanted != ACCESS_TOKEN_TYPE) {
        return Err(OAuthError::invalid("Only access tokens are issued.").into());
    }
    for name in ["audience", "resource"] {
        if given.all(name).any(|target| target != grant.issuer) {
            let text = format!("{name} must be the issuer.");
            return Err(OAuthError::new(OAuthErrorCode::InvalidTarget, text).into());
        }
    }
    let token = given.required("subject_token")?.to_owned();
    match given.required("subject_token_type")? {
        ACCESS_TOKEN_TYPE => narrow::redeem(service, grant, &token).await,
        kind if ID_TOKEN_TYPES.contains(&kind) => assertion::redeem(service, grant, &token).await,
        _ => Err(OAuthError::invalid("subject_token_type is not supported.").into()),
    }
}

impl Grant {
    /// Returns the app. It authenticates again in the transaction, because it may have been deleted since.
    fn client(&self, tx: &mut Tx) -> Result<IdentityClient, OAuthFailure> {
        self.exchange.credentials.authenticate(tx)
    }

    fn text(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        self.exchange.parameters.one(name)
    }

    /// Returns the requested scopes, which must be a part of the granted ones.
    fn narrowed(&self, granted: IdentityScopes) -> Result<IdentityScopes, OAuthError> {
        let Some(text) = self.text("scope")? else { return Ok(granted) };
        let wanted = IdentityScopes::parse(text).ok().map(|wanted| wanted.with(IdentityScope::Openid));
        wanted
            .filter(|wanted| granted.contains(*wanted))
            .ok_or_else(|| OAuthError::new(OAuthErrorCode::InvalidScope, format!("scope must be a part of {granted}.")))
    }

    /// Stores the access token about an agent.
    fn insert_access_token(
        &self,
        tx: &mut Tx,
        client: &IdentityClient,
        agent: &Inbox,
        issue: &AccessTokenIssue,
    ) -> Result<(), OAuthFailure> {
        let token = IdentityAccessToken {
            workspace: agent.workspace,
            client_id: client.client_id.clone(),
            inbox: agent.id,
            scope: issue.scope,
            request: issue.request,
            expires_at: issue.expires_at,
        };
        Ok(identity_tokens::insert(tx, &token, &self.access_token_sha256)?)
    }

    fn access_token_expiry(&self) -> Time {
        self.context.now.plus_ms(ACCESS_TOKEN_MS)
    }
}

/// The facts of an access token beside its agent and app.
struct AccessTokenIssue {
    scope: IdentityScopes,
    request: Option<IdentityRequestId>,
    expires_at: Time,
}

/// Turns a refusal of the agent or the app into `invalid_grant`. Errors of the service stay.
fn ended(refusal: Refusal) -> OAuthFailure {
    if refusal.code.status() < 500 { OAuthError::grant(refusal.message).into() } else { refusal.into() }
}

/// Checks that an app has the browser flow.
fn check_browser_flow(client: &IdentityClient) -> Result<(), OAuthFailure> {
    if client.kind == IdentityClientType::VerifyOnly {
        let text = "An app that only verifies tokens has no authorization codes.";
        return Err(OAuthError::new(OAuthErrorCode::UnauthorizedClient, text).into());
    }
    Ok(())
}
