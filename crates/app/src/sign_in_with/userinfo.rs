//! The userinfo endpoint (OpenID Connect Core §5.3): what an app may still know about an agent, checked on each request.

use posthouse_domain::{ClaimsAbout, OAuthError, OAuthErrorCode, Refusal};
use posthouse_store::{Tx, identity_tokens};
use serde_json::Value;

use super::{credentials, failure::OAuthFailure, standing};
use crate::service::{ReadScope, Service};

/// Returns the claims about the agent of an access token.
///
/// # Errors
/// Returns `invalid_token` if the token is unknown or expired, the app is deleted or switched off, or the agent can't
/// sign in;.
pub async fn userinfo(service: &Service, access_token: &str) -> Result<Value, OAuthFailure> {
    let (now, digest) = (service.clock.now(), credentials::digest(access_token));
    let namespace = service.config.claims_namespace();
    let work = move |tx: &mut Tx| {
        let token = identity_tokens::find(tx, &digest, now)?;
        let token = token.ok_or_else(|| invalid("The access token is unknown or has expired."))?;
        let client = standing::client(tx, &token.client_id).map_err(ended)?;
        let agent = standing::agent(tx, token.workspace, token.inbox, now).map_err(ended)?;
        let about = ClaimsAbout {
            agent: &agent.agent,
            workspace: &agent.workspace,
            client: &client,
            scope: standing::granted(&agent.agent, &client, token.scope),
            namespace: &namespace,
        };
        Ok::<_, OAuthFailure>(Value::Object(about.claims()))
    };
    service.read(ReadScope::Service, work).await
}

fn invalid(text: &str) -> OAuthFailure {
    OAuthError::new(OAuthErrorCode::InvalidToken, text).into()
}

/// Turns a refusal of the agent or the app into one of the token. Errors of the service stay.
fn ended(refusal: Refusal) -> OAuthFailure {
    if refusal.code.status() < 500 { invalid(&refusal.message) } else { refusal.into() }
}
