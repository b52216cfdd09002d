//! The event log and its subscriptions.

pub mod cursor;
pub mod feed;
pub mod log;
pub mod occurrences;
pub mod read;
pub mod render;
pub mod stream;
pub mod subscriptions;
