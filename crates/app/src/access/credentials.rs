//! Authenticates the credential of a client, unless the client sent too many unknown ones.

use std::net::IpAddr;

use posthouse_domain::{ApiKeySecret, ConnectorToken, ErrorCode, FileDirection, Refusal, SessionSecret};
use sha2::{Digest, Sha256};

use super::authenticate::{self, AuthenticatedCaller};
use super::file_links::{self, LinkedCall};
use crate::{service::Service, settings::SecretText};

/// Authenticates the session of a person, who may be in no workspace, from this client.
///
/// # Errors
/// Returns `unauthorized` if the session has ended or `rate_limited` if the client sent too many unknown ones.
pub async fn session(
    service: &Service,
    secret: &SessionSecret,
    client: IpAddr,
) -> Result<AuthenticatedCaller, Refusal> {
    check(service, secret.digest(), client, authenticate::authenticate_session(service, secret)).await
}

/// Authenticates an API key from this client.
///
/// # Errors
/// Returns `unauthorized` if the key is unknown or revoked, or `rate_limited` if the client sent too many unknown keys.
pub async fn key(
    service: &Service,
    key: &ApiKeySecret,
    client: IpAddr,
    user_agent: Option<&str>,
) -> Result<AuthenticatedCaller, Refusal> {
    let used_by = authenticate::key_client(client, user_agent);
    check(service, key.digest(), client, authenticate::authenticate(service, key, used_by)).await
}

/// The endpoints that a bearer token must be issued for (RFC 8707).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// The HTTP API: API keys.
    Api,
    /// The MCP endpoint: API keys, and access tokens of connectors.
    Mcp,
}

/// Authenticates the bearer token of a request to an endpoint: an API key, or the access token of a connector if it is for
/// this endpoint.
///
/// # Errors
/// Returns `unauthorized` if the token is malformed, unknown, expired, revoked or for another endpoint, or `rate_limited`
/// if the client sent too many unknown ones.
pub async fn bearer(
    service: &Service,
    token: &SecretText,
    audience: Audience,
    client: IpAddr,
    user_agent: Option<&str>,
) -> Result<AuthenticatedCaller, Refusal> {
    if !ConnectorToken::is_meant(&token.0) {
        let parsed = ApiKeySecret::parse(&token.0).ok_or_else(|| {
            let message = "The API key is incomplete or mistyped: it is `ph_` and 40 letters and digits.";
            Refusal::new(ErrorCode::Unauthorized, message)
        })?;
        return key(service, &parsed, client, user_agent).await;
    }
    match audience {
        Audience::Mcp => {
            let token = ConnectorToken::parse(&token.0).ok_or_else(authenticate::unknown_connector)?;
            check(service, token.digest(), client, authenticate::authenticate_connector(service, &token)).await
        }
        Audience::Api => {
            let message = "The access token of a connector is for the MCP endpoint alone.";
            Err(Refusal::new(ErrorCode::Unauthorized, message).with_fix("Send an API key."))
        }
    }
}

/// Redeems a stream token from this client.
///
/// # Errors
/// Returns `unauthorized` if the token is unknown, used or expired or `rate_limited` if the client sent too many unknown
/// ones.
pub async fn stream_token(
    service: &Service,
    token: &SecretText,
    client: IpAddr,
) -> Result<AuthenticatedCaller, Refusal> {
    let digest = Sha256::digest(token.0.as_bytes()).into();
    check(service, digest, client, authenticate::authenticate_stream_token(service, &token.0)).await
}

/// Opens the link of a file from this client.
///
/// # Errors
/// Returns `not_found` if the link is unknown, used or expired, or its credential was revoked, or `rate_limited` if the
/// client sent too many unknown ones.
pub async fn file_link(
    service: &Service,
    token: &str,
    direction: FileDirection,
    client: IpAddr,
) -> Result<LinkedCall, Refusal> {
    let digest = Sha256::digest(token.as_bytes()).into();
    check(service, digest, client, file_links::open(service, token, direction)).await.map_err(link_refusal)
}

/// Checks a link to a file without using it up.
///
/// # Errors
/// Returns the errors of [`file_link`].
pub async fn check_file_link(
    service: &Service,
    token: &str,
    direction: FileDirection,
    client: IpAddr,
) -> Result<(), Refusal> {
    let digest = Sha256::digest(token.as_bytes()).into();
    check(service, digest, client, file_links::check(service, token, direction)).await.map_err(link_refusal)
}

fn link_refusal(refusal: Refusal) -> Refusal {
    if refusal.code == ErrorCode::Unauthorized { file_links::unknown() } else { refusal }
}

/// Looks up a credential, unless its client sent too many unknown ones.
async fn check<T>(
    service: &Service,
    digest: [u8; 32],
    client: IpAddr,
    lookup: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    let check = service.unknown_keys.admit(
        digest,
        client,
        service.config.limits.unknown_keys_per_minute,
        service.clock.now(),
    )?;
    let found = lookup.await;
    match &found {
        Ok(_) => check.accept(),
        Err(refusal) if refusal.code == ErrorCode::Unauthorized => check.reject(),
        Err(_) => drop(check),
    }
    found
}
