//! `/v1/inboxes` (API document, Inboxes; contract §3).

mod create;
mod list;
mod one;
mod pause;
mod temporary;
mod wipe;
