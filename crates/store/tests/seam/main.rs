//! Tests of the store on both engines: a SQLite file in a temporary directory, and a database of a temporary PostgreSQL
//! cluster.
#![allow(clippy::unwrap_used)]

#[path = "../../../tests/src/ports.rs"]
#[allow(dead_code, unreachable_pub)]
mod ports;
#[path = "../../../tests/src/postgres.rs"]
#[allow(dead_code, unreachable_pub)]
mod postgres;

mod backups;
mod blobs;
mod both;
mod column_names;
mod jobs;
mod lists;
mod on_postgres;
mod on_sqlite;
mod postgres_tls;
mod raw_reader;
mod read_limits;
mod read_only;
mod s3_server;
mod schema;
mod support;
mod upgrade;
mod wiping;
