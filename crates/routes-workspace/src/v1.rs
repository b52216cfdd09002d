//! The routes under `/v1`, one file per resource.

mod account;
mod contacts;
mod deliverability;
mod domains;
mod emergency;
mod escalation;
mod events;
mod lists;
mod metrics;
mod signup;
mod stream;
mod suppressions;
mod webhooks;

use posthouse_http::prelude::*;

pub(crate) fn routes() -> Vec<Route> {
    let chapters = [
        account::routes(),
        signup::routes(),
        contacts::routes(),
        suppressions::routes(),
        lists::routes(),
        events::routes(),
        stream::routes(),
        emergency::routes(),
        escalation::routes(),
        webhooks::routes(),
        metrics::routes(),
        deliverability::routes(),
        domains::routes(),
    ];
    chapters.into_iter().flatten().collect()
}
