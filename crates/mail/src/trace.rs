//! Trace fields of received mail: Received and Return-Path (RFC 5321 §4.4), Authentication-Results (RFC 8601).
//!
//! Text from the client or from DNS is sanitized before it is written into a field, so that it can neither end the
//! field nor imitate another part of it. Never reads a clock.

mod received;
mod results;

pub use received::{ReceivedField, received, return_path};
pub use results::{StoredDmarcResult, authentication_results, is_foreign_claim, remove_foreign_claims, stored_dmarc};
