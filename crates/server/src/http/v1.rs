//! The routes below `/v1`, one file a resource of the API document.

pub mod account;
pub mod attachments;
pub mod contacts;
pub mod deliverability;
pub mod domains;
pub mod drafts;
pub mod emergency;
pub mod events;
pub mod forwarding;
pub mod inboxes;
pub mod ingress;
pub mod lists;
pub mod messages;
pub mod metrics;
pub mod outbox;
pub mod queue;
pub mod search;
pub mod send;
pub mod stream;
pub mod suppressions;
pub mod threads;
pub mod wait;
pub mod webhooks;
