//! The seam on both engines: a SQLite file in a temporary directory, a database of a throw-away PostgreSQL cluster.
#![allow(clippy::unwrap_used)]

#[path = "../../../tests/src/postgres.rs"]
#[allow(dead_code, unreachable_pub)]
mod postgres;

mod backups;
mod blobs;
mod both;
mod jobs;
mod lists;
mod on_postgres;
mod on_sqlite;
mod postgres_tls;
mod s3_server;
mod support;
mod upgrade;
