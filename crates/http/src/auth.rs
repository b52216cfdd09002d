//! Authentication: from the `Authorization` header or the session cookie to a [`Caller`]; authorization of callers for routes.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};
use posthouse_domain::{
    auth::{ApiKeySecret, Caller, Principal, Scope},
    error::{ErrorCode, Refusal},
    user::Role,
};

use super::{
    cookie,
    route::{RequiredScope, Route, RouteAccess},
};
use crate::Api;
use posthouse_app::{
    access::{
        authenticate::{self, AuthenticatedCaller},
        authorize::{require_owner, require_permission},
        credentials,
    },
    settings::SecretText,
};

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
    credentials::key(&api.service, &bearer(headers)?, client, user_agent).await
}

/// Returns the key in `Authorization: Bearer <key>`. The scheme is case-insensitive (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Result<ApiKeySecret, Refusal> {
    let unauthorized = |message: &str| Refusal::new(ErrorCode::Unauthorized, message);
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let value = given.next().ok_or_else(|| unauthorized("The request has no API key."))?;
    if given.next().is_some() {
        return Err(unauthorized("The request has several `Authorization` headers."));
    }
    let text = value.to_str().map_err(|_| unauthorized("The `Authorization` header must be ASCII text."))?;
    match text.trim().split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => {
            ApiKeySecret::parse(key.trim()).ok_or_else(|| {
                unauthorized("The API key is incomplete or mistyped: it is `ph_` and 40 letters and digits.")
            })
        }
        _ => Err(unauthorized("The `Authorization` header must be `Bearer <API key>`.")),
    }
}

/// Returns the text after `Bearer`, in any form.
pub(super) fn bearer_text(headers: &HeaderMap) -> Option<SecretText> {
    text_after("bearer", headers)
}

/// Returns the text after `Basic`, in any form.
pub(super) fn basic_text(headers: &HeaderMap) -> Option<SecretText> {
    text_after("basic", headers)
}

fn text_after(wanted: &str, headers: &HeaderMap) -> Option<SecretText> {
    let (scheme, text) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case(wanted).then(|| SecretText(text.trim().to_owned()))
}

/// Checks that the caller may use a route.
///
/// # Errors
/// Returns `insufficient_permissions` with the permission, `forbidden` if the scope or role of the caller is too narrow or
/// the person is in no workspace, or `unauthorized` if the route needs a session.
pub fn authorize(caller: &Caller, route: &Route) -> Result<(), Refusal> {
    if route.access != RouteAccess::Person {
        authenticate::require_workspace(caller)?;
    }
    match (route.access, caller.principal) {
        (
            RouteAccess::Public,
            Principal::Key(_) | Principal::User(_) | Principal::Operator | Principal::Service { .. },
        ) => Ok(()),
        (RouteAccess::Key(permission, scope), Principal::Key(_) | Principal::User(_)) => {
            for required in std::iter::once(permission).chain(route.also.iter().copied()) {
                require_permission(caller, required)?;
            }
            require_scope(caller.scope(), scope)
        }
        (RouteAccess::Key(..), Principal::Operator | Principal::Service { .. }) => caller.credential().map(drop),
        (RouteAccess::Session(Role::Owner), Principal::User(user)) => require_owner(user.role),
        (RouteAccess::Session(Role::Member), Principal::User(_)) => Ok(()),
        (RouteAccess::Person, Principal::User(_)) => Ok(()),
        (
            RouteAccess::Session(_) | RouteAccess::Person,
            Principal::Key(_) | Principal::Operator | Principal::Service { .. },
        ) => Err(authenticate::no_session()),
    }
}

fn require_scope(scope: Scope, required: RequiredScope) -> Result<(), Refusal> {
    match required {
        RequiredScope::Workspace if scope.inbox().is_some() => Err(Refusal::new(
            ErrorCode::Forbidden,
            "This route needs a workspace-wide key; this API key is for one inbox.",
        )),
        RequiredScope::Org if scope != Scope::Org => {
            let message = format!(
                "This route needs a key with the scope `org`; the scope of this API key is `{}`.",
                scope.text()
            );
            Err(Refusal::new(ErrorCode::Forbidden, message).with_fix("Use a key with the scope `org`."))
        }
        RequiredScope::Any | RequiredScope::Workspace | RequiredScope::Org => Ok(()),
    }
}
