//! Authentication: from the `Authorization` header or the session cookie to a caller.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};
use posthouse_domain::error::{ErrorCode, Refusal};

use crate::Api;
use crate::request::cookie;
use posthouse_app::access::{authenticate::AuthenticatedCaller, credentials, credentials::Audience};
use posthouse_app::settings::SecretText;

/// Authenticates a request from this client: by its API key or, without one, by its session cookie.
///
/// # Errors
/// Returns `unauthorized` if the key is missing, malformed, unknown or revoked, or the session has ended, `rate_limited`
/// if the client sent too many unknown keys.
pub(crate) async fn authenticate(
    api: &Api,
    headers: &HeaderMap,
    client: IpAddr,
) -> Result<AuthenticatedCaller, Refusal> {
    if !headers.contains_key(header::AUTHORIZATION)
        && let Some(secret) = cookie::session(headers)
    {
        return credentials::session(&api.service, &secret, client).await;
    }
    let user_agent = headers.get(header::USER_AGENT).and_then(|text| text.to_str().ok());
    credentials::bearer(&api.service, &bearer(headers)?, Audience::Api, client, user_agent).await
}

/// Returns the token in `Authorization: Bearer <key>`. The scheme is case-insensitive (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Result<SecretText, Refusal> {
    let unauthorized = |message: &str| Refusal::new(ErrorCode::Unauthorized, message);
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let value = given.next().ok_or_else(|| unauthorized("The request has no API key."))?;
    if given.next().is_some() {
        return Err(unauthorized("The request has several `Authorization` headers."));
    }
    let text = value.to_str().map_err(|_| unauthorized("The `Authorization` header must be ASCII text."))?;
    match text.trim().split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(SecretText(token.trim().to_owned())),
        _ => Err(unauthorized("The `Authorization` header must be `Bearer <API key>`.")),
    }
}

/// Returns the text after `Bearer`, in any form.
pub(crate) fn bearer_text(headers: &HeaderMap) -> Option<SecretText> {
    text_after("bearer", headers)
}

/// Returns the text after `Basic`, in any form.
pub(crate) fn basic_text(headers: &HeaderMap) -> Option<SecretText> {
    text_after("basic", headers)
}

fn text_after(wanted: &str, headers: &HeaderMap) -> Option<SecretText> {
    let (scheme, text) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case(wanted).then(|| SecretText(text.trim().to_owned()))
}
