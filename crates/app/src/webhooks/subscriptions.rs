//! Event subscriptions of MCP clients by webhook (`docs/reference/mcp-events.md#webhook`).
//!
//! A subscription is a webhook with a subscriber and an end. The dispatcher delivers to both alike; this module has what
//! differs: how a client subscribes, the body and the header fields of a delivery, and the end.

pub(super) mod delivery;
pub(super) mod ending;
pub mod subscribe;
pub mod unsubscribe;
mod verify;
mod watermark;

pub use verify::CallbackProblem;
