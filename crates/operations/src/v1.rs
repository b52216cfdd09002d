//! `/v1/…`: the API of agents, one file or folder for each resource.

mod account;
mod attachments;
mod contacts;
mod deliverability;
pub mod directory;
mod domains;
mod downloads;
mod drafts;
mod emergency_stop;
mod escalation;
mod events;
mod fields;
mod held_messages;
mod identities;
mod identity;
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

use posthouse_api::views::{RenderedPage, message::MessageView};
use posthouse_call::{prelude::*, render_page};
use posthouse_domain::{Page, Record};

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
        drafts::operations(),
        identities::operations(),
        directory::operations(),
        public::operations(),
        identity::operations(),
        messages::operations(),
        held_messages::operations(),
        queue::operations(),
        search::operations(),
        attachments::operations(),
        threads::operations(),
        knowledge::operations(),
    ];
    chapters.into_iter().flatten().collect()
}

/// Renders a page of messages.
fn render_messages(service: &Service) -> impl Fn(&Page<Record>) -> Result<RenderedPage, Refusal> + Send + 'static {
    let bytes_max = service.config.limits.page_bytes;
    move |page| render_page(page, bytes_max, MessageView::of)
}
