//! Creates, updates, deletes and wipes inboxes.

pub mod change;
pub mod create;
pub mod delete;
pub mod names;
pub mod removal;
pub mod view;
pub mod wipe;
