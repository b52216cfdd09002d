//! Messages of JSON-RPC 2.0, and the revisions of the protocol.
//!
//! Revisions until 2025-11-25 begin with `initialize`. Since 2026-07-28, every request names its revision in `_meta`, and
//! nothing depends on an earlier request.

mod failure;
mod message;
mod revision;

pub use failure::{Failure, FailureKind};
pub use message::{Message, Request};
pub use revision::Revision;
