//! What a request carries: credentials, cookies, the body and its limits, the idempotency key.

pub mod auth;
pub(crate) mod body;
pub(crate) mod body_budget;
pub mod cookie;
pub(crate) mod development;
mod form;
pub(crate) mod idempotency;
pub(crate) mod origin;
pub(crate) mod request_info;
