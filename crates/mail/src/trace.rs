//! Trace fields of received mail: Received and Return-Path (RFC 5321 §4.4), Authentication-Results (RFC 8601).
//!
//! Whatever a client or a stranger's DNS wrote is cleaned before it stands in a field: it can neither end the field nor
//! look like another part of it. Never reads a clock.

mod received;
mod results;

pub use received::{ReceivedLine, received, return_path};
pub use results::{StoredDmarc, authentication_results, is_foreign_claim, remove_foreign_claims, stored_dmarc};
