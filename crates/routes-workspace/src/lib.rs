//! The routes of a workspace: the account, sign-up, its people and the dashboard, contacts and lists, events and webhooks,
//! domains, metrics, the emergency stop and escalation.

mod claim;
mod confirm;
mod platform;
mod v1;

use posthouse_http::prelude::*;

/// Returns the routes, in the order of the API reference.
#[must_use]
pub fn routes() -> Vec<Route> {
    let chapters = [v1::routes(), claim::routes(), confirm::routes(), platform::routes()];
    chapters.into_iter().flatten().collect()
}
