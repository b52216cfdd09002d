//! The exchange of an access token for one with fewer scopes, so that an app can pass it on (RFC 8693). It ends when the
//! first one does.

use posthouse_domain::{IdentityClientType, OAuthError, OAuthErrorCode};
use posthouse_store::{Tx, identity_tokens};

use super::{AccessTokenIssue, Grant, Issued, ended};
use crate::{service::Service, sign_in_with::credentials, sign_in_with::failure::OAuthFailure, sign_in_with::standing};

pub(super) async fn redeem(service: &Service, grant: Grant, token: &str) -> Result<Issued, OAuthFailure> {
    let digest = credentials::digest(token);
    service.write(move |tx| run(tx, &grant, &digest)).await
}

fn run(tx: &mut Tx, grant: &Grant, digest: &[u8; 32]) -> Result<Issued, OAuthFailure> {
    let client = grant.client(tx)?;
    if client.kind != IdentityClientType::Confidential {
        let text = "Only an app with a secret can exchange access tokens.";
        return Err(OAuthError::new(OAuthErrorCode::UnauthorizedClient, text).into());
    }
    let found = identity_tokens::find(tx, digest, grant.context.now)?;
    let found = found.filter(|token| token.client_id == client.client_id);
    let found = found.ok_or_else(|| OAuthError::grant("The access token is unknown or expired, or another app's."))?;
    let agent = standing::agent(tx, found.workspace, found.inbox, grant.context.now).map_err(ended)?;
    let scope = grant.narrowed(standing::granted(&agent.agent, &client, found.scope))?;
    let access = AccessTokenIssue { scope, request: found.request, expires_at: found.expires_at };
    grant.insert_access_token(tx, &client, &agent.agent, &access)?;
    Ok(Issued { scope, expires_at: found.expires_at, claims: None })
}
