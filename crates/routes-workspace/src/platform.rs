//! `/platform/…`: what the dashboard needs beyond the API: sign-in, sessions, keys, members and settings. Except for
//! sign-in, these routes authenticate with the session cookie only.

mod auth;
mod invitations;
mod keys;
mod members;
mod org;
mod sessions;
mod sign_ins;
mod usage;
mod workspaces;

use axum::http::header;
use posthouse_api::views::user::SignedInView;
use posthouse_app::limits::client_network;
use posthouse_app::people::sign_in::{Person, SignInClient, SignedIn};
use posthouse_http::cookie;
use posthouse_http::prelude::*;

/// Returns the browser that asks for a session.
fn sign_in_client(request: RequestInfo) -> SignInClient {
    let RequestInfo { user_agent, client_ip, session, .. } = request;
    SignInClient { user_agent, ip: client_ip, network: client_network(client_ip), session }
}

/// Returns the view of a person with a session.
fn signed_in_view<'a>(service: &Service, person: &'a Person) -> SignedInView<'a> {
    let membership = person.membership.as_ref();
    let (role, workspace) = (membership.map(|found| found.role), membership.map(|found| &found.workspace));
    SignedInView::of(&person.user, role, workspace, &person.invitations, service.config.is_loopback_profile())
}

/// Returns the response that begins a session.
fn begin_session(service: &Service, signed_in: &SignedIn) -> Result<RouteResponse, Refusal> {
    let response = RouteResponse::json(200, &signed_in_view(service, &signed_in.person))?;
    let cookie = cookie::begin(&signed_in.secret, &service.config.base_url);
    let cookie = cookie.ok_or_else(|| Refusal::new(ErrorCode::Internal, "The cookie couldn't be written."))?;
    Ok(response.with(header::SET_COOKIE, cookie))
}

pub(crate) fn routes() -> Vec<Route> {
    [
        auth::routes(),
        sessions::routes(),
        keys::routes(),
        usage::routes(),
        org::routes(),
        members::routes(),
        invitations::routes(),
        sign_ins::routes(),
        workspaces::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
