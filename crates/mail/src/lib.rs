//! Formats and protocols of mail: values in, values out.
//!
//! This crate never does I/O, reads no clock, draws no random numbers and knows no database.

pub mod address;
pub mod auth;
pub mod author;
pub mod autoreply;
pub mod bounce;
pub mod build;
pub mod dkim;
pub mod extract;
pub mod forwarding;
pub mod header;
pub mod html;
pub mod limits;
pub mod parse;
pub mod report;
pub mod smtp;
pub mod submission;
pub mod thread;
pub mod trace;
pub mod verification;

#[cfg(test)]
mod tests;
