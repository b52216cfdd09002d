//! Issues an identity token to an agent, for an app.

use posthouse_domain::{
    Caller, ClaimsAbout, IdentityScope, IdentityScopes, IdentitySignInEvent, IdentitySignInFlow, InboxId, Refusal,
    SECOND_MS, Time, TokenFacts, identity::claims,
};
use posthouse_store::Tx;
use uuid::Uuid;

use super::{record::NewSignIn, record::RecordContext, signing, standing};
use crate::{access::visible, limits::sign_in::LimitRest, service::Service};

/// A request for an identity token.
#[derive(Clone, Debug)]
pub struct TokenRequest {
    /// The public id of the app.
    pub audience: String,
    /// The nonce that the app gave the agent.
    pub nonce: Option<String>,
    /// The requested scopes.
    pub scope: IdentityScopes,
    /// How long the token is valid, in seconds.
    pub expires_in: i64,
    /// The client address of the agent.
    pub ip: String,
}

/// An identity token.
#[derive(Clone, Debug)]
pub struct MintedToken {
    /// The signed token.
    pub id_token: String,
    /// The id by which the app knows the agent.
    pub sub: String,
    /// The id of the token.
    pub jti: String,
    /// The granted scopes.
    pub scope: IdentityScopes,
    pub expires_at: Time,
    /// What is left of the limits that it counted for.
    pub limits: Vec<LimitRest>,
}

/// Issues a token and records it.
///
/// # Errors
/// Returns `not_found` for the agent or the app, a refusal of
/// [`check_agent`](posthouse_domain::identity::check_agent), `client_disabled`, or `rate_limited`.
pub async fn mint(
    service: &Service,
    caller: Caller,
    id: InboxId,
    request: TokenRequest,
) -> Result<MintedToken, Refusal> {
    let context = RecordContext::of(service);
    // Only callers that can see the agent use its limit.
    let found = service.read(caller.workspace, move |tx| visible::inbox_or_identity(tx, &caller, id)).await?;
    service.sign_in_limits.count_token(&found, &service.config.limits, context.now)?;
    let limits = service.sign_in_limits.rest_of_token(&found, &service.config.limits, context.now);
    let (issuer, namespace) = (service.config.issuer(), service.config.claims_namespace());
    let signer = signing::signer(service).await?;
    let jti = context.ids.next::<Uuid>().to_string();
    let issued_at = Time::from_millis(claims::seconds(context.now) * SECOND_MS);
    let expires_at = issued_at.plus_ms(request.expires_in * SECOND_MS);
    let token_id = jti.clone();
    let work = move |tx: &mut Tx| {
        let agent = visible::inbox_or_identity(tx, &caller, id)?;
        let agent = standing::of(tx, agent, context.now)?;
        let client = standing::client(tx, &request.audience)?;
        let scope = standing::granted(&agent.agent, &client, request.scope.with(IdentityScope::Openid));
        let new = NewSignIn {
            agent: &agent,
            client: &client,
            event: IdentitySignInEvent::TokenIssued,
            flow: IdentitySignInFlow::Headless,
            jti: &token_id,
            scope,
            expires_at: Some(expires_at),
            ip: Some(&request.ip),
        };
        context.record(tx, &new)?;
        let about = ClaimsAbout {
            agent: &agent.agent,
            workspace: &agent.workspace,
            client: &client,
            scope,
            namespace: &namespace,
        };
        let facts = TokenFacts {
            issuer: &issuer,
            jti: &token_id,
            issued_at,
            expires_in: request.expires_in,
            auth_time: None,
            nonce: request.nonce.as_deref(),
        };
        Ok::<_, Refusal>((claims::id_token(&about, &facts), scope))
    };
    let (claims, scope) = service.write(work).await?;
    let id_token = signing::sign(&signer, &claims)?;
    let sub = claims["sub"].as_str().unwrap_or_default().to_owned();
    Ok(MintedToken { id_token, sub, jti, scope, expires_at, limits })
}
