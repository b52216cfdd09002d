//! `/platform/…`: what the dashboard needs beyond the API: sign-in, sessions, keys, members and settings. These routes
//! authenticate with the session cookie only.

mod auth;
mod keys;
mod members;
mod org;
mod sessions;
mod usage;
mod workspaces;

use crate::route::Route;

pub(crate) use auth::SignInLimits;

pub(crate) fn routes() -> Vec<Route> {
    [
        auth::routes(),
        sessions::routes(),
        keys::routes(),
        usage::routes(),
        org::routes(),
        members::routes(),
        workspaces::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
