//! The bodies of the fuzz targets: each accepts any bytes and panics if `posthouse-mail` violates a guarantee.
//!
//! They don't depend on the fuzzer, so that an ordinary test (`crates/mail/tests/fuzz_targets.rs`) can run them too.

pub mod addresses;
pub mod authors;
pub mod end_of_data;
pub mod mime;
pub mod reports;
pub mod smtp_commands;
