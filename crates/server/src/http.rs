//! The HTTP door: routes, decoding, authentication and answers. It holds no rule of the product.

pub mod auth;
mod body;
pub mod challenge;
mod client;
mod confirm;
mod development;
pub mod docs;
pub mod error;
mod front;
mod head;
pub mod health;
mod host;
pub mod idempotency;
pub mod listener;
pub mod openapi;
pub mod route;
pub mod router;
pub mod routes;
pub mod socket;
pub mod v1;
pub mod wire;
