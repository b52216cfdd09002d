//! The HTTP server: listeners, the route table, authentication, decoding, limits and responses, and the description of
//! the API. The routes of the product are in the crates `posthouse-routes-…`.

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
pub mod directory_limits;
pub mod docs;
mod drain;
mod error;
mod error_stream;
mod frames;
mod head;
mod health;
mod host;
pub mod idempotency;
mod in_flight;
mod limited_reads;
pub mod link_page;
mod listener;
pub mod listeners;
pub mod oauth;
pub mod openapi;
pub mod prelude;
pub mod rate_limits;
pub mod readiness;
mod requests;
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
