//! WebSockets and their frames.

pub(crate) mod frames;
pub mod handshake;
pub mod socket;
