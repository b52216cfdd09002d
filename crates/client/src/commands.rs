//! The commands. Each decodes its options, calls the API and prints the result.

pub(crate) mod account;
pub(crate) mod inboxes;
mod input;
mod list;
pub(crate) mod messages;
pub(crate) mod send;
pub(crate) mod wait_code;
