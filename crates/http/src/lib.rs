//! The HTTP API: routes, decoding, authentication and responses. Product rules are in the crates below.

pub mod auth;
mod body;
mod body_budget;
pub mod challenge;
mod client;
mod config;
mod confirm;
mod connections;
mod development;
pub mod docs;
pub mod error;
mod error_stream;
mod frames;
pub mod head;
pub mod health;
mod host;
pub mod idempotency;
mod in_flight;
mod limited_reads;
pub mod listener;
pub mod openapi;
mod rate_limits;
pub mod readiness;
mod requests;
mod response_budget;
mod root;
pub mod route;
pub mod router;
pub mod routes;
pub mod socket;
mod state;
mod unknown_keys;
pub mod v1;
mod write_timeout;

pub use config::HttpConfig;
pub use state::Api;
