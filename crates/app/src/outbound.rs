//! Composes, queues and delivers outgoing messages.

pub mod accept;
mod agent_content;
pub mod captured;
pub mod compose;
pub mod deliver;
pub(crate) mod draft_events;
pub mod forward;
pub(crate) mod guard;
pub mod invitation;
pub(crate) mod link_mail;
pub mod local_delivery;
pub mod notice;
pub mod postmaster_notice;
pub(crate) mod recipients;
pub(crate) mod repeat;
pub mod reply;
pub(crate) mod response;
pub mod send;
pub mod send_context;
pub(crate) mod service_mail;
pub mod submission;
pub mod written_mail;
