//! The binary from outside: what commands print, how they exit, what `serve` tells and how it ends (operations.md).
#![allow(clippy::unwrap_used)]

mod admin;
mod blobs;
mod certificate;
mod house;
mod rights;
mod serving;
mod usage;
