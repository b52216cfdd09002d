//! Creates, updates, deletes and wipes inboxes.

pub mod change;
pub mod create;
pub mod delete;
pub(crate) mod first_agent;
pub mod names;
pub mod read;
pub mod removal;
pub mod view;
pub mod wipe;
