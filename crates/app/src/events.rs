//! The event log and its subscriptions.

pub mod log;
pub mod read;
pub mod render;
pub mod stream;
pub mod subscriptions;
