//! Who asks: from the `Authorization` header to a [`Caller`] (API document, Authentication).

use axum::http::{HeaderMap, header};
use posthouse_domain::{
    auth::{Caller, SecretKey},
    error::{Code, Refusal},
    time::MINUTE_MS,
};
use posthouse_store::keys::{self, Recognised};

use super::route::{Access, Reach, Secret};
use crate::app::App;

/// Recognises the key of a request.
///
/// # Errors
/// `unauthorized`, or the store's own.
pub async fn recognise(app: &App, headers: &HeaderMap) -> Result<Recognised, Refusal> {
    let digest = bearer(headers)?.digest();
    let found = app.store.glance(move |tx| keys::recognise(tx, &digest)).await?;
    let recognised = found.ok_or_else(|| Refusal::new(Code::Unauthorized, "The API key is unknown or revoked."))?;
    note_use(app, &recognised).await;
    Ok(recognised)
}

/// The key in `Authorization: Bearer <key>`; the scheme in any case (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Result<SecretKey, Refusal> {
    let unauthorized = |message: &str| Refusal::new(Code::Unauthorized, message);
    let value = headers.get(header::AUTHORIZATION).ok_or_else(|| unauthorized("The request has no API key."))?;
    let text = value.to_str().map_err(|_| unauthorized("The Authorization header is not readable."))?;
    match text.trim().split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => SecretKey::parse(key.trim())
            .ok_or_else(|| unauthorized("The API key is not complete or has a typing error.")),
        _ => Err(unauthorized("The Authorization header must be 'Bearer <API key>'.")),
    }
}

/// The text behind `Bearer`, whatever it is.
pub(super) fn bearer_text(headers: &HeaderMap) -> Option<Secret> {
    let (scheme, text) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Secret(text.trim().to_owned()))
}

/// Keeps `last_used_at` true to the minute. Failing to does not fail the request.
async fn note_use(app: &App, recognised: &Recognised) {
    let now = app.clock.now();
    if recognised.last_used_at.is_some_and(|last| now.since_ms(last) < MINUTE_MS) {
        return;
    }
    let (workspace, key) = (recognised.caller.workspace, recognised.caller.key);
    if let Err(error) = app.store.write(move |tx| keys::used(tx, workspace, key, now)).await {
        tracing::warn!(cause = error.internal(), "key use not noted");
    }
}

/// Whether the caller may use a route.
///
/// # Errors
/// `insufficient_permissions` naming the permission, or `forbidden` for a key that does not reach far enough.
pub fn admit(caller: &Caller, access: Access) -> Result<(), Refusal> {
    let Access::Key(permission, reach) = access else { return Ok(()) };
    if !caller.permissions.has(permission) {
        let name = permission.text();
        let refusal = Refusal::new(Code::InsufficientPermissions, format!("The API key lacks the permission {name}."));
        return Err(refusal.detail("permission", name).with_fix(format!("Use an API key with the permission {name}.")));
    }
    if reach == Reach::Workspace && caller.scope.inbox().is_some() {
        return Err(Refusal::new(
            Code::Forbidden,
            "This route is for workspace-wide keys; the API key is for one inbox.",
        ));
    }
    Ok(())
}
