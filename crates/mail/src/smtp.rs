//! SMTP as sans-IO sessions (RFC 5321): bytes in, actions out. Never opens a socket.

pub mod client;
pub mod command;
pub mod dot;
pub mod reply;
pub mod server;
