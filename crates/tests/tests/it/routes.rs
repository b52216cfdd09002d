//! Tests of single routes. The folders mirror the URL paths.

mod account;
mod contacts;
mod domains;
mod downloads;
mod drafts;
mod emergency;
mod escalation;
mod events;
mod forwarding;
mod identities;
mod inboxes;
mod ingress;
mod lists;
mod messages;
mod metrics;
mod platform;
mod queue;
mod refusals;
mod retention;
mod search;
pub(crate) mod signup;
mod stream;
mod suppressions;
mod threads;
mod verification;
mod wait;
pub(crate) mod webhooks;
