//! The routes under `/v1` and `/dev`, one file per resource.

pub mod account;
pub mod attachments;
pub mod contacts;
pub mod deliverability;
pub mod domains;
pub mod drafts;
pub mod emergency;
pub mod escalation;
pub mod events;
mod fields;
pub mod forwarding;
pub mod inboxes;
pub mod ingress;
pub mod lists;
mod message_batch;
mod message_html;
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
