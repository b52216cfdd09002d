//! Checks the parameters of a sign-in whose app and redirect URI are known.

use posthouse_domain::{
    IdentityClient, IdentityClientType, IdentityScope, IdentityScopes, OAuthError, OAuthErrorCode, OAuthParameters,
    SECOND_MS, identity::NONCE_CHARS_MAX, identity::pkce,
};

/// Longest `state`, in bytes.
const STATE_BYTES_MAX: usize = 2_048;
/// Longest `login_hint`, in bytes.
const HINT_BYTES_MAX: usize = 320;

/// A valid request.
#[derive(Debug)]
pub(super) struct CheckedRequest {
    pub scope: IdentityScopes,
    pub state: Option<String>,
    pub nonce: Option<String>,
    pub code_challenge: Option<String>,
    pub login_hint: Option<String>,
    /// `prompt=none`: nothing may be shown.
    pub is_silent: bool,
    /// `prompt` asks for an approval, also if there is one in advance.
    pub needs_consent: bool,
    /// `max_age`: how long ago the person may have signed in, in milliseconds.
    pub max_age_ms: Option<i64>,
}

impl CheckedRequest {
    pub(super) fn of(given: &OAuthParameters, client: &IdentityClient) -> Result<Self, OAuthError> {
        check_kind(given)?;
        let nonce = given.bounded("nonce", NONCE_CHARS_MAX)?.map(str::to_owned);
        let code_challenge = code_challenge(given, client, nonce.is_some())?;
        let prompt: Vec<&str> = given.one("prompt")?.map(|text| text.split(' ').collect()).unwrap_or_default();
        let is_silent = prompt.contains(&"none");
        if is_silent && prompt.len() > 1 {
            return Err(OAuthError::invalid("prompt=none can't be combined with other values."));
        }
        Ok(Self {
            scope: scope(given, client)?,
            state: given.bounded("state", STATE_BYTES_MAX)?.map(str::to_owned),
            nonce,
            code_challenge,
            login_hint: given.bounded("login_hint", HINT_BYTES_MAX)?.map(str::to_owned),
            is_silent,
            needs_consent: prompt.iter().any(|one| matches!(*one, "login" | "consent" | "select_account")),
            max_age_ms: max_age_ms(given)?,
        })
    }
}

/// Checks that the request is for a code in the query, and has no request object.
fn check_kind(given: &OAuthParameters) -> Result<(), OAuthError> {
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
    match given.one("response_mode")? {
        None | Some("query") => Ok(()),
        Some(_) => refuse(OAuthErrorCode::InvalidRequest, "Only response_mode=query is supported."),
    }
}

/// Returns `max_age` (OpenID Connect Core §3.1.2.1), in milliseconds.
fn max_age_ms(given: &OAuthParameters) -> Result<Option<i64>, OAuthError> {
    let Some(text) = given.one("max_age")? else { return Ok(None) };
    let seconds = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let seconds = seconds.ok_or_else(|| OAuthError::invalid("max_age must be a whole number of seconds."))?;
    Ok(Some(seconds.parse().unwrap_or(i64::MAX).saturating_mul(SECOND_MS)))
}

/// Returns the requested scopes that the app may get. Unknown ones are ignored (OpenID Connect Core §3.1.2.1).
fn scope(given: &OAuthParameters, client: &IdentityClient) -> Result<IdentityScopes, OAuthError> {
    let scope = given.one("scope")?.map_or(IdentityScopes::TOKEN_DEFAULT, IdentityScopes::known);
    if !scope.has(IdentityScope::Openid) {
        return Err(OAuthError::new(OAuthErrorCode::InvalidScope, "scope must contain openid."));
    }
    Ok(scope.both(client.allowed_scopes))
}

/// Returns the PKCE challenge. An app without a secret must send one; an app with a secret may send a nonce instead
/// (RFC 9700 §2.1.1).
fn code_challenge(
    given: &OAuthParameters,
    client: &IdentityClient,
    has_nonce: bool,
) -> Result<Option<String>, OAuthError> {
    let method = given.one("code_challenge_method")?;
    let Some(challenge) = given.one("code_challenge")? else {
        let is_optional = client.kind == IdentityClientType::Confidential && has_nonce;
        return match method {
            None if is_optional => Ok(None),
            _ => Err(OAuthError::invalid("code_challenge is required, with code_challenge_method=S256.")),
        };
    };
    // Without a method the challenge would be the verifier itself (RFC 7636 §4.3).
    if method != Some(pkce::METHOD) {
        return Err(OAuthError::invalid("code_challenge_method must be S256."));
    }
    if !pkce::is_challenge(challenge) {
        return Err(OAuthError::invalid("code_challenge must be a SHA-256 in base64url, of 43 characters."));
    }
    Ok(Some(challenge.to_owned()))
}
