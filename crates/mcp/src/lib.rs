//! The Model Context Protocol: tools, resources and prompts over the operations, for every transport.
//!
//! A transport authenticates its client, reads messages with [`Message::read`] and answers requests with
//! [`McpServer::answer`], or with the messages of [`McpServer::stream`]. Each tool is a declaration over an operation, which runs as any call does: permission, limits,
//! idempotency and errors are those of the API. Nothing here knows HTTP. See `docs/reference/mcp.md`.

mod additions;
mod catalogue;
mod client;
mod events;
mod fence;
mod guidance;
mod invoke;
mod links;
mod protocol;
mod server;
mod tool;
mod views;

pub use additions::{Additions, MessageStream};
pub use client::Client;
pub use events::EventStream;
pub use protocol::{Failure, FailureKind, Message, Request, Revision};
pub use server::McpServer;
pub use tool::Profile;
