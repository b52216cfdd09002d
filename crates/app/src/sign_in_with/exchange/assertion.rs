//! The exchange of an identity token of the headless flow for an access token, once (RFC 7523 §3).

use posthouse_domain::{
    IdentityScope, IdentityScopes, IdentitySignInEvent, IdentitySignInFlow, OAuthError,
    identity::claims::check_assertion,
};
use posthouse_store::{Tx, identity_sign_ins};

use super::{AccessTokenIssue, Grant, Issued, ended};
use crate::service::Service;
use crate::sign_in_with::{failure::OAuthFailure, record::NewSignIn, signing, standing};

/// Longest assertion, in bytes.
const ASSERTION_BYTES_MAX: usize = 8_192;

pub(super) async fn redeem(service: &Service, grant: Grant, token: &str) -> Result<Issued, OAuthFailure> {
    let forged = || OAuthError::grant("The token isn't an identity token that this service signed.");
    if token.len() > ASSERTION_BYTES_MAX {
        return Err(forged().into());
    }
    let claims = signing::verify(service, token).await?.ok_or_else(forged)?;
    let client_id = grant.exchange.credentials.client_id.as_deref().unwrap_or_default();
    let jti = check_assertion(&claims, &grant.issuer, client_id, grant.context.now).map_err(OAuthError::grant)?;
    service.write(move |tx| run(tx, &grant, &jti)).await
}

fn run(tx: &mut Tx, grant: &Grant, jti: &str) -> Result<Issued, OAuthFailure> {
    let client = grant.client(tx)?;
    let issued = identity_sign_ins::issued(tx, jti)?.filter(|issued| issued.client_id == client.client_id);
    let issued = issued.ok_or_else(|| OAuthError::grant("No agent requested this token."))?;
    let agent = standing::agent(tx, issued.workspace, issued.inbox, grant.context.now).map_err(ended)?;
    // Libraries send the scope of the app, which may be larger than what the agent granted.
    let granted = standing::granted(&agent.agent, &client, issued.scope);
    let wanted = grant.text("scope")?.map(|text| IdentityScopes::known(text).with(IdentityScope::Openid));
    let scope = wanted.map_or(granted, |wanted| granted.both(wanted));
    let new = NewSignIn {
        agent: &agent,
        client: &client,
        event: IdentitySignInEvent::SignedIn,
        flow: IdentitySignInFlow::JwtBearer,
        jti,
        scope,
        expires_at: None,
        ip: Some(&grant.exchange.ip),
    };
    if !grant.context.record(tx, &new)? {
        return Err(OAuthError::grant("The token was exchanged before.").into());
    }
    let expires_at = grant.access_token_expiry();
    let access = AccessTokenIssue { scope, request: None, expires_at };
    grant.insert_access_token(tx, &client, &agent.agent, &access)?;
    Ok(Issued { scope, expires_at, claims: None })
}
