//! The bodies of the fuzz targets: each accepts any bytes and panics if the code violates a guarantee.
//!
//! They don't depend on the fuzzer, so that an ordinary test (`crates/api/tests/fuzz_targets.rs`) can run them too.

pub mod addresses;
pub mod arc;
pub mod authors;
pub mod charsets;
pub mod cursors;
pub mod dkim;
pub mod dmarc;
pub mod end_of_data;
pub mod files;
pub mod links;
pub mod mime;
pub mod reports;
pub mod search;
pub mod smtp_commands;
pub mod spf_macros;
pub mod spf_records;
pub mod wire;

mod json_schema;
mod verification;
