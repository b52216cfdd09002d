//! The directory of agents: cards, handles, listings, searches and reports. See `docs/reference/directory.md`.

pub mod a2a;
pub mod cards;
pub mod change;
pub mod create;
mod events;
pub mod handles;
pub mod listing_check;
pub mod operator;
pub mod report;
pub mod resolve;
pub mod review;
pub mod search;
pub mod switches;
pub mod verify;
pub mod view;
