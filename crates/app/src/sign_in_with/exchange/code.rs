//! The grant `authorization_code` (RFC 6749 §4.1.3, RFC 7636 §4.6, RFC 9700 §4.5).

use posthouse_domain::identity::{TOKEN_SECONDS_MAX, USED_CODE_MS, claims, pkce};
use posthouse_domain::{
    ClaimsAbout, IdentityClient, IdentityRequest, IdentityRequestState, IdentitySignInEvent, IdentitySignInFlow,
    OAuthError, SECOND_MS, Time, TokenFacts,
};
use posthouse_store::{Tx, identity_requests, identity_tokens};
use uuid::Uuid;

use super::{AccessTokenIssue, Grant, Issued, check_browser_flow, ended};
use crate::service::Service;
use crate::sign_in_with::{credentials, failure::OAuthFailure, record::NewSignIn, standing, standing::StandingAgent};

/// The result of looking a code up.
enum Redeemed {
    Issued(Issued),
    /// The code was used before; what was issued for it is revoked.
    Replayed,
}

pub(super) async fn redeem(service: &Service, grant: Grant) -> Result<Issued, OAuthFailure> {
    let jti = grant.context.ids.next::<Uuid>().to_string();
    match service.write(move |tx| run(tx, &grant, &jti)).await? {
        Redeemed::Issued(issued) => Ok(issued),
        Redeemed::Replayed => {
            tracing::warn!("identity.code_replayed");
            Err(OAuthError::grant("The code was used before; the tokens that were issued for it are revoked.").into())
        }
    }
}

fn run(tx: &mut Tx, grant: &Grant, jti: &str) -> Result<Redeemed, OAuthFailure> {
    let client = grant.client(tx)?;
    check_browser_flow(&client)?;
    let code = grant.exchange.parameters.required("code")?;
    let now = grant.context.now;
    let unknown = || OAuthError::grant("The code is unknown or has expired, or another app got it.");
    let found = identity_requests::lock_by_code(tx, &credentials::digest(code), now)?;
    let request = found.filter(|request| request.client_id == client.client_id).ok_or_else(unknown)?;
    if request.used_at.is_some() {
        identity_tokens::delete_of_request(tx, request.id)?;
        return Ok(Redeemed::Replayed);
    }
    let is_valid =
        request.status == IdentityRequestState::Approved && request.code_expires_at.is_some_and(|end| now < end);
    let (true, Some(workspace), Some(inbox)) = (is_valid, request.workspace, request.inbox) else {
        return Err(unknown().into());
    };
    check_proof(grant, &request)?;
    check_redirect(&client, &request)?;
    let agent = standing::agent(tx, workspace, inbox, now).map_err(ended)?;
    if !identity_requests::set_used(tx, request.id, now, now.plus_ms(USED_CODE_MS))? {
        return Err(unknown().into());
    }
    issue(tx, grant, &client, &agent, &request, jti).map(Redeemed::Issued)
}

/// Checks that the app that exchanges the code is the one that began the sign-in.
fn check_proof(grant: &Grant, request: &IdentityRequest) -> Result<(), OAuthError> {
    if grant.exchange.parameters.required("redirect_uri")? != request.redirect_uri {
        return Err(OAuthError::grant("redirect_uri differs from the one of the sign-in."));
    }
    match (&request.code_challenge, grant.text("code_verifier")?) {
        (Some(challenge), Some(verifier)) if pkce::matches(verifier, challenge) => Ok(()),
        (None, None) => Ok(()),
        (Some(_), Some(_)) => Err(OAuthError::grant("code_verifier doesn't match the code_challenge of the sign-in.")),
        (Some(_), None) => Err(OAuthError::grant("code_verifier is required.")),
        // Accepting it would let an attacker remove the challenge from the sign-in (RFC 9700 §4.8.2).
        (None, Some(_)) => Err(OAuthError::grant("The sign-in had no code_challenge.")),
    }
}

/// Checks that the app still has the redirect URI of the sign-in: it may have been removed since, because it was taken
/// over.
fn check_redirect(client: &IdentityClient, request: &IdentityRequest) -> Result<(), OAuthError> {
    if client.returns_to(&request.redirect_uri) {
        return Ok(());
    }
    Err(OAuthError::grant("The app removed this redirect_uri."))
}

fn issue(
    tx: &mut Tx,
    grant: &Grant,
    client: &IdentityClient,
    agent: &StandingAgent,
    request: &IdentityRequest,
    jti: &str,
) -> Result<Issued, OAuthFailure> {
    let scope = standing::granted(&agent.agent, client, request.scope);
    let issued_at = Time::from_millis(claims::seconds(grant.context.now) * SECOND_MS);
    let new = NewSignIn {
        agent,
        client,
        event: IdentitySignInEvent::SignedIn,
        flow: IdentitySignInFlow::AuthorizationCode,
        jti,
        scope,
        expires_at: Some(issued_at.plus_ms(TOKEN_SECONDS_MAX * SECOND_MS)),
        ip: Some(&request.ip),
    };
    grant.context.record(tx, &new)?;
    let expires_at = grant.access_token_expiry();
    let access = AccessTokenIssue { scope, request: Some(request.id), expires_at };
    grant.insert_access_token(tx, client, &agent.agent, &access)?;
    let about =
        ClaimsAbout { agent: &agent.agent, workspace: &agent.workspace, client, scope, namespace: &grant.namespace };
    let facts = TokenFacts {
        issuer: &grant.issuer,
        jti,
        issued_at,
        expires_in: TOKEN_SECONDS_MAX,
        auth_time: request.approved_at,
        nonce: request.nonce.as_deref(),
    };
    Ok(Issued { scope, expires_at, claims: Some(claims::id_token(&about, &facts)) })
}
