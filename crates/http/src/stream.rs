//! WebSockets and their frames.

pub(crate) mod frames;
pub mod socket;
