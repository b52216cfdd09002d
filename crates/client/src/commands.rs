//! The commands. Each decodes its options, calls the API and prints the result.

pub(crate) mod account;
pub(crate) mod agents;
pub(crate) mod contacts;
pub(crate) mod doctor;
pub(crate) mod domains;
pub(crate) mod drafts;
pub(crate) mod inboxes;
mod input;
pub(crate) mod keys;
pub(crate) mod knowledge;
mod list;
pub(crate) mod listen;
pub(crate) mod mcp;
pub(crate) mod messages;
pub(crate) mod open;
pub(crate) mod rehearse;
pub(crate) mod search;
pub(crate) mod send;
pub(crate) mod tail;
pub(crate) mod threads;
pub(crate) mod tree;
pub(crate) mod trigger;
pub(crate) mod wait_code;
pub(crate) mod webhooks;
