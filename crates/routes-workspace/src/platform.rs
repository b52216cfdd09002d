//! `/platform/…`: what the dashboard needs beyond the API: sign-in, sessions, keys, members and settings. Except for
//! sign-in, these routes authenticate with the session cookie only.

mod auth;
mod keys;
mod members;
mod org;
mod sessions;
mod sign_ins;
mod usage;
mod workspaces;

use posthouse_app::people::sign_in::SignInClient;

use posthouse_http::{
    client,
    route::{RequestInfo, Route},
};

/// Returns the browser that asks for a session.
fn sign_in_client(request: RequestInfo) -> SignInClient {
    let RequestInfo { user_agent, client_ip, session, .. } = request;
    SignInClient { user_agent, ip: client_ip, network: client::network(client_ip), session }
}

pub(crate) fn routes() -> Vec<Route> {
    [
        auth::routes(),
        sessions::routes(),
        keys::routes(),
        usage::routes(),
        org::routes(),
        members::routes(),
        sign_ins::routes(),
        workspaces::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
