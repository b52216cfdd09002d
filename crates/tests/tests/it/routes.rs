//! Tests of single routes; the folders mirror the paths of the API document.

mod account;
mod domains;
mod drafts;
mod emergency;
mod events;
mod inboxes;
mod ingress;
mod messages;
mod metrics;
mod refusals;
mod retention;
mod stream;
mod threads;
mod wait;
pub(crate) mod webhooks;
