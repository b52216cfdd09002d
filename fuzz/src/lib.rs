//! The bodies of the fuzz targets: each takes any bytes and panics when a promise of `posthouse-mail` is broken.
//!
//! They know nothing of the fuzzer, so that an ordinary test (`crates/mail/tests/fuzz_targets.rs`) runs them too.

pub mod addresses;
pub mod authors;
pub mod end_of_data;
pub mod mime;
pub mod reports;
pub mod smtp_commands;
