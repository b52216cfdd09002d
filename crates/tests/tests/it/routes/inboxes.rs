//! `/v1/inboxes`.

mod create;
mod list;
mod one;
mod pause;
mod temporary;
mod wipe;
