//! The routes of agents: inboxes, identities, cards, the directory, signing keys, and the issuer of identity tokens.

mod agent_keys;
mod directory_pages;
mod issuer;
mod v1;

pub use directory_pages::unmatched;

use posthouse_http::prelude::*;

/// Returns the routes, in the order of the API reference.
#[must_use]
pub fn routes() -> Vec<Route> {
    let chapters = [agent_keys::routes(), v1::routes(), directory_pages::routes(), issuer::routes()];
    chapters.into_iter().flatten().collect()
}
