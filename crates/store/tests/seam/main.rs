//! The seam on both engines: a SQLite file in a temporary directory, a database of a throw-away PostgreSQL cluster.
#![allow(clippy::unwrap_used)]

#[path = "../../../tests/src/postgres.rs"]
#[allow(dead_code, unreachable_pub)]
mod postgres;

mod both;
mod support;
