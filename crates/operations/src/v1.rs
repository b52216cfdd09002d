//! `/v1/…`: the API of agents, one file or folder for each resource.

mod account;
mod attachments;
mod contacts;
mod deliverability;
pub mod directory;
mod domains;
mod emergency_stop;
mod escalation;
mod events;
mod fields;
mod identities;
mod identity_clients;
mod inboxes;
mod knowledge;
mod lists;
mod messages;
mod metrics;
pub mod public;
mod queue;
mod scopes;
mod search;
mod signup;
mod stream;
mod suppressions;
mod threads;
mod webhooks;

use posthouse_call::prelude::*;

pub(crate) fn operations() -> Vec<Operation> {
    let chapters = [
        account::operations(),
        signup::operations(),
        contacts::operations(),
        suppressions::operations(),
        lists::operations(),
        events::operations(),
        stream::operations(),
        emergency_stop::operations(),
        escalation::operations(),
        webhooks::operations(),
        metrics::operations(),
        deliverability::operations(),
        domains::operations(),
        inboxes::operations(),
        identities::operations(),
        directory::operations(),
        public::operations(),
        identity_clients::operations(),
        messages::operations(),
        queue::operations(),
        search::operations(),
        attachments::operations(),
        threads::operations(),
        knowledge::operations(),
    ];
    chapters.into_iter().flatten().collect()
}
