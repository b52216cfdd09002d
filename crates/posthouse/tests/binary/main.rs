//! Tests of the binary: output and exit codes of commands, and the start and end of `serve` (`docs/OPERATING.md`).
#![allow(clippy::unwrap_used)]

mod admin;
mod blobs;
mod certificate;
mod client;
mod commands;
mod file_permissions;
mod harness;
mod listeners;
mod ownership;
mod reading_files;
mod restores;
mod serving;
mod signing_keys;
mod stores;
mod terminal;
mod usage;
