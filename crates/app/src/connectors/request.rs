//! Checks the request of a client for access (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2). Nothing is stored until a person
//! approves it: the dashboard passes the request on as it came.

use posthouse_api::wire::{Problems, QueryParameters, decode_query};
use posthouse_domain::{Caller, ConnectorClient, OAuthError, OAuthErrorCode, OAuthParameters, Refusal, identity::pkce};
use serde_json::Value;

use super::{clients, resource};
use crate::people::sessions;
use crate::service::Service;
use crate::sign_in_with::{authorize::return_uri, failure::OAuthFailure};

/// The longest `state`, in bytes.
const STATE_BYTES_MAX: usize = 2_048;
/// The field that refusals name.
const FIELD: &str = "request";

/// A request of a known client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectorRequest {
    pub client: ConnectorClient,
    /// Where the browser returns to, which belongs to the client.
    pub redirect_uri: String,
    /// Returned unchanged.
    pub(super) state: Option<String>,
    /// The PKCE challenge, or why the request can't be approved.
    pub(super) challenge: Result<String, OAuthError>,
}

impl ConnectorRequest {
    /// Returns why the request can't be approved.
    #[must_use]
    pub fn error(&self) -> Option<&OAuthError> {
        self.challenge.as_ref().err()
    }

    /// Returns the URI that sends the browser back with a code or an error. The issuer of connectors is the base URL.
    #[must_use]
    pub fn return_to(&self, service: &Service, result: Result<&str, &OAuthError>) -> String {
        return_uri(&self.redirect_uri, &service.config.base_url, self.state.as_deref(), result)
    }
}

/// Decoded parameters.
struct Parameters(OAuthParameters);

impl QueryParameters for Parameters {
    fn parameters() -> Vec<Value> {
        Vec::new()
    }

    fn names() -> Vec<&'static str> {
        Vec::new()
    }

    /// OAuth ignores other parameters (RFC 6749 §3.1).
    fn takes_prefix(_: &str) -> bool {
        true
    }

    fn take(pairs: &[(String, String)], _: &mut Problems) -> Option<Self> {
        Some(Self(OAuthParameters(pairs.to_vec())))
    }
}

/// Reads a request: the query with which the client opened the authorization endpoint. `caller` is the person who opened it.
///
/// # Errors
/// Returns `invalid_request` if the client or its redirect URI is unknown, so that the browser can't return anywhere.
pub async fn read(service: &Service, caller: &Caller, query: &str) -> Result<ConnectorRequest, Refusal> {
    let person = sessions::user(caller)?.user;
    let mut problems = Problems::default();
    let given = decode_query::<Parameters>(Some(query), &mut problems).map(|read| read.0).unwrap_or_default();
    let client_id = given.required("client_id").map_err(refused)?;
    let client = clients::resolve(service, client_id, person).await.map_err(|failure| match failure {
        OAuthFailure::Protocol(error) => refused(error),
        OAuthFailure::Service(refusal) => refusal,
    })?;
    let redirect_uri = redirect_uri(&given, &client).map_err(refused)?;
    let state = given.bounded("state", STATE_BYTES_MAX).map(|state| state.map(str::to_owned));
    Ok(ConnectorRequest {
        client,
        redirect_uri,
        challenge: state.clone().and_then(|_| challenge(&given, &resource(&service.config))),
        state: state.ok().flatten(),
    })
}

fn refused(error: OAuthError) -> Refusal {
    Refusal::invalid_field(FIELD, error.description.trim_end_matches('.').to_owned())
        .with_fix("Return to the program and connect it again, or ask its maker.")
}

/// Returns the redirect URI, if it belongs to the client. Otherwise the browser must not be sent there (RFC 9700 §4.11.2).
fn redirect_uri(given: &OAuthParameters, client: &ConnectorClient) -> Result<String, OAuthError> {
    match (given.one("redirect_uri")?, client.redirect_uris.as_slice()) {
        (Some(uri), _) if client.returns_to(uri) => Ok(uri.to_owned()),
        (None, [only]) => Ok(only.clone()),
        (Some(_), _) => Err(OAuthError::invalid("The client didn't register this redirect_uri.")),
        (None, _) => Err(OAuthError::invalid("redirect_uri is required.")),
    }
}

/// Returns the PKCE challenge of a request that can be approved.
fn challenge(given: &OAuthParameters, resource: &str) -> Result<String, OAuthError> {
    let refuse = |code, text: &str| Err(OAuthError::new(code, text));
    if given.one("request")?.is_some() {
        return refuse(OAuthErrorCode::RequestNotSupported, "Request objects are not supported.");
    }
    if given.one("request_uri")?.is_some() {
        return refuse(OAuthErrorCode::RequestUriNotSupported, "Request objects are not supported.");
    }
    if given.required("response_type")? != "code" {
        return refuse(OAuthErrorCode::UnsupportedResponseType, "Only response_type=code is supported.");
    }
    if given.one("response_mode")?.is_some_and(|mode| mode != "query") {
        return Err(OAuthError::invalid("Only response_mode=query is supported."));
    }
    check_resource(given, resource)?;
    let challenge = given.required("code_challenge")?;
    // Without a method the challenge would be the verifier itself (RFC 7636 §4.3).
    if given.one("code_challenge_method")? != Some(pkce::METHOD) {
        return Err(OAuthError::invalid("code_challenge_method must be S256."));
    }
    if !pkce::is_challenge(challenge) {
        return Err(OAuthError::invalid("code_challenge must be a SHA-256 in base64url, of 43 characters."));
    }
    Ok(challenge.to_owned())
}

/// Checks that a token is requested for the MCP endpoint, or for no named resource (RFC 8707 §2).
///
/// # Errors
/// Returns `invalid_target`.
pub(super) fn check_resource(given: &OAuthParameters, resource: &str) -> Result<(), OAuthError> {
    let mut named = given.all("resource");
    match named.find(|one| one.strip_suffix('/').unwrap_or(one) != resource) {
        None => Ok(()),
        Some(_) => Err(OAuthError::new(OAuthErrorCode::InvalidTarget, format!("resource must be {resource}."))),
    }
}
