//! The HTTP server: listeners, the route table, authentication, decoding, limits and responses, and the description of
//! the API. The operations are in the crate `posthouse-operations`.

pub mod auth;
mod body;
mod body_budget;
mod challenge;
pub mod client;
mod connections;
pub mod cookie;
mod cors;
pub mod dashboard;
mod development;
pub mod docs;
mod drain;
mod error;
mod error_stream;
mod frames;
mod head;
mod health;
mod host;
mod idempotency;
mod limited_reads;
pub mod link_page;
mod listener;
pub mod listeners;
pub mod oauth;
pub mod openapi;
pub mod prelude;
mod rate_limits;
pub mod readiness;
mod request_info;
mod requests;
mod response;
mod response_budget;
pub mod route;
mod router;
pub mod routes;
mod shared_document;
pub mod site;
pub mod socket;
mod state;
mod write_timeout;

pub use state::Api;
