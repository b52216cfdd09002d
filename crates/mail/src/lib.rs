//! Email formats and protocols as pure functions and state machines.
//!
//! This crate does no I/O and has no access to the clock, a random source or a database.

pub mod address;
pub mod auth;
pub mod author;
pub mod autoreply;
pub mod bounce;
pub mod build;
mod byte_search;
pub mod calendar;
pub mod dkim;
pub mod extract;
pub mod file_type;
pub mod forwarding;
pub mod header;
pub mod html;
pub mod jose;
pub mod limits;
mod lines;
pub mod parse;
pub mod report;
pub mod smtp;
pub mod submission;
pub mod thread;
pub mod trace;
pub mod verification;
mod wordlist;

#[cfg(test)]
mod tests;
