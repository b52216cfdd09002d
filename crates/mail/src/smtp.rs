//! SMTP as sans-IO sessions: bytes in, actions out (RFC 5321). Never opens a socket.

pub mod client;
pub mod command;
pub mod dot;
pub mod reply;
pub mod server;
