//! The routes of mail, under `/v1` and `/dev`, one file per resource: messages, threads, drafts, sending, the outbox, the
//! queue, search and forwarding.

mod attachments;
mod delivery_attempts;
mod drafts;
mod fields;
mod forwarding;
mod ingress;
mod message_batch;
mod message_html;
mod messages;
mod outbox;
mod queue;
mod queue_items;
mod search;
mod send;
mod threads;
mod wait;

use posthouse_http::prelude::*;

/// Returns the routes, in the order of the API reference.
#[must_use]
pub fn routes() -> Vec<Route> {
    let chapters = [
        messages::routes(),
        send::routes(),
        ingress::routes(),
        delivery_attempts::routes(),
        outbox::routes(),
        wait::routes(),
        queue::routes(),
        queue_items::routes(),
        search::routes(),
        attachments::routes(),
        threads::routes(),
        drafts::routes(),
        forwarding::routes(),
    ];
    chapters.into_iter().flatten().collect()
}
