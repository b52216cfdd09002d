//! Dynamic registration of clients (RFC 7591), for clients without a metadata document.

use std::net::IpAddr;

use posthouse_domain::connector::client::{CLIENT_ID_PREFIX, UNUSED_MS};
use posthouse_domain::{ClientKind, ConnectorClient, OAuthError, OAuthErrorCode, connector::secret};
use posthouse_store::connector_clients;
use serde_json::Value;

use super::{draw, metadata::ClientMetadata};
use crate::{service::Service, sign_in_with::failure::OAuthFailure};

/// The name of a client that states none.
const UNNAMED: &str = "Unnamed program";

/// Registers a public client. Nothing of what it states is proven. `network` is what counts as one client address.
///
/// # Errors
/// Returns `invalid_redirect_uri`, `invalid_client_metadata`, or `rate_limited` if the address registered too many.
pub async fn register(service: &Service, document: &Value, network: IpAddr) -> Result<ConnectorClient, OAuthFailure> {
    let Value::Object(document) = document else {
        let text = "The body must be a JSON object with the metadata of the client.";
        return Err(OAuthError::new(OAuthErrorCode::InvalidClientMetadata, text).into());
    };
    let metadata = ClientMetadata::read(document)?;
    let now = service.clock.now();
    service.connector_limits.count_registration(network, now)?;
    let client = ConnectorClient {
        client_id: format!("{CLIENT_ID_PREFIX}{}", secret::code(&draw(service.clock.as_ref()))),
        kind: ClientKind::Registered,
        name: metadata.name.unwrap_or_else(|| UNNAMED.to_owned()),
        uri: metadata.uri,
        redirect_uris: metadata.redirect_uris,
        created_at: now,
        expires_at: now.plus_ms(UNUSED_MS),
    };
    let stored = client.clone();
    service.write(move |tx| connector_clients::store(tx, &stored)).await?;
    Ok(client)
}
