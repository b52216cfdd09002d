//! The route table: every route of the service, once.

use super::{
    agent_keys, challenge, claim, confirm, directory_pages, health, issuer, openapi, platform, route::Route, v1,
};

/// Returns the routes that remain on `http.listen` when it redirects to HTTPS.
#[must_use]
pub fn plaintext_routes() -> Vec<Route> {
    health::routes().into_iter().chain(challenge::routes()).collect()
}

/// Returns every route, in the order of the API reference.
#[must_use]
pub fn all() -> Vec<Route> {
    let chapters = [
        health::routes(),
        challenge::routes(),
        openapi::routes(),
        agent_keys::routes(),
        v1::account::routes(),
        v1::signup::routes(),
        claim::routes(),
        v1::inboxes::routes(),
        v1::identities::routes(),
        v1::agents::routes(),
        v1::directory::routes(),
        v1::public::routes(),
        directory_pages::routes(),
        v1::agent_keys::routes(),
        v1::identity::routes(),
        v1::identity_clients::routes(),
        issuer::routes(),
        v1::forwarding::routes(),
        confirm::routes(),
        v1::messages::routes(),
        v1::send::routes(),
        v1::ingress::routes(),
        v1::delivery_attempts::routes(),
        v1::outbox::routes(),
        v1::wait::routes(),
        v1::queue::routes(),
        v1::queue_items::routes(),
        v1::search::routes(),
        v1::attachments::routes(),
        v1::threads::routes(),
        v1::contacts::routes(),
        v1::suppressions::routes(),
        v1::lists::routes(),
        v1::events::routes(),
        v1::stream::routes(),
        v1::emergency::routes(),
        v1::escalation::routes(),
        v1::drafts::routes(),
        v1::webhooks::routes(),
        v1::metrics::routes(),
        v1::deliverability::routes(),
        v1::domains::routes(),
        platform::routes(),
    ];
    chapters.into_iter().flatten().collect()
}
