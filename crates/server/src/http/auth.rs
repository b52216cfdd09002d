//! Who asks: from the `Authorization` header to a [`Caller`] (API document, Authentication).

use axum::http::{HeaderMap, header};
use posthouse_domain::{
    auth::{Caller, Scope, SecretKey},
    error::{Code, Refusal},
};
use posthouse_store::keys::Recognised;

use super::route::{Access, Reach, Route};
use crate::{
    app::{App, recognise},
    config::SecretText,
};

/// Recognises the key of a request.
///
/// # Errors
/// `unauthorized`, or the store's own.
pub async fn recognise(app: &App, headers: &HeaderMap) -> Result<Recognised, Refusal> {
    recognise::recognise(app, &bearer(headers)?).await
}

/// The key in `Authorization: Bearer <key>`; the scheme in any case (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Result<SecretKey, Refusal> {
    let unauthorized = |message: &str| Refusal::new(Code::Unauthorized, message);
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let value = given.next().ok_or_else(|| unauthorized("The request has no API key."))?;
    if given.next().is_some() {
        return Err(unauthorized("The request has several Authorization headers."));
    }
    let text = value.to_str().map_err(|_| unauthorized("The Authorization header is not readable."))?;
    match text.trim().split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => SecretKey::parse(key.trim())
            .ok_or_else(|| unauthorized("The API key is not complete or has a typing error.")),
        _ => Err(unauthorized("The Authorization header must be 'Bearer <API key>'.")),
    }
}

/// The text behind `Bearer`, whatever it is.
pub(super) fn bearer_text(headers: &HeaderMap) -> Option<SecretText> {
    let (scheme, text) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| SecretText(text.trim().to_owned()))
}

/// Whether the caller may use a route.
///
/// # Errors
/// `insufficient_permissions` naming the permission, or `forbidden` for a key that does not reach far enough.
pub fn admit(caller: &Caller, route: &Route) -> Result<(), Refusal> {
    let Access::Key(permission, reach) = route.access else { return Ok(()) };
    for wanted in std::iter::once(permission).chain(route.also.iter().copied()) {
        recognise::needs(caller, wanted)?;
    }
    let scope = caller.scope;
    match reach {
        Reach::Workspace if scope.inbox().is_some() => {
            Err(Refusal::new(Code::Forbidden, "This route is for workspace-wide keys; the API key is for one inbox."))
        }
        Reach::Org if scope != Scope::Org => {
            let message = format!("This route is for org-wide keys; the scope of the API key is {}.", scope.text());
            Err(Refusal::new(Code::Forbidden, message).with_fix("Use a key of the scope org."))
        }
        _ => Ok(()),
    }
}
