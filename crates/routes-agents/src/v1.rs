//! The routes under `/v1`, one file per resource.

mod agent_keys;
mod agents;
pub(crate) mod directory;
mod identities;
mod identity;
mod identity_clients;
mod inboxes;
pub(crate) mod public;
mod scopes;

use posthouse_http::prelude::*;

pub(crate) fn routes() -> Vec<Route> {
    let chapters = [
        inboxes::routes(),
        identities::routes(),
        agents::routes(),
        directory::routes(),
        public::routes(),
        agent_keys::routes(),
        identity::routes(),
        identity_clients::routes(),
    ];
    chapters.into_iter().flatten().collect()
}
