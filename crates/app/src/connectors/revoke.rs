//! The end of access by its client (RFC 7009).

use posthouse_domain::connector::secret::RefreshToken;
use posthouse_domain::{ConnectorEnd, ConnectorToken, OAuthError, OAuthParameters};
use posthouse_store::{Tx, connectors};

use crate::access::connectors::ConnectorEnding;
use crate::{service::Service, sign_in_with::failure::OAuthFailure};

/// Ends an access token, or with a refresh token the whole access. An unknown token changes nothing (RFC 7009 §2.2).
///
/// # Errors
/// Returns `invalid_request` if there is no token, or `invalid_grant` if another client got it.
pub async fn revoke(service: &Service, given: OAuthParameters) -> Result<(), OAuthFailure> {
    let text = given.required("token")?.to_owned();
    let client_id = given.one("client_id")?.map(str::to_owned);
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| -> Result<(), OAuthFailure> {
        let is_other = |other: &str| client_id.as_deref().is_some_and(|named| named != other);
        let others = || OAuthFailure::from(OAuthError::grant("Another client got this token."));
        if let Some(token) = RefreshToken::parse(&text) {
            let Some(found) = connectors::lock_by_family(tx, &token.family_digest())? else { return Ok(()) };
            if is_other(&found.connector.client_id) {
                return Err(others());
            }
            let ending = ConnectorEnding { reason: ConnectorEnd::RevokedByClient, ids: ids.clone(), now };
            return Ok(ending.end(tx, found.connector)?);
        }
        let Some(token) = ConnectorToken::parse(&text) else { return Ok(()) };
        let Some(owner) = connectors::of_token(tx, &token.digest())? else { return Ok(()) };
        let connector = connectors::get(tx, owner.workspace, owner.connector)?;
        if connector.is_some_and(|connector| is_other(&connector.client_id)) {
            return Err(others());
        }
        Ok(connectors::delete_token(tx, &token.digest())?)
    };
    service.write(work).await
}
