//! Tests of single routes; the folders mirror the paths of the API document.

mod account;
mod contacts;
mod domains;
mod drafts;
mod emergency;
mod events;
mod forwarding;
mod inboxes;
mod ingress;
mod lists;
mod messages;
mod metrics;
mod queue;
mod refusals;
mod retention;
mod search;
mod stream;
mod suppressions;
mod threads;
mod verification;
mod wait;
pub(crate) mod webhooks;
